"""Which files did somebody change since they were last looked at?"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from remem.core.homes import domain_mark
from remem.errors import RememError
from remem.maintenance.projection.books import Books
from remem.maintenance.projection.scope_files import ScopeFiles
from remem.notes import files
from remem.notes.layout import stem_and_part
from remem.notes.signatures import Signature, signature, signatures


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
        if now is not None and files.read(path) == text:
            self._seen[path.name] = now
            self.books.see(mark, now)

    def _differs(self, mark: str, path: Path) -> bool:
        """What cannot be read is not what we wrote; whoever reads it next says why."""
        try:
            data = files.read(path)
        except RememError:
            return True
        with self.files.store.read() as snapshot:
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
