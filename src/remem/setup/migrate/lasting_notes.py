"""What lasts, and stands only in daily notes? Nobody curates those: with every week it is harder
to find. It becomes an entry; the note keeps its line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from remem.audit.statements import statements
from remem.core.entry import Draft
from remem.core.likeness import wording
from remem.core.moments import day
from remem.maintenance.doctor.finding import REPAIR, Finding
from remem.maintenance.doctor.layers.known import Said
from remem.maintenance.migrate.plan import plan_file
from remem.maintenance.migrate.sources import Source, listed, sources
from remem.notes.fact_files import FactFiles
from remem.notes.layout import Layout
from remem.notes.memory_files import CURATED
from remem.ports import Extractor, Snapshot, Store, Transaction
from remem.refresh.days import day_of_name
from remem.remember.means import Remembering
from remem.remember.run import remember

_SETTLED: Final = timedelta(days=7)
"""A note of this week is still being worked on."""

_NAMED: Final = 3
_BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class Stranded:
    """A lasting statement, and the line of the note that it stands in."""

    path: str
    line: int
    draft: Draft


def stranded(layout: Layout, snapshot: Snapshot, extractor: Extractor, now: str) -> list[Stranded]:
    """Each lasting statement of a settled note that no entry, fact or curated file says."""
    trouble: list[str] = []
    read = list(sources(listed(layout, trouble), trouble))
    notes = [each for each in read if _settled(each, day(now))]
    if not notes:
        return []
    curated = [each for each in read if each.path in CURATED]
    said = Said(_elsewhere(layout, snapshot, curated))
    return [
        found
        for note in notes
        for found in _lasting(note, snapshot, extractor, now)
        if not said.has(found.draft.content) and not _met_before(snapshot, found)
    ]


def told(found: Sequence[Stranded]) -> Iterator[Finding]:
    if not found:
        return
    places = ", ".join(f"{each.path}#L{each.line}" for each in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    statements_ = (
        "1 lasting statement stands"
        if len(found) == 1
        else (f"{len(found)} lasting statements stand")
    )
    yield Finding(
        "main",
        "daily notes",
        "notice",
        f"{statements_} only in daily notes: {places}{more}",
        "notes are a timeline, not a memory: what is only there is found less and less",
        f"{REPAIR} makes entries of them, and the notes stay as they are",
    )


def keep(store: Store, found: Sequence[Stranded], how: Remembering, now: str) -> int:
    """Make entries of them; doing it again adds nothing. Returns how many are new."""
    new = 0
    for start in range(0, len(found), _BATCH):
        new += store.write(_keeping(found[start : start + _BATCH], how, now))
    return new


def _keeping(found: Sequence[Stranded], how: Remembering, now: str) -> Callable[[Transaction], int]:
    operations = [remember(each.draft, now, how) for each in found]

    def operation(tx: Transaction) -> int:
        receipts = [each(tx) for each in operations]
        return sum(each.stored and not each.deduplicated for each in receipts)

    return operation


def _settled(source: Source, today: date) -> bool:
    said = None if source.curated else day_of_name(source.path)
    return said is not None and date.fromisoformat(said) <= today - _SETTLED


def _lasting(
    note: Source, snapshot: Snapshot, extractor: Extractor, now: str
) -> Iterator[Stranded]:
    plan = plan_file(note, extractor, snapshot, now, "owner")
    for item in plan.items:
        if item.row is None and item.statement.standing == "current":
            yield Stranded(note.path, item.line, item.draft)


def _elsewhere(layout: Layout, snapshot: Snapshot, curated: Sequence[Source]) -> Iterator[str]:
    for entry in snapshot.everything():
        yield entry.content
    for fact in FactFiles(layout)().facts:
        yield fact.fact
    for file in curated:
        for each in statements(file.path, file.text, always=True):
            yield " ".join((*each.headings[-1:], each.said))


def _met_before(snapshot: Snapshot, found: Stranded) -> bool:
    """Whether its line was an entry once, whatever became of it; or the owner erased it."""
    if snapshot.erased(None, wording(found.draft.content)):
        return True
    return bool(snapshot.taken_from([(found.path, found.line)]))
