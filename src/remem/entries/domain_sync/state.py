"""The files of a scope, what was last written to them, and which have changed since.

What will be written is recorded in the store first, so that an interrupted write cannot be mistaken
for a person's edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.errors import RememError, StoreBusy
from remem.fast_dataclass import dataclass
from remem.files import atomic
from remem.files.layout import Layout, stem_and_part
from remem.files.locks import (
    Signature,
    exclusive_lock,
    exclusive_lock_within,
    signature,
    signatures,
)
from remem.model.domain_routing import INDEX_FILE_KEY, domain_file_key, parse_domain_file_key
from remem.model.scope import Scope
from remem.ports import Clock, without_waiting
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.records import WrittenFile
from remem.ports.state import Namespace

if TYPE_CHECKING:
    from remem.files.domain_file.details import Form
    from remem.files.workspace_key import DomainFileProofs

FORM: Final[Namespace[str]] = Namespace("form of files", str)
NEVER_WRITTEN: Final = WrittenFile("", {})
_WRITTEN: Final[Namespace[WrittenFile]] = Namespace("written", WrittenFile)
_PLANNED: Final[Namespace[WrittenFile]] = Namespace("planned", WrittenFile)
_SIGNATURES: Final[Namespace[Signature]] = Namespace("signature", Signature)
_EARLIER: Final[Namespace[tuple[dict[str, str], ...]]] = Namespace(
    "earlier", tuple[dict[str, str], ...]
)
"""The items of earlier versions of each file, which a person may still be editing."""
_MAX_EARLIER: Final = 8


@dataclass(frozen=True, slots=True)
class ScopeFiles:
    """The Markdown files of one scope, with its store."""

    store: Store
    layout: Layout
    scope: Scope
    clock: Clock

    @property
    def proofs(self) -> DomainFileProofs:
        """The proofs of domain files, which show whether remem wrote their bullets."""
        from remem.files.workspace_key import DomainFileProofs  # only needed for writing

        return DomainFileProofs(self.layout, self.scope)

    def path(self, file_key: str) -> Path:
        return self.layout.domain_path(self.scope, *stem_and_part_of(file_key))

    def name(self, path: Path) -> str:
        return self.layout.relative(path)

    def add_notice(self, text: str) -> None:
        from remem.entries.notices import add_notice  # rarely needed

        self.store.write(lambda tx: add_notice(tx, self.clock(), text))

    def lock(self) -> AbstractContextManager[None]:
        """Return the lock that lets one process at a time sync files and store."""
        return exclusive_lock(self._lock_file)

    def try_lock(self, seconds: float | None) -> AbstractContextManager[bool]:
        """Return the same lock, which gives False if it was not free within some seconds."""
        return exclusive_lock_within(self._lock_file, seconds)

    @property
    def _lock_file(self) -> Path:
        return self.layout.state_folder(self.scope) / "files.lock"

    def write(self, path: Path, data: bytes, expected: bytes | None) -> atomic.SwapResult:
        """Replace a file whose content is `expected` with `data`."""
        from remem.files.rewrite import replace, workspace_copies  # only needed for writing

        result = replace(path, data, expected, workspace_copies(self.layout, self.scope))
        if result.kept is not None and result.outcome == "displaced":
            self.add_notice(
                f"{self.name(path)} was saved by someone else while remem was writing it; "
                f"that version is kept in {self.name(result.kept)}"
            )
        return result


def stem_and_part_of(file_key: str) -> tuple[str, int]:
    """Return the stem and the part of the domain file with this key."""
    stem_and_part = parse_domain_file_key(file_key)
    assert stem_and_part is not None, file_key
    return stem_and_part


def file_form(snapshot: Snapshot) -> Form:
    """Return the form in which domain files are written; the owner may choose the old one."""
    return "old" if snapshot.record(FORM) == "old" else "new"


@dataclass(frozen=True, slots=True)
class FileWrite:
    """The new text of a file.

    `current` is its content now, `last_write` what was last written to it, and `last_seq` the
    number of the last pending change that the text includes. `path` is None for the index of a
    scope other than main, which has no file.
    """

    file_key: str
    path: Path | None
    current: bytes | None
    text: bytes
    items: Mapping[str, str]
    last_write: WrittenFile
    last_seq: int


@dataclass(frozen=True, slots=True)
class ProjectionState:
    """The store's record of each file: pending changes, the last write, and a write in progress."""

    store: Store

    def last_written(self, file_key: str, data: bytes | None) -> tuple[WrittenFile, int]:
        """Return what was last written to a file, and its last pending change (`last_written`)."""
        with self.store.read() as snapshot:
            return last_written(snapshot, file_key, data)

    def base_items(
        self, file_key: str, last_write: WrittenFile, base_digest: str | None, *others: WrittenFile
    ) -> Mapping[str, str]:
        """Return the items of the version that a person edited (`base_items`)."""
        with self.store.read() as snapshot:
            return base_items(snapshot, file_key, last_write, base_digest, *others)

    def signatures(self) -> dict[str, Signature]:
        """Return the signature that each file had when it last was as remem wrote it."""
        with self.store.read() as snapshot:
            return snapshot.records(_SIGNATURES)

    def digests(self) -> frozenset[str]:
        """Return the digests of what remem last wrote to the files, and of the planned writes."""
        with self.store.read() as snapshot:
            written, planned = snapshot.records(_WRITTEN), snapshot.records(_PLANNED)
        return frozenset(file.digest for file in (*written.values(), *planned.values()))

    def record_signature(self, file_key: str, current: Signature) -> None:
        """Record a file's signature, so that an unchanged file need not be read again."""
        with suppress(StoreBusy), without_waiting():
            self.store.write(lambda tx: tx.put_record(_SIGNATURES, file_key, current))

    def record_planned_write(self, file_key: str, text: bytes, items: Mapping[str, str]) -> None:
        self.store.write(lambda tx: _put_plan(tx, file_key, text, items))

    def record_plans(self, writes: Sequence[FileWrite]) -> None:
        """Record several planned writes together."""

        def operation(tx: Transaction) -> None:
            for write in writes:
                _put_plan(tx, write.file_key, write.text, write.items)

        self.store.write(operation)

    def record_writes(
        self, writes: Sequence[FileWrite], signatures: Mapping[str, Signature]
    ) -> None:
        """Record several writes together, with the signatures of the files."""

        def operation(tx: Transaction) -> None:
            for write in writes:
                _put_write(tx, write.file_key, write.last_seq, write.text, write.items)
            for file_key, current in signatures.items():
                tx.put_record(_SIGNATURES, file_key, current)

        self.store.write(operation)

    def record_write(
        self, file_key: str, last_seq: int, text: bytes, items: Mapping[str, str]
    ) -> None:
        digest = atomic.digest(text)
        with self.store.read() as snapshot:
            last_write = snapshot.record(_WRITTEN, file_key)
            is_pending = any(item.file == file_key for item in snapshot.outbox())
        if not is_pending and last_write == WrittenFile(digest, dict(items)):
            return
        self.store.write(lambda tx: _put_write(tx, file_key, last_seq, text, items))

    def forget(self, file_key: str) -> None:
        """Forget a file that was removed."""

        def operation(tx: Transaction) -> None:
            tx.put_record(_WRITTEN, file_key, None)
            tx.put_record(_PLANNED, file_key, None)
            tx.put_record(_SIGNATURES, file_key, None)
            tx.put_record(_EARLIER, file_key, None)

        self.store.write(operation)


