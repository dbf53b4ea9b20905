"""Detect the language of a text, by its script, its function words and its letters.

Where many languages share a script, two things decide: function words, which do not depend on the
content of a text, and letters that only some of these languages have.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Final, NamedTuple

from remem.text.pattern_file import pattern_file

_FILE: Final = "text/languages"

PARTIAL_SUPPORT: Final = 1
FULL_SUPPORT: Final = 2
"""How well a model supports a language; 0 means not at all."""

# Not compiled here: such large sets take milliseconds, and most texts need none of them.
_HAN: Final = "[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]"
_NOT_LATIN: Final = "[\u0370-\u1dff\u1f00-\u1fff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
_KANA: Final = re.compile("[\u3041-\u30ff]")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_BETWEEN_WORDS: Final = re.compile(r"[\"'’“”„«»().,:;!?¡¿*_`#\[\]/–—-]")
_SPACE_BYTES: Final = bytes(32 if _BETWEEN_WORDS.match(chr(code)) else code for code in range(256))
_ACCENTED: Final = re.compile("[¡¿ß-ɏ]")
_MIN_HAN_SHARE: Final = 0.3
"""Chinese notes are full of English names, so a third of the letters is enough."""
_LETTERS_PER_CHARACTER: Final = 2.5
"""The number of Latin letters that say as much, on average, as one Chinese character."""
_SAMPLE_LENGTH: Final = 400
"""Characters that are examined: the first sentences show the language of a text."""
_MAX_PARTS: Final = 24
_MIN_ENGLISH_WORDS: Final = 3
"""A text with this many function words that no other language has is English."""
_MAX_ACCENTED_LETTERS: Final = 3
"""More accented letters than this add no evidence."""
_WORD_SCORE: Final = 27_720
"""The score of a word: divisible by every number up to twelve, so that it can be shared among
languages without a remainder and the order of words does not matter."""
_LETTER_SCORE: Final = _WORD_SCORE * 3 // 10
_MIN_SCORE: Final = _WORD_SCORE // 5

_SCRIPTS: Final = {
    "ko": "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af",
    "ru": "\u0400-\u04ff",
    "el": "\u0370-\u03ff",
    "ar": "\u0600-\u06ff\u0750-\u077f",
    "he": "\u0590-\u05ff",
    "th": "\u0e00-\u0e7f",
    "hi": "\u0900-\u097f",
}
_OTHER_CYRILLIC: Final = re.compile("[іїєґўђћљњџјѓќ]")


@cache
def function_words() -> dict[str, frozenset[str]]:
    """Return the function words of each language; the file is read when they are first needed."""
    words_by_language = pattern_file(_FILE)["function_words"]
    return {language: frozenset(words.split()) for language, words in words_by_language.items()}


def language_of(text: str) -> str:
    """Return the language of a text (ISO 639-1), or an empty string if it is unclear."""
    return _language_of_start(text[:_SAMPLE_LENGTH])


@lru_cache(maxsize=4_096)
def _language_of_start(start: str) -> str:
    sample = start.casefold()
    if not sample.isascii() and re.search(_NOT_LATIN, sample):
        script = _language_by_script(sample)
        if script is not None:
            return script
    return _language_by_words(sample)


def language_of_long_text(text: str) -> str:
    """Return the language in which most parts of a text are; an empty string if it is unclear."""
    starts = range(0, min(len(text), _MAX_PARTS * _SAMPLE_LENGTH), _SAMPLE_LENGTH)
    return most_common_language(text[at : at + _SAMPLE_LENGTH] for at in starts)


def most_common_language(parts: Iterable[str]) -> str:
    """Return the language of most parts, not counting unclear ones; else an empty string."""
    counts = Counter(language for part in parts if (language := language_of(part)))
    if not counts:
        return ""
    language, count = counts.most_common(1)[0]
    return language if 2 * count > counts.total() else ""


def _language_by_script(sample: str) -> str | None:
    """Return the language of the script that dominates a text; None if that is the Latin script.

    For a Cyrillic text in another language than Russian, return an empty string.
    """
    letters = len(_LETTERS.findall(sample))
    kana, han = len(_KANA.findall(sample)), len(re.findall(_HAN, sample))
    if _outweighs(kana + han, letters):
        return "ja" if kana * 10 > han else "zh"
    for language, pattern in _script_patterns():
        count = len(pattern.findall(sample))
        if _outweighs(count, letters) if language == "ko" else count * 2 > letters:
            return "" if language == "ru" and _OTHER_CYRILLIC.search(sample) else language
    return None


def _outweighs(characters: int, letters: int) -> bool:
    """Return whether a number of CJK characters dominates a text with this many letters.

    Each such character counts as several letters, because it says as much.
    """
    return characters > 0 and _LETTERS_PER_CHARACTER * characters >= _MIN_HAN_SHARE * (
        letters + (_LETTERS_PER_CHARACTER - 1) * characters
    )


def _language_by_words(sample: str) -> str:
    """Return the language that most of the function words belong to.

    A word that belongs to several languages is shared among them. Accented letters count less than
    words, so they only decide between languages with nearly equal scores.
    """
    evidence = _evidence()
    words = evidence.known.intersection(_words_in(sample))
    if len(words & evidence.english) >= _MIN_ENGLISH_WORDS:
        return "en"
    if sample.isascii():
        return _best_language(words)
    return _best_language(words, tuple(_ACCENTED.findall(sample)[:_MAX_ACCENTED_LETTERS]))


@lru_cache(maxsize=10_000)
def _best_language(words: frozenset[str], letters: tuple[str, ...] = ()) -> str:
    """Return the language with the best score; cached, because texts share the same few words."""
    evidence = _evidence()
    scores: dict[str, int] = {}
    for word in words:
        languages = evidence.languages[word]
        share = _WORD_SCORE // len(languages)
        for language in languages:
            scores[language] = scores.get(language, 0) + share
    for letter in letters:
        for language in evidence.letters.get(letter, ()):
            scores[language] = scores.get(language, 0) + _LETTER_SCORE
    if not scores:
        return ""
    best = max(scores, key=scores.__getitem__)
    second = max((score for language, score in scores.items() if language != best), default=0)
    return best if scores[best] > max(_MIN_SCORE, second) else ""


def _words_in(sample: str) -> list[str]:
    if sample.isascii():
        # much faster than a regular expression
        return sample.encode().translate(_SPACE_BYTES).decode().split()
    return _BETWEEN_WORDS.sub(" ", sample).split()


class _Evidence(NamedTuple):
    """The function words and accented letters that show which language a text is in.

    `languages` has the languages of each word and `letters` those of each letter. `known` are all
    the words, and `english` those that no other language has.
    """

    known: frozenset[str]
    languages: dict[str, list[str]]
    english: frozenset[str]
    letters: dict[str, list[str]]


@cache
def _evidence() -> _Evidence:
    languages_of: dict[str, list[str]] = {}
    for language, words in function_words().items():
        for word in words:
            languages_of.setdefault(word, []).append(language)
    english = frozenset(word for word, languages in languages_of.items() if languages == ["en"])
    letters: dict[str, list[str]] = {}
    for language, letters_of in pattern_file(_FILE)["letters"].items():
        for letter in letters_of:
            letters.setdefault(letter, []).append(language)
    return _Evidence(frozenset(languages_of), languages_of, english, letters)


@cache
def _script_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((language, re.compile(f"[{ranges}]")) for language, ranges in _SCRIPTS.items())
