"""Which words of a sentence state something? Not its lead-in, nor what it asks for behind.

"By the way, I moved to Oslo in May, how do I register?" states what stands in the middle. And a
question may give its reason: "What can I cook, given that I'm allergic to nuts?" Every piece is cut
out word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_LEAD: Final = re.compile(
    r"(?:(?:hey|hi|oh|ah|wow|woah|woohoo|yeah|yep|yes|nope|no(?=[,.!])|well|so|and|but|also|"
    r"actually|anyway|"
    r"btw|by the way|speaking of which|speaking of \w+|honestly|okay|ok|great|cool|sure|plus|"
    r"on another note|unfortunately|luckily|thanks|nice|right|lately|recently|for me|as for me|"
    r"fyi|in fact|to be honest|just so you know|for the record|as i said|sadly|sorry|"
    r"übrigens|eigentlich|также|кстати|вообще-то|además|por cierto|en realidad|"
    r"par ailleurs|au fait|en fait|对了|另外|其实|顺便说一下|ちなみに|実は)"
    r"(?:\b|(?=[，、]))(?:,? [A-Z]\w+(?=[,!]))?[\s,!.:–—，、-]+)+",
    re.IGNORECASE,
)
_ADDRESSED: Final = re.compile(r"[A-Z][a-z]+, (?=(?:I|We|we|my|My|our|Our)\b)")
"""Somebody is called by name, and told something."""
_OPENING: Final = (
    r"(?:how|what|which|why|where|when|who|can|could|would|should|do|does|did|is|are|was|were|will|"
    r"any|have you|right|is there|please)\b"
)
_ASKING: Final = re.compile(
    rf"(?:,|;| [-–—]|\.)\s+(?:and |but |so |or )?{_OPENING}[^,;]*(?:,[^,;]*){{0,3}}[?？]\W*$",
    re.IGNORECASE,
)
_WONDERING: Final = re.compile(
    r"(?:,|;| [-–—]|\.)?\s+(?:(?:and|but|so|or) )?(?:also )?(?:(?:can|could|would|will) (?:you|we|"
    r"someone|anyone)\b|(?:i(?:['’]m| am| was)|was) (?:just |also )?(?:wondering|curious)\b|"
    r"i (?:just )?"
    r"want(?:ed)? to (?:ask|know)\b|i(?:['’]d| would) (?:like|love) (?:to (?:know|hear|ask)|"
    r"some)\b|"
    r"do you (?:think|know|have)\b|(?:how|what) (?:can|do|should|would|could) (?:i|we)\b|"
    r"what (?:are|is|would be) (?:some|the best|a good)\b|any (?:tips|advice|ideas|suggestions|"
    r"thoughts|recommendations)\b|i(?:['’]m| am) not (?:really |quite )?sure (?:if|how|what|"
    r"whether|which)\b|is (?:it|that|there) (?:a |any |ok|worth)).*$",
    re.IGNORECASE,
)
"""What is asked for without a question mark."""
_FURTHER: Final = re.compile(
    r"(?:[,;]| [-–—]) (?:and |but |so |as |since |because |which )?(?=(?:i|we|my)\b)"
    r"|,? (?:as|because|since|and) (?=(?:i|my)\b)",
    re.IGNORECASE,
)
"""Where a further clause of somebody begins."""
_REASON: Final = re.compile(
    r"\b(?:considering|given|since|because|now that|seeing that|especially as|as)"
    r"(?: that| the fact that)? (?=(?:i|we|my|our)\b)(?P<reason>[^?？;]+)",
    re.IGNORECASE,
)


def statement_in(sentence: str) -> str:
    """The part of a sentence that states something: no lead-in, no question behind it."""
    start = _LEAD.match(sentence)
    stated = sentence[start.end() :] if start else sentence
    if called := _ADDRESSED.match(stated):
        stated = stated[called.end() :]
    for asking in (_ASKING, _WONDERING):
        asked = asking.search(stated)
        if asked and asked.start():
            stated = stated[: asked.start()]
    return stated.strip()


def further(stated: str) -> Iterator[int]:
    """Where each further clause of a statement begins."""
    return (clause.end() for clause in _FURTHER.finditer(stated))


def pieces(stated: str) -> Iterator[str]:
    """The clauses of a statement, each for itself."""
    at = 0
    for clause in _FURTHER.finditer(stated):
        yield stated[at : clause.start()].strip()
        at = clause.end()
    yield stated[at:].strip()


def reason_in(question: str) -> str | None:
    """What somebody says of himself to explain his question."""
    found = _REASON.search(question)
    return statement_in(found["reason"]).strip(" ,.") if found else None
