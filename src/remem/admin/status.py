"""How is the memory doing? What it holds, what it costs, what is degraded and why.

What does search know of the memory files? Their number, their cost, and what ails them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from remem.errors import StoreError
from remem.files.layout import domain_file
from remem.model.domain_routing import UNTRUSTED

if TYPE_CHECKING:
    from remem.model.passage import FileMark
    from remem.model.scope import Scope
    from remem.ports.entries import Snapshot, Store
    from remem.ports.models import TokenCounter
    from remem.ports.passages import PassageStore


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


@dataclass(frozen=True, slots=True)
class Progressive:
    """The structured store."""

    total_entries: int
    by_category: dict[str, int]
    by_priority: dict[str, int]
    total_tokens_estimated: int
    last_store: str | None
    last_recall: str | None
    last_flush: str | None
    last_flush_reason: str | None
    domain_files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Domain:
    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class IndexCost:
    """What every conversation pays, and what can be had on demand."""

    always_loaded_tokens: int
    on_demand_domains: tuple[Domain, ...]


@dataclass(frozen=True, slots=True)
class Health:
    """`degraded` says what does not work and why; empty means all is well. `encoded_by` counts the
    entries that each model has read and made a vector of; `without_vector` those that wait for
    that, and `with_quick_vector` how many of them have a quick one meanwhile."""

    schema: int
    scope: str
    model: str | None
    encoded_by: dict[str, int]
    without_vector: int
    with_quick_vector: int
    files_to_write: int
    passages_without_vector: int
    passages_of_conversations: int
    files_in_trouble: tuple[str, ...]
    archived: int
    waiting_for_review: int
    token_counter: str
    degraded: tuple[str, ...]
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Status:
    legacy: Legacy
    progressive: Progressive
    index: IndexCost
    health: Health


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What status needs to know beside the store."""

    passages: PassageStore
    scope: Scope
    counter: TokenCounter
    always_loaded: int
    trouble: Sequence[str]
    schema: int


def status(store: Store, around: Surroundings) -> Status:
    files = searched(around.passages)
    try:
        with store.read() as snapshot:
            return Status(
                legacy=files.legacy,
                progressive=_progressive(snapshot),
                index=_index(snapshot, around),
                health=_health(snapshot, around, files),
            )
    except StoreError as error:
        return _without_entries(around, files, str(error))


def _without_entries(around: Surroundings, files: Searched, reason: str) -> Status:
    """The entries cannot be read: nothing is said of them but that."""
    return Status(
        legacy=files.legacy,
        progressive=Progressive(0, {}, {}, 0, None, None, None, None, ()),
        index=IndexCost(0, ()),
        health=Health(
            schema=around.schema,
            scope=str(around.scope),
            model=None,
            encoded_by={},
            without_vector=0,
            with_quick_vector=0,
            files_to_write=0,
            passages_without_vector=files.without_vector,
            passages_of_conversations=files.of_conversations,
            files_in_trouble=files.in_trouble,
            archived=0,
            waiting_for_review=0,
            token_counter=around.counter.name,
            degraded=_degraded([*around.trouble, files.reason, reason]),
            notices=(),
        ),
    )


def _progressive(snapshot: Snapshot) -> Progressive:
    counts = snapshot.counts()
    return Progressive(
        total_entries=counts.live,
        by_category=counts.by_category,
        by_priority=counts.by_priority,
        total_tokens_estimated=counts.tokens,
        last_store=snapshot.note("last_store"),
        last_recall=snapshot.note("last_recall"),
        last_flush=snapshot.note("last_flush"),
        last_flush_reason=snapshot.note("last_flush_reason"),
        domain_files=tuple(
            domain_file(home, part) for home, part, _count, _tokens in snapshot.places()
        ),
    )


def _index(snapshot: Snapshot, around: Surroundings) -> IndexCost:
    tokens: dict[str, int] = {}
    for home, _part, _count, cost in snapshot.places():
        if home != UNTRUSTED:
            tokens[home] = tokens.get(home, 0) + cost
    return IndexCost(
        always_loaded_tokens=around.always_loaded,
        on_demand_domains=tuple(Domain(name, cost) for name, cost in sorted(tokens.items())),
    )


def _health(snapshot: Snapshot, around: Surroundings, files: Searched) -> Health:
    counts, waiting, covered = snapshot.counts(), snapshot.pending_count(), snapshot.covered()
    quick = {model: snapshot.quick_count(model) if waiting else 0 for model in covered}
    read = {str(model): count - quick[model] for model, count in covered.items()}
    return Health(
        schema=around.schema,
        scope=str(around.scope),
        model=snapshot.note("model"),
        encoded_by={model: count for model, count in read.items() if count},
        without_vector=waiting,
        with_quick_vector=max(quick.values(), default=0),
        files_to_write=len(snapshot.outbox()),
        passages_without_vector=files.without_vector,
        passages_of_conversations=files.of_conversations,
        files_in_trouble=files.in_trouble,
        archived=counts.archived,
        waiting_for_review=counts.untrusted,
        token_counter=around.counter.name,
        degraded=_degraded([*around.trouble, files.reason]),
        notices=tuple(snapshot.notices(5)),
    )


def _degraded(reasons: Sequence[str | None]) -> tuple[str, ...]:
    """Each reason once."""
    return tuple(dict.fromkeys(reason for reason in reasons if reason))
