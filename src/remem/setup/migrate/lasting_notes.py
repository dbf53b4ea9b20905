"""What lasts, and stands only in daily notes? Nobody curates those: with every week it is harder
to find. It becomes an entry; the note keeps its line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from remem.admin.doctor.chatter import Said
from remem.admin.doctor.findings import REPAIR, Finding
from remem.entries.receipt import Remembering
from remem.entries.store import remember
from remem.files.facts import FactFiles
from remem.files.layout import Layout
from remem.files.walking import CURATED
from remem.model.entry import Draft
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.models import Extractor
from remem.search.refresh.pieces import day_of_name
from remem.setup.migrate.plan import Source, listed, plan_file, sources
from remem.text.similarity import folded_number
from remem.text.statements import statements
from remem.text.timestamps import day

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
    notes = [source for source in read if _settled(source, day(now))]
    if not notes:
        return []
    curated = [source for source in read if source.path in CURATED]
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
        receipts = [operation(tx) for operation in operations]
        return sum(receipt.stored and not receipt.deduplicated for receipt in receipts)

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
        for statement in statements(file.path, file.text, always=True):
            yield " ".join((*statement.headings[-1:], statement.said))


def _met_before(snapshot: Snapshot, found: Stranded) -> bool:
    """Whether its line was an entry once, whatever became of it; or the owner erased it."""
    if snapshot.erased(None, folded_number(found.draft.content)):
        return True
    return bool(snapshot.taken_from([(found.path, found.line)]))
