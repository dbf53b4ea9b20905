"""Restoring entries that a domain file has and the store has lost.

If the write-ahead log is deleted or damaged, the latest commits are lost and SQLite opens the rest
without an error. The files were written after those commits, so a line whose id the store neither
knows nor has a tombstone for is a lost entry.
"""

from __future__ import annotations

from collections.abc import Sequence

from remem.entries.domain_sync.state import ScopeFiles, stem_and_part_of
from remem.entries.rebuild import RestoredLine, insert_missing, restore_line
from remem.entries.receipt import StoreDependencies
from remem.files.domain_file.document import Document, Item
from remem.files.domain_file.format import parse_file
from remem.files.domain_file.parse import proof_in
from remem.model.recovery import RECOVERY_NOTE, Recovery, recovery_from, recovery_note
from remem.model.scope import MAIN
from remem.ports.entries import Snapshot, Store, Transaction
from remem.text.similarity import folded_hash


def unknown_items(snapshot: Snapshot, document: Document) -> list[Item]:
    """The lines whose ids the store neither knows nor has erased."""
    items = {item.id: item for item in document.items if item.id and item.content}
    known = snapshot.by_ids(list(items))
    return [
        item
        for id_, item in items.items()
        if id_ not in known and not snapshot.erased_id(id_, None)
    ]


def restore_unknown(
    files: ScopeFiles, deps: StoreDependencies, mark: str, data: bytes, document: Document
) -> dict[str, str]:
    """Restore the entries that a file has and the store lacks; returns the id of each line by
    its digest."""
    with files.store.read() as snapshot:
        unknown = unknown_items(snapshot, document)
    if not unknown:
        return {}
    path = files.path(mark)
    original, _ = parse_file(data, path)
    proved = original is not None and files.checksums.proves(mark, original, proof_in(data))
    now = files.clock()
    readable = proved or files.scope == MAIN  # the owner may have kept a code readable there
    found = [
        restore_line(
            item,
            item.id,
            stem_and_part_of(mark)[0],
            now,
            proved=proved,
            kept=item.content if readable else "",
        )
        for item in unknown
        if item.id
    ]
    lines = [back for back in found if isinstance(back, RestoredLine)]

    def operation(tx: Transaction) -> list[RestoredLine]:
        # A pasted line may repeat the text of an entry: that is an edit, not a loss.
        new = [
            line for line in lines if proved or not tx.with_wording(folded_hash(line.entry.content))
        ]
        put = insert_missing(tx, new, deps)
        if put:
            lowered = sum(back.lowered for back in put)
            add_recovery(tx, Recovery(now, restored=len(put), lowered=lowered))
            tx.add_notice(now, _announcement(files.name(path), put))
        return put

    return {back.digest: back.entry.id for back in files.store.write(operation)}


def _announcement(name: str, put: Sequence[RestoredLine]) -> str:
    ids = ", ".join(back.entry.id for back in put[:8]) + (" …" if len(put) > 8 else "")
    return (
        f"{name}: {len(put)} entries that the database had lost were restored from this file: {ids}"
    )


def add_recovery(tx: Transaction, recovery: Recovery) -> None:
    earlier = recovery_from(tx.get_state(RECOVERY_NOTE))
    tx.put_state(RECOVERY_NOTE, recovery_note(earlier + recovery if earlier else recovery))


def record_loss(store: Store, now: str) -> None:
    """Record acknowledged entries that the files could not restore either."""
    gap = store.shortfall()
    if gap is None:
        return
    missing = max(0, gap.had.entries - gap.has.entries)
    store.write(lambda tx: add_recovery(tx, Recovery(now, missing=missing, changes=True)))
    store.accept_shortfall()


def recovery_of(store: Store) -> Recovery | None:
    """The recorded recovery that was not reported yet."""
    with store.read() as snapshot:
        return recovery_from(snapshot.get_state(RECOVERY_NOTE))


def clear_recovery(store: Store) -> Recovery | None:
    """Remove the recorded recovery once it was reported; returns it."""
    recovery = recovery_of(store)
    if recovery is not None:
        store.write(lambda tx: tx.put_state(RECOVERY_NOTE, "null"))
    return recovery
