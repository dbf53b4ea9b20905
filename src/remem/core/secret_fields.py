"""Which values are secret because of what stands before them? `password: …` in its many forms.

A word such as "password" or "token", in any of some twenty languages, is followed by a sign
or a verb and a value: in prose, environment files, JSON, headers, flags and addresses. A value
counts only if it looks like one; "the password is stored in the safe" names no password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from remem.core.secret_patterns import MASK, Found, is_sample
from remem.core.secret_words import ALONE, PASSWORD_WORDS, PLACEHOLDERS, SECRET_WORDS

Kind = Literal["password", "secret"]

_VALUE: Final = r"""
    (?: (?P<quote>\\?["'`“‘«「『]) (?P<quoted>[^"'`”’»」』\\\n]+)
      | (?P<bare>[^\s"'`“”‘’«»「」『』<>,;|，。；、！？）】\\]+) )
"""
_AFTER: Final = re.compile(
    rf"""
    [\])"'`*_\\]{{0,5}}
    (?: [ ](?:for|of|to|für|zu|vom|de|del|du|pour|para|от|для)[ ][^\n:=.,]{{1,40}}? )?
    [ \t\xa0\u202f]{{0,4}}
    (?P<link> =>|:=|==?|[:=：＝|] | [ ](?:is|was|ist|lautet|es|est|è|é)[ ] | 是|为|為|は )
    [*_]{{0,2}} [ \t]{{0,4}} (?P<scheme>(?i:bearer|basic|token|bot|digest|apikey)[ ]{{1,4}})?
    [*_]{{0,2}} {_VALUE}
    """,
    re.VERBOSE,
)
_AFTER_FLAG: Final = re.compile(rf"[ \t]{{1,4}}(?!-){_VALUE}", re.VERBOSE)
_FLAG: Final = re.compile(r"--[A-Za-z0-9_-]{0,40}\Z")
_NEXT_PARAMETER: Final = re.compile(r"&[\w.-]+=")
_IN_ADDRESS: Final = re.compile(r"""://[^\s/:@<>"']{0,100}:([^\s/<>"']{1,300})@(?=[\w\[])""")

_NOT_SECRET: Final = re.compile(
    r"""
      \$\{.* | \$\(.* | \$[A-Za-z_]+ | \$[A-Z][A-Z0-9_]* | %\w+%        # variables
    | [{\[(<].* | [\w.]+[(\[].*                                        # templates, code
    | [A-Za-z_]\w{0,23}(?:\.[A-Za-z_]\w{0,23})+                        # names in code
    | (?:[a-z][a-z0-9+.-]*://|(?:env|file|vault|op|ssm|keyring):).*    # where it is kept
    | (?:/|~/|\.{1,2}/|[A-Za-z]:\\).*                                  # a path
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                                     # an e-mail address
    | \d{4}-\d\d-\d\d.* | v?\d+(?:[.,:/-]\d+)+\w{0,3}                  # dates, versions, ranges
    """,
    re.VERBOSE,
)
_MASKED: Final = re.compile(rf"\*{{3}}|.{{6}}{MASK}.{{4}}", re.DOTALL)
_LONG: Final = 400  # beyond this a value is not looked into for others


def secret_values(text: str) -> Iterator[Found]:
    """Every value that its name, or its place in an address, makes a secret."""
    if "://" in text:
        for match in _IN_ADDRESS.finditer(text):
            if not _is_stand_in(match[1]):
                yield Found(*match.span(1), "password in a url")
    # "İ" is the one letter whose lower case is longer, and places must stay the same.
    folded = text.replace("İ", "i").lower()
    for words, kind in _WORDS:
        for word in words:
            if word in folded:
                yield from _after(word, kind, text, folded)


def _after(word: str, kind: Kind, text: str, folded: str) -> Iterator[Found]:
    at = folded.find(word)
    while at >= 0:
        end = at + len(word)
        match, assigned = _AFTER.match(text, end), False
        if match is None and _FLAG.search(text, max(0, at - 42), at):
            match, assigned = _AFTER_FLAG.match(text, end), True
        if match:
            found = _judged(match, kind, assigned=assigned or _is_assigned(match, text[at:end]))
            if found:
                yield found
            end = _resume(match, found, end)
        at = folded.find(word, end)


def _resume(match: re.Match[str], found: Found | None, end: int) -> int:
    if found:
        return found.end
    return match.end() if match.end() - match.start() > _LONG else end


def _judged(match: re.Match[str], kind: Kind, *, assigned: bool) -> Found | None:
    group = "quoted" if match["quoted"] else "bare"
    start, value = match.start(group), match[group]
    if group == "bare":
        value = _NEXT_PARAMETER.split(value)[0].rstrip(".:)]}*_")
    if not _looks_secret(value, kind, assigned=assigned, quoted=group == "quoted"):
        return None
    return Found(start, start + len(value), kind)


def _is_assigned(match: re.Match[str], word: str) -> bool:
    """Whether a machine reads it: then even a plain word can be a password."""
    env = word.isupper() and match["link"] == "=" and match.end("link") == match.start("bare")
    return bool(match["quoted"] and match["link"] != "|" or match.groupdict()["scheme"] or env)


def _looks_secret(value: str, kind: Kind, *, assigned: bool, quoted: bool) -> bool:
    if _is_stand_in(value) or any(character.isspace() for character in value):
        return False
    digits = sum(character.isdigit() for character in value)
    letters = sum(character.isalpha() for character in value)
    mixed = value != value.lower() and value != value.upper()
    if kind == "password":
        if digits == len(value):
            return 4 <= digits <= 16
        marks = any(character in "!@#$%^&*?~+" for character in value)
        odd = bool(letters and digits) or (letters > 0 and marks)
        return len(value) >= (4 if assigned else 6) and (odd or assigned)
    if digits == len(value) or len(value) < 8:
        return False
    odd = letters > 0 and (digits > 1 or mixed)
    return odd and len(value) >= (8 if assigned or quoted else 12)


def _is_stand_in(value: str) -> bool:
    """A placeholder, a reference to the real thing, or what an earlier redaction left."""
    folded = value.lower().strip("$%{}<>[]()_-*.")
    return (
        folded in PLACEHOLDERS
        or folded in ALONE
        or _MASKED.fullmatch(value) is not None
        or _NOT_SECRET.fullmatch(value) is not None
        or len(set(folded)) < 3
        or (len(value) > 8 and is_sample(value) and not value.isdigit())
    )


_WORDS: Final[tuple[tuple[tuple[str, ...], Kind], ...]] = (
    (PASSWORD_WORDS, "password"),
    (SECRET_WORDS, "secret"),
)
