"""The token formats of vendors, read from `formats.toml`."""

from __future__ import annotations

from typing import Final, NamedTuple

from remem.text.pattern_file import pattern_file

_FILE: Final = pattern_file("text/secrets/formats")


class Format(NamedTuple):
    """Tokens with one of some prefixes; `length` is the minimum number of characters after it."""

    name: str
    prefixes: tuple[str, ...]
    alphabet: str
    length: int
    source: str
    date: str


SOURCES: Final[dict[str, list[str]]] = _FILE["sources"]
ALPHABETS: Final[dict[str, str]] = _FILE["alphabets"]
COMPOSED: Final[list[dict[str, str]]] = _FILE["composed"]


def _read(line: str) -> Format:
    *name, alphabet, length, source = line.split()
    words = line[:14].split()
    prefixes = tuple(name[len(words) :])
    return Format(" ".join(words), prefixes, alphabet, int(length), source, SOURCES[source][1])


FORMATS: Final = tuple(map(_read, _FILE["formats"].strip().splitlines()))