def last_written(snapshot: Snapshot, file_key: str, data: bytes | None) -> tuple[WrittenFile, int]:
    """Return what was last written to a file, and the number of its last pending change.

    `data` is the file's content. If it matches a planned write, remem wrote it but was interrupted
    before recording the write; this holds even if the store has changed since.
    """
    last_seq = max((item.seq for item in snapshot.outbox() if item.file == file_key), default=0)
    planned = snapshot.record(_PLANNED, file_key)
    last_write = snapshot.record(_WRITTEN, file_key) or NEVER_WRITTEN
    if planned and data is not None and atomic.digest(data) == planned.digest:
        last_write = planned
    return last_write, last_seq


def base_items(
    snapshot: Snapshot,
    file_key: str,
    last_write: WrittenFile,
    base_digest: str | None,
    *others: WrittenFile,
) -> Mapping[str, str]:
    """Return the items of the version that a person edited, which is found by its digest.

    If no version has this digest, return the items of the last version that was written.
    """
    from remem.files.domain_file.details import items_digest

    earlier = snapshot.record(_EARLIER, file_key) or ()
    candidates = [last_write.items, *(written.items for written in others), *earlier]
    if base_digest is not None and last_write == NEVER_WRITTEN:
        # Sync programs put a copy of a file next to it if two machines changed it. What the copy
        # has in common with the version that both changed is not an edit.
        candidates += [written.items for written in snapshot.records(_WRITTEN).values()]
        candidates += [items for files in snapshot.records(_EARLIER).values() for items in files]
    for items in candidates:
        if base_digest is not None and items_digest(items) == base_digest:
            return items
    return last_write.items


