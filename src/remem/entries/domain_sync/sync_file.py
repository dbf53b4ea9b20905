"""Sync one domain file: store a person's edits, and write the entries that belong there.

If somebody saves the file while remem is writing it, a copy of their version is kept, its edits are
stored, and the sync continues from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import field
from pathlib import Path
from typing import Final

from remem.entries.domain_sync.hand_edits import EditContext, store_edit
from remem.entries.domain_sync.state import (
    FileWrite,
    ProjectionState,
    ScopeFiles,
    base_items,
    file_form,
    last_written,
    stem_and_part_of,
)
from remem.entries.erase_copies import parse_without_erased, read_without_erased
from remem.errors import FileError
from remem.fast_dataclass import dataclass
from remem.files.atomic import SwapResult
from remem.files.domain_file.details import with_end_mark
from remem.files.domain_file.document import DomainDocument, DomainItem
from remem.files.domain_file.format import faults, read_settled
from remem.files.domain_file.merge import ChangedBullet, MergeResult, RemovedBullet, merge
from remem.files.domain_file.metadata import Meta
from remem.model.domain_routing import original_stem
from remem.ports import StoreDependencies
from remem.ports.entries import Snapshot
from remem.ports.records import Home, Where, WrittenFile

_MAX_ATTEMPTS: Final = 8


def unknown_items(snapshot: Snapshot, document: DomainDocument) -> list[DomainItem]:
    """Return the items whose ids are neither in the store nor erased."""
    items = {item.id: item for item in document.items if item.id and item.content}
    entries = snapshot.find(items)
    return [
        item for id_, item in items.items() if id_ not in entries and not snapshot.tombstones(id_)
    ]


def _needs_sync(snapshot: Snapshot, document: DomainDocument) -> bool:
    """Return whether a file has to be repaired, or read once more, before it is written."""
    return not document.complete or bool(faults(document) or unknown_items(snapshot, document))


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The files that were changed at the same time, which show which bullets were moved.

    `ids` are those of their bullets, by file; `metadata` is what the ends of the files say about
    bullets, by id.
    """

    ids: Mapping[str, frozenset[str]] = field(default_factory=dict)
    metadata: Mapping[str, Meta] = field(default_factory=dict)

    def ids_outside(self, file_key: str) -> frozenset[str]:
        """Return the ids of the bullets in other files; they were moved there, not removed."""
        return frozenset(id_ for other, ids in self.ids.items() if other != file_key for id_ in ids)


@dataclass(frozen=True, slots=True)
class _Base:
    """The versions that a new text is merged with.

    They are the `current` content of the file, the parsed `document`, the `items` of the version
    that a person may have edited, and the last write.
    """

    current: bytes | None
    document: DomainDocument | None
    items: Mapping[str, str]
    last_write: WrittenFile


