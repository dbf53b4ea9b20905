"""How is the memory doing? What it holds, what it costs, what is degraded and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from remem.core.homes import UNTRUSTED
from remem.core.scope import Scope
from remem.notes.layout import Layout, domain_file
from remem.notes.survey import survey
from remem.ports import Snapshot, Store, TokenCounter


@dataclass(frozen=True, slots=True)
class Legacy:
    """The memory files beside the store."""

    files: int
    chunks: int
    total_tokens_estimated: int
    memory_md_size: int
    memory_dir_files: int


@dataclass(frozen=True, slots=True)
class Progressive:
    """The structured store."""

    total_entries: int
    by_category: dict[str, int]
    by_priority: dict[str, int]
    total_tokens_estimated: int
    last_store: str | None
    last_recall: str | None
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
    """`degraded` says what does not work and why; empty means all is well."""

    schema: int
    scope: str
    model: str | None
    without_vector: int
    files_to_write: int
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

    layout: Layout
    scope: Scope
    counter: TokenCounter
    always_loaded: int
    trouble: Sequence[str]
    schema: int


def status(store: Store, around: Surroundings) -> Status:
    with store.read() as snapshot:
        return Status(
            legacy=_legacy(around),
            progressive=_progressive(snapshot),
            index=_index(snapshot, around),
            health=_health(snapshot, around),
        )


def _legacy(around: Surroundings) -> Legacy:
    if around.scope.kind != "main":
        return Legacy(0, 0, 0, 0, 0)
    found = survey(around.layout, around.counter.count)
    return Legacy(
        files=found.files,
        chunks=0,
        total_tokens_estimated=found.tokens,
        memory_md_size=found.memory_md_bytes,
        memory_dir_files=found.in_memory_folder,
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


def _health(snapshot: Snapshot, around: Surroundings) -> Health:
    counts = snapshot.counts()
    return Health(
        schema=around.schema,
        scope=str(around.scope),
        model=snapshot.note("model"),
        without_vector=snapshot.pending_count(),
        files_to_write=len(snapshot.outbox()),
        archived=counts.archived,
        waiting_for_review=counts.untrusted,
        token_counter=around.counter.name,
        degraded=tuple(around.trouble),
        notices=tuple(snapshot.notices(5)),
    )
