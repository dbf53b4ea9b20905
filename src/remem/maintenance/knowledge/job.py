"""What does changing facts work with? Main's files, one writer at a time, each change whole.

A file is read, changed in its text and exchanged, under a lock of its own; a person's save that
comes in between is what the change is made on. The answer is given when the new file is safe on
the disk: a kill leaves the old file or the new one.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path

from remem.core.fact_text import NoFacts
from remem.core.jsonc import Malformed
from remem.core.moments import parsed
from remem.core.scope import MAIN
from remem.errors import FileError
from remem.maintenance.rewriting import rewrite
from remem.notes import files
from remem.notes.fact_files import FactFiles, Known
from remem.notes.layout import Layout
from remem.notes.locks import alone


@dataclass(frozen=True, slots=True)
class Knowing:
    """What recording works with; `announce` tells the owner of bytes that were put aside.
    `erased` knows of words that the owner erased elsewhere than in facts."""

    layout: Layout
    read: FactFiles
    now: Callable[[], str]
    zone: tzinfo | None
    announce: Callable[[str], None]
    erased: Callable[[str], bool] = lambda _text: False

    def alone(self) -> AbstractContextManager[None]:
        return alone(self.layout.state_folder(MAIN) / "facts.lock")

    def known(self) -> Known:
        return self.read()

    def today(self) -> str:
        """The owner's day."""
        return parsed(self.now()).astimezone(self.zone).date().isoformat()

    def change(self, path: str, edit: Callable[[str], str]) -> None:
        """Make a file what `edit` makes of its text; the caller is alone."""
        place = self.layout.root / path
        files.refuse_links(self.layout.root, place)

        def changed(latest: bytes | None) -> bytes | None:
            text = "" if latest is None else files.text_of(latest, place)
            try:
                new = edit(text)
            except (NoFacts, Malformed) as error:
                raise broken(path, str(error)) from error
            return latest if new == text else new.encode()

        rewrite(self.layout, place, changed)
        self._tidy(place)

    def _tidy(self, path: Path) -> None:
        """A killed write leaves a file beside its place: it goes if everything in it stands in
        the file by now, and is kept where a person finds it if not."""
        for stray in files.strays(path.parent):
            if not stray.name.startswith(f".{path.name}."):
                continue
            data = files.read(stray) or b""
            if _says_no_more(data, files.read(path) or b""):
                files.settle(stray, files.digest(data))
                continue
            copy = files.unused(self.layout.conflicts(MAIN), path.name)
            files.set_aside(stray, copy)
            name = copy.relative_to(self.layout.root).as_posix()
            self.announce(f"a write of {path.name} was cut short; the bytes are kept in {name}")


def broken(path: str, why: str) -> FileError:
    return FileError(
        f"{path} cannot be written: {why}",
        hint="mend the JSON there; the file was not touched",
    )


def _says_no_more(stray: bytes, now: bytes) -> bool:
    """Whether every word of a stray's values stands in the file."""
    try:
        theirs, ours = (set(_texts(json.loads(each or b"[]"))) for each in (stray, now))
    except (ValueError, RecursionError):
        return not stray
    return theirs <= ours


def _texts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for each in value.values() for text in _texts(each)]
    if isinstance(value, list):
        return [text for each in value for text in _texts(each)]
    return [repr(value)]
