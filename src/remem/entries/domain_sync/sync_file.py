"""Syncs one domain file: stores a person's edits and writes what the store wants there.

If somebody saves between our read and our write, the write returns their version: a copy of it is
kept, its edits are stored, and the sync continues from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.entries.domain_sync.hand_edits import EditContext, store_edit
from remem.entries.domain_sync.state import ProjectionState, ScopeFiles, stem_and_part_of
from remem.entries.erase_copies import read_without_erased
from remem.entries.receipt import StoreDependencies
from remem.errors import FileError
from remem.files.domain_file.document import Document
from remem.files.domain_file.format import faults, read_settled
from remem.files.domain_file.merge import Changed, Merge, Removed, merge
from remem.files.domain_file.parse import with_end_mark
from remem.ports.records import Home, Where, WrittenFile

_MAX_ATTEMPTS: Final = 8

IdsByFile = Mapping[str, frozenset[str]]
"""The ids of the bullets in each file that was changed."""


@dataclass(frozen=True, slots=True)
class FileSync:
    """Stores the edits in a domain file and writes what the store wants there."""

    files: ScopeFiles
    state: ProjectionState
    deps: StoreDependencies

    def sync(self, file_key: str, ids_by_file: IdsByFile) -> bytes:
        """Store all edits in a file and write it; returns its content."""
        path, store = self.files.path(file_key), self.files.store
        current = read_settled(path, single_link=self.files.scope.kind != "main")
        document, base_digest = read_without_erased(store, current, path)
        known, upto = self.state.last_written(file_key, current)
        for fault in faults(document):
            self.files.add_notice(f"{self.files.name(path)}: {fault}")
        absorbed = self._restore_unknown(file_key, current, document)
        items = self.state.base_items(file_key, known, base_digest)
        for _ in range(_MAX_ATTEMPTS):
            rest = _not_moved(file_key, items, ids_by_file)
            merged = self._store_edits(file_key, path, document, rest, absorbed)
            proof = self.files.checksums.proof(file_key, merged.items)
            text = with_end_mark(merged.text, merged.items, proof).encode()
            if text == current:
                break
            self.state.record_planned_write(file_key, text, merged.items)
            result = self.files.write(path, text, current)
            if result.outcome == "swapped":
                break
            displaced = result.outcome == "displaced"
            current = text if displaced else result.found
            document, base_digest = read_without_erased(store, result.found, path)
            last = WrittenFile("", dict(merged.items)) if displaced else known
            items = self.state.base_items(file_key, last, base_digest, known)
            known = last
        else:
            raise FileError(
                f"{path} changed each time remem wrote it",
                hint="close the program that keeps saving it",
            )
        self.state.record_write(file_key, upto, text, merged.items)
        if document is not None and not document.complete:
            return self.sync(
                file_key, ids_by_file
            )  # its last line is complete now and may hold an edit
        return text

    def _restore_unknown(
        self, file_key: str, data: bytes | None, document: Document | None
    ) -> dict[str, str]:
        """Restore entries that are in a file but not in the store, because the database lost its
        latest commits. Returns the id of each restored line by its digest."""
        if data is None or document is None or not any(item.id for item in document.items):
            return {}
        from remem.entries.domain_sync.recovery import restore_unknown  # seldom needed

        return restore_unknown(self.files, self.deps, file_key, data, document)

    def _store_edits(
        self,
        file_key: str,
        path: Path,
        document: Document | None,
        known: Mapping[str, str],
        absorbed: dict[str, str],
    ) -> Merge:
        """Store edits until the file has none left; an edit that cannot be stored stays in the
        file."""
        home = Home(*stem_and_part_of(file_key))
        refused: set[str] = set()
        base = dict(known)
        while True:
            with self.files.store.read() as snapshot:
                wanted = snapshot.select(Where(state="current", home=home))
            merged = merge(document, base, wanted, home.stem, absorbed=absorbed)
            edits = [edit for edit in merged.edits if getattr(edit, "digest", "") not in refused]
            if not edits:
                return merged
            context = EditContext(
                self.files.store, self.deps, home.stem, self.files.name(path), self.files.clock()
            )
            for edit in edits:
                id_ = store_edit(edit, context, base)
                if isinstance(edit, Removed):
                    continue
                if id_ is None:
                    refused.add(edit.digest)
                    continue
                absorbed[edit.digest] = id_
                if isinstance(edit, Changed) and id_ != edit.id:
                    base.pop(edit.id, None)  # stored as a new entry: the old one is not removed


def _not_moved(file_key: str, items: Mapping[str, str], ids_by_file: IdsByFile) -> dict[str, str]:
    """The items without those whose bullets are in another file now: they were moved, not
    removed."""
    others = [ids for other, ids in ids_by_file.items() if other != file_key]
    return {id_: digest for id_, digest in items.items() if not any(id_ in ids for ids in others)}
