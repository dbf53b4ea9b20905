"""Everything that can go wrong, as one tree.

RememError
├── InvalidInput         a value that cannot be accepted; nothing was written
│   └── UnknownEntry     an id that names no entry of this scope
├── NotAllowed           the session may not do this; says nothing about what exists
│   └── GateFirst        a group's gate has to be read before this
├── ConfigError          .remem/config.toml or an environment variable is unusable
├── StoreError           the database could not do its work; nothing was acknowledged
│   ├── StoreBusy        another program holds the database
│   ├── StoreTooNew      written by a newer remem; left untouched
│   ├── StoreDamaged     the file is not a sound database
│   ├── WordsDamaged     its full text is not sound; the rest of it is
│   ├── StoreMissing     the database is gone, and its files tell of entries
│   ├── StoreReadOnly    the workspace cannot be written
│   ├── DiskFull         no room for the write
│   └── StoreClosed      the workspace was closed
├── FileError            a memory file could not be read or written
├── ModelError           a language model gave no usable answer; the plain form stands
└── EmbedderError        no vectors can be had; keyword search goes on
    ├── ModelMissing     the local model is not on this machine
    ├── EmbedderLate     the model did not answer within its time
    └── EmbedderMismatch a vector does not have the model's dimension

Each message names the value it is about; `hint` says what to do.
"""

from __future__ import annotations


class RememError(Exception):
    """The root; `hint` is a sentence that tells a person what to do next."""

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
    """The files of an open store were removed or replaced; `committed` says whether the operation
    had been written to them by then."""

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
    """A value as an error message shows it: escaped, and cut where it is long."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 1]}… ({len(text)} characters)"
