"""Find where somebody else's text begins within a line, after words that introduce it.

Such words are "Anna wrote: …", "here is the ticket: …" or "translate this: …".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice
from typing import Final

from remem.model.authorship.pieces import pattern, words

ASKED_ABOUT: Final = "it follows a request about a text"
REPORTED: Final = "it is introduced as somebody else's words"

_MAX_LEAD_LENGTH: Final = 240
_MAX_COLONS: Final = 40
_MAX_TOPIC_WORDS: Final = 2
_MAX_TOPIC_CHARACTERS: Final = 6
_SENTENCE_END: Final = re.compile(r"[.!?](?:[\"”’)]*)(?=\s|$)|[。！？]")
_COLON: Final = re.compile(r":(?!//)(?!\d)(?![)(DPp/](?:\s|$))|→|=>")
_CJK: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")
_BEFORE_ORDERS: Final = ("", "and", "then", "now", "ok", "so", "just", "und", "et", "y", "и")


@dataclass(frozen=True, slots=True)
class AuthorshipEnd:
    """The position in a line after which the words may not be the speaker's.

    With a `doubt`, they may still be the speaker's. Without one, they are somebody else's up to the
    end of the paragraph or, if `paragraph` is False, of the turn. If no words follow, that text may
    be in the next turn.
    """

    at: int
    doubt: str | None = None
    paragraph: bool = False


def first_cut(line: str) -> AuthorshipEnd | None:
    """Return the end of the first words with a colon that introduce a text; None without any."""
    for colon in islice(_COLON.finditer(line), _MAX_COLONS):
        begin = max(0, colon.start() - _MAX_LEAD_LENGTH)
        ends = _SENTENCE_END.finditer(line, begin, colon.start())
        lead = line[max((end.end() for end in ends), default=begin) : colon.start()]
        if cut := _judge_lead(lead, colon.end()):
            return cut
    return None


def _judge_lead(lead: str, at: int) -> AuthorshipEnd | None:
    own = pattern("own_lead").match(lead) or pattern("whenever").match(lead)
    says = pattern("says").search(lead)
    if says and not pattern("self").search(lead[: says.start()]):
        if own:
            return AuthorshipEnd(at, REPORTED)
        return AuthorshipEnd(at, paragraph=True)
    if own or lead.strip(" *_-•").lower() in words("own_topics"):
        return None
    page, introduces = pattern("page").search(lead), pattern("introduces").search(lead)
    if page and introduces:
        return AuthorshipEnd(at)
    on_text = pattern("work_on_text").search(lead)
    verb = on_text or pattern("work_on_any").search(lead)
    if verb and (pattern("asks").search(lead.strip()) or _is_order(lead, verb.start())):
        if on_text or introduces or page:
            return AuthorshipEnd(at)
        return AuthorshipEnd(at, ASKED_ABOUT)
    return None if _is_own_lead(lead) else AuthorshipEnd(at, REPORTED)


def _is_own_lead(lead: str) -> bool:
    """Return whether the words before a colon name a topic, a kind of statement or the speaker.

    After any other words, anybody may have written the text.
    """
    if pattern("came").search(lead):
        return False
    if len(lead.split()) <= _MAX_TOPIC_WORDS and len(_CJK.findall(lead)) <= _MAX_TOPIC_CHARACTERS:
        return True
    if any(pattern(name).search(lead) for name in ("self_speaks", "about_me")):
        return True
    return not words("own_labels").isdisjoint(lead.lower().split())


def _is_order(sentence: str, verb: int) -> bool:
    """Return whether a sentence is an order, because its verb comes first.

    In Chinese and Japanese, a pattern decides instead.
    """
    before = sentence[:verb].strip(" ,-*•").lower()
    return before in _BEFORE_ORDERS or pattern("cjk_order").search(sentence) is not None
