"""Split the text of a query into tokens."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Final, Literal

from remem.graph.cypher.failures import CypherError

Kind = Literal["name", "quoted name", "string", "integer", "float", "invalid", "symbol", "end"]
"""An `invalid` token begins like a number but is not one."""

MAX_INTEGER: Final = 2**63 - 1
_SPACE: Final = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_NAME: Final = re.compile(r"[^\W\d]\w*")
_QUOTED_NAME: Final = re.compile(r"`((?:[^`]|``)*)`")
_NUMBER: Final = re.compile(
    r"(?P<hex>0x\w*)|(?P<octal>0o\w*)|(?P<float>\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)|"
    r"(?P<integer>\d+)"
)
_SYMBOL: Final = re.compile(r"<=|>=|<>|=~|\.\.|\+=|[()\[\]{}:,.|+*/%^=<>$;-]")
_ESCAPE: Final = re.compile(r"\\(u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\\'\"`bfnrt])|\\")
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a query; `value` is the value of a literal or the plain text of a name."""

    kind: Kind
    text: str
    position: int
    value: str | int | float = ""

    @property
    def keyword(self) -> str:
        """The token as a keyword; empty for anything but an unquoted name."""
        return self.text.upper() if self.kind == "name" else ""


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a query, closed by an `end` token."""
    tokens: list[Token] = []
    at = 0
    while True:
        if space := _SPACE.match(text, at):
            at = space.end()
        if at >= len(text):
            tokens.append(Token("end", "", len(text)))
            return tokens
        token = _next(text, at)
        tokens.append(token)
        at += len(token.text)


def _next(text: str, at: int) -> Token:
    first = text[at]
    if name := _NAME.match(text, at):
        return Token("name", name[0], at, name[0])
    if quoted := _QUOTED_NAME.match(text, at):
        return Token("quoted name", quoted[0], at, quoted[1].replace("``", "`"))
    if first in "'\"":
        return _string(text, at)
    if text.startswith("..", at):
        return Token("symbol", "..", at)
    if number := _NUMBER.match(text, at):
        return _number(number, text)
    if symbol := _SYMBOL.match(text, at):
        return Token("symbol", symbol[0], at)
    if first.isascii():
        raise CypherError(f"unexpected {first!r}", detail="UnexpectedSyntax", position=at)
    raise CypherError(
        f"unexpected character {first!r}", detail="InvalidUnicodeCharacter", position=at
    )


def _string(text: str, at: int) -> Token:
    quote, end = text[at], at + 1
    while end < len(text) and text[end] != quote:
        end += 2 if text[end] == "\\" else 1
    if end >= len(text):
        raise CypherError("a string is not closed", detail="UnexpectedSyntax", position=at)
    body = text[at + 1 : end]

    def unescape(match: re.Match[str]) -> str:
        code = match[1]
        if code is None:
            raise CypherError(
                f"invalid escape {body[match.start() : match.start() + 2]!r} in a string",
                detail="InvalidUnicodeLiteral",
                position=at + 1 + match.start(),
            )
        if code[0] in "uU":
            return _character(int(code[1:], 16), at)
        return _ESCAPED.get(code, code)

    return Token("string", text[at : end + 1], at, _ESCAPE.sub(unescape, body))


def _character(code: int, at: int) -> str:
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        raise CypherError(
            f"{code:#x} is not a character", detail="InvalidUnicodeLiteral", position=at
        )
    return chr(code)


def _number(match: re.Match[str], text: str) -> Token:
    at, end = match.start(), match.end()
    if end < len(text) and (text[end].isalnum() or text[end] == "_"):
        tail = re.match(r"\w+", text[end:])
        return Token("invalid", match[0] + (tail[0] if tail else ""), at)
    if match["float"]:
        real = float(match[0])
        if math.isinf(real):
            raise CypherError(
                f"{match[0]} is too large", detail="FloatingPointOverflow", position=at
            )
        return Token("float", match[0], at, real)
    base = 16 if match["hex"] else 8 if match["octal"] else 10
    try:
        value = int(match[0], base)
    except ValueError:
        return Token("invalid", match[0], at)
    if value > MAX_INTEGER + 1:  # one more is allowed after a minus sign, which the parser checks
        raise CypherError(f"{match[0]} is too large", detail="IntegerOverflow", position=at)
    return Token("integer", match[0], at, value)
