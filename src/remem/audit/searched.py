"""What does search know of the memory files? Their number, their cost, and what ails them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from remem.errors import StoreError

if TYPE_CHECKING:
    from remem.core.passage import FileMark
    from remem.ports import PassageStore

_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Legacy:
    """The memory files beside the store; `chunks` are the passages that search has of them."""

    files: int = 0
    chunks: int = 0
    total_tokens_estimated: int = 0
    memory_md_size: int = 0
    memory_dir_files: int = 0


@dataclass(frozen=True, slots=True)
class Searched:
    """`reason` says why nothing is known, where that is so."""

    legacy: Legacy = Legacy()
    in_trouble: tuple[str, ...] = ()
    without_vector: int = 0
    of_conversations: int = 0
    reason: str | None = None


def searched(store: PassageStore) -> Searched:
    try:
        with store.read() as reading:
            marks = reading.files()
            _, passages = reading.counts()
            talks = reading.of_conversations()
            waiting = reading.pending_count()
    except StoreError as error:
        return Searched(reason=str(error))
    files = [mark for mark in marks.values() if mark.digest and not _is_transcript(mark)]
    memory_md = marks.get("MEMORY.md")
    return Searched(
        legacy=Legacy(
            files=len(files),
            chunks=passages - talks,
            total_tokens_estimated=sum(mark.tokens for mark in files),
            memory_md_size=memory_md.size if memory_md else 0,
            memory_dir_files=sum(mark.path.startswith("memory/") for mark in files),
        ),
        in_trouble=_in_trouble(marks.values()),
        without_vector=waiting,
        of_conversations=talks,
    )


def _is_transcript(mark: FileMark) -> bool:
    return mark.path.startswith("sessions/") and ".jsonl" in mark.path


def _in_trouble(marks: Iterable[FileMark]) -> tuple[str, ...]:
    """The files that were not read, or not wholly, with the reason; of very many the first."""
    told = sorted(f"{mark.path}: {mark.trouble}" for mark in marks if mark.trouble)
    more = len(told) - _NAMED
    return (*told[:_NAMED], f"and {more} more") if more > 0 else tuple(told)
