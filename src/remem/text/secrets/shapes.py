"""Secrets that are recognised by their format: vendors' tokens, signed tokens, private keys.

Most texts have none. So each format has hints, one of which occurs in each of its tokens, and the
format's expression is only tried on texts with a hint. Every expression takes linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from remem.text.pattern_file import pattern_file
from remem.text.secrets.values import is_sample

_FILE: Final = pattern_file("text/secrets/formats")
SOURCES: Final[dict[str, list[str]]] = _FILE["sources"]
ALPHABETS: Final[dict[str, str]] = _FILE["alphabets"]
COMPOSED: Final[list[dict[str, str]]] = _FILE["composed"]
_AWS_SECRET: Final = re.compile(r"(?<![\w/+=-])(?=\S{0,39}\d)(?=\S{0,39}[a-z])(?=\S{0,39}[A-Z])"
    r"[A-Za-z0-9/+]{40}(?![\w/+=-])")  # fmt: skip
PRIVATE_KEY: Final = "private key"
_KEY_MARK: Final = re.compile(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_KEY_BODY: Final = re.compile(
    r"(?:(?:\s|\\[nr])+[A-Za-z-]{4,20}: [^\n\\]{1,200}(?=[\n\\]))*"
    r"(?:(?:\s|\\[nr])*[A-Za-z0-9+/=]{16,})+"
)
_KEY_LINE: Final = re.compile(r"(?:[^\s\\]|\\(?![nr]))+")
_KEY_TEXT: Final = re.compile(r"[A-Za-z0-9+/]{16,}={0,2}")
_PUTTY: Final = re.compile(
    r"Private-Lines: ?\d{1,4}"
    r"((?:(?:\s|\\[nr])+(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]{2,15}={1,2}))+)"
    r"(?:(?:\s|\\[nr])+Private-MAC: ?([0-9a-f]{16,}))?"
)
_HEXADECIMAL: Final = re.compile("[0-9a-f]+")
_TOKEN_BYTES: Final = bytes(
    ord("x") if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "_.+/=~%-") else 32
    for code in range(256)
)
_LONG_WORD: Final = b"x" * 16  # no token is shorter


class TokenFormat(NamedTuple):
    """A kind of token that starts with one of some prefixes; `length` is the least length after it.

    `source` names the document that describes the format, and `date` the day when it was read.
    """

    name: str
    prefixes: tuple[str, ...]
    alphabet: str
    length: int
    source: str
    date: str


def _parse_format(line: str) -> TokenFormat:
    *name, alphabet, length, source = line.split()
    words = line[:14].split()
    prefixes = tuple(name[len(words) :])
    return TokenFormat(" ".join(words), prefixes, alphabet, int(length), source, SOURCES[source][1])


FORMATS: Final = tuple(map(_parse_format, _FILE["formats"].strip().splitlines()))


class SecretSpan(NamedTuple):
    """A secret at text[start:end]."""

    start: int
    end: int
    kind: str


class _Shape(NamedTuple):
    """An expression whose group 1 is a secret; at least one of its hints must occur in the text."""

    kind: str
    hints: tuple[str, ...]
    expression: re.Pattern[str]
    any_word: bool
    """Whether the expression also matches ordinary names, so that a match must look random."""


def secrets_by_format(text: str) -> Iterator[SecretSpan]:
    """Yield everything in a text that has the format of a secret."""
    if has_long_word(text):
        for shape in _SHAPES:
            if any(hint in text for hint in shape.hints):
                yield from _matches(shape, text)
        yield from _private_keys(text)


def has_long_word(text: str) -> bool:
    """Return whether a text has a word that is long enough to be a token.

    This is a fast search, because the text is translated into only two different bytes.
    """
    return _LONG_WORD in text.encode("utf-8", "surrogatepass").translate(_TOKEN_BYTES)


def _matches(shape: _Shape, text: str) -> Iterator[SecretSpan]:
    for match in shape.expression.finditer(text):
        start, end = match.span(1)
        secret = match[1]
        if _follows_a_letter(text, start) and not text.startswith("bot", start - 3):
            continue
        if not is_sample(secret) and (not shape.any_word or _is_random(secret)):
            yield SecretSpan(start, end, shape.kind)
    if shape.kind == "aws" and shape.expression.search(text):
        yield from (SecretSpan(*match.span(), "aws") for match in _AWS_SECRET.finditer(text))


def _is_random(secret: str) -> bool:
    """Return whether a token has digits or mixed case; purely hexadecimal ones are checksums."""
    mixed = any(map(str.isdigit, secret)) or (secret.lower() != secret != secret.upper())
    return mixed and _HEXADECIMAL.fullmatch(secret) is None


def _follows_a_letter(text: str, at: int) -> bool:
    return at > 0 and text[at - 1].isascii() and text[at - 1].isalnum()


def _private_keys(text: str) -> Iterator[SecretSpan]:
    """Yield the content of key blocks, even of blocks that have lost their start or end."""
    for match in _PUTTY.finditer(text) if "Private-Lines" in text else ():
        yield SecretSpan(*match.span(1), PRIVATE_KEY)
        if match[2]:
            yield SecretSpan(*match.span(2), PRIVATE_KEY)
    if "PRIVATE KEY" not in text:
        return
    marks = list(_KEY_MARK.finditer(text))
    search_start = 0
    for index, mark in enumerate(marks):
        next_mark = marks[index + 1] if index + 1 < len(marks) else None
        if mark[1] == "END":
            previous = marks[index - 1] if index else None
            if previous is None or previous[1] == "END":
                yield from _key_before(text, search_start, mark.start())
        elif next_mark and next_mark[1] == "END":
            if _KEY_TEXT.search(text, mark.end(), next_mark.start()):
                yield SecretSpan(mark.end(), next_mark.start(), PRIVATE_KEY)
        elif body := _KEY_BODY.match(text, mark.end()):
            yield SecretSpan(*body.span(), PRIVATE_KEY)
        search_start = mark.end()


def _key_before(text: str, start: int, end: int) -> Iterator[SecretSpan]:
    """Yield the lines of a key directly before its end mark."""
    lines = list(_KEY_LINE.finditer(text, start, end))
    first = None
    for line in reversed(lines):
        last_line = first is None and re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", line[0])
        if not (last_line or _KEY_TEXT.fullmatch(line[0])):
            break
        first = line.start()
    if first is not None and _KEY_TEXT.search(text, first, end):
        yield SecretSpan(first, end, PRIVATE_KEY)


def _shapes() -> Iterator[_Shape]:
    for token_format in FORMATS:
        starts = "|".join(map(re.escape, token_format.prefixes))
        body = f"{ALPHABETS[token_format.alphabet]}{{{token_format.length - 1},}}[A-Za-z0-9_=]"
        any_word = token_format.alphabet in ("alnum", "base64", "dotted", "word")
        yield _Shape(
            token_format.name, token_format.prefixes, re.compile(f"((?:{starts}){body})"), any_word
        )
    for shape in COMPOSED:
        expression = re.compile(shape["pattern"], re.ASCII)
        yield _Shape(shape["kind"], tuple(shape["hints"].split()), expression, any_word=False)


_SHAPES: Final = tuple(_shapes())
