"""Which values are secret because of what stands before them? `password: …` in its many forms.

A word such as "password" or "token", in any of some twenty languages, is followed by a sign
or a verb and a value: in prose, environment files, JSON, headers, flags and addresses. A value
counts only if it looks like one; "the password is stored in the safe" names no password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from remem.core.secret_patterns import MASK, Found, grouped, hinted, is_sample
from remem.core.secret_said import said_secrets
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
# A text that occurs there, the kind, and the expression; group 1 is the password.
_PLACES: Final = (
    (
        "://",
        "password in a url",
        re.compile(r"""://[^\s/:@<>"']{0,100}:([^\s/<>"']{1,300})@(?=[\w\[])"""),
    ),
    (
        "curl",
        "password",
        re.compile(r"""[ ](?:-u|--user)[ =]["']?[\w.@-]{1,80}:(?!\d+\b)([^\s"':]{4,})"""),
    ),
)

# How a value has to look: where a machine reads it, less is enough.
_LOOKS: Final[dict[tuple[Kind, bool], re.Pattern[str]]] = {
    ("password", False): re.compile(
        r"\d{4,16} | (?=\S*[^\W\d_]) (?=\S*[\d!@#$%^&*?~+]) \S{6,}", re.VERBOSE
    ),
    ("password", True): re.compile(r"\d{4,16} | (?=\S*\D) \S{4,}", re.VERBOSE),
    ("secret", False): re.compile(r"(?=\S*[^\W\d_]) (?=\S*\d\S*\d) \S{12,}", re.VERBOSE),
    ("secret", True): re.compile(
        r"(?=\S*[^\W\d_]) (?=\S*\d) \S{8,} | (?=[A-Z]*[a-z]) (?=[a-z]*[A-Z]) [A-Za-z+/=]{24,}",
        re.VERBOSE,
    ),
}
_NOT_SECRET: Final = re.compile(
    r"""
      \$\{.* | \$\(.* | \$[A-Za-z_]+ | \$[A-Z][A-Z0-9_]* | %\w+%        # variables
    | [{\[(<].* | [\w.]+[(\[].*                                        # templates, code
    | [A-Za-z_]\w{0,23}(?:\.[A-Za-z_]\w{0,23})+                        # names in code
    | (?:[a-z][a-z0-9+.-]*://|(?:env|file|vault|op|ssm|keyring):).*    # where it is kept
    | (?:/|~/|\.{1,2}/|[A-Za-z]:\\).*                                  # a path
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                                     # an e-mail address
    | (?i:[a-z_-]*password[a-z_-]*)                                    # a word for one
    | \d{4}-\d\d-\d\d.* | v?\d+(?:[.,:/-]\d+)+\w{0,3}                  # dates, versions, ranges
    """,
    re.VERBOSE,
)
_MASKED: Final = re.compile(rf"\*{{3}}|.{{6}}{MASK}.{{4}}", re.DOTALL)
_LONG: Final = 400  # beyond this a value is not looked into for others


def secret_values(text: str) -> Iterator[Found]:
    """Every value that its name, or its place in an address, makes a secret."""
    for hint, place, expression in _PLACES:
        if hint in text:
            for match in expression.finditer(text):
                if not _is_stand_in(match[1]):
                    yield Found(*match.span(1), place)
    folded = lowered(text)
    words = hinted(folded, _ASCII_WORDS if text.isascii() else _ALL_WORDS)
    for word, kind in words:
        yield from _after(word, kind, text, folded)
    yield from said_secrets(text, folded, of_passwords=any(kind == "password" for _, kind in words))


def lowered(text: str) -> str:
    """In lower case, every letter in its place: "İ" is the one that would become longer."""
    return text.replace("İ", "i").lower()


def _after(word: str, kind: Kind, text: str, folded: str) -> Iterator[Found]:
    at = folded.find(word)
    while at >= 0:
        end = at + len(word)
        match = _AFTER.match(text, end)
        assigned = match is not None and _is_assigned(match, text[at:end])
        if match is None and _FLAG.search(text, max(0, at - 42), at):
            match = _AFTER_FLAG.match(text, end)
        if match:
            found = _judged(match, kind, assigned=assigned)
            if found:
                yield found
                end = found.end
            elif match.end() - end > _LONG:
                end = match.end()
        at = folded.find(word, end)


def _judged(match: re.Match[str], kind: Kind, *, assigned: bool) -> Found | None:
    group = "quoted" if match["quoted"] else "bare"
    start, value = match.start(group), match[group]
    if group == "bare":
        value = _NEXT_PARAMETER.split(value, maxsplit=1)[0].rstrip(".:)]}*_")
    if _LOOKS[kind, assigned].fullmatch(value) and not _is_stand_in(value):
        return Found(start, start + len(value), kind)
    return None


def _is_assigned(match: re.Match[str], word: str) -> bool:
    """Whether a machine reads it: then even a plain word can be a password."""
    env = word.isupper() and match["link"] == "=" and match.end("link") == match.start("bare")
    return env or bool(match["scheme"]) or (match["quoted"] is not None and match["link"] != "|")


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


PLACE_SIGNS: Final = tuple(hint for hint, _, _ in _PLACES)
_PAIRS: Final[tuple[tuple[str, Kind], ...]] = (
    *((word, "password") for word in PASSWORD_WORDS),
    *((word, "secret") for word in SECRET_WORDS),
)
_STEMS: Final = ("pass", "key", "ave", "wo")
_ALL_WORDS: Final = grouped(((pair[0], pair) for pair in _PAIRS), _STEMS)
_ASCII_WORDS: Final = grouped(((pair[0], pair) for pair in _PAIRS if pair[0].isascii()), _STEMS)
