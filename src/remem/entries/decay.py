"""Decay: archive low-priority entries that nobody has used for long, and undo that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from remem.entries.lifecycle import archive
from remem.entries.reinforcement import (
    Arrivals,
    DecayReport,
    FadingEntry,
    UndoneDecay,
    clear_notice,
    notice_of,
    read_arrivals,
    revive,
    save_arrivals,
    set_notice,
)
from remem.model.decay import (
    FADED_PREFIX,
    LAST_DECAY_NOTE,
    STALE,
    archive_day,
    current_weight,
    days_until,
    last_touched,
    never_decays,
    reinforcement,
)
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.records import Located
from remem.text.markdown import one_line
from remem.text.timestamps import date_of

_BATCH_SIZE: Final = 200
_MAX_LENGTH: Final = 80
_MIN_IDLE_DAYS: Final = days_until(STALE, 1)


@dataclass(frozen=True, slots=True)
class DecayJob:
    """The scope that a decay run works on, and its time."""

    store: Store
    scope: str
    topics: tuple[str, ...]
    now: str

    @property
    def today(self) -> date:
        return date_of(self.now)


def decay(job: DecayJob, *, dry_run: bool = False, explain: bool = False) -> DecayReport:
    """Archive the low-priority entries that have gone stale; safe to interrupt and repeat."""
    revived = 0 if dry_run else job.store.write(lambda tx: _revive_early(tx, job))
    with job.store.read() as snapshot:
        arrivals = _arrivals_until_now(snapshot, job.today)
        stale = list(_stale(snapshot, arrivals, job))
        kept = _count_kept(snapshot) if explain else {}
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
        kept=kept,
    )


def undo_decay(job: DecayJob) -> UndoneDecay:
    """Undo the latest run that archived something; repeated, the one before it."""

    def operation(tx: Transaction) -> UndoneDecay:
        faded = tx.faded()
        last = max((located.entry.updated_at for located in faded), default=None)
        of_run = [located for located in faded if located.entry.updated_at == last]
        ids = revive(tx, of_run, job.now, job.topics, "decay was undone")
        if ids:
            clear_notice(tx)
        return UndoneDecay(job.scope, last, tuple(ids))

    return job.store.write(operation)


def _revive_early(tx: Transaction, job: DecayJob) -> int:
    """Revive entries that faded at a time later than now: the clock was wrong then."""
    if job.now >= (tx.get_state(LAST_DECAY_NOTE) or job.now):
        return 0
    early = [located for located in tx.faded() if located.entry.updated_at > job.now]
    return len(revive(tx, early, job.now, job.topics, "the clock had been wrong"))


def _arrivals_until_now(snapshot: Snapshot, today: date) -> Arrivals:
    arrivals, rows = read_arrivals(snapshot), snapshot.rows()
    return arrivals.with_day(today, rows[-1]) if rows else arrivals


def _stale(
    snapshot: Snapshot, arrivals: Arrivals, job: DecayJob
) -> Iterator[tuple[Located, FadingEntry]]:
    """The stale entries, with the reason for each."""
    before = f"{_days_before(job.today, _MIN_IDLE_DAYS - 1)}T00:00:00Z"
    for located, fading in _fading(snapshot, snapshot.idle("low", before), arrivals, job):
        if date.fromisoformat(fading.stale_on) <= job.today:
            yield located, fading


def _upcoming(snapshot: Snapshot, arrivals: Arrivals, job: DecayJob) -> list[FadingEntry]:
    """The low-priority entries that are not stale yet, the next to go first."""
    low = snapshot.idle("low", "9999-12-31T23:59:59Z")
    today = job.today.isoformat()
    fading = [entry for _, entry in _fading(snapshot, low, arrivals, job) if entry.stale_on > today]
    return sorted(fading, key=lambda entry: (entry.stale_on, entry.id))


def _fading(
    snapshot: Snapshot, idle: Sequence[Located], arrivals: Arrivals, job: DecayJob
) -> Iterator[tuple[Located, FadingEntry]]:
    used = snapshot.last_used(located.row for located in idle)
    for located in idle:
        touched = last_touched(located.entry, used.get(located.row))
        known = arrivals.since(located.row, job.today)
        since = max(touched, known)
        stale_on = archive_day(located.entry, since)
        if stale_on is None:
            continue
        event = "used or changed" if touched >= known else "known here"
        yield (
            located,
            FadingEntry(
                id=located.entry.id,
                category=located.entry.category,
                content=one_line(located.entry.content, _MAX_LENGTH),
                idle_since=since.isoformat(),
                reinforced=reinforcement(located.entry),
                retention=round(current_weight(located.entry, used.get(located.row), job.today), 3),
                stale_on=stale_on.isoformat(),
                reason=f"low priority, last {event} on {since}",
            ),
        )


def _archive(job: DecayJob, batch: Sequence[tuple[Located, FadingEntry]]) -> None:
    """Archive a batch, except entries that were touched since they were found stale."""

    def operation(tx: Transaction) -> None:
        present = tx.by_ids([fading.id for _, fading in batch])
        used = tx.last_used(located.row for located in present.values())
        for stale, fading in batch:
            current = present.get(fading.id)
            if current is None or current.entry != stale.entry:
                continue
            if last_touched(current.entry, used.get(current.row)).isoformat() <= fading.idle_since:
                archive(tx, current, job.now, f"{FADED_PREFIX}{fading.reason}", job.topics)

    job.store.write(operation)


def _finish(tx: Transaction, arrivals: Arrivals, job: DecayJob, notice: str | None) -> None:
    save_arrivals(tx, arrivals)
    tx.put_state(LAST_DECAY_NOTE, job.now)
    if notice:
        set_notice(tx, notice, job.now)


def _count_kept(snapshot: Snapshot) -> dict[str, int]:
    """Count the live entries that never decay, by reason."""
    reasons: Counter[str] = Counter()
    for entry in snapshot.all_entries():
        if entry.live and never_decays(entry):
            reasons["critical" if entry.priority == "critical" else "instruction"] += 1
        elif entry.live and entry.priority != "low":
            reasons[entry.priority] += 1
    return dict(sorted(reasons.items()))


def _days_before(today: date, days: int) -> date:
    try:
        return today - timedelta(days=days)
    except OverflowError:
        return date.min
