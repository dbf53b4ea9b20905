"""Entries that a domain file holds and the store has lost: found, restored and reported.

A write-ahead log that is deleted or damaged takes the latest commits along, and SQLite opens the
rest without a word. The files were written after those commits, so a line with an id that the
store neither knows nor has a tombstone for is what was lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from remem.entries.domain_sync.state import ScopeFiles, file_part_of
from remem.entries.rebuild import ReadBack, put_back, read_back
from remem.entries.receipt import Remembering
from remem.files.domain_file.document import Document, Item
from remem.files.domain_file.format import taken_apart
from remem.files.domain_file.parse import proof_in
from remem.model.recovery import RECOVERY_NOTE, Recovery, noted, recovery_from
from remem.model.scope import MAIN
from remem.ports.entries import Snapshot, Store, Transaction
from remem.text.similarity import folded_number


def unknown_items(snapshot: Snapshot, document: Document) -> list[Item]:
    """The lines whose ids the store neither knows nor has erased."""
    items = {item.id: item for item in document.items if item.id and item.content}
    known = snapshot.by_ids(list(items))
    return [
        item for id_, item in items.items() if id_ not in known and not snapshot.erased(id_, None)
    ]


def restore_unknown(
    files: ScopeFiles, how: Remembering, mark: str, data: bytes, document: Document
) -> dict[str, str]:
    """Restore what a file holds and the store does not; the digest of each line → its id."""
    with files.store.read() as snapshot:
        unknown = unknown_items(snapshot, document)
    if not unknown:
        return {}
    path = files.path(mark)
    whole, _ = taken_apart(data, path)
    proved = whole is not None and files.checksums.proves(mark, whole, proof_in(data))
    now = files.clock()
    readable = proved or files.scope == MAIN  # where a code can have been kept readable
    found = [
        read_back(
            item,
            item.id,
            file_part_of(mark)[0],
            now,
            proved=proved,
            kept=item.content if readable else "",
        )
        for item in unknown
        if item.id
    ]
    lines = [back for back in found if isinstance(back, ReadBack)]

    def operation(tx: Transaction) -> list[ReadBack]:
        # What somebody pasted may say what an entry says already: that is an edit, not a loss.
        new = [line for line in lines if proved or not tx.worded(folded_number(line.entry.content))]
        put = put_back(tx, new, how)
        if put:
            lowered = sum(back.lowered for back in put)
            add_to_record(tx, Recovery(now, restored=len(put), lowered=lowered))
            tx.announce(now, _announcement(files.name(path), put))
        return put

    return {back.digest: back.entry.id for back in files.store.write(operation)}


def _announcement(name: str, put: Sequence[ReadBack]) -> str:
    ids = ", ".join(back.entry.id for back in put[:8]) + (" …" if len(put) > 8 else "")
    return f"{name}: {len(put)} entries that the database had lost were restored from it: {ids}"


def add_to_record(tx: Transaction, recovery: Recovery) -> None:
    earlier = recovery_from(tx.note(RECOVERY_NOTE))
    tx.keep_note(RECOVERY_NOTE, noted(earlier + recovery if earlier else recovery))


def account_for_loss(store: Store, now: str) -> None:
    """Put on record what was acknowledged and did not come back from the files either."""
    gap = store.shortfall()
    if gap is None:
        return
    missing = max(0, gap.had.entries - gap.has.entries)
    store.write(lambda tx: add_to_record(tx, Recovery(now, missing=missing, changes=True)))
    store.settle()


def recovery_of(store: Store) -> Recovery | None:
    """What is on record and nobody has settled yet."""
    with store.read() as snapshot:
        return recovery_from(snapshot.note(RECOVERY_NOTE))


def settle_record(store: Store) -> Recovery | None:
    """Take a recovery off the record, for the owner has been told; what it was."""
    found = recovery_of(store)
    if found is not None:
        store.write(lambda tx: tx.keep_note(RECOVERY_NOTE, "null"))
    return found
