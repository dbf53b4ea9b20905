"""What may an audit look at? All of it, or one of its parts.

Can this value be accepted? The checks that every door shares; errors name the value.

Where may a host look? The corpora of its contract; one that is unknown is refused.

How much may a recall be asked for, and in which format?
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar, get_args

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


Corpus = Literal["memory", "wiki", "all", "sessions"]
SEARCHED: Final[tuple[Corpus, ...]] = ("memory", "wiki", "all", "sessions")
READ: Final[tuple[Corpus, ...]] = ("memory", "wiki", "all")
LINES: Final = 120
"""So many lines of a file are read where nobody says how many."""
MOST_RESULTS: Final = 6
LEAST_SCORE: Final = 0.35
"""So many passages, and none that is less like the question, where nobody says otherwise."""

NO_WIKI: Final = "No wiki is registered with this memory."
"""remem has no wiki; it says so instead of searching something else."""

Outcome = Literal["ok", "partial", "unavailable", "not-registered"]


@dataclass(frozen=True, slots=True)
class CorpusOutcome:
    """How the look into one corpus ended."""

    corpus: Corpus
    outcome: Outcome
    error: str | None = None


WIKI: Final = CorpusOutcome("wiki", "not-registered")


def checked_corpus(value: Any, allowed: Sequence[Corpus]) -> Corpus | None:
    if value is None:
        return None
    for each in allowed:
        if value == each:
            return each
    raise InvalidInput(f"corpus must be one of: {', '.join(allowed)}")


def positive(value: Any, name: str) -> int:
    """A number of lines or results, in the words of the contract."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{name} must be a positive integer")
    return value


RecallFormat = Literal["brief", "detailed"]
RECALL_FORMATS: Final[tuple[RecallFormat, ...]] = get_args(RecallFormat)

SMALLEST_BUDGET: Final = 100
LARGEST_BUDGET: Final = 10_000_000
MOST_ENTRIES: Final = 10_000


AuditScope = Literal["all", "memory_md", "domains", "system_prompt"]
AUDIT_SCOPES: Final[tuple[AuditScope, ...]] = get_args(AuditScope)
