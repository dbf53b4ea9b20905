"""Checks, allowed values and JSON names of tool arguments and answers, for all surfaces.

A check returns the value or raises InvalidInput, which names the value. Hosts count text in UTF-16:
a character outside the basic plane counts twice.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import Field
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar, get_args

from remem.errors import InvalidInput, quoted
from remem.fast_dataclass import dataclass

Choice = TypeVar("Choice", bound=str)
MAX_TEXT_LENGTH: Final = 1_000_000
_MENTIONED_ID: Final = re.compile(r"\W*(mem-\w{8})\W*")
"""An id with the signs around it in a domain file (`^mem-3f8k2m1q`) or in a quotation."""
Corpus = Literal["memory", "wiki", "all", "sessions"]
SEARCH_CORPORA: Final[tuple[Corpus, ...]] = ("memory", "wiki", "all", "sessions")
GET_CORPORA: Final[tuple[Corpus, ...]] = ("memory", "wiki", "all")
LessonKind = Literal[
    "decision", "task", "person", "fact", "rule", "context", "preference", "insight"
]
LESSON_KINDS: Final[tuple[LessonKind, ...]] = get_args(LessonKind)
DEFAULT_LINES: Final = 120
"""The default number of lines that are read from a file."""
DEFAULT_RESULTS: Final = 6
DEFAULT_MIN_SCORE: Final = 0.35
"""The default number of search results, and the default minimum score."""
NO_WIKI: Final = "No wiki is registered with this memory."
"""The answer to a search in the corpus `wiki`, which remem does not have."""
Outcome = Literal["ok", "partial", "unavailable", "not-registered"]
RecallFormat = Literal["brief", "detailed"]
RECALL_FORMATS: Final[tuple[RecallFormat, ...]] = get_args(RecallFormat)
ExportFormat = Literal["remem", "mcp-memory"]
EXPORT_FORMATS: Final[tuple[ExportFormat, ...]] = get_args(ExportFormat)
MIN_BUDGET: Final = 100
MAX_BUDGET: Final = 10_000_000
MAX_ENTRIES: Final = 10_000
MAX_ROWS: Final = 2**31 - 1
"""The highest limit of a list; every store can count to it."""
AuditScope = Literal["all", "memory_md", "domains", "system_prompt"]
AUDIT_SCOPES: Final[tuple[AuditScope, ...]] = get_args(AuditScope)
_JSON_NAME: Final = "json_name"


def one_of(value: Any, choices: Sequence[Choice], name: str) -> Choice:
    """Check that a value is one of the choices."""
    if value in choices:
        return choices[choices.index(value)]
    from difflib import get_close_matches  # only for the message

    close = get_close_matches(str(value), choices, n=1)
    suggestion = f"did you mean {close[0]}? " if close else ""
    problem = f"{name} is missing" if value is None else f"{name} {quoted(value)} is unknown"
    raise InvalidInput(problem, hint=f"{suggestion}use one of: {', '.join(choices)}")


def whole_number(value: Any, minimum: int, maximum: int, name: str) -> int:
    """Check that a value is a whole number between two others."""
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise InvalidInput(
            f"{name} {quoted(value)} is not a whole number from {minimum} to {maximum:,}"
        )
    return value


def refuse_unknown(
    names: Iterable[str],
    known_names: Collection[str],
    subject: str,
    synonyms: Mapping[str, str] = MappingProxyType({}),
    noun: str = "parameter",
) -> None:
    """Raise InvalidInput for the first name that `subject` does not take.

    The hint suggests a name from `synonyms`, or else one with a similar spelling.
    """
    for name in names:
        if name in known_names:
            continue
        from difflib import get_close_matches  # rarely needed, slow to import

        close = get_close_matches(name, known_names, n=1) if isinstance(name, str) else []
        suggestion = synonyms.get(name) or next(iter(close), None)
        takes = f"it takes: {', '.join(known_names)}" if known_names else "it takes none"
        raise InvalidInput(
            f"{subject} has no {noun} {quoted(name)}",
            hint=f"did you mean {suggestion}? {takes}" if suggestion else takes,
        )


def checked_list(values: Any, maximum: int, name: str) -> Sequence[Any]:
    """Check that a value is a list of at most `maximum` values."""
    if values == ():
        return ()
    if isinstance(values, str) or not isinstance(values, Sequence):
        hint = f"write [{quoted(values)}]" if isinstance(values, str) else ""
        raise InvalidInput(f"{name} must be a list, not {quoted(values)}", hint=hint or None)
    if len(values) > maximum:
        raise InvalidInput(f"{name} has {len(values)} values; at most {maximum} are accepted")
    return values


def checked_text(text: Any, name: str, maximum: int = MAX_TEXT_LENGTH) -> str:
    """Check that a value is a text that can be stored exactly as it is."""
    if not isinstance(text, str):
        raise InvalidInput(f"{name} must be text, not {quoted(text)}")
    if not text.strip():
        raise InvalidInput(f"{name} is empty", hint="give it some text")
    if len(text) > maximum:
        raise InvalidInput(
            f"{name} has {len(text):,} characters; at most {maximum:,} are accepted",
            hint="shorten it, and keep the long text in a file",
        )
    if "\0" in text:
        raise InvalidInput(f"{name} {quoted(text)} contains a NUL character", hint="remove it")
    require_encodable(text, name)
    return text


def meant_id(value: Any, name: str = "id") -> str:
    """Check that a value is text; return the id in it, without signs around it, in lower case."""
    text = checked_text(value, name)
    match = _MENTIONED_ID.fullmatch(text.casefold())
    return match[1] if match else text


def require_encodable(value: Any, name: str) -> None:
    """Raise InvalidInput for a text with half of a surrogate pair, also inside a list or map."""
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, Mapping):
            pending += [*part, *part.values()]
        elif isinstance(part, list | tuple):
            pending += part
        elif isinstance(part, str):
            try:
                part.encode()
            except UnicodeEncodeError as error:
                raise InvalidInput(
                    f"{name} {quoted(part)} contains an unpaired surrogate"
                    f" at position {error.start} and cannot be encoded",
                    hint="the text was cut inside a surrogate pair; send all of it",
                ) from None


@dataclass(frozen=True, slots=True)
class CorpusOutcome:
    """The outcome of a search in one corpus."""

    corpus: Corpus
    outcome: Outcome
    error: str | None = None


WIKI_OUTCOME: Final = CorpusOutcome("wiki", "not-registered")


def checked_corpus(value: Any, allowed_corpora: Sequence[Corpus]) -> Corpus | None:
    """Check that a value is an allowed corpus, or None."""
    if value is None:
        return None
    for corpus in allowed_corpora:
        if value == corpus:
            return corpus
    raise InvalidInput(f"corpus must be one of: {', '.join(allowed_corpora)}")


def positive_integer(value: Any, name: str) -> int:
    """Check a number of lines or results; the message is part of the host's contract."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(f"{name} must be a positive integer")
    return value


def named_in_json(name: str) -> dict[str, str]:
    """Return the metadata for a dataclass field that has this name in JSON."""
    return {_JSON_NAME: name}


def json_name(field: Field[Any]) -> str:
    """Return the name of a dataclass field in JSON."""
    return str(field.metadata.get(_JSON_NAME, field.name))


def utf16_length(text: str) -> int:
    """Return the length of a text as hosts count it."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut_utf16(text: str, limit: int) -> str:
    """Return the longest prefix of at most `limit` UTF-16 units that splits no character."""
    encoded = text.encode("utf-16-le", "surrogatepass")[: 2 * max(0, limit)]
    if encoded and 0xD8 <= encoded[-1] <= 0xDB:  # the first half of a pair
        encoded = encoded[:-2]
    return encoded.decode("utf-16-le", "surrogatepass")
