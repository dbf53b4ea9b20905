"""Secrets that are recognised by their label: `password: …`, `AZURE_KEY=…`, "the api key is …".

A word such as "password" or "token", in some twenty languages, is followed by a sign or a verb and
a value: in prose, environment files, JSON, XML, headers and flags. A value counts only if it looks
like one; "the password is stored in the safe" contains no password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from remem.text.secrets.shapes import SecretSpan
from remem.text.secrets.values import (
    KEY_WORDS,
    PASSWORD_WORDS,
    SECRET_WORDS,
    Position,
    SecretKind,
    looks_secret,
)

_VALUE: Final = r"""
    (?: (?P<quote>\\?["'`“‘«「『]) (?P<quoted>[^"'`”’»」』\\\n]+)
      | (?P<bare>[^\s"'`“”‘’«»「」『』<>,;|，。；、！？）】\\]+) )
"""
_NOT_AN_OWNER: Final = (
    r"(?i:polic(?:y|ies)|rules?|requirements?|manager|length|field|hash|prompt|generator|strength|"
    r"hint|fingerprint|format|files?|reset|change|rotation|budget|usage|count|limit|lifetime|expiry|type|name|id|is|"
    r"was|are|must|should|that|which|and|or|if|when|ist|lautet|wird|muss|est|es|è|é)\b"
)
"""Words after "password" that do not name what it is for, unlike in "password router: …"."""
_AFTER: Final = re.compile(
    rf"""
    (?: _(?i:base|hex|b64|base64|value|prod|dev|live|test|[0-9]{{1,2}}) | \d{{1,2}}
      | [ ]\([^()\n]{{1,40}}\) )?
    [\])"'`*_\\]{{0,5}}
    (?: [ ](?!{_NOT_AN_OWNER})[^\n:=.,;|<>]{{1,40}}? )?
    [ \t\xa0\u202f]{{0,4}}
    (?P<link> =>|:=|==?|[:=：＝|] | >(?=\S) | [ ]{{1,3}}value=
      | [ ](?:(?:(?:is|was|has[ ]been)[ ])?(?:(?:now|set|changed|reset|updated|rotated)[ ])?to
        | wurde[ ]auf | (?:is|was|are|ist|lautet|es|est|è|é|är|jest)(?:[ ](?:now|jetzt|still))?)[ ]
      | [ ]?(?:→|->|–|—)[ ]? | ['’]s[ ] | [ ]?(?:是|为|為)[ ]? | は[ ]? )
    [*_]{{0,2}} [ \t]{{0,4}}
    (?P<scheme>(?i:bearer|basic|token|bot|digest|apikey|ssws|geniekey|splunk)[ ]{{1,4}})?
    [*_]{{0,2}} {_VALUE}
    """,
    re.VERBOSE,
)
_RIGHT_AFTER: Final = re.compile(rf"[ \t]{{1,4}}(?!-){_VALUE}", re.VERBOSE)
_NEARBY: Final = re.compile(
    rf"[^\W\d_]{{0,3}}(?:[ ][^\W\d_]{{1,12}}){{0,3}}[ ]{_VALUE}", re.VERBOSE
)  # "пароль от вайфая …": a label, its owner, and the value
_BEFORE: Final = re.compile(
    r"""(?<!\S)["'“`]?(?P<bare>[^\s"'`“”,;<>]{8,80})["'”`]?[ ]
    (?:(?:is|was|ist|est|es|è)[ ](?:the|my|our|his|her|their|your|das|mein|unser|le|mon|la|mi|il)
      |as(?:[ ](?:the|my|our|a))?)
    (?:[ ][^\W\d_][\w-]{0,14}){0,3}?[ ](?i:password|passwort|passphrase|pass|pw|api[ -]key|token|
    secret|mot[ ]de[ ]passe|contraseña)(?!\w)(?P<quoted>(?!))?""",
    re.VERBOSE,
)  # "… is the wifi password", "use … as the token"
_MANIFEST: Final = re.compile(
    r"""name:[ ]["']?\w{0,60}(?:PASSWORD|PASSWD|SECRET|TOKEN|_KEY|_PASS)["']?\s+value:[ ]["']?
    (?P<bare>[^\s"']{4,})(?P<quoted>(?!))?""",
    re.VERBOSE,
)
_LISTED: Final = re.compile(rf"""["'],[ ]?(?=["']){_VALUE}""", re.VERBOSE)
_OTHER_ATTRIBUTE: Final = re.compile(r"\w{0,3}[\"'] {1,4}(?!value=)[\w-]{1,40}=")
"""What follows in `name="password" class="wide"`: the class is not the password."""
_FLAG: Final = re.compile(r"--[A-Za-z0-9_-]{0,40}\Z")
_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{0,40}\Z")
_IDEOGRAPH: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_NEXT_PARAMETER: Final = re.compile(r"&[\w.-]+=")
_NOT_A_CREDENTIAL: Final = re.compile(
    r"""(?:public|primary|foreign|sort|partition|range|cache|object|hot|unique|row|group|map|dict|
    lookup|composite|sub|arrow|shift|ctrl|control|function|host|index|answer|shard|routing|event|
    s3|redis|translation|i18n|locale|publishable|bucket|storage|idempotency|session|message|jira|
    issue|project|registry|dedup\w*|any|piano|musical|openpgp|gpg|fingerprint|pub)[\ _-]?\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""Words before "key" where it is not a credential."""

_MAX_VALUE_LENGTH: Final = 400  # longer values are not searched for others
_LABELS: Final[tuple[tuple[str, SecretKind], ...]] = (
    *((word, "password") for word in PASSWORD_WORDS),
    *((word, "secret") for word in SECRET_WORDS),
    *((word, "key") for word in KEY_WORDS),
)


def labelled_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield every secret that is recognised by the label before or after it."""
    folded = lower_in_place(text)
    for match in _MANIFEST.finditer(text) if "value:" in text else ():
        if span := _secret_of(match, "password", "assigned"):
            yield span
    for match in _BEFORE.finditer(text):
        if span := _secret_of(match, "password", "bare"):
            yield span
    for word, kind in _LABELS:
        if word in folded:
            yield from _secrets_after(word, kind, text, folded)


def lower_in_place(text: str) -> str:
    """Convert to lower case without changing any position; only "İ" would become longer."""
    return text.replace("İ", "i").lower()


def _secrets_after(label: str, kind: SecretKind, text: str, folded: str) -> Iterator[SecretSpan]:
    """Yield the secrets after each occurrence of a label."""
    start = folded.find(label)
    while start >= 0:
        end = start + len(label)
        if _is_label(label, kind, text, start):
            span, continue_at = _value_after(text, start, end, kind)
            if span:
                yield span
            end = max(end, continue_at)
        start = folded.find(label, end)


def _value_after(
    text: str, start: int, end: int, kind: SecretKind
) -> tuple[SecretSpan | None, int]:
    """Return the secret after the label at text[start:end], if any, and where to continue."""
    if _OTHER_ATTRIBUTE.match(text, end):
        return None, end
    match = _AFTER.match(text, end)
    if match:
        assigned = _is_assigned(match, text, start)
        span = _secret_of(match, kind, "assigned" if assigned else "stated")
        if span or match.end() - end > _MAX_VALUE_LENGTH:
            return span, match.end()
    position: Position
    if _FLAG.search(text, max(0, start - 42), start):
        match, position = _RIGHT_AFTER.match(text, end) or _LISTED.match(text, end), "stated"
    else:
        is_definition = text.rfind("define(", max(0, start - 40), start) >= 0
        expression = _NEARBY if kind == "password" else _RIGHT_AFTER
        match = (_LISTED if is_definition else expression).match(text, end)
        position = "stated" if is_definition or (match and match["quoted"]) else "bare"
    span = _secret_of(match, kind, position) if match else None
    if span is None and position == "bare" and (match := _RIGHT_AFTER.match(text, end)):
        span = _secret_of(match, kind, "direct")
    return span, span.end if span else end


def _is_label(word: str, kind: SecretKind, text: str, start: int) -> bool:
    """Return whether a word is a label, and not part of a word ("monkey") or of "primary key"."""
    before = text[start - 1 : start] if start else ""
    ends_word = before.isalnum() and not (before.islower() and text[start].isupper())
    if ends_word and word in ("key", "pw"):
        return False
    return kind != "key" or _NOT_A_CREDENTIAL.search(text, max(0, start - 24), start) is None


def _secret_of(match: re.Match[str], kind: SecretKind, position: Position) -> SecretSpan | None:
    group = "quoted" if match["quoted"] else "bare"
    start, value = match.start(group), match[group]
    if group == "bare":
        value = _NEXT_PARAMETER.split(value, maxsplit=1)[0].rstrip(".:)]}*_?")
        if (ideograph := _IDEOGRAPH.search(value)) and ideograph.start():
            value = value[: ideograph.start()]  # the sentence continues without a space
    if not looks_secret(value, kind, position):
        return None
    return SecretSpan(start, start + len(value), "secret" if kind == "key" else kind)


def _is_assigned(match: re.Match[str], text: str, label_start: int) -> bool:
    """Return whether the value is assigned in code or configuration.

    There, even a plain word can be a password.
    """
    if match["scheme"] or (match["quoted"] is not None and match["link"] != "|"):
        return True
    if match["link"] != "=" or match.end("link") != match.start("bare"):
        return False
    name = _NAME.search(text, max(0, label_start - 40), label_start)
    start = name.start() if name else label_start
    starts_line = (
        start == 0 or text[start - 1] in "\n;&?" or text.startswith("export ", max(0, start - 7))
    )
    return text[label_start].isupper() or starts_line
