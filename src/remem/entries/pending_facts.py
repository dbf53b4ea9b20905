"""What of a stranger's statements? Kept as untrusted entries; facts once the owner confirms."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from remem.core.entry import Draft, Entry, Origin
from remem.core.moments import moment
from remem.errors import UnknownEntry, shown
from remem.maintenance.knowledge.drafting import FactDraft
from remem.maintenance.lifecycle import archive
from remem.ports import Reading, Transaction
from remem.remember.means import Receipt, Remembering
from remem.remember.run import remember

_WAITING = "fact waiting "
_BECAME = "confirmed by the owner as the fact "


def hold(draft: FactDraft, now: str, how: Remembering) -> Callable[[Transaction], Receipt]:
    """The operation that keeps a statement until it is confirmed."""
    said_at = moment(draft.timestamp, "timestamp") if draft.timestamp else now
    store = remember(
        Draft(
            category="fact",
            content=draft.fact,
            context=f"said of {draft.entity}" if draft.entity else None,
            tags=(draft.entity,) if draft.entity else (),
            source="fact",
            origin=Origin(draft.origin) if draft.origin else None,
            trust="untrusted",
            created_at=min(said_at, now),
            redacted=draft.redacted,
        ),
        now,
        how,
    )

    def operation(tx: Transaction) -> Receipt:
        receipt = store(tx)
        if receipt.stored:
            hold_again(tx, receipt.id, draft)
        return receipt

    return operation


def held(reading: Reading, id_: str) -> FactDraft | None:
    """The statement that waits under an entry's id."""
    note = reading.note(_WAITING + id_)
    return read_held(json.loads(note)) if note else None


def read_held(said: Mapping[str, Any]) -> FactDraft:
    """From plain values; the inverse of `asdict`."""
    return FactDraft(**{**said, "redacted": tuple(said["redacted"])})


def hold_again(tx: Transaction, id_: str, draft: FactDraft) -> None:
    """A statement that was exported while it waited waits again."""
    tx.keep_note(_WAITING + id_, json.dumps(asdict(draft), ensure_ascii=False))


def release(tx: Transaction, id_: str) -> None:
    """Nothing waits under this id any more."""
    if tx.note(_WAITING + id_):
        tx.keep_note(_WAITING + id_, "")


def became(reading: Reading, id_: str) -> str | None:
    """The id of the fact that an entry has become, if it has."""
    change = reading.history(id_)[-1].change
    return change.removeprefix(_BECAME) if change.startswith(_BECAME) else None


def confirmed(
    id_: str, fact: str, now: str, topics: tuple[str, ...]
) -> Callable[[Transaction], Entry]:
    """The operation that lets the entry go when its fact is written; the fact is its home now."""

    def operation(tx: Transaction) -> Entry:
        old = tx.by_ids([id_]).get(id_)
        if old is None:
            raise UnknownEntry(f"no entry {shown(id_)} waits for review")
        tx.keep_note(_WAITING + id_, "")
        if old.entry.archived:
            return old.entry
        return archive(tx, old, now, f"{_BECAME}{fact}", topics)

    return operation
