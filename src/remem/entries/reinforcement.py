"""What keeps entries from decaying (reinforcement, use, citations), and the reports of decay.

Citations are entry ids in what the agent says. Only conversations that the settings allow are
read. The position reached in each is saved in the transaction that counts the uses, so that no
use is counted twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Final

from remem.entries.lifecycle import revise
from remem.errors import FileError, InvalidInput, NotAllowed, UnknownEntry, shown
from remem.files.transcripts.locate import Transcript
from remem.files.transcripts.reading import NewTurns, ReadPosition, new_turns, source_of
from remem.model.decay import archive_day
from remem.model.entry import ENTRY_ID, Entry
from remem.ports.entries import EntryReader, Store, Transaction
from remem.ports.records import Located
from remem.text.timestamps import date_of


@dataclass(frozen=True, slots=True)
class ReinforceReport:
    """A reinforced entry. `revived`: it had faded and is active again; `stale_on`: the day on
    which it will be archived unless it is used before, None for never."""

    id: str
    strength: int
    uses: int
    revived: bool
    stale_on: str | None


@dataclass(frozen=True, slots=True)
class FadingEntry:
    """A low-priority entry and its retention, counted from the day `idle_since`."""

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
    """What a decay run archived, or would archive. With `explain`, `upcoming` lists the
    low-priority entries that are not stale yet, and `kept` counts those that never decay, by
    reason."""

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
    """The ids that undoing a decay run brought back; `run` is its time."""

    scope: str
    run: str | None
    revived: tuple[str, ...]


_NOTICE_KEY: Final = "decay_notice"
"""The notice for the next start text; empty once it was shown."""

_MAX_LISTED: Final = 3


def notice_of(stale: Sequence[FadingEntry]) -> str:
    """The notice to the owner about archived entries."""
    listed = ", ".join(entry.id for entry in stale[:_MAX_LISTED])
    more = f" and {len(stale) - _MAX_LISTED} more" if len(stale) > _MAX_LISTED else ""
    count = "1 low memory" if len(stale) == 1 else f"{len(stale)} low memories"
    return (
        f"{count} faded, unused since {max(entry.idle_since for entry in stale)}: {listed}{more}. "
        "Recall by id or memory_reinforce brings one back, `remem decay --undo` all"
    )


def set_notice(tx: Transaction, notice: str, now: str) -> None:
    tx.add_notice(now, notice)
    tx.put_state(_NOTICE_KEY, notice)


def pending_notice(reading: EntryReader) -> str:
    return reading.get_state(_NOTICE_KEY) or ""


def clear_notice(tx: Transaction) -> None:
    tx.put_state(_NOTICE_KEY, "")


def reinforce(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> ReinforceReport:
    """Strengthen an entry that still matters; this counts as use."""
    old = tx.by_ids([id_]).get(id_)
    if old is None:
        raise UnknownEntry(f"no entry has the id {shown(id_)}", hint="`remem recall` shows ids")
    revived = revive(tx, [old], now, topics, "reinforced") == [id_]
    current = tx.by_ids([id_])[id_]
    _require_active(tx, current.entry)
    tx.touch(current, replace(current.entry, strength=current.entry.strength + 1))
    tx.shown([id_], now, used=True)
    entry = tx.by_ids([id_])[id_].entry
    stale_on = archive_day(entry, date_of(now))
    return ReinforceReport(
        id=id_,
        strength=entry.strength,
        uses=entry.uses,
        revived=revived,
        stale_on=stale_on.isoformat() if stale_on else None,
    )


def revive(
    tx: Transaction, among: Sequence[Located], now: str, topics: tuple[str, ...], why: str
) -> list[str]:
    """Bring back faded entries; what a person or its expiry date archived stays archived."""
    faded = tx.faded([located.row for located in among])
    for old in faded:
        new = replace(old.entry, archived=False)
        revise(tx, old, new, f"had faded, and came back: {why}", now=now, topics=topics)
    return [located.entry.id for located in faded]


def revive_read(tx: Transaction, ids: Sequence[str], now: str, topics: tuple[str, ...]) -> int:
    """Bring back faded entries that were read by their ids."""
    return len(revive(tx, list(tx.by_ids(ids).values()), now, topics, "read by its id"))


def _require_active(tx: Transaction, entry: Entry) -> None:
    if entry.superseded_by:
        raise InvalidInput(
            f"{entry.id} was replaced by {entry.superseded_by}",
            hint=f"reinforce {entry.superseded_by}, or store the correct statement",
        )
    if entry.archived:
        change = tx.history(entry.id)[-1].change
        raise InvalidInput(
            f"{entry.id} was archived ({change})", hint="store it again if it is still needed"
        )
    if entry.trust == "untrusted":
        raise NotAllowed(
            f"{entry.id} is untrusted and waits for review",
            hint="the owner can confirm it with `remem review`",
        )


_POSITION_KEY: Final = "cited "
_CITED: Final = re.compile(rf"(?<![\w-]){ENTRY_ID.pattern}(?![\w-])")


@dataclass(frozen=True, slots=True)
class CitationCount:
    """The number of citations found, and the conversations that could not be read."""

    uses: int = 0
    troubles: tuple[str, ...] = ()


def count_citations(
    store: Store, transcripts: Iterable[Transcript], now: str, topics: tuple[str, ...]
) -> CitationCount:
    """Count the entries cited since each conversation was last read."""
    uses, troubles = 0, []
    for transcript in transcripts:
        source = source_of(transcript.file)
        with store.read() as snapshot:
            before = _read_up_to(snapshot, source)
        if before is not None and before.size == transcript.signature[2]:
            continue
        try:
            new = new_turns(transcript.file, before)
        except FileError as error:
            troubles.append(f"{transcript.reference}: {error}")
            continue
        uses += store.write(_count_operation(source, before, new, now=now, topics=topics))
    return CitationCount(uses, tuple(troubles))


def _count_operation(
    source: str, before: ReadPosition | None, new: NewTurns, *, now: str, topics: tuple[str, ...]
) -> Callable[[Transaction], int]:
    """The operation that counts the citations in the agent's new turns. The turns of a rewritten
    file were counted before."""
    turns = [turn for turn in new.turns if turn.role == "assistant" and not new.rewritten]
    cited = [(sorted(set(_CITED.findall(turn.text))), turn.moment) for turn in turns]

    def operation(tx: Transaction) -> int:
        if _read_up_to(tx, source) != before:
            return 0  # another process was faster
        uses = 0
        for ids, moment in cited:
            known = tx.by_ids(ids)
            if known:
                revive(tx, list(known.values()), now, topics, "cited in a conversation")
                tx.shown(list(known), min(moment or now, now), used=True)
                uses += len(known)
        tx.put_state(_POSITION_KEY + source, json.dumps(asdict(new.upto)))
        return uses

    return operation


def _read_up_to(reading: EntryReader, source: str) -> ReadPosition | None:
    note = reading.get_state(_POSITION_KEY + source)
    return ReadPosition(**json.loads(note)) if note else None


_ARRIVALS_KEY: Final = "decay_watch"
_MAX_DAYS: Final = 64


@dataclass(frozen=True, slots=True)
class Arrivals:
    """Pairs of a day and the last row that existed then, the oldest first.

    An imported entry may be dated long before it came here, and must not be archived on the day
    it is imported: its idle time counts from the day it was first seen.
    """

    seen: tuple[tuple[str, int], ...] = ()

    def since(self, row: int, today: date) -> date:
        """The first day on which the row is known to have existed; today for a new one."""
        return next((date_of(at) for at, last in self.seen if row <= last), today)

    def with_day(self, at: date, last: int) -> Arrivals:
        """The arrivals including those of today. Old days are thinned out, which can only make an
        entry seem younger and keep it longer."""
        if self.seen and self.seen[-1][1] >= last:
            return self
        seen = (*self.seen, (at.isoformat(), last))
        half = _MAX_DAYS // 2
        return Arrivals(seen if len(seen) <= _MAX_DAYS else (*seen[:half:2], *seen[half:]))


def read_arrivals(reading: EntryReader) -> Arrivals:
    note = reading.get_state(_ARRIVALS_KEY)
    return (
        Arrivals(tuple((str(at), int(row)) for at, row in json.loads(note))) if note else Arrivals()
    )


def save_arrivals(tx: Transaction, arrivals: Arrivals) -> None:
    tx.put_state(_ARRIVALS_KEY, json.dumps(arrivals.seen))
