"""How do the files follow the store, and the store the files?

The outbox names the files that have to be written. Each is read first; what a person has
changed in it is stored; then the file is swapped for the new text, and if it turns out
that somebody saved in between, his bytes are read too. One process at a time does this.

What writing files leaves behind: replaced files, which an editor may still have open, and
temporary files of killed writes.

How is the index file written? It is remem's own: a hand-made change to it is set aside.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from time import time
from typing import Final

from remem.entries.domain_sync.state import Books, Looks, ScopeFiles, file_part_of
from remem.entries.index import make_index
from remem.entries.receipt import Remembering
from remem.errors import FileError, RememError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.strays import left_in, target_of
from remem.model.domain_routing import INDEX_MARK, STEMS
from remem.model.fact import FACT_TREES
from remem.model.scope import Scope
from remem.ports import Clock
from remem.ports.entries import Store
from remem.ports.models import TokenCounter

_SETTLING: Final = 60.0
"""Seconds for which an editor may go on saving into a file that was replaced."""
_COPY: Final = re.compile(r"(?P<target>.+)\.(?P<digest>[0-9a-f]{64})\.[0-9a-f]{16}")

_JOURNALS: Final = ("activation", "audit", "graduate")

Announce = Callable[[str], None]


def tidy(layout: Layout, scope: Scope, announce: Announce) -> str | None:
    """Remove the copies of replaced files that have settled; returns why one could not be.

    The file that replaced it is in place and on the disk, so that no copy here is the only one.
    One that an editor has saved into since is kept among the conflicts.
    """
    trouble = None
    for copy in sorted(layout.aside(scope).glob("*")):
        name = _COPY.fullmatch(copy.name)
        if name is None:
            continue
        try:
            # The rename sets the change time. One in the future comes from a clock set back.
            if 0 <= time() - copy.lstat().st_ctime < _SETTLING:
                continue
            if atomic.settle(copy, name["digest"]) is not None:
                reason = f"{name['target']} was saved after its replacement"
                _keep(copy, name["target"], layout, scope, announce, reason=reason)
        except FileNotFoundError:  # another process was faster
            continue
        except FileError as error:
            trouble = str(error)
    return trouble


def sweep(
    layout: Layout, scope: Scope, announce: Announce, ours: Callable[[], Collection[str]]
) -> str | None:
    """Clear the temporary files that killed writes have left in the places of a scope.

    What is empty, or known from elsewhere, is removed: it stands in the file itself, in a journal,
    or has one of the digests (`ours`) of what remem wrote itself. Anything else may be the only
    copy of a person's save, and is kept among the conflicts. Returns why one could not be cleared.
    """
    trouble = None
    for folder, wanted in _places(layout, scope):
        with left_in(folder) as strays:
            for stray in strays:
                if not wanted(target_of(stray.name) or ""):
                    continue
                try:
                    _clear(stray, layout, scope, announce, ours)
                except FileError as error:  # the others can still go
                    trouble = str(error)
    return trouble


def left_by_kills(layout: Layout, scope: Scope) -> list[Path]:
    """The temporary files that `sweep` would clear."""
    found: list[Path] = []
    for folder, wanted in _places(layout, scope):
        with left_in(folder) as strays:
            found += [stray for stray in strays if wanted(target_of(stray.name) or "")]
    return found


def _clear(
    stray: Path,
    layout: Layout,
    scope: Scope,
    announce: Announce,
    ours: Callable[[], Collection[str]],
) -> None:
    if layout.own_folder in stray.parents:  # no person edits these: the write never took place
        atomic.remove(stray)
        return
    data = atomic.read(stray)
    target = atomic.read(stray.with_name(target_of(stray.name) or ""))
    if not data or data == target or atomic.digest(data) in {*ours(), *_journaled(layout, scope)}:
        atomic.remove(stray)
    else:
        name = target_of(stray.name) or stray.name
        _keep(stray, name, layout, scope, announce, reason="a write was cut short")


def _journaled(layout: Layout, scope: Scope) -> Iterator[str]:
    """Digests of the bytes that undoing a change has kept."""
    for command in _JOURNALS:
        for path in (layout.state_folder(scope) / command).glob("*"):
            if path.is_file() and (data := atomic.read(path)):
                yield atomic.digest(data)


def _places(layout: Layout, scope: Scope) -> Iterator[tuple[Path, Callable[[str], bool]]]:
    """The folders in which remem writes files for a scope, and which names count there."""
    yield from _below(layout.state_folder(scope))
    for shared in (layout.own_folder, layout.conversations, layout.tokens):
        yield shared, _any
    if scope.kind == "main":
        yield layout.root, lambda name: name.endswith(".md")
        yield layout.memory, _any
        for folder in (layout.domains(scope), layout.memory / "main"):
            yield from _below(folder)
        for tree in FACT_TREES:
            yield from _below(layout.root / tree)
        return
    own = layout.domains(scope).parent
    yield own.parent, lambda name: name == f"{own.name}.md"
    yield from _below(own)


def _below(folder: Path) -> Iterator[tuple[Path, Callable[[str], bool]]]:
    if not folder.is_symlink():
        for place, _, _ in os.walk(folder, followlinks=False):
            yield Path(place), _any


def _any(_name: str) -> bool:
    return True


def _keep(
    path: Path, name: str, layout: Layout, scope: Scope, announce: Announce, *, reason: str
) -> None:
    copy = atomic.unused(layout.conflicts(scope), name)
    atomic.set_aside(path, copy)
    announce(f"{reason}; the bytes are kept in {copy.relative_to(layout.root).as_posix()}")


def write_index(into: ScopeFiles, books: Books, counter: TokenCounter, tokens: int) -> None:
    """Only main has one; elsewhere nothing is due."""
    if into.scope.kind != "main":
        _, upto = books.known(INDEX_MARK, None)
        books.written(INDEX_MARK, upto, b"", {})
        return
    path = into.layout.index_file
    now = atomic.read(path)
    known, upto = books.known(INDEX_MARK, now)
    with into.store.read() as snapshot:
        text = make_index(snapshot, counter, tokens).text.encode()
    if now is not None and now != text and atomic.digest(now) != known.digest:
        copy = atomic.unused(into.layout.conflicts(into.scope), path.name)
        atomic.create(copy, now)
        into.announce(f"INDEX.md is made anew; your changes to it are in {into.name(copy)}")
    if now != text:
        books.intend(INDEX_MARK, text, {})
        if into.write(path, text, now)[0] != "swapped":
            raise FileError(f"{path} was changed while it was written", hint="try again")
    books.written(INDEX_MARK, upto, text, {})


_LEFT: Final = "temporary files"
_COPIES: Final = "copies of replaced files"


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
    _files: ScopeFiles = field(init=False)
    _books: Books = field(init=False)
    _looks: Looks = field(init=False)

    def __post_init__(self) -> None:
        self._files = ScopeFiles(self.store, self.layout, self.scope, self.clock)
        self._books = Books(self.store)
        self._looks = Looks(self._files, self._books, self.trouble)

    @property
    def is_current(self) -> bool:
        """Whether the files were compared with the database that is open now."""
        return self._looks.generation == self.store.generation

    def catch_up(self) -> None:
        """Take in every edit and write every file that waits."""
        with self._files.alone():
            self._note(_COPIES, tidy(self.layout, self.scope, self._files.announce))
        self.take_in()
        self.write_out()

    def sweep(self) -> None:
        """Clear what killed writes have left; on opening, and before erased words must be gone."""
        with self._files.alone():
            left = sweep(self.layout, self.scope, self._files.announce, self._books.digests)
        self._note(_LEFT, left)

    def take_in(self) -> bool:
        """Store what a person changed in a file since it was last looked at, if anything."""
        changed = self._looks.changed()
        if changed:
            from remem.files.domain_file.format import ids_in  # domain files are seldom edited

            with self._files.alone():
                standing = {mark: ids_in(self._files.path(mark)) for mark in changed}
                for mark in sorted(changed, key=_turn):
                    self._try(mark, standing)
        return bool(changed)

    def write_out(self, within: float | None = None) -> bool:
        """Write the files that the outbox names; False if another process kept writing them for
        longer than `within` seconds."""
        with self.store.read() as snapshot:
            if not snapshot.outbox():
                return True
        with self._files.alone_within(within) as mine:
            if not mine:
                return False
            with self.store.read() as snapshot:
                dirty = [dirty.file for dirty in snapshot.outbox()]
            for mark in sorted(dirty, key=_turn):
                self._try(mark, {})
        return True

    def _try(self, mark: str, standing: dict[str, frozenset[str]]) -> None:
        try:
            if mark == INDEX_MARK:
                self._write_index()
            else:
                self._join(mark, standing)
        except RememError as error:
            self.trouble[mark] = str(error)
        else:
            self.trouble.pop(mark, None)

    def _note(self, key: str, trouble: str | None) -> None:
        if trouble:
            self.trouble[key] = trouble
        else:
            self.trouble.pop(key, None)

    def _write_index(self) -> None:
        # MOVED  # every command opens

        write_index(self._files, self._books, self.how.counter, self.index_tokens)

    def _join(self, mark: str, standing: dict[str, frozenset[str]]) -> None:
        from remem.entries.domain_sync.sync_file import Joining  # and few of them write a file

        text = Joining(self._files, self._books, self.how).join(mark, standing)
        self._looks.see(mark, self._files.path(mark), text)


def _turn(mark: str) -> int:
    """The index comes last. An entry leaves `untrusted` or a topic's file only when a person
    moves its bullet: those files come first, so that it is archived there before it is seen
    to stand elsewhere."""
    if mark == INDEX_MARK:
        return 2
    return int(file_part_of(mark)[0] in STEMS.values())
