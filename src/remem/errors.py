"""All exceptions that remem raises, as one tree.

RememError
├── InvalidInput         an argument was rejected; nothing was written
│   └── UnknownEntry     no entry of this scope has this id
├── NotAllowed           the session may not do this; reveals nothing about what exists
│   └── GateFirst        a group's gate has to be read first
├── ConfigError          .remem/config.toml or an environment variable is invalid
├── StoreError           the database failed; nothing was written
│   ├── StoreBusy        another process has locked the database
│   ├── StoreTooNew      written by a newer remem; left unchanged
│   ├── StoreDamaged     the database file is corrupt
│   ├── WordsDamaged     only its full-text index is corrupt
│   ├── StoreMissing     the database is gone although files show that it had entries
│   ├── StoreDisplaced   the files of an open store were removed or replaced
│   ├── StoreReadOnly    the workspace is read-only
│   ├── DiskFull         no space left for the write
│   └── StoreClosed      the workspace is closed
├── FileError            a memory file could not be read or written
├── ModelError           a language model gave no usable answer; the result does without it
└── EmbedderError        no vectors are available; keyword search still works
    ├── ModelMissing     the local model is not installed
    ├── EmbedderLate     the model did not answer in time
    └── EmbedderMismatch a vector has the wrong dimension for its model

Messages name the value they are about; `hint` says what to do.
"""

from __future__ import annotations


class RememError(Exception):
    """Base class; `hint` says what to do next."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint

    def __str__(self) -> str:
        text = super().__str__()
        return f"{text} (hint: {self.hint})" if self.hint else text


class InvalidInput(RememError):
    pass


class UnknownEntry(InvalidInput):
    pass


class NotAllowed(RememError):
    pass


class GateFirst(NotAllowed):
    pass


class ConfigError(RememError):
    pass


class StoreError(RememError):
    pass


class StoreBusy(StoreError):
    pass


class StoreTooNew(StoreError):
    pass


class StoreDamaged(StoreError):
    pass


class StoreMissing(StoreError):
    pass


class StoreDisplaced(StoreError):
    """The files of an open store were removed or replaced.

    `committed` says whether the operation had already been written to them.
    """

    committed: bool = False


class WordsDamaged(StoreError):
    pass


class StoreReadOnly(StoreError):
    pass


class DiskFull(StoreError):
    pass


class StoreClosed(StoreError):
    pass


class FileError(RememError):
    pass


class ModelError(RememError):
    pass


class EmbedderError(RememError):
    pass


class ModelMissing(EmbedderError):
    pass


class EmbedderLate(EmbedderError):
    pass


class EmbedderMismatch(EmbedderError):
    pass


def shown(value: object, limit: int = 60) -> str:
    """Format a value for an error message: escaped, and shortened if it is long."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}… ({len(text)} characters)"
