"""The files of a scope, what was last written to them, and which have changed since.

What was written is recorded in the store, so that an interrupted write cannot be mistaken for a
person's edit.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from remem.errors import RememError
from remem.files import atomic
from remem.files.layout import Layout, stem_and_part
from remem.files.locks import (
    Signature,
    exclusive_lock,
    exclusive_lock_within,
    signature,
    signatures,
)
from remem.files.rewrite import replace, workspace_copies
from remem.files.workspace_key import Checksums
from remem.model.domain_routing import domain_mark, parse_domain_mark
from remem.model.scope import Scope
from remem.ports import Clock
from remem.ports.entries import Store, Transaction
from remem.ports.records import WrittenFile


@dataclass(frozen=True, slots=True)
class ScopeFiles:
    """The Markdown files of one scope, with its store."""

    store: Store
    layout: Layout
    scope: Scope
    clock: Clock

    @property
    def checksums(self) -> Checksums:
        """The checksums that prove which lines remem wrote."""
        return Checksums(self.layout, self.scope)

    def path(self, mark: str) -> Path:
        return self.layout.domain_path(self.scope, *stem_and_part_of(mark))

    def name(self, path: Path) -> str:
        return path.relative_to(self.layout.root).as_posix()

    def add_notice(self, text: str) -> None:
        self.store.write(lambda tx: tx.add_notice(self.clock(), text))

    def lock(self) -> AbstractContextManager[None]:
        """The lock that lets one process at a time sync files and store."""
        return exclusive_lock(self._lock_file)

    def try_lock(self, seconds: float | None) -> AbstractContextManager[bool]:
        """The same lock; yields False if it was not free in time."""
        return exclusive_lock_within(self._lock_file, seconds)

    @property
    def _lock_file(self) -> Path:
        return self.layout.state_folder(self.scope) / "files.lock"

    def write(self, path: Path, text: bytes, now: bytes | None) -> atomic.SwapResult:
        """Replace the bytes `now` of a file by `text`."""
        result = replace(path, text, now, workspace_copies(self.layout, self.scope))
        if result.kept is not None and result.outcome == "displaced":
            self.add_notice(
                f"{self.name(path)} was saved while it was written; "
                f"that save is kept in {self.name(result.kept)}"
            )
        return result


def stem_and_part_of(mark: str) -> tuple[str, int]:
    """The stem and the part of the domain file that a mark names."""
    place = parse_domain_mark(mark)
    assert place is not None, mark
    return place


NOT_PROJECTED: Final = WrittenFile("", {})
_INTENT_KEY: Final = "writing "
_SIGNATURE_KEY: Final = "look of "
_EARLIER_KEY: Final = "earlier "
_MAX_EARLIER: Final = 8


@dataclass(frozen=True, slots=True)
class ProjectionState:
    """What the store records about each file: pending changes, the last write, and its intent."""

    store: Store

    def last_written(self, mark: str, now: bytes | None) -> tuple[WrittenFile, int]:
        """What was last written to a file, and the last pending change for it.

        An interruption between writing a file and recording it leaves the intent: if the file
        has those bytes, remem wrote them, however often the store has changed since.
        """
        with self.store.read() as snapshot:
            upto = max((dirty.seq for dirty in snapshot.outbox() if dirty.file == mark), default=0)
            intent = _parsed(snapshot.get_state(_INTENT_KEY + mark))
            known = snapshot.projected(mark) or NOT_PROJECTED
        if intent and now is not None and atomic.digest(now) == intent["digest"]:
            known = WrittenFile(**intent)
        return known, upto

    def base_items(
        self, mark: str, known: WrittenFile, base: str | None, *others: WrittenFile
    ) -> Mapping[str, str]:
        """The items of the version that a person edited, or of the last one if that is unknown."""
        from remem.files.domain_file.parse import items_digest

        with self.store.read() as snapshot:
            earlier: list[dict[str, str]] = _parsed(snapshot.get_state(_EARLIER_KEY + mark)) or []
        for items in (known.items, *(projected.items for projected in others), *earlier):
            if base is not None and items_digest(items) == base:
                return items
        return known.items

    def signatures(self) -> dict[str, Signature]:
        """The signature of each file when it last had what remem wrote."""
        with self.store.read() as snapshot:
            values = snapshot.get_states(_SIGNATURE_KEY)
        recorded = {mark: _parsed(value) for mark, value in values.items()}
        return {mark: (one[0], one[1], one[2], one[3]) for mark, one in recorded.items() if one}

    def digests(self) -> frozenset[str]:
        """Digests of what remem last wrote to files, and of what it was about to write."""
        with self.store.read() as snapshot:
            written = [snapshot.projected(mark) for mark in snapshot.projected_files()]
            intents = [_parsed(value) for value in snapshot.get_states(_INTENT_KEY).values()]
        return frozenset(
            {projected.digest for projected in written if projected}
            | {intent["digest"] for intent in intents if isinstance(intent, dict)}
        )

    def record_signature(self, mark: str, seen: Signature) -> None:
        """Record a file's signature, so that the next open need not read every file."""
        self.store.write_later(lambda tx: tx.put_state(_SIGNATURE_KEY + mark, json.dumps(seen)))

    def record_intent(self, mark: str, text: bytes, items: Mapping[str, str]) -> None:
        intent = json.dumps({"digest": atomic.digest(text), "items": dict(items)})
        self.store.write(lambda tx: tx.put_state(_INTENT_KEY + mark, intent))

    def record_write(self, mark: str, upto: int, text: bytes, items: Mapping[str, str]) -> None:
        digest = atomic.digest(text)
        with self.store.read() as snapshot:
            known = snapshot.projected(mark)
            waiting = any(dirty.file == mark for dirty in snapshot.outbox())
        if not waiting and known == WrittenFile(digest, dict(items)):
            return

        def operation(tx: Transaction) -> None:
            earlier = _parsed(tx.get_state(_EARLIER_KEY + mark)) or []
            if items and dict(items) not in earlier:
                tx.put_state(
                    _EARLIER_KEY + mark, json.dumps([dict(items), *earlier[: _MAX_EARLIER - 1]])
                )
            tx.record_written(mark, upto, digest, items)
            tx.put_state(_INTENT_KEY + mark, "null")

        self.store.write(operation)


