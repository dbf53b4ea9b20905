"""The status of one scope: its content, its cost, and its condition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Final

from remem.errors import StoreError
from remem.fast_dataclass import dataclass
from remem.files.layout import domain_file
from remem.model.domain_routing import UNTRUSTED
from remem.ports.records import Where
from remem.ports.state import ACTIVITY

if TYPE_CHECKING:
    from remem.model.passage import FileMark
    from remem.ports.entries import Snapshot, Store
    from remem.ports.passages import PassageStore


_MAX_LISTED: Final = 20


@dataclass(frozen=True, slots=True)
class Legacy:
    """The memory files that are not part of the store; `chunks` counts their passages in search."""

    files: int = 0
    chunks: int = 0
    total_tokens_estimated: int = 0
    memory_md_size: int = 0
    memory_dir_files: int = 0


@dataclass(frozen=True, slots=True)
class Progressive:
    """The entries in the store."""

    total_entries: int = 0
    by_category: dict[str, int] = field(default_factory=dict)
    by_priority: dict[str, int] = field(default_factory=dict)
    total_tokens_estimated: int = 0
    last_store: str | None = None
    last_recall: str | None = None
    last_flush: str | None = None
    last_flush_reason: str | None = None
    domain_files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DomainCost:
    """The tokens of the entries in the domain files of one category or topic."""

    name: str
    tokens: int


@dataclass(frozen=True, slots=True)
class IndexCost:
    """The cost of the index, which every conversation loads, and of files loaded on demand."""

    always_loaded_tokens: int = 0
    on_demand_domains: tuple[DomainCost, ...] = ()


@dataclass(frozen=True, slots=True)
class Health:
    """The condition of the scope.

    `degraded` says what does not work and why; it is empty if everything works. `encoded_by` is the
    number of entries that each model has encoded. `without_vector` is the number of those that wait
    for it; `with_quick_vector` of them have a quick vector in the meantime. `files_with_problems`
    lists the first files that could not be read completely, each with the problem.
    """

    schema: int
    scope: str
    store: str = "sqlite"
    model: str | None = None
    encoded_by: dict[str, int] = field(default_factory=dict)
    without_vector: int = 0
    with_quick_vector: int = 0
    files_to_write: int = 0
    passages_without_vector: int = 0
    passages_of_conversations: int = 0
    files_with_problems: tuple[str, ...] = ()
    archived: int = 0
    waiting_for_review: int = 0
    token_counter: str = ""
    degraded: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """The status of a scope; `spaces` maps the shared spaces of the session to its level there."""

    legacy: Legacy
    progressive: Progressive
    index: IndexCost
    health: Health
    spaces: dict[str, str] | None = None


def status(
    store: Store,
    passages: PassageStore,
    *,
    scope: str,
    token_counter: str,
    index_tokens: int,
    problems: Sequence[str],
    schema: int,
    store_name: str,
) -> Status:
    """Return the status of a scope; what cannot be read is empty and has a reason in `degraded`."""
    health = Health(
        schema=schema,
        scope=scope,
        store=store_name,
        token_counter=token_counter,
        degraded=_distinct_reasons(problems),
    )
    legacy, health = _status_of_files(passages, health)
    try:
        with store.read() as snapshot:
            return Status(
                legacy=legacy,
                progressive=_status_of_entries(snapshot),
                index=_cost_of_index(snapshot, index_tokens),
                health=_health_with_entries(health, snapshot),
            )
    except StoreError as error:
        degraded = _distinct_reasons([*health.degraded, str(error)])
        return Status(legacy, Progressive(), IndexCost(), replace(health, degraded=degraded))


def _status_of_files(passages: PassageStore, health: Health) -> tuple[Legacy, Health]:
    """Return the numbers of the memory files in search, and the health with their condition."""
    try:
        with passages.read() as reading:
            marks = reading.files()
            _, count = reading.counts()
            of_conversations = reading.conversation_count()
            pending = reading.vector_state().pending
    except StoreError as error:
        return Legacy(), replace(health, degraded=_distinct_reasons([*health.degraded, str(error)]))
    files = [mark for mark in marks.values() if mark.digest and not _is_transcript(mark)]
    memory_md = marks.get("MEMORY.md")
    legacy = Legacy(
        files=len(files),
        chunks=count - of_conversations,
        total_tokens_estimated=sum(mark.tokens for mark in files),
        memory_md_size=memory_md.size if memory_md else 0,
        memory_dir_files=sum(mark.path.startswith("memory/") for mark in files),
    )
    return legacy, replace(
        health,
        passages_without_vector=pending,
        passages_of_conversations=of_conversations,
        files_with_problems=_describe_problems(marks.values()),
    )


def _is_transcript(mark: FileMark) -> bool:
    return mark.path.startswith("sessions/") and ".jsonl" in mark.path


def _describe_problems(marks: Iterable[FileMark]) -> tuple[str, ...]:
    """Return the first files that were not read completely, each with the problem."""
    lines = sorted(f"{mark.path}: {mark.problem}" for mark in marks if mark.problem)
    omitted = len(lines) - _MAX_LISTED
    return (*lines[:_MAX_LISTED], f"and {omitted} more") if omitted > 0 else tuple(lines)


def _status_of_entries(snapshot: Snapshot) -> Progressive:
    by_category = snapshot.tally("category", Where())
    by_priority = snapshot.tally("priority", Where())
    return Progressive(
        total_entries=sum(tally.entries for tally in by_category.values()),
        by_category={category: tally.entries for category, tally in by_category.items()},
        by_priority={priority: tally.entries for priority, tally in by_priority.items()},
        total_tokens_estimated=sum(tally.tokens for tally in by_category.values()),
        last_store=snapshot.record(ACTIVITY, "store"),
        last_recall=snapshot.record(ACTIVITY, "recall"),
        last_flush=snapshot.record(ACTIVITY, "flush"),
        last_flush_reason=snapshot.record(ACTIVITY, "flush reason"),
        domain_files=tuple(
            domain_file(stem, part) for stem, part, _tokens in _domain_files(snapshot)
        ),
    )


def _cost_of_index(snapshot: Snapshot, always_loaded: int) -> IndexCost:
    tokens: dict[str, int] = {}
    for stem, _part, cost in _domain_files(snapshot):
        if stem != UNTRUSTED:
            tokens[stem] = tokens.get(stem, 0) + cost
    return IndexCost(
        always_loaded_tokens=always_loaded,
        on_demand_domains=tuple(DomainCost(name, cost) for name, cost in sorted(tokens.items())),
    )


def _domain_files(snapshot: Snapshot) -> list[tuple[str, int, int]]:
    """Return the stem and part of each domain file, and the tokens of its entries."""
    files = snapshot.tally("home", Where(state="current"))
    places = [(file_key.rpartition(":"), tally.tokens) for file_key, tally in files.items()]
    return sorted((stem, int(part), tokens) for (stem, _, part), tokens in places)


def _count(snapshot: Snapshot, where: Where) -> int:
    return sum(tally.entries for tally in snapshot.tally("all", where).values())


def _health_with_entries(health: Health, snapshot: Snapshot) -> Health:
    from remem.entries.notices import latest_notices  # a server needs only the types of results

    vectors = snapshot.vector_state()
    encoded = {
        str(model): count - vectors.quick.get(model, 0) for model, count in vectors.vectors.items()
    }
    return replace(
        health,
        model=vectors.models,
        encoded_by={model: count for model, count in encoded.items() if count},
        without_vector=vectors.pending,
        with_quick_vector=max(vectors.quick.values(), default=0),
        files_to_write=len(snapshot.outbox()),
        archived=_count(snapshot, Where(state="archived")),
        waiting_for_review=_count(snapshot, Where(state="current", trust="untrusted")),
        notices=tuple(latest_notices(snapshot, 5)),
    )


def _distinct_reasons(reasons: Sequence[str | None]) -> tuple[str, ...]:
    """Return each reason once."""
    return tuple(dict.fromkeys(reason for reason in reasons if reason))
