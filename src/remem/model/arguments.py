"""Can this value be accepted? The checks that every door shares; errors name the value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeVar

from remem.errors import InvalidInput, shown

Choice = TypeVar("Choice", bound=str)
LONGEST_TEXT: Final = 1_000_000


def one_of(value: Any, choices: Sequence[Choice], name: str) -> Choice:
    if value in choices:
        return choices[choices.index(value)]
    raise InvalidInput(
        f"{name} {shown(value)} is unknown", hint=f"use one of: {', '.join(choices)}"
    )


def whole_number(value: Any, least: int, most: int, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"{name} {shown(value)} is not a whole number from {least} to {most:,}")
    return value


def refuse_unknown(
    given: Iterable[str],
    known: Collection[str],
    what: str,
    synonyms: Mapping[str, str] = MappingProxyType({}),
    noun: str = "parameter",
) -> None:
    """Raises InvalidInput for the first name that `what` does not take, with the name that was
    probably meant: that of `synonyms`, else one that is spelled much like it."""
    for name in given:
        if name in known:
            continue
        from difflib import get_close_matches  # seldom needed

        close = get_close_matches(name, known, n=1) if isinstance(name, str) else []
        meant = synonyms.get(name) or next(iter(close), None)
        takes = f"it takes: {', '.join(known)}" if known else "it takes none"
        raise InvalidInput(
            f"{what} has no {noun} {shown(name)}",
            hint=f"did you mean {meant}? {takes}" if meant else takes,
        )


def several(values: Any, most: int, name: str) -> Sequence[Any]:
    if values == ():
        return ()
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidInput(f"{name} must be a list, not {shown(values)}")
    if len(values) > most:
        raise InvalidInput(f"{name} has {len(values)} values; at most {most} are accepted")
    return values


def checked_text(text: Any, name: str, longest: int = LONGEST_TEXT) -> str:
    """The text as it is; refused where it could not come back byte for byte."""
    if not isinstance(text, str):
        raise InvalidInput(f"{name} must be text, not {shown(text)}")
    if not text.strip():
        raise InvalidInput(f"{name} is empty", hint=f"say what {name} is meant")
    if len(text) > longest:
        raise InvalidInput(
            f"{name} has {len(text):,} characters; at most {longest:,} are accepted",
            hint="use a summary, and keep the long text in a file",
        )
    if "\0" in text:
        raise InvalidInput(f"{name} {shown(text)} holds a NUL character", hint="remove it")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput(
            f"{name} {shown(text)} holds half of a character at position {error.start}",
            hint="the text was cut inside a surrogate pair; send it whole",
        ) from None
    return text
