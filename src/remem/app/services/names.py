"""Merge and separate the names of things in the graph of one scope.

A merge is a statement, `[[ACME Corp]] is the same as [[Acme]]`; separating the names forgets it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from remem.app.services.graph import GraphService
from remem.errors import InvalidInput, quoted
from remem.graph.answer import IngestReport, SplitReport
from remem.graph.links import links_in
from remem.graph.names import DISTINCT, SAME, NameIndex, SamenessStatement, same_statements
from remem.model.entity import Entity
from remem.model.entry import Entry
from remem.model.same_name import SameName, proposals
from remem.ports.records import Where
from remem.text.words import fold

_THING: Final = "thing"
"""The kind of all names here, so that the rule for people's first names does not apply."""
_MAX_COMPARED: Final = 300
"""At most this many names, the latest, are compared with one another."""


@dataclass(frozen=True, slots=True)
class NameService:
    """Decides which names are the same thing."""

    graph: GraphService

    def merge(self, name: str, into: str) -> IngestReport:
        """Record another name of a thing."""
        folded_name, folded_other = self._require_known(name), self._require_known(into)
        if folded_name == folded_other:
            raise InvalidInput(
                f"{quoted(name)} and {quoted(into)} are the same already",
                hint=f"`remem graph split {name!r}` separates merged names",
            )
        if {folded_name, folded_other} <= self._entity_names():
            raise InvalidInput(
                f"{quoted(name)} and {quoted(into)} are entities with facts",
                hint="`remem fact merge` merges entities",
            )
        for statement in self._statements(name, is_same=False):
            if fold(into) in (fold(statement.name), fold(statement.other)):
                self.graph.entries.forget(statement.entry.id)
        return self.graph.ingest([{"subject": name, "relation": SAME, "object": into}])

    def split(self, name: str) -> SplitReport:
        """Forget the statements that merged a name, and return them."""
        entries = tuple(statement.entry for statement in self._statements(name, is_same=True))
        if not entries:
            raise InvalidInput(
                f"{quoted(name)} was not merged",
                hint="`remem fact unmerge` separates entities; equal names cannot be separated",
            )
        for entry in entries:
            self.graph.entries.forget(entry.id)
        return SplitReport(entries)

    def keep_apart(self, name: str, other: str) -> IngestReport:
        """Record that two names are different things, so that they are not proposed again."""
        if self._require_known(name) == self._require_known(other):
            raise InvalidInput(
                f"{quoted(name)} and {quoted(other)} are the same",
                hint=f"`remem graph split {name!r}` separates merged names",
            )
        return self.graph.ingest([{"subject": name, "relation": DISTINCT, "object": other}])

    def proposals(self) -> list[SameName]:
        """Return the names in statements that may be the same thing, with the reason.

        Names that are merged, kept apart or entities are left out.
        """
        entries = sorted(self._entries(), key=lambda entry: entry.created_at, reverse=True)
        statements = list(same_statements(entries))
        names = NameIndex((), None, statements)
        entity_names = self._entity_names()
        candidates: dict[str, Entity] = {}
        for name in _names_in(entries):
            thing = names.thing(name)
            if len(candidates) < _MAX_COMPARED and fold(name) not in entity_names:
                candidates.setdefault(thing.id, Entity(thing.name, thing.name, kind=_THING))
        apart = {
            frozenset((fold(statement.name), fold(statement.other)))
            for statement in statements
            if not statement.is_same
        }
        return [
            pair
            for pair in proposals(candidates.values())
            if frozenset((fold(pair.entity), fold(pair.other))) not in apart
        ]

    def _entries(self) -> list[Entry]:
        with self.graph.entries.store.read() as snapshot:
            return snapshot.select(Where(state="live"))

    def _statements(self, name: str, *, is_same: bool) -> list[SamenessStatement]:
        """Return the statements that merged a name, or keep it apart.

        A name that others were merged into does not count as merged.
        """
        return [
            statement
            for statement in same_statements(self._entries())
            if statement.is_same == is_same
            and fold(name)
            in (
                (fold(statement.name),)
                if is_same
                else (fold(statement.name), fold(statement.other))
            )
        ]

    def _entity_names(self) -> set[str]:
        """Return the folded names and aliases of all entities."""
        known_facts = self.graph.known_facts() if self.graph.context.is_main else None
        entities = known_facts.entities.values() if known_facts else ()
        return {fold(name) for entity in entities for name in (entity.name, *entity.aliases)}

    def _require_known(self, name: str) -> str:
        """Return the folded name of the thing with this name; raise an error if there is none."""
        thing = self.graph.thing_named(fold(name))
        if thing is None:
            raise InvalidInput(
                f"nothing in the graph is called {quoted(name)}",
                hint="`remem graph` shows what there is",
            )
        return thing


def _names_in(entries: Iterable[Entry]) -> Iterable[str]:
    """Yield the names in the statements of some entries."""
    for entry in entries:
        if entry.trust != "untrusted" and "[[" in entry.content:
            for link in links_in(entry.content):
                yield from (name for name in (link.subject, link.target) if name)
