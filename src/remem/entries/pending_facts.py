"""Drafts of facts, and untrusted drafts that wait for review as entries.

An untrusted statement becomes a fact only when the owner confirms it; until then it is an untrusted
entry, and its draft is saved in the store under the entry's id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from remem.entries.lifecycle import archive
from remem.entries.receipt import Receipt
from remem.entries.store import store_operation
from remem.errors import UnknownEntry, quoted
from remem.model.arguments import checked_text, one_of
from remem.model.entity import MAX_NAME_LENGTH, key_of
from remem.model.entry import Draft, Entry, Origin
from remem.model.fact import FACT_CATEGORIES, FACT_SOURCES
from remem.ports import StoreDependencies
from remem.ports.entries import EntryReader, Transaction
from remem.ports.records import Where
from remem.ports.state import Namespace
from remem.text.similarity import folded_hash
from remem.text.timestamps import normalize_time
from remem.text.words import fold

MAX_FACT_LENGTH: Final = 20_000
_MAX_ORIGIN_LENGTH: Final = 500
_CONFIRMED_CHANGE: Final = "confirmed by the owner as the fact "


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A checked statement, with its secrets masked, that is to become a fact.

    An empty `timestamp` means the owner's today. An empty `category` means the category of the fact
    that it `supersedes`, or "status".
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


def make_fact_draft(values: Mapping[str, Any], *, mask_secrets: bool = True) -> FactDraft:
    """Make a draft from a call's arguments; InvalidInput names the one that is wrong."""
    from remem.text.secrets.mask import redact_all, secrets_in  # hundreds of patterns, loaded late

    kinds: dict[str, None] = {}
    texts = [values.get(name) for name in ("entity", "fact", "origin", "kind")]
    known_secrets = secrets_in(
        text for text in texts if isinstance(text, str) and len(text) <= MAX_FACT_LENGTH
    )

    def clean(name: str, max_length: int) -> str:
        text = checked_text(values.get(name), name, max_length)
        if not mask_secrets:
            return text
        (redaction,) = redact_all([text], known_secrets=known_secrets)
        kinds.update(dict.fromkeys(redaction.kinds))
        return redaction.text

    given_names = {name for name, value in values.items() if value is not None}
    timestamp = str(values["timestamp"]).strip() if "timestamp" in given_names else ""
    if timestamp:
        normalize_time(timestamp, "timestamp")
    return FactDraft(
        entity=" ".join(clean("entity", MAX_NAME_LENGTH).split())
        if "entity" in given_names
        else "",
        fact=clean("fact", MAX_FACT_LENGTH),
        category=one_of(values["category"], FACT_CATEGORIES, "category")
        if values.get("category")
        else "",
        timestamp=timestamp,
        source=one_of(values.get("source") or "conversation", FACT_SOURCES, "source"),
        origin=" ".join(clean("origin", _MAX_ORIGIN_LENGTH).split())
        if "origin" in given_names
        else None,
        kind=fold(clean("kind", MAX_NAME_LENGTH)) if "kind" in given_names else "",
        supersedes=values.get("supersedes"),
        redacted=tuple(kinds),
    )


_HELD: Final[Namespace[FactDraft]] = Namespace("held fact", FactDraft)


def hold_fact(
    draft: FactDraft, now: str, deps: StoreDependencies
) -> Callable[[Transaction], Receipt]:
    """Return the operation that stores a statement as an untrusted entry until it is confirmed.

    If an entry with the same words waits for review about another entity, the new entry names its
    entity in its text, so that both exist.
    """
    said_at = normalize_time(draft.timestamp, "timestamp") if draft.timestamp else now
    memory = Draft(
        category="fact",
        content=draft.fact,
        context=f"said of {draft.entity}" if draft.entity else None,
        tags=(draft.entity,) if draft.entity else (),
        source="fact",
        origin=Origin(draft.origin) if draft.origin else None,
        trust="untrusted",
        created_at=min(said_at, now),
        redacted=draft.redacted,
    )
    store = store_operation(memory, now, deps)

    def operation(tx: Transaction) -> Receipt:
        if _waits_for_another(tx, draft):
            named_memory = replace(memory, content=f"{draft.entity}: {draft.fact}")
            receipt = store_operation(named_memory, now, deps)(tx)
        else:
            receipt = store(tx)
        if receipt.stored:
            save_held_fact(tx, receipt.id, draft)
        return receipt

    return operation


def _waits_for_another(tx: Transaction, draft: FactDraft) -> bool:
    """Return whether an entry with the words of a draft waits for review about another entity."""
    same_words = Where(state="current", trust="untrusted", wording_hash=folded_hash(draft.fact))
    drafts = (held_fact(tx, entry.id) for entry in tx.select(same_words))
    return any(other and key_of(other.entity) != key_of(draft.entity) for other in drafts)


def held_fact(reader: EntryReader, id_: str) -> FactDraft | None:
    """Return the draft that waits under an entry's id."""
    return reader.record(_HELD, id_)


def save_held_fact(tx: Transaction, id_: str, draft: FactDraft) -> None:
    """Save the draft of a statement that waits under an entry's id."""
    tx.put_record(_HELD, id_, draft)


def release_fact(tx: Transaction, id_: str) -> None:
    """Remove the draft that waits under an entry's id, if any."""
    tx.put_record(_HELD, id_, None)


def confirmed_fact_id(reader: EntryReader, id_: str) -> str | None:
    """Return the id of the fact that an entry has become, if any."""
    change = reader.history(id_)[-1].change
    if not change.startswith(_CONFIRMED_CHANGE):
        return None
    return change.removeprefix(_CONFIRMED_CHANGE)


def confirm_as_fact(
    id_: str, fact: str, now: str, topics: tuple[str, ...]
) -> Callable[[Transaction], Entry]:
    """Return the operation that archives an entry which has become the fact with the id `fact`."""

    def operation(tx: Transaction) -> Entry:
        old = tx.find([id_]).get(id_)
        if old is None:
            raise UnknownEntry(
                f"no entry {quoted(id_)} waits for review",
                hint="`remem review` lists the entries that do",
            )
        release_fact(tx, id_)
        if old.archived:
            return old
        return archive(tx, old, now, f"{_CONFIRMED_CHANGE}{fact}", topics)

    return operation
