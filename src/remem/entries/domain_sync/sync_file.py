"""How do a person's edits and what the store wants become one file?

If somebody saves between our reading and our writing, his bytes come out of the swap: they are
kept, his edits are stored, and his text is what we go on from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.entries.domain_sync.hand_edits import Editing, absorb
from remem.entries.domain_sync.state import Books, ScopeFiles, file_part_of
from remem.entries.erase_copies import remaining
from remem.entries.receipt import Remembering
from remem.errors import FileError
from remem.files.domain_file.document import Document
from remem.files.domain_file.format import faults, settled
from remem.files.domain_file.merge import Changed, Merge, Removed, merge
from remem.files.domain_file.parse import stamped
from remem.ports.records import Projected

_TRIES: Final = 8

Standing = Mapping[str, frozenset[str]]
"""The ids of the bullets in each file that was changed."""


@dataclass(frozen=True, slots=True)
class Joining:
    """Stores the edits in a domain file and writes what the store wants there."""

    files: ScopeFiles
    books: Books
    how: Remembering

    def join(self, mark: str, standing: Standing) -> bytes:
        """The text of a file whose edits are all stored, and which was written."""
        path, store = self.files.path(mark), self.files.store
        now = settled(path, sole_name=self.files.scope.kind != "main")
        document, ground = remaining(store, now, path)
        known, upto = self.books.known(mark, now)
        for fault in faults(document):
            self.files.announce(f"{self.files.name(path)}: {fault}")
        absorbed = self._restored(mark, now, document)
        items = self.books.ground(mark, known, ground)
        for _ in range(_TRIES):
            rest = _not_moved(mark, items, standing)
            merged = self._absorbed(mark, path, document, rest, absorbed)
            proof = self.files.checksums.proof(mark, merged.items)
            text = stamped(merged.text, merged.items, proof).encode()
            if text == now:
                break
            self.books.intend(mark, text, merged.items)
            outcome, found = self.files.write(path, text, now)
            if outcome == "swapped":
                break
            now = text if outcome == "displaced" else found
            document, ground = remaining(store, found, path)
            wrote = Projected("", dict(merged.items)) if outcome == "displaced" else known
            items = self.books.ground(mark, wrote, ground, known)
            known = wrote
        else:
            raise FileError(
                f"{path} changes too fast to be written",
                hint="close the program that keeps saving it",
            )
        self.books.written(mark, upto, text, merged.items)
        if document is not None and not document.complete:
            return self.join(mark, standing)  # it has its last line now: the last bullet counts
        return text

    def _restored(self, mark: str, data: bytes | None, document: Document | None) -> dict[str, str]:
        """Bring back the entries of a file that the store does not know: a database that lost
        its latest commits left them there. Returns the digests of their lines, with their ids."""
        if data is None or document is None or not any(item.id for item in document.items):
            return {}
        from remem.entries.domain_sync.recovering import restore_unknown  # seldom needed

        return restore_unknown(self.files, self.how, mark, data, document)

    def _absorbed(
        self,
        mark: str,
        path: Path,
        document: Document | None,
        known: Mapping[str, str],
        absorbed: dict[str, str],
    ) -> Merge:
        """Store edits until the file says nothing new; what cannot be stored stays as it is."""
        home, part = file_part_of(mark)
        refused: set[str] = set()
        ground = dict(known)
        while True:
            with self.files.store.read() as snapshot:
                wanted = snapshot.standing_in(home, part)
            merged = merge(document, ground, wanted, home, absorbed=absorbed)
            edits = [edit for edit in merged.edits if getattr(edit, "digest", "") not in refused]
            if not edits:
                return merged
            where = Editing(
                self.files.store, self.how, home, self.files.name(path), self.files.clock()
            )
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


def _not_moved(mark: str, items: Mapping[str, str], standing: Standing) -> dict[str, str]:
    """A bullet that stands in another file now was moved there, not removed."""
    others = [ids for other, ids in standing.items() if other != mark]
    return {id_: each for id_, each in items.items() if not any(id_ in ids for ids in others)}
