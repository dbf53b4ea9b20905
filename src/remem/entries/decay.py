"""Decay: archive low-priority entries that nobody has used for a long time, and undo that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import date, timedelta
from typing import Final

from remem.entries.lifecycle import archive, revive
from remem.entries.notices import add_notice
from remem.errors import counted
from remem.fast_dataclass import dataclass
from remem.model.decay import (
    ARCHIVE_WEIGHT,
    archive_day,
    current_weight,
    days_until,
    last_touched,
    never_decays,
    reinforcement,
)
from remem.model.entry import Entry
from remem.ports.entries import EntryReader, Snapshot, Store, Transaction
from remem.ports.records import Where
from remem.ports.state import ACTIVITY, Namespace
from remem.text.markdown import one_line
from remem.text.timestamps import date_of

_BATCH_SIZE: Final = 200
_MAX_CONTENT_LENGTH: Final = 80
_MIN_IDLE_DAYS: Final = days_until(ARCHIVE_WEIGHT, 1)
_MAX_LISTED: Final = 3
_NOTICE: Final[Namespace[str]] = Namespace("decay notice", str)
"""The notice for the next start text; empty once it was shown."""
_ARRIVALS: Final[Namespace[tuple[tuple[str, str], ...]]] = Namespace(
    "arrivals", tuple[tuple[str, str], ...]
)
_MAX_ARRIVAL_DAYS: Final = 64


@dataclass(frozen=True, slots=True)
class FadingEntry:
    """A low-priority entry that nobody has used since the day `idle_since`.

    `retention` is the weight that it has left, and `stale_on` the day on which it will be archived.
    """

    id: str
    category: str
    content: str
    idle_since: str
    reinforced: int
    retention: float
    stale_on: str
    reason: str


@dataclass(frozen=True, slots=True)
class DecayReport:
    """The entries that a decay run archived or, in a dry run, would archive.

    With `explain`, `upcoming` lists the low-priority entries that are not stale yet, and `kept`
    counts those that never decay, by reason.
    """

    scope: str
    at: str
    dry_run: bool
    archived: tuple[FadingEntry, ...]
    revived: int = 0
    uses_found: int = 0
    notice: str | None = None
    upcoming: tuple[FadingEntry, ...] = ()
    kept: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UndoneDecay:
    """The ids of the entries that undoing a decay run restored; `run` is the time of that run."""

    scope: str
    run: str | None
    revived: tuple[str, ...]


def notice_of(archived: Sequence[FadingEntry]) -> str:
    """Return the notice to the owner about entries that have been archived."""
    ids = ", ".join(entry.id for entry in archived[:_MAX_LISTED])
    more = f" and {len(archived) - _MAX_LISTED} more" if len(archived) > _MAX_LISTED else ""
    count = counted(len(archived), "low-priority memory", "low-priority memories")
    return (
        f"{count} faded, unused since {max(entry.idle_since for entry in archived)}: {ids}{more}. "
        "Recall by id or memory_reinforce brings one back; `remem decay --undo` restores all"
    )


def set_notice(tx: Transaction, notice: str, now: str) -> None:
    """Record a notice for `status` and for the next start text."""
    add_notice(tx, now, notice)
    tx.put_record(_NOTICE, "", notice)


def pending_notice(reader: EntryReader) -> str:
    """Return the notice for the next start text; empty if there is none."""
    return reader.record(_NOTICE) or ""


def clear_notice(tx: Transaction) -> None:
    """Remove the notice, because a start text has shown it, or the run was undone."""
    tx.put_record(_NOTICE, "", None)


@dataclass(frozen=True, slots=True)
class DecayJob:
    """The store and the name of the scope that a decay run works on, and the time of the run."""

    store: Store
    scope: str
    topics: tuple[str, ...]
    now: str

    @property
    def today(self) -> date:
        return date_of(self.now)


def decay(job: DecayJob, *, dry_run: bool = False, explain: bool = False) -> DecayReport:
    """Archive the stale low-priority entries; this can be interrupted and repeated safely."""
    revived = 0 if dry_run else job.store.write(lambda tx: _revive_early(tx, job))
    with job.store.read() as snapshot:
        arrivals = _arrivals_until_now(snapshot, job.today)
        stale = list(_stale(snapshot, arrivals, job))
        never_archived = _count_never_archived(snapshot) if explain else {}
        upcoming = tuple(_upcoming(snapshot, arrivals, job)) if explain else ()
    fading = [entry for _, entry in stale]
    notice = notice_of(fading) if fading else None
    if not dry_run:
        for start in range(0, len(stale), _BATCH_SIZE):
            _archive(job, stale[start : start + _BATCH_SIZE])
        job.store.write(lambda tx: _finish(tx, arrivals, job, notice))
    return DecayReport(
        scope=job.scope,
        at=job.now,
        dry_run=dry_run,
        archived=tuple(fading),
        revived=revived,
        notice=notice,
        upcoming=upcoming,
        kept=never_archived,
    )


def undo_decay(job: DecayJob) -> UndoneDecay:
    """Undo the latest run that archived something; calling it again undoes the run before."""

    def operation(tx: Transaction) -> UndoneDecay:
        faded = tx.select(Where(archived_as="faded"))
        last = max((entry.updated_at for entry in faded), default=None)
        of_run = [entry for entry in faded if entry.updated_at == last]
        ids = revive(tx, of_run, job.now, job.topics, "decay was undone")
        if ids:
            clear_notice(tx)
        return UndoneDecay(job.scope, last, tuple(ids))

    return job.store.write(operation)


def _revive_early(tx: Transaction, job: DecayJob) -> int:
    """Restore entries that were archived in the future, because the clock was wrong."""
    if job.now >= (tx.record(ACTIVITY, "decay") or job.now):
        return 0
    faded = tx.select(Where(archived_as="faded"))
    early = [entry for entry in faded if entry.updated_at > job.now]
    return len(revive(tx, early, job.now, job.topics, "the clock had been wrong"))


def _arrivals_until_now(snapshot: Snapshot, today: date) -> Arrivals:
    arrivals, ids = read_arrivals(snapshot), snapshot.ids()
    return arrivals.with_day(today, ids[-1]) if ids else arrivals


def _stale(
    snapshot: Snapshot, arrivals: Arrivals, job: DecayJob
) -> Iterator[tuple[Entry, FadingEntry]]:
    """Yield the entries that are due to be archived, with the details for the report."""
    before = f"{_days_before(job.today, _MIN_IDLE_DAYS - 1)}T00:00:00Z"
    idle = snapshot.select(Where(priority="low", idle_since=before))
    for entry, fading in _fading(snapshot, idle, arrivals, job):
        if date.fromisoformat(fading.stale_on) <= job.today:
            yield entry, fading


def _upcoming(snapshot: Snapshot, arrivals: Arrivals, job: DecayJob) -> list[FadingEntry]:
    """Return the low-priority entries that are not stale yet, in the order of their days."""
    low = snapshot.select(Where(priority="low"))
    today = job.today.isoformat()
    fading = [entry for _, entry in _fading(snapshot, low, arrivals, job) if entry.stale_on > today]
    return sorted(fading, key=lambda entry: (entry.stale_on, entry.id))


def _fading(
    snapshot: Snapshot, idle: Sequence[Entry], arrivals: Arrivals, job: DecayJob
) -> Iterator[tuple[Entry, FadingEntry]]:
    """Yield the entries that can become stale, with their retention and the day."""
    usage = snapshot.usage(entry.id for entry in idle)
    first_days = arrivals.first_days(snapshot.ids()) if idle else {}
    for entry in idle:
        used = usage[entry.id].used
        touched = last_touched(entry, used)
        first_day = first_days.get(entry.id, job.today)
        since = max(touched, first_day)
        stale_on = archive_day(entry, since)
        if stale_on is None:
            continue
        event = "used or changed" if touched >= first_day else "known here"
        yield (
            entry,
            FadingEntry(
                id=entry.id,
                category=entry.category,
                content=one_line(entry.content, _MAX_CONTENT_LENGTH),
                idle_since=since.isoformat(),
                reinforced=reinforcement(entry),
                retention=round(current_weight(entry, used, job.today), 3),
                stale_on=stale_on.isoformat(),
                reason=f"low priority, last {event} on {since}",
            ),
        )


def _archive(job: DecayJob, batch: Sequence[tuple[Entry, FadingEntry]]) -> None:
    """Archive a batch, except entries that were touched since they were found stale."""

    def operation(tx: Transaction) -> None:
        present = tx.find(fading.id for _, fading in batch)
        usage = tx.usage(present)
        for stale, fading in batch:
            current = present.get(fading.id)
            if current is None or current != stale:
                continue
            if last_touched(current, usage[current.id].used).isoformat() <= fading.idle_since:
                change = f"faded: {fading.reason}"
                archive(tx, current, job.now, change, job.topics, reason="faded")

    job.store.write(operation)


def _finish(tx: Transaction, arrivals: Arrivals, job: DecayJob, notice: str | None) -> None:
    _save_arrivals(tx, arrivals)
    tx.put_record(ACTIVITY, "decay", job.now)
    if notice:
        set_notice(tx, notice, job.now)


def _count_never_archived(snapshot: Snapshot) -> dict[str, int]:
    """Count the live entries that never decay, by reason."""
    reasons: Counter[str] = Counter()
    for entry in snapshot.select(Where()):
        if never_decays(entry):
            reasons["critical" if entry.priority == "critical" else "instruction"] += 1
        elif entry.priority != "low":
            reasons[entry.priority] += 1
    return dict(sorted(reasons.items()))


def _days_before(today: date, days: int) -> date:
    try:
        return today - timedelta(days=days)
    except OverflowError:
        return date.min


@dataclass(frozen=True, slots=True)
class Arrivals:
    """The ids of the entries that were stored last on some days, the earliest day first.

    They tell when an entry arrived, which its dates do not: an imported entry may be dated long
    before its import, but its idle time counts from the day on which it arrived.
    """

    last_ids: tuple[tuple[str, str], ...] = ()

    def first_days(self, ids: Sequence[str]) -> dict[str, date]:
        """Return the first day on which each entry is known to have existed, except new entries.

        `ids` are the ids of all entries, in the order in which they were stored. A day whose last
        entry was erased does not count, which can only make an entry seem younger.
        """
        positions = {id_: at for at, id_ in enumerate(ids)}
        first_days: dict[str, date] = {}
        start = 0
        for day, last in self.last_ids:
            end = positions.get(last, -1) + 1
            first_days |= dict.fromkeys(ids[start:end], date_of(day))
            start = max(start, end)
        return first_days

    def with_day(self, at: date, last: str) -> Arrivals:
        """Return the arrivals with another day, on which the entry `last` was stored last.

        Some of many earlier days are dropped, which can only make an entry seem younger.
        """
        if self.last_ids and self.last_ids[-1][1] == last:
            return self
        days = (*self.last_ids, (at.isoformat(), last))
        half = _MAX_ARRIVAL_DAYS // 2
        return Arrivals(days if len(days) <= _MAX_ARRIVAL_DAYS else (*days[:half:2], *days[half:]))


def read_arrivals(reader: EntryReader) -> Arrivals:
    """Return the arrivals that earlier runs have recorded."""
    return Arrivals(reader.record(_ARRIVALS) or ())


def _save_arrivals(tx: Transaction, arrivals: Arrivals) -> None:
    tx.put_record(_ARRIVALS, "", arrivals.last_ids)
