"""What does an edit in a file mean for the store? A version, a new entry, an archived one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from remem.entries.draft import Memory, draft
from remem.entries.lifecycle import archive
from remem.entries.receipt import Remembering
from remem.entries.store import remember
from remem.errors import InvalidInput
from remem.files.domain_file.document import CATEGORY_OF, Meta, meta_of
from remem.files.domain_file.format import item_digest
from remem.files.domain_file.merge import Added, Changed, HandEdit, Removed
from remem.model.domain_routing import UNTRUSTED, home_of
from remem.model.entry import Entry, Origin
from remem.ports.entries import Store, Transaction
from remem.ports.records import Located
from remem.text.timestamps import end_of


@dataclass(frozen=True, slots=True)
class Editing:
    """Where an edit was found, and what is needed to store it."""

    store: Store
    how: Remembering
    home: str
    file: str
    now: str


def absorb(edit: HandEdit, where: Editing, ground: Mapping[str, str]) -> str | None:
    """Store what a person wrote; returns the id of the entry that holds it now.

    `ground` holds the digests of the items that he had before him. What cannot be stored is
    announced and keeps its place in the file.
    """
    try:
        edit = _as_known(edit, where, ground)
        match edit:
            case Changed():
                return where.store.write(_change(edit, where))
            case Added():
                return where.store.write(_add(edit, where))
            case Removed():
                return where.store.write(_remove(edit, where))
    except InvalidInput as error:
        text = f"{where.file}: an edit was left alone: {error}"
        where.store.write(lambda tx: tx.announce(where.now, text))
        return None


def _as_known(edit: HandEdit, where: Editing, ground: Mapping[str, str]) -> HandEdit:
    """A changed bullet is a new one where its entry is not his to change: the id was never
    given here, or the entry was superseded or reworded since he read it. Both wordings stay."""
    if not isinstance(edit, Changed):
        return edit
    with where.store.read() as snapshot:
        known = snapshot.by_ids([edit.id]).get(edit.id)
        history = snapshot.history(edit.id) if known else []
    meta = edit.meta or Meta()
    if known is not None and known.entry.trust == UNTRUSTED:
        meta = replace(meta, trust=UNTRUSTED)
    beside = Added(edit.content, meta, edit.index, edit.digest)
    if known is None or known.entry.superseded_by is not None:
        return beside
    read = [v.version for v in history if item_digest(v.entry, where.home) == ground.get(edit.id)]
    if not read or read[-1] == known.entry.version:
        return edit
    text = f"{where.file}: {edit.id} was reworded here and elsewhere; both wordings are kept"
    where.store.write(lambda tx: tx.announce(where.now, text))
    return beside


def _change(edit: Changed, where: Editing) -> Callable[[Transaction], str]:
    def operation(tx: Transaction) -> str:
        old = tx.by_ids([edit.id])[edit.id]
        new = _edited(old, edit, where)
        if new != old.entry:
            new = replace(new, updated_at=where.now, version=old.entry.version + 1)
            tx.revise(old, new, home_of(new, where.how.topics), f"edited by hand in {where.file}")
        return edit.id

    return operation


def _edited(old: Located, edit: Changed, where: Editing) -> Entry:
    """The entry as the file has it; a hand edit keeps its trust.

    An archived entry stands again where its bullet was put back, or moved to.
    """
    entry = old.entry
    meta = edit.meta or meta_of(entry, where.home)
    moved = where.home != home_of(entry, where.how.topics)
    memory = Memory(
        category=meta.category or CATEGORY_OF.get(where.home, entry.category),
        content=edit.content,
        context=meta.context,
        priority=meta.priority,
        tags=_with_topic(meta.tags, where) if moved else meta.tags,
    )
    # A code that the owner has kept in this entry is not masked because they edit another word.
    checked = draft(memory, "owner", where.now, already=f"{entry.content}\n{entry.context or ''}")
    if entry.trust == UNTRUSTED:
        checked = replace(checked, category=entry.category, priority=entry.priority)
    return replace(
        entry,
        category=checked.category,
        content=checked.content,
        context=checked.context,
        priority=checked.priority,
        tags=checked.tags,
        expires_at=end_of(meta.expires, "expires") if meta.expires else None,
        archived=False,
        token_estimate=where.how.counter.count(checked.content),
    )


def _add(edit: Added, where: Editing) -> Callable[[Transaction], str]:
    """A new bullet counts as the agent's; a stranger's if it says so or stands among such."""
    meta = edit.meta or Meta()
    memory = Memory(
        category=meta.category or CATEGORY_OF.get(where.home, "fact"),
        content=edit.content,
        context=meta.context,
        priority=meta.priority,
        tags=_with_topic(meta.tags, where),
        expires=meta.expires,
        trust=UNTRUSTED if UNTRUSTED in (where.home, meta.trust) else None,
        source="file",
        origin=Origin(where.file),
    )
    operation = remember(draft(memory, "agent", where.now), where.now, where.how)
    return lambda tx: operation(tx).id


def _remove(edit: Removed, where: Editing) -> Callable[[Transaction], str]:
    def operation(tx: Transaction) -> str:
        old = tx.by_ids([edit.id]).get(edit.id)
        if old is not None and not old.entry.archived:  # it may be erased
            tx.announce(where.now, f"{edit.id} is archived: its bullet left {where.file}")
            change = f"removed by hand from {where.file}"
            archive(tx, old, where.now, change, where.how.topics)
        return edit.id

    return operation


def _with_topic(tags: tuple[str, ...], where: Editing) -> tuple[str, ...]:
    """A bullet written into a topic's file belongs to that topic."""
    return (where.home, *tags) if where.home in where.how.topics else tags
