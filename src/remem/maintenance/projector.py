"""How do the files follow the store, and the store the files?

The outbox names the files that have to be written. Each is read first; what a person has
changed in it is stored; then the file is swapped for the new text, and if it turns out
that somebody saved in between, his bytes are read too. One process at a time does this.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.core.homes import INDEX_MARK, STEMS, domain_mark, place_from
from remem.core.scope import Scope
from remem.errors import FileError, RememError
from remem.maintenance.books import NOTHING, Books
from remem.maintenance.leftovers import tidy
from remem.notes import files
from remem.notes.layout import Layout, stem_and_part
from remem.notes.locks import alone
from remem.notes.signatures import Signature, signature, signatures
from remem.ports import Clock, Projected, Store
from remem.remember.means import Remembering

if TYPE_CHECKING:
    from remem.notes.domain_format import Document
    from remem.notes.domain_merge import Merge

_TRIES: Final = 8


@dataclass
class Projector:
    """Keeps the Markdown of one scope and its store in step.

    One file that cannot be written or read never blocks the rest: `trouble` names it, and
    it is tried again the next time.
    """

    store: Store
    layout: Layout
    scope: Scope
    how: Remembering
    clock: Clock
    index_tokens: int
    trouble: dict[str, str] = field(default_factory=dict)
    _seen: dict[str, Signature] = field(default_factory=dict)
    _standing: dict[str, frozenset[str]] = field(default_factory=dict)
    _books: Books = field(init=False)

    def __post_init__(self) -> None:
        self._books = Books(self.store)

    def catch_up(self) -> None:
        """Take in every edit and write every file that waits."""
        with self._alone():
            tidy(self.layout, self.scope, self._announce)
        self.take_in()
        self.write_out()

    def take_in(self) -> bool:
        """Store what a person changed in a file since it was last looked at, if anything."""
        changed = self._changed_files()
        if changed:
            from remem.notes.domain_file import ids_in  # domain files are seldom edited

            with self._alone():
                self._standing = {mark: ids_in(self._path(mark)) for mark in changed}
                for mark in sorted(changed, key=_turn):
                    self._try(mark)
                self._standing = {}
        return bool(changed)

    def _not_moved(self, mark: str, items: Mapping[str, str]) -> dict[str, str]:
        """A bullet that stands in another file now was moved there, not removed."""
        others = [ids for other, ids in self._standing.items() if other != mark]
        return {id_: each for id_, each in items.items() if not any(id_ in ids for ids in others)}

    def write_out(self) -> None:
        """Write the files that the outbox names."""
        with self.store.read() as snapshot:
            if not snapshot.outbox():
                return
        with self._alone():
            with self.store.read() as snapshot:
                dirty = [each.file for each in snapshot.outbox()]
            for mark in sorted(dirty, key=_turn):
                self._try(mark)

    def _try(self, mark: str) -> None:
        try:
            if mark == INDEX_MARK:
                self._write_index()
            else:
                self._bring_together(mark)
        except RememError as error:
            self.trouble[mark] = str(error)
        else:
            self.trouble.pop(mark, None)

    def _bring_together(self, mark: str) -> None:
        """Store the edits in a file and write what the store wants there.

        If somebody saves between our reading and our writing, his bytes come out of the
        swap: they are kept, his edits are stored, and his text is what we go on from.
        """
        from remem.maintenance.erasing.copies import remaining
        from remem.maintenance.hand_edits import refuse_strange
        from remem.notes.domain_file import faults, settled
        from remem.notes.domain_stamp import stamped

        path = self._path(mark)
        now = settled(path, sole_name=self.scope.kind != "main")
        document, ground = remaining(self.store, now, path)
        known, upto = self._books.known(mark, now)
        for fault in faults(document):
            self._announce(f"{self._name(path)}: {fault}")
        if document is not None and known is NOTHING:
            refuse_strange(self.store, document, self._name(path))
        items = self._books.ground(mark, known, ground)
        absorbed: dict[str, str] = {}
        for _ in range(_TRIES):
            merged = self._absorbed(mark, path, document, self._not_moved(mark, items), absorbed)
            text = stamped(merged.text, merged.items).encode()
            if text == now:
                break
            self._books.intend(mark, text, merged.items)
            outcome, found = self._write(path, text, now)
            if outcome == "swapped":
                break
            now = text if outcome == "displaced" else found
            document, ground = remaining(self.store, found, path)
            wrote = Projected("", dict(merged.items)) if outcome == "displaced" else known
            items = self._books.ground(mark, wrote, ground, known)
            known = wrote
        else:
            raise FileError(
                f"{path} changes too fast to be written",
                hint="close the program that keeps saving it",
            )
        self._books.written(mark, upto, text, merged.items)
        if document is not None and not document.complete:
            self._bring_together(mark)  # now that it has its last line, the last bullet counts
        else:
            self._see(mark, path, text)

    def _absorbed(
        self,
        mark: str,
        path: Path,
        document: Document | None,
        known: Mapping[str, str],
        absorbed: dict[str, str],
    ) -> Merge:
        """Store edits until the file says nothing new; what cannot be stored stays as it is."""
        from remem.maintenance.hand_edits import Editing, absorb
        from remem.notes.domain_merge import Changed, Removed, merge

        home, part = _place(mark)
        refused: set[str] = set()
        ground = dict(known)
        while True:
            with self.store.read() as snapshot:
                wanted = snapshot.standing_in(home, part)
            merged = merge(document, ground, wanted, home, absorbed=absorbed)
            edits = [each for each in merged.edits if getattr(each, "digest", "") not in refused]
            if not edits:
                return merged
            where = Editing(self.store, self.how, home, self._name(path), self.clock())
            for edit in edits:
                id_ = absorb(edit, where, ground)
                if isinstance(edit, Removed):
                    continue
                if id_ is None:
                    refused.add(edit.digest)
                    continue
                absorbed[edit.digest] = id_
                if isinstance(edit, Changed) and id_ != edit.id:
                    ground.pop(edit.id, None)  # stored beside it: the bullet is not removed

    def _announce(self, text: str) -> None:
        self.store.write(lambda tx: tx.announce(self.clock(), text))

    def _write(
        self, path: Path, text: bytes, now: bytes | None
    ) -> tuple[files.Outcome, bytes | None]:
        """Put `text` in the place of `now`; else the bytes of whoever was faster."""
        if now is None:
            created = files.create(path, text)
            return ("swapped", None) if created else ("changed", files.read(path))
        swapped = files.swap(
            path,
            text,
            expected=files.digest(now),
            keep=files.unused(self.layout.aside(self.scope), f"{path.name}.{files.digest(now)}"),
            conflict=files.unused(self.layout.conflicts(self.scope), path.name),
        )
        if swapped.kept is not None and swapped.outcome == "displaced":
            self._announce(
                f"{self._name(path)} was saved while it was written; "
                f"that save is kept in {self._name(swapped.kept)}"
            )
        return swapped.outcome, swapped.found

    def _write_index(self) -> None:
        """The index is remem's own; a hand-made change to it is set aside, never lost."""
        if self.scope.kind != "main":  # only main has an index file
            _, upto = self._books.known(INDEX_MARK, None)
            self._books.written(INDEX_MARK, upto, b"", {})
            return
        from remem.disclosure.index import make_index  # written seldom, opened by every command

        path = self.layout.index_file
        now = files.read(path)
        known, upto = self._books.known(INDEX_MARK, now)
        with self.store.read() as snapshot:
            text = make_index(snapshot, self.how.counter, self.index_tokens).text.encode()
        if now is not None and now != text and files.digest(now) != known.digest:
            copy = files.unused(self.layout.conflicts(self.scope), path.name)
            files.create(copy, now)
            self._announce(f"INDEX.md is made anew; your changes to it are in {self._name(copy)}")
        if now != text:
            self._books.intend(INDEX_MARK, text, {})
            if self._write(path, text, now)[0] != "swapped":
                raise FileError(f"{path} was changed while it was written", hint="try again")
        self._books.written(INDEX_MARK, upto, text, {})

    def _changed_files(self) -> list[str]:
        """Domain files that are not as they were when last looked at."""
        folder = self.layout.domains(self.scope)
        found = self._signatures(folder)
        unseen = {name: now for name, now in found.items() if self._seen.get(name) != now}
        places = {name: stem_and_part(name) for name in unseen}
        if not any(places.values()):
            return []
        seen, changed = self._books.seen(), []
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

    def _see(self, mark: str, path: Path, text: bytes) -> None:
        """Remember how the file looks, if it is still ours: the look is taken before the
        bytes, so that a save in between makes it look changed."""
        now = signature(path)
        if now is not None and files.read(path) == text:
            self._seen[path.name] = now
            self._books.see(mark, now)

    def _differs(self, mark: str, path: Path) -> bool:
        """What cannot be read is not what we wrote; whoever reads it next says why."""
        try:
            data = files.read(path)
        except RememError:
            return True
        with self.store.read() as snapshot:
            known = snapshot.projected(mark)
        return data is not None and (known is None or files.digest(data) != known.digest)

    def _signatures(self, folder: Path) -> dict[str, Signature]:
        try:
            found = signatures(folder)
        except RememError as error:
            self.trouble[folder.name] = str(error)
            return {}
        self.trouble.pop(folder.name, None)
        return found

    def _path(self, mark: str) -> Path:
        return self.layout.domain_path(self.scope, *_place(mark))

    def _name(self, path: Path) -> str:
        return path.relative_to(self.layout.root).as_posix()

    def _alone(self) -> AbstractContextManager[None]:
        return alone(self.layout.state_folder(self.scope) / "files.lock")


def _place(mark: str) -> tuple[str, int]:
    place = place_from(mark)
    assert place is not None, mark
    return place


def _turn(mark: str) -> int:
    """The index comes last. An entry leaves `untrusted` or a topic's file only when a person
    moves its bullet: those files come first, so that it is archived there before it is seen
    to stand elsewhere."""
    if mark == INDEX_MARK:
        return 2
    return int(_place(mark)[0] in STEMS.values())
