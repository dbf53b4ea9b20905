"""What of a stranger's statements? Kept as untrusted entries; facts once the owner confirms.

Is this a statement that can be a fact? Checked, its secrets masked, before anything is read.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from remem.entries.lifecycle import archive
from remem.entries.receipt import Receipt, Remembering
from remem.entries.store import remember
from remem.errors import UnknownEntry, shown
from remem.model.arguments import checked_text, one_of
from remem.model.entity import LONGEST_NAME
from remem.model.entry import Draft, Entry, Origin
from remem.model.fact import FACT_CATEGORIES, FACT_SOURCES
from remem.ports.entries import Reading, Transaction
from remem.text.timestamps import moment
from remem.text.words import fold

LONGEST_FACT: Final = 20_000
_LONGEST_PLACE: Final = 500


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A statement that asks to be a fact: checked, its secrets masked.

    `timestamp` is empty for the owner's today, `category` for that of the fact it replaces, whose
    id `supersedes` is, or status.
    """

    entity: str
    fact: str
    category: str = ""
    timestamp: str = ""
    source: str = "conversation"
    origin: str | None = None
    kind: str = ""
    supersedes: str | None = None
    redacted: tuple[str, ...] = ()


def drafted(values: Mapping[str, Any]) -> FactDraft:
    """The draft of a call; InvalidInput names what does not fit."""
    from remem.text.secrets.mask import redact_all, secrets_in  # hundreds of patterns, loaded late

    kinds: dict[str, None] = {}
    said = [values.get(name) for name in ("entity", "fact", "origin", "kind")]
    known = secrets_in(text for text in said if isinstance(text, str) and len(text) <= LONGEST_FACT)

    def clean(name: str, longest: int) -> str:
        (redaction,) = redact_all([checked_text(values.get(name), name, longest)], known=known)
        kinds.update(dict.fromkeys(redaction.kinds))
        return redaction.text

    given = {name for name, value in values.items() if value is not None}
    timestamp = str(values["timestamp"]).strip() if "timestamp" in given else ""
    if timestamp:
        moment(timestamp, "timestamp")
    return FactDraft(
        entity=" ".join(clean("entity", LONGEST_NAME).split()) if "entity" in given else "",
        fact=clean("fact", LONGEST_FACT),
        category=one_of(values["category"], FACT_CATEGORIES, "category")
        if values.get("category")
        else "",
        timestamp=timestamp,
        source=one_of(values.get("source") or "conversation", FACT_SOURCES, "source"),
        origin=" ".join(clean("origin", _LONGEST_PLACE).split()) if "origin" in given else None,
        kind=fold(clean("kind", LONGEST_NAME)) if "kind" in given else "",
        supersedes=values.get("supersedes"),
        redacted=tuple(kinds),
    )


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