def _parsed(value: str | None) -> Any:
    """The JSON value of a state key; None if it is damaged, which loses nobody's bytes."""
    try:
        return json.loads(value or "null")
    except ValueError:
        return None


@dataclass(slots=True)
class ChangeDetector:
    """Finds domain files that changed since remem wrote them, by signature, then by digest."""

    files: ScopeFiles
    state: ProjectionState
    trouble: dict[str, str]
    _seen: dict[str, Signature] = field(default_factory=dict)
    generation: int = 0
    """The generation of the store that the files were last compared with."""

    def changed(self) -> list[str]:
        """The marks of domain files that have changed."""
        if self.generation != self.files.store.generation:  # another database knows other files
            self.generation = self.files.store.generation
            self._seen.clear()
        folder = self.files.layout.domains(self.files.scope)
        found = self._signatures(folder)
        unseen = {name: now for name, now in found.items() if self._seen.get(name) != now}
        places = {name: stem_and_part(name) for name in unseen}
        if not any(places.values()):
            return []
        seen, changed = self.state.signatures(), []
        for name, place in places.items():
            if place is None:
                continue
            mark, now = domain_mark(*place), unseen[name]
            if seen.get(mark) == now or not self._differs(mark, folder / name):
                self._seen[name] = now
                self.trouble.pop(mark, None)
            else:
                changed.append(mark)
        return changed

    def mark_seen(self, mark: str, path: Path, text: bytes) -> None:
        """Remember the signature of a file that has the bytes `text`.

        The signature is taken before the bytes are read, so that a save in between is noticed.
        """
        now = signature(path)
        if now is not None and atomic.read(path) == text:
            self._seen[path.name] = now
            self.state.record_signature(mark, now)

    def _differs(self, mark: str, path: Path) -> bool:
        """Whether a file differs from what was written; an unreadable one does, and the sync
        reports why."""
        try:
            data = atomic.read(path)
        except RememError:
            return True
        with self.files.store.read() as snapshot:
            known = snapshot.projected(mark)
        return data is not None and (known is None or atomic.digest(data) != known.digest)

    def _signatures(self, folder: Path) -> dict[str, Signature]:
        try:
            found = signatures(folder)
        except RememError as error:
            self.trouble[folder.name] = str(error)
            return {}
        self.trouble.pop(folder.name, None)
        return found
