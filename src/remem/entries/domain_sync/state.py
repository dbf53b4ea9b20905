"""Which files did somebody change since they were last looked at?

Where do the files of a scope lie, and how is one put in the place of another's bytes?

What did we last write to a file? Kept in the store, so that a kill cannot confuse it.
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
from remem.files.locks import Signature, alone, alone_within, signature, signatures
from remem.files.workspace_key import Checksums
from remem.model.domain_routing import domain_mark, place_from
from remem.model.scope import Scope
from remem.ports import Clock
from remem.ports.entries import Store, Transaction
from remem.ports.records import Projected


@dataclass(frozen=True, slots=True)
class ScopeFiles:
    """The Markdown of one scope, beside its store."""

    store: Store
    layout: Layout
    scope: Scope
    clock: Clock

    @property
    def checksums(self) -> Checksums:
        """Makes and checks the checksums of these files."""
        return Checksums(self.layout, self.scope)

    def path(self, mark: str) -> Path:
        return self.layout.domain_path(self.scope, *file_part_of(mark))

    def name(self, path: Path) -> str:
        return path.relative_to(self.layout.root).as_posix()

    def announce(self, text: str) -> None:
        self.store.write(lambda tx: tx.announce(self.clock(), text))

    def alone(self) -> AbstractContextManager[None]:
        """One process at a time brings files and store together."""
        return alone(self._lock)

    def alone_within(self, seconds: float | None) -> AbstractContextManager[bool]:
        """The same, or False for whoever did not get the lock in time."""
        return alone_within(self._lock, seconds)

    @property
    def _lock(self) -> Path:
        return self.layout.state_folder(self.scope) / "files.lock"

    def write(
        self, path: Path, text: bytes, now: bytes | None
    ) -> tuple[atomic.Outcome, bytes | None]:
        """Put `text` in the place of `now`; else the bytes of whoever was faster."""
        if now is None:
            created = atomic.create(path, text)
            return ("swapped", None) if created else ("changed", atomic.read(path))
        swapped = atomic.swap(
            path,
            text,
            expected=atomic.digest(now),
            keep=atomic.unused(self.layout.aside(self.scope), f"{path.name}.{atomic.digest(now)}"),
            conflict=atomic.unused(self.layout.conflicts(self.scope), path.name),
        )
        if swapped.kept is not None and swapped.outcome == "displaced":
            self.announce(
                f"{self.name(path)} was saved while it was written; "
                f"that save is kept in {self.name(swapped.kept)}"
            )
        return swapped.outcome, swapped.found


def file_part_of(mark: str) -> tuple[str, int]:
    """The home and the part of it that a mark names."""
    found = place_from(mark)
    assert found is not None, mark
    return found


NOTHING: Final = Projected("", {})
_INTENT: Final = "writing "
_LOOK: Final = "look of "
_EARLIER: Final = "earlier "
_KEPT: Final = 8


@dataclass(frozen=True, slots=True)
class Books:
    """The entries of the outbox and of what has been projected, file by file."""

    store: Store

    def known(self, mark: str, now: bytes | None) -> tuple[Projected, int]:
        """What we last wrote to a file, and up to which change it is due.

        A kill between writing a file and noting it leaves the intent: if the file has those
        bytes, they are ours, however often the store has changed since.
        """
        with self.store.read() as snapshot:
            upto = max((dirty.seq for dirty in snapshot.outbox() if dirty.file == mark), default=0)
            intent = _parsed(snapshot.note(_INTENT + mark))
            known = snapshot.projected(mark) or NOTHING
        if intent and now is not None and atomic.digest(now) == intent["digest"]:
            known = Projected(**intent)
        return known, upto

    def ground(
        self, mark: str, known: Projected, ground: str | None, *others: Projected
    ) -> Mapping[str, str]:
        """The items of the write that a person edited; of the last one if it is not known."""
        from remem.files.domain_file.parse import ground_of

        with self.store.read() as snapshot:
            earlier: list[dict[str, str]] = _parsed(snapshot.note(_EARLIER + mark)) or []
        for items in (known.items, *(projected.items for projected in others), *earlier):
            if ground is not None and ground_of(items) == ground:
                return items
        return known.items

    def seen(self) -> dict[str, Signature]:
        """How each file looked when it was last known to hold what we wrote."""
        with self.store.read() as snapshot:
            notes = snapshot.notes(_LOOK)
        looks = {mark: _parsed(note) for mark, note in notes.items()}
        return {mark: (one[0], one[1], one[2], one[3]) for mark, one in looks.items() if one}

    def digests(self) -> frozenset[str]:
        """Of what we last wrote to files, and of what we were about to write."""
        with self.store.read() as snapshot:
            written = [snapshot.projected(mark) for mark in snapshot.projected_files()]
            intents = [_parsed(note) for note in snapshot.notes(_INTENT).values()]
        return frozenset(
            {projected.digest for projected in written if projected}
            | {intent["digest"] for intent in intents if isinstance(intent, dict)}
        )

    def see(self, mark: str, look: Signature) -> None:
        """Kept so that the next open need not read every file; nobody waits for it."""
        self.store.write_later(lambda tx: tx.keep_note(_LOOK + mark, json.dumps(look)))

    def intend(self, mark: str, text: bytes, items: Mapping[str, str]) -> None:
        intent = json.dumps({"digest": atomic.digest(text), "items": dict(items)})
        self.store.write(lambda tx: tx.keep_note(_INTENT + mark, intent))

    def written(self, mark: str, upto: int, text: bytes, items: Mapping[str, str]) -> None:
        digest = atomic.digest(text)
        with self.store.read() as snapshot:
            known = snapshot.projected(mark)
            waiting = any(dirty.file == mark for dirty in snapshot.outbox())
        if not waiting and known == Projected(digest, dict(items)):
            return

        def operation(tx: Transaction) -> None:
            earlier = _parsed(tx.note(_EARLIER + mark)) or []
            if items and dict(items) not in earlier:
                tx.keep_note(_EARLIER + mark, json.dumps([dict(items), *earlier[: _KEPT - 1]]))
            tx.written(mark, upto, digest, items)
            tx.keep_note(_INTENT + mark, "null")

        self.store.write(operation)


def _parsed(note: str | None) -> Any:
    """What a note says; a damaged one says nothing, which loses nobody's bytes."""
    try:
        return json.loads(note or "null")
    except ValueError:
        return None


@dataclass(slots=True)
class Looks:
    """How the domain files of a scope looked when they held what was last written."""

    files: ScopeFiles
    books: Books
    trouble: dict[str, str]
    _seen: dict[str, Signature] = field(default_factory=dict)
    generation: int = 0
    """Of the store with which all files were last compared."""

    def changed(self) -> list[str]:
        """Domain files that are not as they were when last looked at."""
        if self.generation != self.files.store.generation:  # another database knows other files
            self.generation = self.files.store.generation
            self._seen.clear()
        folder = self.files.layout.domains(self.files.scope)
        found = self._signatures(folder)
        unseen = {name: now for name, now in found.items() if self._seen.get(name) != now}
        places = {name: stem_and_part(name) for name in unseen}
        if not any(places.values()):
            return []
        seen, changed = self.books.seen(), []
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

    def see(self, mark: str, path: Path, text: bytes) -> None:
        """Remember how the file looks, if it is still ours: the look is taken before the
        bytes, so that a save in between makes it look changed."""
        now = signature(path)
        if now is not None and atomic.read(path) == text:
            self._seen[path.name] = now
            self.books.see(mark, now)

    def _differs(self, mark: str, path: Path) -> bool:
        """What cannot be read is not what we wrote; whoever reads it next says why."""
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
