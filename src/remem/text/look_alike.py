"""Decide whether two statements say the same thing or only look alike.

Negations, numbers, names and conditions make statements different, however much else they share.
When in doubt, they count as different: a false duplicate could delete somebody's line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from difflib import SequenceMatcher
from typing import Final

from remem.text.similarity import SIMILAR, overlap
from remem.text.statements import TextStatement
from remem.text.words import STOP_WORDS, fold, same_stem, words

_DECISIVE: Final = frozenset(
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
_NEGATIONS: Final = frozenset("not no never none nor without neither dont doesnt cannot".split())
_CONTRACTED: Final = re.compile(r"n['’]t\b")
_DECISIVE_CHARACTERS: Final = frozenset("不没無无未非勿禁别莫안못없")
_PUNCTUATION: Final = frozenset(".,;:!?'\"“”‘’()[]-–—*_`~|…。，、；：！？「」（）·•")
_MINUS: Final = re.compile(r"(?<!\w)[-+](?=\d)")
_IDENTIFIER: Final = re.compile(r"\d|[A-Z]{2,}|\w[._/@-]\w|[a-z][A-Z]")
_NAME: Final = re.compile(r"(?<![.!?:]\s)(?<!^)\b[A-Z][a-z]+")
_PAIR: Final = re.compile(r"^(?P<key>[^:：]{1,40})[:：]\s*(?P<value>.+)$", re.DOTALL)
_MIN_WORDS: Final = 5
_MAX_MATCHED_WORDS: Final = 1_000


def has_substance(statement: TextStatement) -> bool:
    """Return whether a statement has enough words to be compared and is not struck out."""
    return len(statement.words) >= _MIN_WORDS and not statement.struck


def decisive_words(text_words: Iterable[str]) -> frozenset[str]:
    """Return the words that decide what a statement means, such as "not", and all numbers.

    Two statements are duplicates only if they have the same ones.
    """
    return frozenset(word for word in text_words if _is_decisive(word))


def same_polarity(a: str, b: str) -> bool:
    """Return whether two wordings have equally many negations and the same other decisive words."""
    return _polarity(a) == _polarity(b)


def meaning_differs(a: Iterable[str], b: Iterable[str]) -> bool:
    """Return whether the words that only one of two texts has make their meanings different."""
    left, right = set(a), set(b)
    return bool(decisive_words(left ^ right)) or _has_replaced_word(left - right, right - left)


def same_statement(a: Set[str], b: Set[str]) -> bool:
    """Return whether two texts, given by their words, say the same in nearly the same words."""
    return overlap(a, b) >= SIMILAR and not meaning_differs(a, b)


def symbols_in(text: str) -> frozenset[str]:
    """Return the signs that change the meaning without being words, as in `x > 5`, `C++`, `-3`."""
    symbols = {
        character
        for character in text
        if not (character.isalnum() or character.isspace() or character in _PUNCTUATION)
    }
    return frozenset(symbols | set(_MINUS.findall(text)))


def names_and_numbers(text: str) -> frozenset[str]:
    """Return the numbers, names and identifiers in a text; a paraphrase has the same ones."""
    identifiers = {word for word in text.split() if _IDENTIFIER.search(word)}
    stripped = {word.strip(".,;:!?()[]\"'“”‘’").casefold() for word in identifiers}
    return frozenset(stripped | {name.casefold() for name in _NAME.findall(text)})


def same_names(a: str, b: str) -> bool:
    """Return whether each text has the numbers, names and identifiers of the other.

    The first word of a sentence counts as a name if it is a name in the other text.
    """
    return names_and_numbers(a) <= names_and_numbers(b) | set(words(b)) and (
        names_and_numbers(b) <= names_and_numbers(a) | set(words(a))
    )


def is_subsequence(short: Sequence[str], long: Sequence[str]) -> bool:
    """Return whether all words of the shorter text occur in the longer one, in the same order."""
    remaining = iter(long)
    return all(word in remaining for word in short)


def same_order(a: Sequence[str], b: Sequence[str]) -> bool:
    """Return whether the words are in the same order.

    A different order can mean a different fact (who pays whom).
    """
    if is_subsequence(a, b) or is_subsequence(b, a):
        return True
    short = len(a) + len(b) < _MAX_MATCHED_WORDS  # the matcher is slow on long texts
    return short and SequenceMatcher(None, a, b, autojunk=False).ratio() > 0.9


def same_context(a: TextStatement, b: TextStatement) -> bool:
    """Return whether the surroundings of two lines allow that they are about the same thing.

    A nested line is about its parent, and a short line such as `key: value` is about its heading.
    """
    if fold(a.parent or "") != fold(b.parent or ""):
        return False
    if a.parent is None and not (_is_pair(a) or _is_pair(b)):
        return True
    return _heading(a) == _heading(b)


def _heading(statement: TextStatement) -> str:
    return fold(statement.headings[-1]) if statement.headings else ""


def _is_pair(statement: TextStatement) -> bool:
    match = _PAIR.match(statement.plain_text)
    return match is not None and len(match["value"].split()) < _MIN_WORDS


def _polarity(text: str) -> list[str]:
    folded_words = words(_CONTRACTED.sub(" not", fold(text)))
    negations = ["not" for word in folded_words if word in _NEGATIONS]
    return sorted([*negations, *decisive_words(set(folded_words) - _NEGATIONS)])


def _is_decisive(word: str) -> bool:
    return (
        word in _DECISIVE
        or any(character in _DECISIVE_CHARACTERS for character in word)
        or any(character.isdigit() for character in word)
    )


def _has_replaced_word(left: set[str], right: set[str]) -> bool:
    """Return whether one of the words on the left is replaced by another, such as alpha by beta.

    Stop words do not count, nor do words that differ only in their ending.
    """
    words_a = {word for word in left if word not in STOP_WORDS}
    words_b = {word for word in right if word not in STOP_WORDS}
    if not words_a or not words_b:
        return False
    return not all(any(same_stem(word, other, ending=1) for other in words_b) for word in words_a)
