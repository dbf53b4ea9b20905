"""What becomes of what nobody needs? Looked at, judged, archived with notice, and undone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from remem.entries.lifecycle import archive
from remem.entries.reinforcement import (
    Decayed,
    Faint,
    Undone,
    Watch,
    keep_watch,
    notice_of,
    revive,
    tell,
    told_of,
    watched,
)
from remem.model.decay import (
    DECAYED,
    FADED,
    STALE,
    days_until,
    goes_stale,
    keeps,
    last_touched,
    reinforced,
    remembered,
)
from remem.model.entry import Entry
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.records import Located
from remem.text.timestamps import day

_BATCH: Final = 200
_LONGEST: Final = 80
_FIRST: Final = days_until(STALE, 1)


@dataclass(frozen=True, slots=True)
class Decaying:
    """What a run works on, and when."""

    store: Store
    scope: str
    topics: tuple[str, ...]
    now: str

    @property
    def today(self) -> date:
        return day(self.now)


def decay(job: Decaying, *, dry_run: bool = False, explain: bool = False) -> Decayed:
    """Archive the low memories that have gone stale. Safe to kill, and to run again."""
    revived = 0 if dry_run else job.store.write(lambda tx: _revive_early(tx, job))
    with job.store.read() as snapshot:
        watch = _seen_now(snapshot, watched(snapshot), job.today)
        judged = list(_judged(snapshot, watch, job))
        kept = _kept(snapshot) if explain else {}
        upcoming = tuple(_upcoming(snapshot, watch, job)) if explain else ()
    stale = [faint for _, faint in judged]
    notice = notice_of(stale) if stale else None
    if not dry_run:
        for start in range(0, len(judged), _BATCH):
            _archive(job, judged[start : start + _BATCH])
        job.store.write(lambda tx: _finish(tx, watch, job, notice))
    return Decayed(
        scope=job.scope,
        at=job.now,
        dry_run=dry_run,
        archived=tuple(stale),
        revived=revived,
        notice=notice,
        upcoming=upcoming,
        kept=kept,
    )


def undo(job: Decaying) -> Undone:
    """Take back the run that archived last; repeated, the one before it."""

    def operation(tx: Transaction) -> Undone:
        faded = tx.faded()
        last = max((located.entry.updated_at for located in faded), default=None)
        of_run = [located for located in faded if located.entry.updated_at == last]
        ids = revive(tx, of_run, job.now, job.topics, "decay was undone")
        if ids:
            told_of(tx)
        return Undone(job.scope, last, tuple(ids))

    return job.store.write(operation)


def _revive_early(tx: Transaction, job: Decaying) -> int:
    """A clock that went wrong must not cost a memory: it has gone back, and so do these."""
    if job.now >= (tx.note(DECAYED) or job.now):
        return 0
    early = [located for located in tx.faded() if located.entry.updated_at > job.now]
    return len(revive(tx, early, job.now, job.topics, "the clock had been wrong"))


def _seen_now(snapshot: Snapshot, watch: Watch, today: date) -> Watch:
    rows = snapshot.rows()
    return watch.later(today, rows[-1]) if rows else watch


def _judged(snapshot: Snapshot, watch: Watch, job: Decaying) -> Iterator[tuple[Located, Faint]]:
    """The stale ones, each with its reason."""
    before = f"{_days_before(job.today, _FIRST - 1)}T00:00:00Z"
    for each, faint in _faint(snapshot, snapshot.idle("low", before), watch, job):
        if date.fromisoformat(faint.stale_on) <= job.today:
            yield each, faint


def _upcoming(snapshot: Snapshot, watch: Watch, job: Decaying) -> Iterator[Faint]:
    """The low ones that stand, the next to go first."""
    every = snapshot.idle("low", "9999-12-31T23:59:59Z")
    faint = [each for _, each in _faint(snapshot, every, watch, job)]
    today = job.today.isoformat()
    yield from sorted((each for each in faint if each.stale_on > today), key=_order)


def _order(faint: Faint) -> tuple[str, str]:
    return faint.stale_on, faint.id


def _faint(
    snapshot: Snapshot, found: Sequence[Located], watch: Watch, job: Decaying
) -> Iterator[tuple[Located, Faint]]:
    used = snapshot.last_used(located.row for located in found)
    for located in found:
        touched = last_touched(located.entry, used.get(located.row))
        known = watch.since(located.row, job.today)
        since = max(touched, known)
        stale_on = goes_stale(located.entry, since)
        if stale_on is None:
            continue
        what = "used or changed" if touched >= known else "known here"
        yield (
            located,
            Faint(
                id=located.entry.id,
                category=located.entry.category,
                content=_short(located.entry),
                idle_since=since.isoformat(),
                reinforced=reinforced(located.entry),
                retention=round(remembered(located.entry, used.get(located.row), job.today), 3),
                stale_on=stale_on.isoformat(),
                reason=f"low priority, last {what} on {since}",
            ),
        )


def _archive(job: Decaying, batch: Sequence[tuple[Located, Faint]]) -> None:
    """What was touched since it was judged stays."""

    def operation(tx: Transaction) -> None:
        present = tx.by_ids([faint.id for _, faint in batch])
        used = tx.last_used(value.row for value in present.values())
        for judged, faint in batch:
            now = present.get(faint.id)
            if now is None or now.entry != judged.entry:
                continue
            if last_touched(now.entry, used.get(now.row)).isoformat() <= faint.idle_since:
                archive(tx, now, job.now, f"{FADED}{faint.reason}", job.topics)

    job.store.write(operation)


def _finish(tx: Transaction, watch: Watch, job: Decaying, notice: str | None) -> None:
    keep_watch(tx, watch)
    tx.keep_note(DECAYED, job.now)
    if notice:
        tell(tx, notice, job.now)


def _kept(snapshot: Snapshot) -> dict[str, int]:
    """How many live entries never go, and why."""
    why: Counter[str] = Counter()
    for entry in snapshot.everything():
        if entry.live and keeps(entry):
            why["critical" if entry.priority == "critical" else "instruction"] += 1
        elif entry.live and entry.priority != "low":
            why[entry.priority] += 1
    return dict(sorted(why.items()))


def _short(entry: Entry) -> str:
    line = " ".join(entry.content.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"


def _days_before(today: date, days: int) -> date:
    try:
        return today - timedelta(days=days)
    except OverflowError:
        return date.min
