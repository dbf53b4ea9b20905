"""Syncs one domain file: stores a person's edits and writes what the store wants there.

If somebody saves between our read and our write, the swap returns their bytes: they are kept,
their edits are stored, and the sync continues from their text.
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
from remem.ports.records import WrittenFile

_MAX_ATTEMPTS: Final = 8

IdsByFile = Mapping[str, frozenset[str]]
"""The ids of the bullets in each file that was changed."""


@dataclass(frozen=True, slots=True)
class FileSync:
    """Stores the edits in a domain file and writes what the store wants there."""

    files: ScopeFiles
    state: ProjectionState
    deps: StoreDependencies

    def sync(self, mark: str, ids_by_file: IdsByFile) -> bytes:
        """Store all edits in a file and write it; returns its text."""
        path, store = self.files.path(mark), self.files.store
        now = read_settled(path, single_link=self.files.scope.kind != "main")
        document, base = read_without_erased(store, now, path)
        known, upto = self.state.last_written(mark, now)
        for fault in faults(document):
            self.files.add_notice(f"{self.files.name(path)}: {fault}")
        absorbed = self._restore_unknown(mark, now, document)
        items = self.state.base_items(mark, known, base)
        for _ in range(_MAX_ATTEMPTS):
            rest = _not_moved(mark, items, ids_by_file)
            merged = self._store_edits(mark, path, document, rest, absorbed)
            proof = self.files.checksums.proof(mark, merged.items)
            text = with_end_mark(merged.text, merged.items, proof).encode()
            if text == now:
                break
            self.state.record_intent(mark, text, merged.items)
            result = self.files.write(path, text, now)
            if result.outcome == "swapped":
                break
            displaced = result.outcome == "displaced"
            now = text if displaced else result.found
            document, base = read_without_erased(store, result.found, path)
            wrote = WrittenFile("", dict(merged.items)) if displaced else known
            items = self.state.base_items(mark, wrote, base, known)
            known = wrote
        else:
            raise FileError(
                f"{path} changed each time it was written",
                hint="close the program that keeps saving it",
            )
        self.state.record_write(mark, upto, text, merged.items)
        if document is not None and not document.complete:
            return self.sync(mark, ids_by_file)  # its last line is complete now: read that too
        return text

    def _restore_unknown(
        self, mark: str, data: bytes | None, document: Document | None
    ) -> dict[str, str]:
        """Restore entries in a file that the store does not know: a database that lost its latest
        commits left them there. Returns the digests of their lines with their ids."""
        if data is None or document is None or not any(item.id for item in document.items):
            return {}
        from remem.entries.domain_sync.recovery import restore_unknown  # seldom needed

        return restore_unknown(self.files, self.deps, mark, data, document)

    def _store_edits(
        self,
        mark: str,
        path: Path,
        document: Document | None,
        known: Mapping[str, str],
        absorbed: dict[str, str],
    ) -> Merge:
        """Store edits until the file has none left; what cannot be stored stays as it is."""
        stem, part = stem_and_part_of(mark)
        refused: set[str] = set()
        base = dict(known)
        while True:
            with self.files.store.read() as snapshot:
                wanted = snapshot.entries_in_file(stem, part)
            merged = merge(document, base, wanted, stem, absorbed=absorbed)
            edits = [edit for edit in merged.edits if getattr(edit, "digest", "") not in refused]
            if not edits:
                return merged
            context = EditContext(
                self.files.store, self.deps, stem, self.files.name(path), self.files.clock()
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


def _not_moved(mark: str, items: Mapping[str, str], ids_by_file: IdsByFile) -> dict[str, str]:
    """The items without those that are in another file now: they were moved, not removed."""
    others = [ids for other, ids in ids_by_file.items() if other != mark]
    return {id_: digest for id_, digest in items.items() if not any(id_ in ids for ids in others)}
