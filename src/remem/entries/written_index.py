"""Read the index from `memory/INDEX.md` where that is enough.

The file is written again after every change of the entries that concerns it. If no such change is
pending, nobody has edited the file, and the same code would make it, its text is the index. Reading
it takes a fraction of the time that making it takes.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem import __version__
from remem.entries.domain_sync.state import last_written
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.locks import signatures
from remem.model.domain_routing import INDEX_FILE_KEY

if TYPE_CHECKING:
    from remem.ports.entries import Snapshot
    from remem.ports.models import TokenCounter

MADE_BY: Final = "made by"
"""The key under which the items of the index file contain the result of `made_by`."""
_PACKAGE: Final = Path(__file__).parents[1]
_FOLDERS: Final = ("entries", "extract", "extract/patterns", "model", "text")


@dataclass(frozen=True, slots=True)
class IndexText:
    """The text of an index, and its tokens."""

    text: str
    tokens: int


def made_by(counter: TokenCounter, tokens: int) -> str:
    """Return a digest of everything but the entries that the text of an index depends on.

    This is the version of remem, the token counter and the budget.
    """
    maker = f"{__version__} {_newest_source()} {counter.name} {tokens}"
    return blake2b(maker.encode(), digest_size=8).hexdigest()


def read_written_index(snapshot: Snapshot, path: Path, maker: str) -> str | None:
    """Return the text of the file if it is the index of these entries, made by `maker`."""
    data = atomic.read(path)
    last_write, pending = last_written(snapshot, INDEX_FILE_KEY, data)
    if data is None or pending or last_write.items.get(MADE_BY) != maker:
        return None
    return data.decode() if atomic.digest(data) == last_write.digest else None


def is_outdated(snapshot: Snapshot, maker: str) -> bool:
    """Return whether the file was written by another version, or with other settings."""
    last_write, pending = last_written(snapshot, INDEX_FILE_KEY, None)
    return bool(last_write.items) and not pending and last_write.items.get(MADE_BY) != maker


@cache
def _newest_source() -> int:
    """Return the time of the last change to the code that an index depends on.

    It makes a difference while remem is developed, because the version does not change then.
    """
    return max(
        modified
        for folder in _FOLDERS
        for name, (modified, *_) in signatures(_PACKAGE / folder).items()
        if name.endswith((".py", ".toml"))
    )
