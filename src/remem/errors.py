"""All exceptions that remem raises, and functions that format values for messages."""

from __future__ import annotations

from collections.abc import Sequence


class RememError(Exception):
    """Base class; `hint` says what to do next."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text} (hint: {self.hint})" if self.hint else text


class InvalidInput(RememError):
    """An argument is invalid; nothing was written."""


class UnknownEntry(InvalidInput):
    """No entry of this scope has this id; `id` is the one that was given, if it was an argument."""

    id: str | None = None

    @classmethod
    def for_id(cls, id_: str) -> UnknownEntry:
        error = cls(f"no entry has the id {quoted(id_)}", hint="`remem recall` shows ids")
        error.id = id_
        return error


class NotAllowed(RememError):
    """The session may not do this; the message reveals nothing about what exists."""


class UnknownSpace(NotAllowed):
    """The session may not use a shared space of this name, whether or not one exists."""


class GateFirst(NotAllowed):
    """A group's gate has to be read first."""


class ConfigError(RememError):
    """`.remem/config.toml` or an environment variable is invalid."""


class StoreError(RememError):
    """The database failed; nothing was written."""


class StoreBusy(StoreError):
    """Another process has locked the database."""


class StoreTooNew(StoreError):
    """The database was written by a newer remem; it is left unchanged."""


class StoreDamaged(StoreError):
    """The database file is corrupt."""


class FullTextIndexDamaged(StoreError):
    """Only the full-text index of the database is corrupt."""


class StoreMissing(StoreError):
    """The database is missing, although files show that it had entries."""


class StoreReplaced(StoreError):
    """The files of an open store were removed or replaced.

    `committed` says whether the operation had already been written to them.
    """

    committed: bool = False


class StoreReadOnly(StoreError):
    """The workspace is read-only."""


class DiskFull(StoreError):
    """There is no space left for the write."""


class StoreClosed(StoreError):
    """The workspace is closed."""


class FileError(RememError):
    """A memory file could not be read or written."""


class ModelError(RememError):
    """A language model gave no usable answer; the result is produced without it."""


class GraphServerError(RememError):
    """A graph server cannot be reached or refused a query; the memory itself is not affected."""


class EmbedderError(RememError):
    """No vectors are available; keyword search still works."""


class ModelMissing(EmbedderError):
    """The local model is not installed."""


class EmbedderTimeout(EmbedderError):
    """The model did not answer in time."""


class EmbedderMismatch(EmbedderError):
    """A vector has the wrong dimension for its model."""


class RerankerError(RememError):
    """A reranker gave no usable scores; the results keep their order."""


def quoted(value: object, limit: int = 60) -> str:
    """Return the `repr` of a value for a message, shortened if it is long."""
    try:
        text = repr(value)
    except ValueError:  # Python does not write a number of more than 4,300 digits
        return f"a {type(value).__name__} with too many digits to show"
    return text if len(text) <= limit else f"{text[: limit - 1]}… ({len(text)} characters)"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: `1 line`, `3 lines`, `2 entries`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(texts: Sequence[str], limit: int) -> str:
    """Return at most `limit` texts in one line, and how many more there are: `a, b and 3 more`."""
    omitted = len(texts) - limit
    return ", ".join(texts[:limit]) + (f" and {omitted} more" if omitted > 0 else "")
