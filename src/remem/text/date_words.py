"""Words for dates in the supported languages, read from `date_words.toml`.

All languages share one vocabulary: the language of a short question cannot be detected reliably,
and the words hardly ever collide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Final

from remem.text.pattern_file import pattern_file

_FILE: Final = pattern_file("text/date_words")
_CHINESE_DIGITS: Final = {digit: value for value, digit in enumerate("一二三四五六七八九", 1)}
CHINESE_NUMERAL: Final = "[一二两兩三四五六七八九十]{1,3}"
UNITS: Final[dict[str, str]] = {
    word: unit for unit, words in _FILE["units"].items() for word in words.split()
}
DAYS_BACK: Final[dict[str, int]] = {
    word: int(days) for days, words in _FILE["days_back"].items() for word in words.split()
}


def _numbers_by_word(name: str, start: int, *, after_bar: bool) -> dict[str, int]:
    """Map each word to the number of its row; words after a `|` only with `after_bar`."""
    rows = enumerate(_FILE[name], start)
    return {
        word: number
        for number, row in rows
        for word in (row.replace("|", "") if after_bar else row.partition("|")[0]).split()
    }


MONTHS: Final = _numbers_by_word("months", 1, after_bar=False)
MONTHS_IN_NOTES: Final = _numbers_by_word("months", 1, after_bar=True)
"""The names of the months, including abbreviations that are clear only next to a day or a year."""
WEEKDAYS: Final = _numbers_by_word("weekdays", 0, after_bar=False)
WEEKDAYS_WITH_LAST: Final = _numbers_by_word("weekdays", 0, after_bar=True)
"""The names of weekdays, including those that are clear only next to a word such as "last"."""
SEASONS: Final = {
    word: 3 * row for word, row in _numbers_by_word("seasons", 1, after_bar=False).items()
}
"""The first month of each season."""
NUMBERS: Final = _numbers_by_word("numbers", 1, after_bar=False)


@cache
def vocabulary() -> frozenset[str]:
    """Return the words that name days.

    A plain ASCII text without any of them and without digits names no day.
    """
    names = [*MONTHS, *WEEKDAYS_WITH_LAST, *SEASONS, *UNITS, *DAYS_BACK, "night"]
    return frozenset(part for name in names for part in re.findall(r"\w+", name))


def any_of(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def pattern(name: str) -> str:
    """Return the source of a pattern in the file, to be used inside a larger pattern."""
    return f"(?:{_FILE.compile(_FILE['patterns'][name]).pattern})"


def number_of(text: str) -> int:
    """Return the value of a number in digits, in words or in Chinese numerals up to 99.

    Raise ValueError if the text is none of these.
    """
    if text.isdigit():
        return int(text)
    if text in NUMBERS:
        return NUMBERS[text]
    tens, ten, ones = text.replace("两", "二").replace("兩", "二").rpartition("十")
    if not ten:
        tens = ""
    if any(len(part) > 1 or part not in {"", *_CHINESE_DIGITS} for part in (tens, ones)):
        raise ValueError(text)
    return 10 * (_CHINESE_DIGITS[tens] if tens else bool(ten)) + _CHINESE_DIGITS.get(ones, 0)
