"""Do two statements say the same, or do they only look alike?

Words that turn a statement round, numbers, names and conditions tell statements apart however
much else they share. Whatever is in doubt counts as different: a false alarm would cost a
person a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from typing import Final

from remem.text.statements import Statement
from remem.text.words import STOP_WORDS, fold, words

_TURNING: Final = frozenset(
    """not no never none nor without neither always only except unless until if when while but
    dont doesnt isnt wont cant cannot stop avoid disabled enabled on off true false yes before
    after first last more less high low min max left right old new former previous next weekly
    daily monthly hourly monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december don doesn isn won can t
    nicht kein keine nie niemals immer nur außer wenn falls ohne
    jamais ne pas sans toujours sauf si nunca no siempre sin excepto
    не нет никогда всегда без только если
    ない せん""".split()
)
_DENYING: Final = frozenset("not no never none nor without neither dont doesnt cannot".split())
_CONTRACTED: Final = re.compile(r"n['’]t\b")
_TURNING_SIGNS: Final = frozenset("不没無无未非勿禁别莫안못없")
_LIGHT: Final = frozenset(".,;:!?'\"“”‘’()[]-–—*_`~|…。，、；：！？「」（）·•")
_MINUS: Final = re.compile(r"(?<!\w)[-+](?=\d)")
_HARD: Final = re.compile(r"\d|[A-Z]{2,}|\w[._/@-]\w|[a-z][A-Z]")
_NAME: Final = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-z]+")
_PAIR: Final = re.compile(r"^(?P<key>[^:：]{1,40})[:：]\s*(?P<value>.+)$", re.DOTALL)
_ENOUGH: Final = 5
_LONG: Final = 1_000
_INFLECTION: Final = 4


def telling(statement: Statement) -> bool:
    """Whether it says enough to be recognised; what was struck out says nothing any more."""
    return len(statement.words) >= _ENOUGH and not statement.struck


def turning(words: Iterable[str]) -> frozenset[str]:
    """The words that turn a statement round, and its numbers: duplicates share them all."""
    return frozenset(word for word in words if _turns(word))


def turned_alike(a: str, b: str) -> bool:
    """Whether two wordings deny equally often, and share whatever else turns them round."""
    return _turned(a) == _turned(b)


def substance_differs(a: Iterable[str], b: Iterable[str]) -> bool:
    """Whether the words that only one of them has change what is said."""
    left, right = set(a), set(b)
    return bool(turning(left ^ right)) or _replaced(left - right, right - left)


def signs(text: str) -> frozenset[str]:
    """What is neither word nor punctuation and tells statements apart: `x > 5`, `C++`, `-3`."""
    marks = {each for each in text if not (each.isalnum() or each.isspace() or each in _LIGHT)}
    return frozenset(marks | set(_MINUS.findall(text)))


def hard_words(text: str) -> frozenset[str]:
    """Numbers, names and identifiers: what a paraphrase keeps as it is."""
    plain = {word for word in text.split() if _HARD.search(word)}
    stripped = {word.strip(".,;:!?()[]\"'“”‘’").casefold() for word in plain}
    return frozenset(stripped | {name.casefold() for name in _NAME.findall(text)})


def same_names(a: str, b: str) -> bool:
    """Whether each has the numbers, names and identifiers of the other. What begins a sentence
    may be a name or not, and is taken for one if the other has it as one."""
    return hard_words(a) <= hard_words(b) | set(words(b)) and (
        hard_words(b) <= hard_words(a) | set(words(a))
    )


def contained(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether every word of the one stands, in its order, in the other."""
    rest = iter(long)
    return all(word in rest for word in short)


def same_order(a: Sequence[str], b: Sequence[str]) -> bool:
    """The same words in another order can be another fact: who pays whom."""
    if contained(a, b) or contained(b, a):
        return True
    short = len(a) + len(b) < _LONG  # the matcher takes its time with a whole page
    return short and SequenceMatcher(None, a, b, autojunk=False).ratio() > 0.9


def same_context(a: Statement, b: Statement) -> bool:
    """Whether two lines speak of the same thing as far as their surroundings tell.

    What is nested speaks of its parent; a short `key: value` of its heading.
    """
    if fold(a.parent or "") != fold(b.parent or ""):
        return False
    if a.parent is None and not (_is_pair(a) or _is_pair(b)):
        return True
    return _heading(a) == _heading(b)


def _heading(statement: Statement) -> str:
    return fold(statement.headings[-1]) if statement.headings else ""


def _is_pair(statement: Statement) -> bool:
    match = _PAIR.match(statement.said)
    return match is not None and len(match["value"].split()) < _ENOUGH


def _turned(text: str) -> list[str]:
    spoken = words(_CONTRACTED.sub(" not", fold(text)))
    denials = ["not" for word in spoken if word in _DENYING]
    return sorted([*denials, *turning(set(spoken) - _DENYING)])


def _turns(word: str) -> bool:
    return (
        word in _TURNING
        or any(sign in _TURNING_SIGNS for sign in word)
        or any(character.isdigit() for character in word)
    )


def _replaced(left: set[str], right: set[str]) -> bool:
    """Whether a telling word of the one stands for another of the other: alpha for beta.

    An ending more or less is the same word.
    """
    mine = {word for word in left if word not in STOP_WORDS}
    theirs = {word for word in right if word not in STOP_WORDS}
    if not mine or not theirs:
        return False
    return not all(any(_inflected(word, other) for other in theirs) for word in mine)


def _inflected(word: str, other: str) -> bool:
    stem = min(len(word), len(other)) - 1
    return stem >= _INFLECTION - 1 and word[:stem] == other[:stem]
