"""Words for passwords and keys, and words that are never a secret, read from `words.toml`."""

from __future__ import annotations

from typing import Final

from remem.text.pattern_file import pattern_file

_FILE: Final = pattern_file("text/secrets/words")

PASSWORD_WORDS: Final[tuple[str, ...]] = tuple(_FILE["password_words"])
SECRET_WORDS: Final[tuple[str, ...]] = (
    *_FILE["secret_words"],
    *(f"{what}{joint}key" for what in _FILE["keys"].split() for joint in ("", "_", "-", " ")),
)
KEY_WORDS: Final[tuple[str, ...]] = tuple(_FILE["key_words"].split())
LABEL_WORDS: Final = frozenset({*PASSWORD_WORDS, *SECRET_WORDS})  # a label, never a value
PLACEHOLDERS: Final = _FILE.words("placeholders")
SAMPLE_WORDS: Final[tuple[str, ...]] = tuple(_FILE["samples"])
SENTENCE_WORDS: Final = _FILE.words("sentence_words")
DESCRIPTIONS: Final = _FILE.words("descriptions")
SEED_WORDS: Final = _FILE.words("seed_words")
