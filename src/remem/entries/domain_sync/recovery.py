"""Restore entries that are in a domain file but were lost from the store.

If the write-ahead log is deleted or damaged, the latest commits are lost, and SQLite opens the
database without an error. Files are written after their entries are committed, so a line whose id
is neither in the store nor in a tombstone is a lost entry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remem.entries.domain_sync.state import ScopeFiles, stem_and_part_of
from remem.entries.notices import add_notice
from remem.entries.rebuild import RestoredLine, insert_missing, restore_line
from remem.errors import counted, listed
from remem.files.domain_file.document import DomainItem
from remem.files.domain_file.format import parse_file, with_metadata
from remem.files.domain_file.metadata import Meta
from remem.model.domain_routing import original_stem
from remem.model.recovery import Recovery
from remem.model.scope import MAIN
from remem.ports import StoreDependencies
from remem.ports.entries import Store, Transaction
from remem.ports.records import Where
from remem.ports.state import LOSS, RECOVERY
from remem.text.similarity import folded_hash


def restore_unknown(
    files: ScopeFiles,
    deps: StoreDependencies,
    file_key: str,
    data: bytes,
    unknown: Sequence[DomainItem],
    *,
    leftover_metadata: Mapping[str, Meta],
) -> dict[str, str]:
    """Restore the entries of lines whose ids are unknown to the store.

    `data` is the content of their file. Return the ids of the restored lines by their digests.
    `leftover_metadata` is the metadata that bullets have left in the files from which they were
    moved.
    """
    path = files.path(file_key)
    original, _ = parse_file(data, path)
    proved = original is not None and files.proofs.proves(file_key, original)
    now = files.clock()
    may_have_secrets = proved or files.scope == MAIN  # the owner may have kept them unmasked
    results = [
        restore_line(
            with_metadata(item, leftover_metadata),
            item.id,
            original_stem(stem_and_part_of(file_key)[0], deps.topics),
            now,
            proved=proved,
            keep_secrets_in=item.content if may_have_secrets else "",
        )
        for item in unknown
        if item.id
    ]
    lines = [line for line in results if isinstance(line, RestoredLine)]

    def operation(tx: Transaction) -> list[RestoredLine]:
        # A pasted line may repeat the text of an entry; it is then an edit, not a lost entry.
        new = [
            line
            for line in lines
            if proved
            or not tx.select(
                Where(state="any", wording_hash=folded_hash(line.entry.content)), limit=1
            )
        ]
        restored = insert_missing(tx, new, deps)
        if restored:
            lowered = sum(line.lowered for line in restored)
            add_recovery(tx, Recovery(now, restored=len(restored), lowered=lowered))
            if (missing := tx.record(LOSS)) is not None:
                tx.put_record(LOSS, "", max(0, missing - len(restored)))
            add_notice(tx, now, _notice_text(files.name(path), restored))
        return restored

    return {line.digest: line.entry.id for line in files.store.write(operation)}


def _notice_text(name: str, lines: Sequence[RestoredLine]) -> str:
    entries = counted(len(lines), "lost entry was", "lost entries were")
    ids = listed([line.entry.id for line in lines], 8)
    return f"{name}: {entries} restored from this file: {ids}"


def add_recovery(tx: Transaction, recovery: Recovery) -> None:
    """Add a recovery to the one that is already recorded."""
    earlier = tx.record(RECOVERY)
    tx.put_record(RECOVERY, "", earlier + recovery if earlier else recovery)


def record_loss(tx: Transaction, now: str) -> None:
    """Record how many acknowledged entries are still missing, because no file has them either."""
    missing = tx.record(LOSS)
    if missing is not None:
        add_recovery(tx, Recovery(now, missing=missing, changes=True))
        tx.put_record(LOSS, "", None)


def recovery_of(store: Store) -> Recovery | None:
    """Return the recorded recovery, if it has not been reported yet."""
    with store.read() as snapshot:
        return snapshot.record(RECOVERY)


def clear_recovery(store: Store) -> Recovery | None:
    """Remove the recorded recovery, because it is reported now; return it."""
    recovery = recovery_of(store)
    if recovery is not None:
        store.write(lambda tx: tx.put_record(RECOVERY, "", None))
    return recovery
