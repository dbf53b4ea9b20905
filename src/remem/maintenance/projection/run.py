"""How do the files follow the store, and the store the files?

The outbox names the files that have to be written. Each is read first; what a person has
changed in it is stored; then the file is swapped for the new text, and if it turns out
that somebody saved in between, his bytes are read too. One process at a time does this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from remem.core.homes import INDEX_MARK, STEMS
from remem.core.scope import Scope
from remem.errors import RememError
from remem.maintenance.projection.books import Books
from remem.maintenance.projection.leftovers import sweep, tidy
from remem.maintenance.projection.looks import Looks
from remem.maintenance.projection.scope_files import ScopeFiles, place
from remem.notes.layout import Layout
from remem.ports import Clock, Store
from remem.remember.means import Remembering

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
            from remem.notes.domain_file import ids_in  # domain files are seldom edited

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
                dirty = [each.file for each in snapshot.outbox()]
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
        from remem.maintenance.projection.index_file import write_index  # every command opens

        write_index(self._files, self._books, self.how.counter, self.index_tokens)

    def _join(self, mark: str, standing: dict[str, frozenset[str]]) -> None:
        from remem.maintenance.projection.joining import Joining  # and few of them write a file

        text = Joining(self._files, self._books, self.how).join(mark, standing)
        self._looks.see(mark, self._files.path(mark), text)


def _turn(mark: str) -> int:
    """The index comes last. An entry leaves `untrusted` or a topic's file only when a person
    moves its bullet: those files come first, so that it is archived there before it is seen
    to stand elsewhere."""
    if mark == INDEX_MARK:
        return 2
    return int(place(mark)[0] in STEMS.values())
