"""Secrets that are recognised by their position: in a command, a URL, a cookie, a column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from remem.text.secrets.shapes import SecretSpan
from remem.text.secrets.values import Kind, is_placeholder_value, looks_secret

_VALUE_OF_FLAG: Final = r"""["']?((?<=")[^"\n]{3,80}|(?<=')[^'\n]{3,80}|[^\s"']{4,})"""
# A hint in lower case, the commands, and the flag before the password.
_FLAGS: Final = (
    ("-p", r"mysql\w*|mariadb(?:-dump)?|7za?", r"-p(?!assword\b)"),
    (
        "-p ",
        r"sshpass|mongo(?:sh|dump|restore)?|(?:docker|podman|az|helm registry) login|cqlsh|"
        "xfreerdp",
        "-p ",
    ),
    ("redis-cli", "redis-cli", "(?:-a|--pass) "),
    ("-p ", "sqlcmd|unzip|zip|bcp|isql", "-P "),
    ("ldap", r"ldap\w+", "-w "),
    ("ssh-keygen", "ssh-keygen", "-N "),
    ("openssl", "openssl", "-k "),
)
# Hints in lower case, of which one must occur, the kind, and the expression; group 1 is the secret.
_POSITIONS: Final = tuple(
    (tuple(hints.split("|")), kind, re.compile(expression))
    for hints, kind, expression in (
        *(
            (hint, "password", rf"\b(?:{commands})\b[^\n|;]{{0,200}}? {flag}{_VALUE_OF_FLAG}")
            for hint, commands, flag in _FLAGS
        ),
        (
            "://",
            "password in a url",
            r"""://[^\s/:@<>"']{0,100}:([^\s/<>"']{1,300})@(?=[\w\[])""",
        ),
        (
            "curl",
            "password",
            r"""\bcurl\b[^\n]{0,300}?[ ](?:-u|--user|--proxy-user|-U)[ =]?["']?[^\s:"']{1,80}:"""
            r"""(?!\d+\b)([^\s"':]{4,})""",
        ),
        ("http ", "password", r"""\bhttps? [^\n]{0,200}?-a ["']?[\w.@-]{1,80}:([^\s"':]{4,})"""),
        ("login", "password", rf"\blogin\s+\S{{1,80}}\s+password\s+{_VALUE_OF_FLAG}"),
        (
            "login",
            "password",
            r"(?i:\blogin\b)(?:[^\n:=]{0,30}[:=] ?[\w.@+-]{2,60} ?[/|:] ?| [\w.@+-]{2,60} / )"
            r"((?=\S*[A-Za-z])(?=\S*\d)[^\s,;]{6,})",
        ),
        (
            "credentials",
            "password",
            r"(?i:\bcredentials\b)[^\n:=]{0,30}[:=] ?[\w.@+-]{2,60} ?[/|:] ?"
            r"((?=\S*[A-Za-z])(?=\S*\d)[^\s,;]{6,})",
        ),
        (
            "pass",
            "password",
            r"(?i:\b(?:user(?:name)?|login|e-?mail)\b[^\n]{1,80}?\bpass ?[:=] ?)([^\s,;\"']{4,})",
        ),
        ("pass", "password", r"""["']pass["'] ?: ?["']([^"'\n]{4,80})["']"""),
        (
            "wifi|wi-fi",
            "password",
            r"(?i:\bwi-?fi\b)[^\n:=/]{0,40}[:=] ?[^\n/:=]{2,40} / ([^\s,;]{8,63})",
        ),
        (
            "htpasswd",
            "password",
            rf"\bhtpasswd\b[^\n|;]{{0,40}}? -\w*b\w* \S+ \S+ {_VALUE_OF_FLAG}",
        ),
        ("pass:", "password", r"-pass(?:in|out)? pass:([^\s\"']{4,})"),
        ("smbclient", "password", r"\bsmbclient\b[^\n]{0,200}?-U ?[\w.\\/-]{1,80}%([^\s\"']{4,})"),
        (
            "auth",
            "password",
            r"""(?:auth=|BasicAuth)\(["'][^"'\n]{1,60}["'], ?["']([^"'\n]{4,80})["']""",
        ),
        ("auth", "secret", r"\b[a-z][\w-]{1,30} auth\s((?=\S*\d)[\w-]{32,})(?![\w-])"),
        ("login", "secret", r"\b[a-z][\w-]{1,30} login\s((?=\S*\d)[\w.-]{32,})(?![\w-])"),
        (
            "auth",
            "secret",
            r"""["']?_?auth["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9+/]{10,}={0,2})""",
        ),
        (
            ":54|:3306:|:*:",
            "password",
            r"(?m)^(?=[^:\n]*[A-Za-z*])[\w.*-]{1,80}:(?:\d{2,5}|\*):[A-Za-z*][\w-]{0,60}:"
            r"[A-Za-z*][\w-]{0,60}:([^\s:]{4,})$",
        ),
        (
            "echo ",
            "password",
            rf"\becho (?:-n )?{_VALUE_OF_FLAG}[\"']? ?\| ?"
            r"(?:sudo -S|\S* ?login\b[^\n]{0,80}-stdin)",
        ),
        ("net user", "password", r"\bnet user [\w.-]{1,40} ([^\s/*]{4,})"),
        ("wifi:", "password", r"WIFI:[^\n]{0,80}?;P:([^;\n]{4,63});"),
        (
            " / ",
            "password",
            r"[\w.+-]{1,60}@[\w-]{1,60}\.[\w.]{2,30} ?[/|] ?((?=\S*[a-z])(?=\S*\d)[^\s,;]{8,})",
        ),
        (
            "log in|login|logs in|sign in",
            "password",
            r"(?i:\b(?:log ?in|sign in|logs in) (?:as|with|using) )[\w.@+-]{2,60}"
            r"(?: with | and |, ?| / )"
            r"((?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)[^\s,;]{8,}?)(?=[.,;]?(?:\s|$))",
        ),
        (
            "requirepass",
            "password",
            rf"\b(?:requirepass|masterauth)\s{_VALUE_OF_FLAG}",
        ),
        ("identified by", "password", rf"(?i:\bidentified by )(?=[\"']){_VALUE_OF_FLAG}"),
        ("password", "password", rf"\bPASSWORD (?=[\"']){_VALUE_OF_FLAG}"),
        (
            "pass",
            "password",
            r"(?m)^[ \t]*(?:password|passwd|pass)[ \t]{1,20}"
            r"((?=\S*[A-Za-z])(?=\S*\d)\S{6,})[ \t]*$",
        ),
        (
            "secret=",
            "2fa seed",
            r"otpauth://[^\s?]{0,200}\?(?:[^\s&]{0,200}&){0,12}secret=([A-Za-z2-7]{8,}=*)",
        ),
        (
            "sess",
            "cookie",
            r"(?i:\b(?:PHPSESSID|JSESSIONID|ASP\.NET_SessionId|laravel_session|_?session(?:_?id)?|"
            r"[\w-]{0,30}_session(?:_?id)?))=([\w%.+/=~-]{16,})",
        ),
        (
            "cookie",
            "cookie",
            r"(?i:\bcookies?\b)[^\n:=]{0,30}?[ '\"][\w.-]{1,60}=([\w%.+/=:~-]{16,})",
        ),
        ("sid=", "cookie", r"\b(?:connect\.)?sid=([\w%.+/=:~-]{16,})"),
    )
)
_COOKIES: Final = re.compile(r"(?i:\b(?:set-)?cookie2?): ?([^\n\"']{4,4000})")
_COOKIE: Final = re.compile(r"([\w.$-]{1,80})=([^;\s,]{6,})")
_HARMLESS_COOKIE: Final = re.compile(
    r"(?i:path|domain|expires|max-age|samesite|priority|version|theme|lang|language|locale|tz|"
    r"timezone|consent|cookie_?consent|currency|country|region|color_scheme)"
)
_HEADER: Final = re.compile(
    r"(?im)^[^\n]{0,200}(?<![^|,;\t\n]) {0,4}"
    r"(?P<name>password|passwort|pass|pw|pwd|secret|token|api[ _-]?key|mot de passe|contraseña)"
    r" {0,4}(?=[|,;\t]|$)[^\n]{0,200}$"
)
_SEPARATORS: Final = "|\t;,"
_RULE: Final = re.compile(r"[-=:+|\s]*")


def secrets_by_position(text: str) -> Iterator[SecretSpan]:
    """Yield every value that its position makes a secret."""
    folded = text.lower()
    for hints, kind, expression in _POSITIONS:
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
    """Yield the cells below a heading such as "password", in a table or CSV lines."""
    start = 0
    for header in _HEADER.finditer(text):
        separator = next((separator for separator in _SEPARATORS if separator in header[0]), None)
        if separator is None or header.start() < start:  # a row of the previous table
            continue
        column = text.count(separator, header.start(), header.start("name"))
        kind: Kind = "password" if header["name"].lower().startswith("p") else "secret"
        start = header.end() + 1
        while start < len(text):
            end = text.find("\n", start)
            end = len(text) if end < 0 else end
            cells = text[start:end].split(separator)
            if len(cells) <= column:
                break
            cell = cells[column].strip()
            if not _RULE.fullmatch(text, start, end) and looks_secret(cell, kind, "stated"):
                at = start + sum(len(cell) + 1 for cell in cells[:column])
                at = text.index(cell, at)
                yield SecretSpan(at, at + len(cell), kind)
            start = end + 1


HINTS: Final = (*(hint for hints, _, _ in _POSITIONS for hint in hints), "cookie")
