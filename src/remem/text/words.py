"""The words of a text, for full-text search, deduplication and questions.

Scripts without spaces between words, and scripts whose vowel signs a plain tokenizer drops, are
split into single characters and pairs of neighbours ("grams"). Each gram is written as its code
points, because the database's tokenizer does not change such words. Words of languages other than
English are also stemmed; the database's tokenizer stems English.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from remem.text.language import function_words, language_of

if TYPE_CHECKING:
    from Stemmer import Stemmer


STEMMER_NAMES: Final = {
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pl": "polish",
    "pt": "portuguese",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
_MIN_STEMMED_LENGTH: Final = 4
_LAST_CODE_POINT: Final = 0x10FFFF
_GRAM_RANGES: Final = (
    "\u0600-\u06ff\u0750-\u077f"  # Arabic
    "\u0900-\u109f"  # Indic scripts, Thai, Lao, Tibetan, Burmese
    "\u1100-\u11ff\u1780-\u17ff\u1950-\u19df\u1cd0-\u1cff"  # Hangul letters, Khmer, Tai, Vedic
    "\u2600-\u27bf"  # symbols and dingbats
    "\u3005\u3007\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"  # kana, Hangul letters
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"  # Han, Hangul syllables
    "\U0001f000-\U0001faff\U00020000-\U0003ffff"  # emoji, further Han
)
_ACCENTS: Final = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe00-\ufe0f\ufe20-\ufe2f"
)
_MAX_MARKS: Final = 30
_MANY_MARKS: Final = re.compile(r"[^\w\s\x00-\x7f]{31,}")
_MAX_UNCHECKED: Final = 1_000
_JOINT: Final = r"[.\-/'’:@_+#&]"
_LETTERS: Final = re.compile(r"\w+")
_ASCII_WORD: Final = re.compile(r"[^\W_]+", re.ASCII)
_WORD_BYTES: Final = bytes(code if chr(code).isalnum() else 32 for code in range(256))
_ASCII_TERM: Final = re.compile(rf"[^\W_]+(?:{_JOINT}[^\W_]+)*", re.ASCII)
_SPACED_WORD: Final = rf"(?:(?![{_GRAM_RANGES}])[^\W_])+"
STOP_WORDS: Final = frozenset(
    """a about all also am an and any are as at be been but by can could d did do does doing for
    from get had has have he her him his how i if in into is it its just ll me my no not of on or
    our out re s she should so some t than that the their them then there these they this those to
    too us ve was we were what when where which who whom why will with would you your tell know
    remember please
    der die das ein eine und oder ist sind war wir ich sie mit von zu auf für wo wie wer
    le la les un une des et ou est sont avec pour dans où qui que quoi comment
    el los las una y o es son con para en donde quien como cual""".split()
)
COMMON_HAN: Final = frozenset(
    "的了是我你他她它们在有和就不也都这那个吗呢啊吧啦来着什么怎哪呀嘛啥谁多少与及或之其到把被给让"
    "对从向上下里去过还很"
)
"""Characters that occur in every Chinese sentence; only in pairs can they be significant."""


def stems(folded_words: list[str], language: str) -> list[str]:
    """Return the stems of folded words, but only stems that differ from their words.

    Function words and short words are not stemmed.
    """
    unstemmed = function_words()[language]
    stemmed = (
        (word, _stem(word, language))
        for word in folded_words
        if len(word) >= _MIN_STEMMED_LENGTH and word not in unstemmed
    )
    return [stem for word, stem in stemmed if stem != word]


def english_stem(word: str) -> str:
    """Return the stem of a folded English word, so that `deploying` and `deployment` are equal."""
    return _stem(word, "en") if word.isascii() else word


def same_stem(word: str, other: str, *, ending: int = 2) -> bool:
    """Return whether two words of any language begin with the same letters.

    The last `ending` letters of the shorter word may differ, but not its first four letters.
    """
    if word == other:
        return True
    if is_gram(word) or is_gram(other) or has_grams(word):
        return False
    length = min(len(word), len(other))
    stem = max(_MIN_STEMMED_LENGTH, length - ending)
    return length >= _MIN_STEMMED_LENGTH and word[:stem] == other[:stem]


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    stem: str = _stemmer(language).stemWord(word)
    return stem


@cache
def _stemmer(language: str) -> Stemmer:
    from Stemmer import Stemmer  # most workspaces never need it

    name = "english" if language == "en" else STEMMER_NAMES[language]
    return Stemmer(name, 0)  # without its cache: `_stem` has one


class _Patterns:
    """Patterns that split a text that is not plain ASCII.

    Each is compiled on first use: the large ranges are slow to compile.
    """

    @cached_property
    def grams(self) -> re.Pattern[str]:
        return re.compile(f"[{_GRAM_RANGES}]+")

    @cached_property
    def han(self) -> re.Pattern[str]:
        return re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")

    @cached_property
    def accents(self) -> re.Pattern[str]:
        return re.compile(f"[{_ACCENTS}]+")

    @cached_property
    def non_word(self) -> re.Pattern[str]:
        return re.compile(rf"[^\w{_GRAM_RANGES}]+")

    @cached_property
    def word(self) -> re.Pattern[str]:
        return re.compile(f"[{_GRAM_RANGES}]+|{_SPACED_WORD}")

    @cached_property
    def term(self) -> re.Pattern[str]:
        return re.compile(f"[{_GRAM_RANGES}]+|{_SPACED_WORD}(?:{_JOINT}{_SPACED_WORD})*")


_PATTERNS: Final = _Patterns()


def flatten(text: str) -> str:
    """Replace all white space in a text, including line breaks, by single spaces."""
    return " ".join(text.split())


def fold(text: str) -> str:
    """Normalise case, white space and Unicode form."""
    if not text.isascii():
        text = _normalize(text)
    return flatten(text.casefold())


def words(text: str) -> list[str]:
    """Return the folded words of a text; pairs of characters where the script has no spaces."""
    return words_of(fold(text))


def words_of(folded: str) -> list[str]:
    """Return the words of a text that is already folded."""
    if folded.isascii():
        # much faster than a regular expression
        return folded.encode().translate(_WORD_BYTES).decode().split()
    result: list[str] = []
    for piece in _PATTERNS.word.findall(folded):
        if _PATTERNS.grams.match(piece):
            result.extend(_pairs(piece) if len(piece) > 1 else [piece])
        else:
            result.append(piece)
    return result


def content_words(text: str) -> list[str]:
    """Return the folded words of a text without stop words."""
    return [word for word in words(text) if word not in STOP_WORDS]


def search_text(text: str, language: str | None = None) -> str:
    """Return a text in the form in which the full-text table stores it.

    `language` is the language of the text, if the caller knows it. Characters that are not part of
    a word are replaced by spaces here, because the database's tokenizer takes characters that are
    newer than itself for letters. The stems of languages other than English are added at the end,
    so that adjacent words stay adjacent.
    """
    added_stems = foreign_stems(text, language)
    if not text.isascii():
        patterns = _PATTERNS
        text = patterns.grams.sub(_coded_run, patterns.non_word.sub(" ", _compose(text)))
    return f"{text} {' '.join(added_stems)}" if added_stems else text


def foreign_stems(text: str, language: str | None = None) -> list[str]:
    """Return the stems of the words of a text, or an empty list if it is English."""
    language = language_of(text) if language is None else language
    return stems(_letter_words(fold(text)), language) if language in STEMMER_NAMES else []


def search_terms(question: str, *, limit: int = 48) -> list[str]:
    """Return the search terms of a question, each listed once, in order, without stop words.

    A compound such as `20.04` or `pre-edit` is a term in addition to its parts, and so is each
    significant Chinese character in addition to the pairs. If a question has only stop words, they
    are kept. At most `limit` words are returned, and, since they are less informative, at most
    `2 * limit` pairs and `2 * limit` characters: the last ones, because a long story ends with its
    question.
    """
    if question.isascii():
        matches = _ASCII_TERM.findall(question)
    else:
        matches = _PATTERNS.term.findall(_compose(question))
    terms = dict.fromkeys(term for word in matches for term in _terms_of(word))
    language = language_of(question)
    ignored = STOP_WORDS | function_words()[language] if language in STEMMER_NAMES else STOP_WORDS
    content = [term for term in terms if term.casefold() not in ignored]
    chosen_terms = content or list(terms)
    if question.isascii():
        return chosen_terms[:limit]
    pairs = [term for term in chosen_terms if is_gram(term)][-2 * limit :]
    characters = list(dict.fromkeys(_content_characters(matches)))[-2 * limit :]
    chosen_words = [term for term in chosen_terms if not is_gram(term)][:limit]
    return chosen_words + list(dict.fromkeys(pairs + characters))


def stem_of(term: str, language: str) -> str | None:
    """Return the stem of a search term in a language, or None if the term is its own stem."""
    if language not in STEMMER_NAMES or is_gram(term):
        return None
    stemmed = stems([fold(term)], language) if term.isalpha() else []
    return stemmed[0] if stemmed else None


def is_gram(term: str) -> bool:
    """Return whether a search term is a coded character or pair, which cannot be misspelled."""
    return term.startswith("q") and term[1:2].isdigit()


def as_written(term: str) -> str:
    """Return a search term as it is written in texts, with coded characters decoded."""
    numbers = term[1:].split("x")
    if not is_gram(term) or not all(map(str.isdecimal, numbers)):
        return term
    characters = "".join(chr(min(int(number), _LAST_CODE_POINT)) for number in numbers)
    return characters if has_grams(characters) else term  # a word such as `q4`


def has_grams(text: str) -> bool:
    """Return whether part of the text is in a script that is searched by character pairs."""
    return not text.isascii() and _PATTERNS.grams.search(text) is not None


def _letter_words(folded: str) -> list[str]:
    """Return the words of a folded text that are written with letters."""
    if not has_grams(folded):
        return _LETTERS.findall(folded)
    patterns = _PATTERNS
    return [part for part in patterns.word.findall(folded) if not patterns.grams.match(part)]


def _compose(text: str) -> str:
    """Normalise to NFKC and remove combining accents that are left, as the tokenizer does."""
    return _PATTERNS.accents.sub("", _normalize(text))


def _normalize(text: str) -> str:
    """Normalise to NFKC, without the accents of a letter after the first 30.

    Normalising a letter with thousands of accents would take quadratic time; Unicode's stream-safe
    format allows 30.
    """
    if len(text) > _MAX_UNCHECKED:
        text = _MANY_MARKS.sub(_first_marks, text)
    return unicodedata.normalize("NFKC", text)


def _first_marks(match: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for character in match[0]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks <= _MAX_MARKS:
            kept.append(character)
    return "".join(kept)


def _terms_of(word: str) -> list[str]:
    if not word.isascii() and _PATTERNS.grams.match(word):
        return [_code(pair) for pair in _pairs(word)] if len(word) > 1 else [_code(word)]
    parts = _ASCII_WORD.findall(word) if word.isascii() else _PATTERNS.word.findall(word)
    if len(parts) == 1:
        return [word]
    return [word, *(part for part in parts if len(part) > 1)]


def _content_characters(folded_words: list[str]) -> list[str]:
    characters = _PATTERNS.han.findall("".join(folded_words))
    return [_code(character) for character in characters if character not in COMMON_HAN]


def _pairs(characters: str) -> list[str]:
    return [characters[i : i + 2] for i in range(len(characters) - 1)]


def _coded_run(match: re.Match[str]) -> str:
    run = match.group()
    return f" {' '.join(map(_code, [*run, *_pairs(run)]))} "


@lru_cache(maxsize=20_000)
def _code(gram: str) -> str:
    return "q" + "x".join(str(ord(character)) for character in gram)
