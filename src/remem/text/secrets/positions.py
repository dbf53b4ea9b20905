"""Secrets that are recognised by their position: in a command, a URL, a cookie, a column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from remem.text.pattern_file import pattern_file
from remem.text.secrets.shapes import SecretSpan
from remem.text.secrets.values import SecretKind, is_placeholder_value, looks_secret

_FILE: Final = pattern_file("text/secrets/positions")
_COOKIES: Final = re.compile(r"(?i:\b(?:set-)?cookie2?): ?([^\n\"']{4,4000})")
_COOKIE: Final = re.compile(r"([\w.$-]{1,80})=([^;\s,]{6,})")
_HARMLESS_COOKIE: Final = re.compile(
    r"(?i:path|domain|expires|max-age|samesite|priority|version|theme|lang|language|locale|tz|"
    r"timezone|consent|cookie_?consent|currency|country|region|color_scheme)"
)
_HEADER: Final = re.compile(
    r"(?im)^[^\n]{0,200}(?<![^|,;\t\n]) {0,4}"
    r"(?P<name>password|passwort|kennwort|pass|pw|pwd|mot de passe|contraseña|senha|wachtwoord|"
    r"hasło|пароль|密码|密碼|パスワード|비밀번호|secret|token|api[ _-]?key)"
    r" {0,4}(?=[|,;\t]|$)[^\n]{0,200}$"
)
_SECRET_HEADER: Final = re.compile(r"(?i)secret|token|api[ _-]?key")
_SEPARATORS: Final = "|\t;,"
_TABLE_RULE_LINE: Final = re.compile(r"[-=:+|\s]*")


class _PositionPattern(NamedTuple):
    """An expression whose group 1 is a secret; at least one of its lower-case hints must occur."""

    hints: tuple[str, ...]
    kind: str
    expression: re.Pattern[str]


def _read_patterns() -> Iterator[_PositionPattern]:
    for flag in _FILE["flag"]:
        pattern = rf"\b(?:{flag['commands']})\b[^\n|;]{{0,200}}? {flag['flag']}{{value}}"
        yield _PositionPattern((flag["hint"],), "password", _FILE.compile(pattern, re.NOFLAG))
    for position in _FILE["position"]:
        expression = _FILE.compile(position["pattern"], re.NOFLAG)
        yield _PositionPattern(tuple(position["hints"]), position["kind"], expression)


_PATTERNS: Final = tuple(_read_patterns())


def secrets_by_position(text: str) -> Iterator[SecretSpan]:
    """Yield every value whose position marks it as a secret."""
    folded = text.lower()
    for hints, kind, expression in _PATTERNS:
        if any(hint in folded for hint in hints):
            for match in expression.finditer(text):
                if not is_placeholder_value(match[1]):
                    yield SecretSpan(*match.span(1), kind)
    if "cookie" in folded:
        yield from _cookies(text)
    if "\n" in text:
        yield from _columns(text)


def _cookies(text: str) -> Iterator[SecretSpan]:
    for line in _COOKIES.finditer(text):
        for match in _COOKIE.finditer(text, *line.span(1)):
            likely = any(map(str.isdigit, match[2])) or len(match[2]) >= 16
            if (
                likely
                and not _HARMLESS_COOKIE.fullmatch(match[1])
                and not is_placeholder_value(match[2])
            ):
                yield SecretSpan(*match.span(2), "cookie")


def _columns(text: str) -> Iterator[SecretSpan]:
    """Yield the cells below a heading such as "password" that look like secrets.

    They are in a table or in CSV lines.
    """
    position = 0
    for header in _HEADER.finditer(text):
        separator = next((separator for separator in _SEPARATORS if separator in header[0]), None)
        if separator is None or header.start() < position:  # a row of the previous table
            continue
        column = text.count(separator, header.start(), header.start("name"))
        kind: SecretKind = "secret" if _SECRET_HEADER.fullmatch(header["name"]) else "password"
        position = header.end() + 1
        while position < len(text):
            line_start = position
            line_end = text.find("\n", line_start)
            line_end = len(text) if line_end < 0 else line_end
            cells = text[line_start:line_end].split(separator)
            if len(cells) <= column:
                break
            cell = cells[column].strip()
            if not _TABLE_RULE_LINE.fullmatch(text, line_start, line_end) and looks_secret(
                cell, kind, "stated"
            ):
                at = line_start + sum(len(cell) + 1 for cell in cells[:column])
                at = text.index(cell, at)
                yield SecretSpan(at, at + len(cell), kind)
            position = line_end + 1


HINTS: Final = (*(hint for hints, _, _ in _PATTERNS for hint in hints), "cookie")