def _put_plan(tx: Transaction, file_key: str, text: bytes, items: Mapping[str, str]) -> None:
    tx.put_record(_PLANNED, file_key, WrittenFile(atomic.digest(text), dict(items)))


def _put_write(
    tx: Transaction, file_key: str, last_seq: int, text: bytes, items: Mapping[str, str]
) -> None:
    earlier = tx.record(_EARLIER, file_key) or ()
    if items and file_key != INDEX_FILE_KEY and dict(items) not in earlier:
        tx.put_record(_EARLIER, file_key, (dict(items), *earlier[: _MAX_EARLIER - 1]))
    tx.put_record(_WRITTEN, file_key, WrittenFile(atomic.digest(text), dict(items)))
    tx.put_record(_PLANNED, file_key, None)
    tx.remove_from_outbox(file_key, last_seq)


@dataclass(slots=True)
class ChangeDetector:
    """Finds domain files that changed since remem wrote them, by signature, then by digest."""

    files: ScopeFiles
    state: ProjectionState
    problems: dict[str, str]
    _seen: dict[str, Signature] = field(default_factory=dict)
    generation: int = 0
    """The generation of the store that the files were last compared with."""

    def changed(self) -> list[str]:
        """Return the keys of domain files that have changed."""
        if self.generation != self.files.store.generation:
            # The store was reopened on a different database, so nothing has been compared yet.
            self.generation = self.files.store.generation
            self._seen.clear()
        folder = self.files.layout.domains(self.files.scope)
        signatures_now = self._signatures(folder)
        unseen = {
            name: current
            for name, current in signatures_now.items()
            if self._seen.get(name) != current
        }
        parts = {name: stem_and_part(name) for name in unseen}
        if not any(parts.values()):
            return []
        recorded_signatures, changed = self.state.signatures(), []
        for name, part in parts.items():
            if part is None:
                continue
            file_key, current = domain_file_key(*part), unseen[name]
            if recorded_signatures.get(file_key) == current or not self._differs(
                file_key, folder / name
            ):
                self._seen[name] = current
                self.problems.pop(file_key, None)
            else:
                changed.append(file_key)
        return changed

    def record(self, file_key: str, path: Path, text: bytes) -> None:
        """Remember the signature of a file whose content is `text`, and record it in the store."""
        current = self.remember(path, text)
        if current is not None:
            self.state.record_signature(file_key, current)

    def remember(self, path: Path, text: bytes) -> Signature | None:
        """Remember and return the signature of a file whose content is `text`.

        The result is None if the content differs. The signature is taken before the content is
        read, so that a save in between is noticed.
        """
        current = signature(path)
        if current is None or atomic.read(path) != text:
            return None
        self._seen[path.name] = current
        return current

    def _differs(self, file_key: str, path: Path) -> bool:
        """Return whether a file differs from what was written.

        An unreadable file counts as different, so that the sync reports why it cannot be read.
        """
        try:
            data = atomic.read(path)
        except RememError:
            return True
        with self.files.store.read() as snapshot:
            last_write = snapshot.record(_WRITTEN, file_key)
        return data is not None and (last_write is None or atomic.digest(data) != last_write.digest)

    def _signatures(self, folder: Path) -> dict[str, Signature]:
        try:
            now = signatures(folder)
        except RememError as error:
            self.problems[folder.name] = str(error)
            return {}
        self.problems.pop(folder.name, None)
        return now
