"""What is left of a word without its endings? The Snowball stemmer of its language says so.

English is not among them: the database's own tokenizer stems it.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from remem.core.function_words import FUNCTION_WORDS

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
