"""Headings and labels that remem writes into files, in the owner's language.

Reading accepts the labels of every language, so that a file stays readable if the language changes.
"""

from __future__ import annotations

from functools import cache
from typing import Final, Literal, NamedTuple

from remem.text.pattern_file import pattern_file
from remem.text.words import fold

Table = Literal["headings", "gate_rules", "gate_triggers", "texts"]
_ENGLISH: Final = 0


class Punctuation(NamedTuple):
    """The punctuation marks between the parts of a generated line."""

    comma: str = ", "
    semicolon: str = "; "
    colon: str = ": "
    full_stop: str = "."


_PUNCTUATION: Final = {
    "fr": Punctuation(semicolon=" ; ", colon=" : "),
    "zh": Punctuation("，", "；", "：", "。"),
    "ja": Punctuation("、", "。", "：", "。"),
}


@cache
def _languages() -> tuple[str, ...]:
    return tuple(pattern_file("text/labels")["languages"])


def label(key: str, language: str = "", table: Table = "headings") -> str:
    """Return a label in a language, or in English if the language is not supported."""
    known = _languages()
    index = known.index(language) if language in known else _ENGLISH
    return str(pattern_file("text/labels")[table][key][index])


@cache
def labels(key: str, table: Table = "headings") -> tuple[str, ...]:
    """Return a label in all languages, English first."""
    return tuple(dict.fromkeys(pattern_file("text/labels")[table][key]))


def punctuation(language: str = "") -> Punctuation:
    """Return the punctuation of a language; by default, that of English."""
    return _PUNCTUATION.get(language, Punctuation())


@cache
def keys_by_label(*keys: str, table: Table = "headings") -> dict[str, str]:
    """Map the folded labels in all languages to their keys.

    If several keys have the same label, it is mapped to the first of them.
    """
    found: dict[str, str] = {}
    for key in keys:
        for text in labels(key, table):
            found.setdefault(fold(text), key)
    return found


def headings(level: int, key: str) -> tuple[str, ...]:
    """Return the heading lines of a label in all languages."""
    return tuple(f"{'#' * level} {text}" for text in labels(key))
