"""Secrets that are recognised by their name or place: `password: …`, `AZURE_KEY=…`, `mysql -p…`.

A word such as "password" or "token", in any of some twenty languages, is followed by a sign
or a verb and a value: in prose, environment files, JSON, headers, flags and addresses. A value
counts only if it looks like one; "the password is stored in the safe" names no password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from remem.core.secrets.shapes import Found, grouped, hinted
from remem.core.secrets.values import Kind, Setting, is_stand_in, looks_secret
from remem.core.secrets.words import PASSWORD_WORDS, SECRET_WORDS

_VALUE: Final = r"""
    (?: (?P<quote>\\?["'`“‘«「『]) (?P<quoted>[^"'`”’»」』\\\n]+)
      | (?P<bare>[^\s"'`“”‘’«»「」『』<>,;|，。；、！？）】\\]+) )
"""
_AFTER: Final = re.compile(
    rf"""
    (?: _(?i:base|hex|b64|base64|value|prod|dev|live|test|[0-9]{{1,2}}) | \d{{1,2}}
      | [ ]\([^()\n]{{1,40}}\) )?
    [\])"'`*_\\]{{0,5}}
    (?: [ ](?:for|of|to|on|für|zu|vom|de|del|du|pour|para|от|для)[ ][^\n:=.,]{{1,40}}? )?
    [ \t\xa0\u202f]{{0,4}}
    (?P<link> =>|:=|==?|[:=：＝|]
      | [ ](?:(?:(?:is|was|has[ ]been)[ ])?(?:(?:now|set|changed|reset|updated|rotated)[ ])?to
        | (?:is|was|are|ist|lautet|es|est|è|é)(?:[ ](?:now|jetzt|still))?)[ ]
      | 是|为|為|は )
    [*_]{{0,2}} [ \t]{{0,4}} (?P<scheme>(?i:bearer|basic|token|bot|digest|apikey)[ ]{{1,4}})?
    [*_]{{0,2}} {_VALUE}
    """,
    re.VERBOSE,
)
_DIRECTLY: Final = re.compile(rf"[ \t]{{1,4}}(?!-){_VALUE}", re.VERBOSE)
_FLAG: Final = re.compile(r"--[A-Za-z0-9_-]{0,40}\Z")
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{0,40}\Z")
_NEXT_PARAMETER: Final = re.compile(r"&[\w.-]+=")
_NO_CREDENTIAL: Final = re.compile(
    r"""(?:public|primary|foreign|sort|partition|range|cache|object|hot|unique|row|group|map|dict|
    lookup|composite|sub|arrow|shift|ctrl|control|function|host|index|answer|shard|routing|event|
    s3|redis|translation|i18n|locale|publishable|bucket|storage|idempotency|session|message|jira|
    issue|project|registry|dedup\w*|any|piano|musical|openpgp|gpg|fingerprint|pub)[\ _-]?\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""What stands before "key" where it opens nothing."""

_VALUE_OF_FLAG: Final = r"""["']?((?<=")[^"\n]{3,80}|(?<=')[^'\n]{3,80}|[^\s"']{4,})"""
# A text that occurs there, the kind, and the expression; group 1 is the secret.
_PLACES: Final = tuple(
    (hint, kind, re.compile(expression))
    for hint, kind, expression in (
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
        ("http", "password", r"""\bhttps? [^\n]{0,200}?-a ["']?[\w.@-]{1,80}:([^\s"':]{4,})"""),
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
        (
            "-p",
            "password",
            r"\b(?:mysql\w*|mariadb(?:-dump)?|7za?)\b[^\n|;]{0,200}? -p(?!assword\b)"
            + _VALUE_OF_FLAG,
        ),
        (
            "-p ",
            "password",
            r"\b(?:sshpass|mongo(?:sh|dump|restore)?|(?:docker|podman|az|helm registry) login|"
            rf"cqlsh|xfreerdp)\b[^\n|;]{{0,200}}? -p {_VALUE_OF_FLAG}",
        ),
        (
            "redis-cli",
            "password",
            rf"\bredis-cli\b[^\n|;]{{0,200}}? (?:-a|--pass) {_VALUE_OF_FLAG}",
        ),
        (
            "-P ",
            "password",
            rf"\b(?:sqlcmd|unzip|zip|bcp|isql)\b[^\n|;]{{0,200}}? -P {_VALUE_OF_FLAG}",
        ),
        ("ldap", "password", rf"\bldap\w+\b[^\n|;]{{0,200}}? -w {_VALUE_OF_FLAG}"),
        ("ssh-keygen", "password", rf"\bssh-keygen\b[^\n|;]{{0,200}}? -N {_VALUE_OF_FLAG}"),
        (
            "htpasswd",
            "password",
            rf"\bhtpasswd\b[^\n|;]{{0,40}}? -\w*b\w* \S+ \S+ {_VALUE_OF_FLAG}",
        ),
        ("pass:", "password", r"-pass(?:in|out)? pass:([^\s\"']{4,})"),
        ("smbclient", "password", r"\bsmbclient\b[^\n]{0,200}?-U ?[\w.\\/-]{1,80}%([^\s\"']{4,})"),
        (
            "auth",
            "secret",
            r"""["']?_?auth["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9+/]{10,}={0,2})""",
        ),
        (":5432:", "password", r":5432:[\w*-]{1,60}:[\w-]{1,60}:([^\s:]{4,})"),
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
        ("sid=", "cookie", r"\b(?:connect\.)?sid=([\w%.+/=:~-]{16,})"),
    )
)
_COOKIES: Final = re.compile(r"(?i:\b(?:set-)?cookie2?): ?([^\n\"']{4,4000})")
_COOKIE: Final = re.compile(r"([\w.$-]{1,80})=([^;\s,]{6,})")
_NO_COOKIE: Final = re.compile(
    r"(?i:path|domain|expires|max-age|samesite|priority|version|theme|lang|language|locale|tz|"
    r"timezone|consent|cookie_?consent|currency|country|region|color_scheme)"
)

_LONG: Final = 400  # beyond this a value is not looked into for others


def secret_values(text: str) -> Iterator[Found]:
    """Every value that its name, or its place in a command or an address, makes a secret."""
    folded = lowered(text)
    for hint, place, expression in _PLACES:
        if hint in folded or hint in text:
            for match in expression.finditer(text):
                if not is_stand_in(match[1]):
                    yield Found(*match.span(1), place)
    if "cookie" in folded:
        yield from _cookies(text)
    for word, kind in hinted(folded, _ASCII_WORDS if text.isascii() else _ALL_WORDS):
        yield from _after(word, kind, text, folded)


def lowered(text: str) -> str:
    """In lower case, every letter in its place: "İ" is the one that would become longer."""
    return text.replace("İ", "i").lower()


def _cookies(text: str) -> Iterator[Found]:
    for line in _COOKIES.finditer(text):
        for match in _COOKIE.finditer(text, *line.span(1)):
            telling = any(map(str.isdigit, match[2])) or len(match[2]) >= 16
            if telling and not _NO_COOKIE.fullmatch(match[1]) and not is_stand_in(match[2]):
                yield Found(*match.span(2), "cookie")


def _after(word: str, kind: Kind, text: str, folded: str) -> Iterator[Found]:
    at = folded.find(word)
    while at >= 0:
        end = at + len(word)
        if kind != "key" or _may_open(text, at):
            found, past = _value_after(text, at, end, kind)
            if found:
                yield found
            end = max(end, past)
        at = folded.find(word, end)


def _value_after(text: str, at: int, end: int, kind: Kind) -> tuple[Found | None, int]:
    """The secret that a word names, and where to go on."""
    match = _AFTER.match(text, end)
    if match:
        found = _judged(match, kind, "assigned" if _is_assigned(match, text, at) else "said")
        return found, found.end if found else match.end() if match.end() - end > _LONG else end
    match = _DIRECTLY.match(text, end)
    if match is None:
        return None, end
    flag = _FLAG.search(text, max(0, at - 42), at)
    found = _judged(match, kind, "said" if flag else "bare")
    return found, found.end if found else end


def _may_open(text: str, at: int) -> bool:
    """Whether "key" stands by itself or ends a name, and not one of the keys of a table."""
    before = text[at - 1 : at] if at else ""
    joined = before.isalnum() and not (before.islower() and text[at].isupper())
    return not joined and _NO_CREDENTIAL.search(text, max(0, at - 24), at) is None


def _judged(match: re.Match[str], kind: Kind, setting: Setting) -> Found | None:
    group = "quoted" if match["quoted"] else "bare"
    start, value = match.start(group), match[group]
    if group == "bare":
        value = _NEXT_PARAMETER.split(value, maxsplit=1)[0].rstrip(".:)]}*_?")
    if not looks_secret(value, kind, setting):
        return None
    return Found(start, start + len(value), "secret" if kind == "key" else kind)


def _is_assigned(match: re.Match[str], text: str, at: int) -> bool:
    """Whether a machine reads it: then even a plain word can be a password."""
    if match["scheme"] or (match["quoted"] is not None and match["link"] != "|"):
        return True
    if match["link"] != "=" or match.end("link") != match.start("bare"):
        return False
    name = _NAME.search(text, max(0, at - 40), at)
    start = name.start() if name else at
    first = (
        start == 0 or text[start - 1] in "\n;&?" or text.startswith("export ", max(0, start - 7))
    )
    return text[at].isupper() or first


SIGNS: Final = (*(hint.lower() for hint, _, _ in _PLACES), "cookie")
_PAIRS: Final[tuple[tuple[str, Kind], ...]] = (
    *((word, "password") for word in PASSWORD_WORDS),
    *((word, "secret") for word in SECRET_WORDS),
    ("key", "key"),
)
_STEMS: Final = ("pass", "key", "ave", "wo")
_ALL_WORDS: Final = grouped(((pair[0], pair) for pair in _PAIRS), _STEMS)
_ASCII_WORDS: Final = grouped(((pair[0], pair) for pair in _PAIRS if pair[0].isascii()), _STEMS)
