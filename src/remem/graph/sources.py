"""Read the records that the graph of a scope is derived from.

In main these are entries, facts and daily notes, in other scopes only entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from time import time_ns
from typing import Final

from remem.files.facts import NAMES_FILE, KnownFacts
from remem.files.host_files import note_paths, read_content
from remem.files.layout import Layout
from remem.files.locks import Signature, signature_of
from remem.files.memory_files import fact_files
from remem.graph.names import digest_of
from remem.graph.projection import Note
from remem.graph.refresh import GraphRecords
from remem.ports.entries import Store
from remem.ports.records import Where
from remem.text.note_dates import iso_date_in_name

_TIME_RESOLUTION: Final = 2_000_000_000
"""Nanoseconds within which a file may change again without getting another time stamp."""


@dataclass
class GraphSources:
    """The records of a scope; `layout` is None outside main, where only entries are read."""

    store: Store
    layout: Layout | None
    known_facts: Callable[[], KnownFacts | None]
    problems: list[str] = field(default_factory=list)

    @cached_property
    def mark(self) -> str:
        """A text that differs if one of the records may have changed.

        While a file is so new that it may still change unnoticed, it differs every time.
        """
        with self.store.read() as snapshot:
            entries = snapshot.change_mark()
        files = sorted([*self._notes, *self._fact_files])
        newest = max((max(signature[:2]) for _, signature in files), default=0)
        now = f" {time_ns()}" if newest > time_ns() - _TIME_RESOLUTION else ""
        return f"{entries} {digest_of(files)}{now}"

    def records(self) -> GraphRecords:
        """Read all records."""
        with self.store.read() as snapshot:
            entries = snapshot.select(Where(state="any"))
        known_facts = self.known_facts()
        if known_facts is not None:
            self.problems.extend(known_facts.problems)
        return GraphRecords(
            entries,
            owner=self.layout is not None,
            entities=list(known_facts.entities.values()) if known_facts else (),
            roots={id_: known_facts.root(id_).id for id_ in known_facts.entities}
            if known_facts
            else {},
            facts=known_facts.facts if known_facts else (),
            notes=list(self._daily_notes(self.layout)) if self.layout else (),
        )

    @cached_property
    def _notes(self) -> list[tuple[str, Signature]]:
        """The absolute paths of the daily notes, with their signatures."""
        if self.layout is None:
            return []
        paths = note_paths(self.layout, self.problems)
        daily = [path for path in paths if iso_date_in_name(self.layout.relative(path))]
        return [(str(path), signature) for path in daily if (signature := _signature(path))]

    @property
    def _fact_files(self) -> Iterator[tuple[str, Signature]]:
        """The paths of the files of facts and of names, with their signatures."""
        if self.layout is None:
            return
        for file in fact_files(self.layout):
            if file.status is not None:
                yield file.path, signature_of(file.status)
        if signature := _signature(self.layout.root / NAMES_FILE):
            yield NAMES_FILE, signature

    def _daily_notes(self, layout: Layout) -> Iterator[Note]:
        for name, signature in self._notes:
            path = layout.relative(Path(name))
            if day := iso_date_in_name(path):
                yield Note(day, path, digest_of(signature), partial(self._text, layout, name))

    def _text(self, layout: Layout, name: str) -> str:
        content = read_content(layout, Path(name), self.problems)
        return content.text if content else ""


def _signature(path: Path) -> Signature | None:
    try:
        return signature_of(path.stat())
    except OSError:
        return None