@dataclass(frozen=True, slots=True)
class FileSync:
    """Stores the edits in a domain file and writes what the store wants there."""

    files: ScopeFiles
    state: ProjectionState
    deps: StoreDependencies

    def prepare(self, snapshot: Snapshot, file_key: str) -> FileWrite | None:
        """Return the new text of a file; None if edits in it have to be stored first."""
        path, home = self.files.path(file_key), Home(*stem_and_part_of(file_key))
        current = read_settled(path, single_link=self.files.scope.kind != "main")
        document, base_digest = parse_without_erased(snapshot, current, path)
        if document is not None and _needs_sync(snapshot, document):
            return None
        last_write, last_seq = last_written(snapshot, file_key, current)
        items = base_items(snapshot, file_key, last_write, base_digest)
        entries = snapshot.select(Where(state="current", home=home))
        language = self._language(document)
        form = file_form(snapshot)
        merged = merge(document, items, entries, home.stem, form=form, language=language)
        if merged.edits:
            return None
        text = self._text(file_key, merged)
        return FileWrite(file_key, path, current, text, merged.items, last_write, last_seq)

    def sync(self, file_key: str, others: ChangedFiles | None = None) -> bytes:
        """Store all edits in a file and write it; return its content."""
        others = others or ChangedFiles()
        path, store = self.files.path(file_key), self.files.store
        current = read_settled(path, single_link=self.files.scope.kind != "main")
        document, base_digest = read_without_erased(store, current, path)
        last_write, last_seq = self.state.last_written(file_key, current)
        for fault in faults(document):
            self.files.add_notice(f"{self.files.name(path)}: {fault}")
        absorbed = self._restore_unknown(file_key, current, document, others)
        items = self.state.base_items(file_key, last_write, base_digest)
        base = _Base(current, document, items, last_write)
        return self._write(file_key, base, last_seq, others, absorbed)

    def resume(self, write: FileWrite, result: SwapResult) -> bytes:
        """Go on after somebody saved a file while its prepared text was being written."""
        base = self._next_base(write, result)
        return self._write(write.file_key, base, write.last_seq, ChangedFiles(), {})

    def _next_base(self, write: FileWrite, result: SwapResult) -> _Base:
        """Return what somebody else saved, as the base of the next attempt."""
        assert write.path is not None
        was_displaced = result.outcome == "displaced"
        current = write.text if was_displaced else result.found
        document, digest = read_without_erased(self.files.store, result.found, write.path)
        last_write = WrittenFile("", dict(write.items)) if was_displaced else write.last_write
        items = self.state.base_items(write.file_key, last_write, digest, write.last_write)
        return _Base(current, document, items, last_write)

    def _language(self, document: DomainDocument | None) -> str:
        """Return the language for the title of a new file; empty if the file exists."""
        if document is not None:
            return ""
        from remem.files.start_files import scope_language  # only needed for new files

        return scope_language(self.files.layout, self.files.scope)

    def _text(self, file_key: str, merge_result: MergeResult) -> bytes:
        proof = self.files.proofs.proof(file_key, merge_result.items)
        return with_end_mark(merge_result.text, merge_result.items, proof).encode()

    def _write(
        self,
        file_key: str,
        base: _Base,
        last_seq: int,
        others: ChangedFiles,
        absorbed: dict[str, str],
    ) -> bytes:
        """Write a file until nobody saves it in between, and return its content.

        `absorbed` are the digests of edits that have been stored, with the ids of their entries.
        """
        path = self.files.path(file_key)
        for _ in range(_MAX_ATTEMPTS):
            moved_ids = others.ids_outside(file_key)
            merged = self._store_edits(
                file_key, path, base.document, base.items, absorbed, moved=moved_ids
            )
            text = self._text(file_key, merged)
            if text == base.current:
                break
            self.state.record_planned_write(file_key, text, merged.items)
            result = self.files.write(path, text, base.current)
            if result.outcome == "swapped":
                break
            write = FileWrite(
                file_key, path, base.current, text, merged.items, base.last_write, last_seq
            )
            base = self._next_base(write, result)
        else:
            raise FileError(
                f"{path} changed each time remem wrote it",
                hint="close the program that keeps saving it",
            )
        self.state.record_write(file_key, last_seq, text, merged.items)
        if base.document is not None and not base.document.complete:
            return self.sync(file_key, others)  # its last line is complete now and may hold an edit
        return text

    def _restore_unknown(
        self,
        file_key: str,
        data: bytes | None,
        document: DomainDocument | None,
        others: ChangedFiles,
    ) -> dict[str, str]:
        """Restore entries that are in a file but not in the store, which lost its latest commits.

        Return the ids of the restored lines by their digests.
        """
        if data is None or document is None:
            return {}
        with self.files.store.read() as snapshot:
            unknown = unknown_items(snapshot, document)
        if not unknown:
            return {}
        from remem.entries.domain_sync.recovery import restore_unknown  # rarely needed

        return restore_unknown(
            self.files, self.deps, file_key, data, unknown, leftover_metadata=others.metadata
        )

    def _store_edits(
        self,
        file_key: str,
        path: Path,
        document: DomainDocument | None,
        base_digests: Mapping[str, str],
        absorbed: dict[str, str],
        *,
        moved: Set[str],
    ) -> MergeResult:
        """Store edits until the file has none left.

        An edit that cannot be stored stays in the file.
        """
        home = Home(*stem_and_part_of(file_key))
        refused_digests: set[str] = set()
        base = dict(base_digests)
        while True:
            with self.files.store.read() as snapshot:
                entries = snapshot.select(Where(state="current", home=home))
                form = file_form(snapshot)
            merged = merge(
                document,
                base,
                entries,
                home.stem,
                absorbed=absorbed,
                form=form,
                language=self._language(document),
                moved=moved,
            )
            edits = [
                edit for edit in merged.edits if getattr(edit, "digest", "") not in refused_digests
            ]
            if not edits:
                return merged
            stem = original_stem(home.stem, self.deps.topics)
            context = EditContext(
                self.files.store, self.deps, stem, self.files.name(path), self.files.clock()
            )
            for edit in edits:
                if isinstance(edit, RemovedBullet) and edit.id in absorbed.values():
                    continue  # only the id was removed: a new bullet extends the entry
                id_ = store_edit(edit, context, base)
                if isinstance(edit, RemovedBullet):
                    continue
                if id_ is None:
                    refused_digests.add(edit.digest)
                    continue
                absorbed[edit.digest] = id_
                if isinstance(edit, ChangedBullet) and id_ != edit.id:
                    base.pop(edit.id, None)  # stored as a new entry, so the old one is not removed
