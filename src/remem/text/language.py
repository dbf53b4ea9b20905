"""In which language is a text? Its script tells, and where many languages share one, the small
words that hold its sentences together, and letters that only some of them have."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Final, NamedTuple

from remem.core.function_words import FUNCTION_WORDS

SOMEWHAT: Final = 1
WELL: Final = 2
"""How well a model knows a language; 0 is not at all."""

# Left as texts: sets of so many characters take milliseconds to compile, and most texts need none.
_HAN: Final = "[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]"
_NOT_LATIN: Final = "[\u0370-\u1dff\u1f00-\u1fff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]"
_KANA: Final = re.compile("[\u3041-\u30ff]")
_LETTERS: Final = re.compile(r"[^\W\d_]")
_BETWEEN_WORDS: Final = re.compile(r"[\"'’“”„«»().,:;!?¡¿*_`#\[\]/–—-]")
_SPACED: Final = bytes(32 if _BETWEEN_WORDS.match(chr(sign)) else sign for sign in range(256))
_MARKED: Final = re.compile("[¡¿ß-ɏ]")
_SHARE: Final = 0.3
"""Chinese notes are full of English names: a third of the letters is enough."""
_WORTH: Final = 2.5
"""So many letters an English name needs for what one character says."""
_MEASURED: Final = 20_000
_LOOKED_AT: Final = 400
"""Characters; the language of a text shows in its first sentences."""
_PLAINLY: Final = 3
"""So many words that only English has leave no doubt."""
_ENOUGH: Final = 3
"""So many letters tell as much as any number of them."""
_WORD: Final = 27_720
"""What a word counts: it can be shared among up to twelve languages without a remainder, so that
the order in which words are counted changes nothing."""
_LETTER: Final = _WORD * 3 // 10
_LEAST: Final = _WORD // 5

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
_LETTERS_OF: Final = {
    "de": "äöüß",
    "fr": "éèêàçœùûîëï",
    "es": "ñáéíóú¿¡",
    "it": "àèìòù",
    "pt": "ãõçáéíóâêô",
    "sv": "åäö",
    "da": "æøå",
    "pl": "ąćęłńóśźż",
    "tr": "ğışçöü",
}


def is_chinese(text: str) -> bool:
    """Han characters outweigh the letters of other scripts, and there is no kana, which would
    make it Japanese."""
    sample = text[:_MEASURED]
    if sample.isascii():
        return False
    han = len(re.findall(_HAN, sample))
    if not han or len(_KANA.findall(sample)) * 10 > han:
        return False
    return han >= _SHARE * len(_LETTERS.findall(sample))


def language_of(text: str) -> str:
    """The language's two letters (ISO 639-1); empty where nothing tells."""
    sample = text[:_LOOKED_AT].casefold()
    if not sample.isascii() and re.search(_NOT_LATIN, sample):
        script = _by_script(sample)
        if script is not None:
            return script
    return _by_words(sample)


def _by_script(sample: str) -> str | None:
    """None where the script is Latin, or one that several languages share."""
    letters = len(_LETTERS.findall(sample))
    kana, han = len(_KANA.findall(sample)), len(re.findall(_HAN, sample))
    if _outweighs(kana + han, letters):
        return "ja" if kana * 10 > han else "zh"
    for language, pattern in _script_patterns():
        found = len(pattern.findall(sample))
        if _outweighs(found, letters) if language == "ko" else found * 2 > letters:
            return "" if language == "ru" and _OTHER_CYRILLIC.search(sample) else language
    return None


def _outweighs(signs: int, letters: int) -> bool:
    """Whether a text is told by signs that say as much as several letters each."""
    return signs > 0 and _WORTH * signs >= _SHARE * (letters + (_WORTH - 1) * signs)


def _by_words(sample: str) -> str:
    """The language that most of the small words belong to. A word of several counts a share for
    each; letters tell only where words leave it open."""
    told = _told()
    words = told.known.intersection(_words_in(sample))
    if len(words & told.english) >= _PLAINLY:
        return "en"
    if sample.isascii():
        return _scored(words)
    return _scored(words, tuple(_MARKED.findall(sample)[:_ENOUGH]))


@lru_cache(maxsize=10_000)
def _scored(words: frozenset[str], letters: tuple[str, ...] = ()) -> str:
    """The best of all languages; the same few small words stand in one text after the other."""
    told = _told()
    scores: dict[str, int] = {}
    for word in words:
        for language, share in told.shares[word]:
            scores[language] = scores.get(language, 0) + share
    for letter in letters:
        for language in told.letters.get(letter, ()):
            scores[language] = scores.get(language, 0) + _LETTER
    if not scores:
        return ""
    best = max(scores, key=scores.__getitem__)
    second = max((score for each, score in scores.items() if each != best), default=0)
    return best if scores[best] > max(_LEAST, second) else ""


def _words_in(sample: str) -> list[str]:
    if sample.isascii():
        # much quicker than an expression
        return sample.encode().translate(_SPACED).decode().split()
    return _BETWEEN_WORDS.sub(" ", sample).split()


class _Told(NamedTuple):
    """What small words and letters tell: `known` are all the words, `english` those that no other
    language has."""

    known: frozenset[str]
    shares: dict[str, tuple[tuple[str, int], ...]]
    english: frozenset[str]
    letters: dict[str, list[str]]


@cache
def _told() -> _Told:
    holders: dict[str, list[str]] = {}
    for language, words in FUNCTION_WORDS.items():
        for word in words:
            holders.setdefault(word, []).append(language)
    shares = {
        word: tuple((language, _WORD // len(languages)) for language in languages)
        for word, languages in holders.items()
    }
    only = frozenset(word for word, languages in holders.items() if languages == ["en"])
    letters: dict[str, list[str]] = {}
    for language, marked in _LETTERS_OF.items():
        for letter in marked:
            letters.setdefault(letter, []).append(language)
    return _Told(frozenset(shares), shares, only, letters)


@cache
def _script_patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((language, re.compile(f"[{ranges}]")) for language, ranges in _SCRIPTS.items())
