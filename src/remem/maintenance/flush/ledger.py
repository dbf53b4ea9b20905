"""What was flushed, and what still has to reach its file? Kept in the scope's own database.

A lesson is noted in the transaction that plans its changes, and stays noted. A change waits
there until its file shows it. A conversation's mark says how far it has been read.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from remem.maintenance.write_back.change import Change
    from remem.notes.transcripts.read_up_to import ReadUpTo
    from remem.ports import Reading, Transaction

_LESSON: Final = "lesson "
_CONVERSATION: Final = "flushed "
_WAITING: Final = "flush waiting"
_LAST: Final = "last_flush"
_REASON: Final = "last_flush_reason"
_TOLD: Final = "flush told"


@dataclass(frozen=True, slots=True)
class Noted:
    """Where a lesson went: a file, or the id of an entry."""

    home: str
    at: str


def noted(reading: Reading, id_: str) -> Noted | None:
    note = reading.note(_LESSON + id_)
    return Noted(**json.loads(note)) if note else None


def take_note(tx: Transaction, id_: str, where: Noted) -> None:
    tx.keep_note(_LESSON + id_, json.dumps(asdict(where), ensure_ascii=False))


def waiting(reading: Reading) -> list[Change]:
    """Changes that no file shows yet, in the order in which they were told."""
    note = reading.note(_WAITING)
    if not note:
        return []
    from remem.maintenance.write_back.change import Change  # asked at every opening, seldom so

    return [Change(**each) for each in json.loads(note)]


def wait_for(tx: Transaction, changes: Sequence[Change]) -> None:
    """Each change waits once, however often it is asked for."""
    known = waiting(tx)
    places = {(each.file, each.id) for each in known}
    new = [each for each in changes if (each.file, each.id) not in places]
    if new:
        _keep(tx, [*known, *dict.fromkeys(new)])


def done(tx: Transaction, changes: Collection[Change]) -> None:
    known = waiting(tx)
    left = [each for each in known if each not in changes]
    if left != known:
        _keep(tx, left)


def read_up_to(reading: Reading, source: str) -> ReadUpTo | None:
    from remem.notes.transcripts.read_up_to import ReadUpTo

    note = reading.note(_CONVERSATION + source)
    return ReadUpTo(**json.loads(note)) if note else None


def keep_read(tx: Transaction, source: str, mark: ReadUpTo) -> None:
    tx.keep_note(_CONVERSATION + source, json.dumps(asdict(mark)))


def last_flush(reading: Reading) -> str | None:
    return reading.note(_LAST)


def keep_last(tx: Transaction, now: str, reason: str) -> None:
    """The clock may have been set back: the last flush is the latest there was. Status tells it,
    and what brought it about."""
    tx.keep_note(_LAST, max(now, tx.note(_LAST) or now))
    tx.keep_note(_REASON, reason)


def told(reading: Reading) -> str | None:
    """The digest of the state file as it was last written."""
    return reading.note(_TOLD)


def keep_told(tx: Transaction, digest: str) -> None:
    tx.keep_note(_TOLD, digest)


def _keep(tx: Transaction, changes: Sequence[Change]) -> None:
    rows = [{name: value for name, value in asdict(each).items() if value} for each in changes]
    tx.keep_note(_WAITING, json.dumps(rows, ensure_ascii=False))
