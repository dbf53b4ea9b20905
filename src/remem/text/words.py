"""What is left of a word without its endings? The Snowball stemmer of its language says so.

English is not among them: the database's own tokenizer stems it.

Which words does a text hold? One answer for full text, deduplication and questions.

Scripts that do not put spaces between words (and those whose words carry vowel signs that
a plain tokenizer drops) are cut into single characters and pairs of neighbours; each is
written as its code numbers, because the database's tokenizer leaves such words alone.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from remem.text.language import FUNCTION_WORDS, language_of

if TYPE_CHECKING:
    from Stemmer import Stemmer


STEMMED: Final = {
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
_SHORTEST: Final = 4


def stems(words: list[str], language: str) -> list[str]:
    """The stems of some folded words, where they differ from them; words that say nothing, and
    short ones, have none."""
    idle = FUNCTION_WORDS[language]
    found = (
        (word, _stem(word, language))
        for word in words
        if len(word) >= _SHORTEST and word not in idle
    )
    return [stem for word, stem in found if stem != word]


@lru_cache(maxsize=50_000)
def _stem(word: str, language: str) -> str:
    stem: str = _stemmer(language).stemWord(word)
    return stem


@cache
def _stemmer(language: str) -> Stemmer:
    from Stemmer import Stemmer  # most workspaces never need it

    return Stemmer(STEMMED[language], 0)  # what it knows already is kept above


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
_JOINT: Final = r"[.\-/'’:@_+#&]"
_LETTERS: Final = re.compile(r"\w+")
_ASCII_WORD: Final = re.compile(r"[^\W_]+", re.ASCII)
_ONLY_WORDS: Final = bytes(sign if chr(sign).isalnum() else 32 for sign in range(256))
_ASCII_TERM: Final = re.compile(rf"[^\W_]+(?:{_JOINT}[^\W_]+)*", re.ASCII)


class _Patterns(NamedTuple):
    """How to take apart a text that is not plain ASCII."""

    grams: re.Pattern[str]
    han: re.Pattern[str]
    accents: re.Pattern[str]
    no_word: re.Pattern[str]
    word: re.Pattern[str]
    term: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    """Compiled when the first such text comes: the large ranges take their time."""
    grams, letters = f"[{_GRAM_RANGES}]+", rf"(?:(?![{_GRAM_RANGES}])[^\W_])+"
    return _Patterns(
        grams=re.compile(grams),
        han=re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]"),
        accents=re.compile(f"[{_ACCENTS}]+"),
        no_word=re.compile(rf"[^\w{_GRAM_RANGES}]+"),
        word=re.compile(f"{grams}|{letters}"),
        term=re.compile(f"{grams}|{letters}(?:{_JOINT}{letters})*"),
    )


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

_IDLE_SIGNS: Final = frozenset(
    "的了是我你他她它们在有和就不也都这那个吗呢啊吧啦来着什么怎哪呀嘛啥谁多少与及或之其到把被给让"
    "对从向上下里去过还很"
)
"""Characters that stand in every Chinese sentence; as parts of pairs they may tell something."""


def fold(text: str) -> str:
    """The text without differences of case, white space and Unicode spelling."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split())


def words(text: str) -> list[str]:
    """The words of a text, folded; grams where the script has no spaces."""
    return words_of(fold(text))


def words_of(folded: str) -> list[str]:
    """The same, for whoever has folded the text already."""
    if folded.isascii():
        # much quicker than an expression
        return folded.encode().translate(_ONLY_WORDS).decode().split()
    found: list[str] = []
    for piece in _patterns().word.findall(folded):
        if _patterns().grams.match(piece):
            found.extend(_pairs(piece) if len(piece) > 1 else [piece])
        else:
            found.append(piece)
    return found


def search_text(text: str) -> str:
    """The text as the full-text table takes it.

    What is no word becomes a space here: the database's tokenizer takes every sign that is
    younger than itself for a letter. The stems of other languages than English follow the text,
    so that words that stand together stay together.
    """
    beside = stems_beside(text)
    if not text.isascii():
        patterns = _patterns()
        text = patterns.grams.sub(_coded_run, patterns.no_word.sub(" ", _composed(text)))
    return f"{text} {' '.join(beside)}" if beside else text


def stems_beside(text: str) -> list[str]:
    """The stems under which a text is found too; none where it is English."""
    language = language_of(text)
    return stems(_letter_words(fold(text)), language) if language in STEMMED else []


def search_terms(question: str, *, limit: int = 48) -> list[str]:
    """The terms to look for, each once, in order; what says nothing is left out.

    A compound such as `20.04` or `pre-edit` is a term of its own beside its parts, and so is each
    Chinese character that tells something beside the pairs. If only words that say nothing are
    left, they are all there is to go by, and stay. There are at most `limit` words; of pairs and
    of characters, which say less, there may be twice as many, the last ones: who tells a long
    story asks at its end.
    """
    if question.isascii():
        found = _ASCII_TERM.findall(question)
    else:
        found = _patterns().term.findall(_composed(question))
    terms = dict.fromkeys(term for word in found for term in _terms_of(word))
    language = language_of(question)
    idle = STOP_WORDS | FUNCTION_WORDS[language] if language in STEMMED else STOP_WORDS
    telling = [term for term in terms if term.casefold() not in idle]
    chosen = telling or list(terms)
    if question.isascii():
        return chosen[:limit]
    pairs = [each for each in chosen if is_gram(each)][-2 * limit :]
    signs = list(dict.fromkeys(_telling_signs(found)))[-2 * limit :]
    spelled = [each for each in chosen if not is_gram(each)][:limit]
    return spelled + list(dict.fromkeys(pairs + signs))


def stem_of(term: str, language: str) -> str | None:
    """The stem of a search term in the question's language, if it has one of its own."""
    if language not in STEMMED or is_gram(term):
        return None
    found = stems([fold(term)], language) if term.isalpha() else []
    return found[0] if found else None


def is_gram(term: str) -> bool:
    """Whether a search term is a coded character or pair, which has no spelling to mend."""
    return term.startswith("q") and term[1:2].isdigit()


def has_grams(text: str) -> bool:
    """Whether part of the text is in a script that is searched by character pairs."""
    return not text.isascii() and _patterns().grams.search(text) is not None


def _letter_words(folded: str) -> list[str]:
    """The words of a folded text that are written with letters."""
    if not has_grams(folded):
        return _LETTERS.findall(folded)
    patterns = _patterns()
    return [part for part in patterns.word.findall(folded) if not patterns.grams.match(part)]


def _composed(text: str) -> str:
    """One spelling for many; accents that belong to no letter go, as the tokenizer drops them."""
    return _patterns().accents.sub("", unicodedata.normalize("NFKC", text))


def _terms_of(word: str) -> list[str]:
    if not word.isascii() and _patterns().grams.match(word):
        return [_code(pair) for pair in _pairs(word)] if len(word) > 1 else [_code(word)]
    parts = _ASCII_WORD.findall(word) if word.isascii() else _patterns().word.findall(word)
    if len(parts) == 1:
        return [word]
    return [word, *(part for part in parts if len(part) > 1)]


def _telling_signs(words: list[str]) -> list[str]:
    signs = _patterns().han.findall("".join(words))
    return [_code(sign) for sign in signs if sign not in _IDLE_SIGNS]


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]


def _coded_run(match: re.Match[str]) -> str:
    run = match.group()
    return f" {' '.join(map(_code, [*run, *_pairs(run)]))} "


@lru_cache(maxsize=20_000)
def _code(gram: str) -> str:
    return "q" + "x".join(str(ord(character)) for character in gram)
