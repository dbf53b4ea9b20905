"""The facts about people, projects and things: `workspace.facts`, in main only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from remem.app.composition import Services
    from remem.app.services.facts import FactFields
    from remem.learn.facts.answers import FactAnswer


class FactsFacade:
    """Facts about entities. A fact that is no longer true is superseded, never deleted."""

    def __init__(self, services: Services) -> None:
        self._services = services

    def record(
        self, entity: str, fact: str, *, keep_secrets: bool = False, **fields: Unpack[FactFields]
    ) -> FactAnswer:
        """Record a fact about an entity, which is created if it is new.

        Args:
            entity: A name or id of a person, project or thing.
            fact: One self-contained statement; the same statement is recorded once.
            category: What the fact is about, such as `status` or `preference`.
            timestamp: ISO date since when it is true; today by default.
            source: How it is known; `conversation` by default.
            origin: Where it was said, as `path#L4-L5`; this conversation by default.
            kind: What the entity is, such as `person`.
            trust: `untrusted` makes it wait for review.
            keep_secrets: Do not mask secrets; only for the owner.

        Returns:
            The fact, and facts that contradict it, which stay until one is superseded.
        """
        return self._services.facts.record(entity, fact, fields, keep_secrets=keep_secrets)

    def supersede(
        self,
        id_: str,
        fact: str,
        *,
        entity: str | None = None,
        keep_secrets: bool = False,
        **fields: Unpack[FactFields],
    ) -> FactAnswer:
        """Replace a fact with another; the old one is kept, marked as superseded.

        Args:
            id_: The id of the old fact.
            fact: The new statement.
            entity: The entity of the fact, if several facts have this id.
            keep_secrets: Do not mask secrets; only for the owner.
            fields: As for `record`.
        """
        return self._services.facts.supersede(id_, fact, entity, fields, keep_secrets=keep_secrets)

    def active(
        self,
        entity: str | None = None,
        *,
        as_of: str | None = None,
        id_: str | None = None,
        limit: int | None = None,
    ) -> FactAnswer:
        """Return the active facts, of one entity or of all.

        Args:
            entity: A name or id.
            as_of: ISO date; list the facts that were active at the end of that day.
            id_: Only the fact with this id.
            limit: The maximum number of facts.
        """
        from remem.learn.facts.answers import list_facts

        return list_facts(self._services.facts.known(), entity, as_of, limit, id_)

    def history(
        self, entity: str | None = None, *, id_: str | None = None, limit: int | None = None
    ) -> FactAnswer:
        """Return all facts about an entity, including superseded ones.

        With `id_`, return that fact with its predecessors and successors.
        """
        from remem.learn.facts.answers import list_history

        return list_history(self._services.facts.known(), entity, id_, limit)

    def contradictions(self) -> FactAnswer:
        """Return the active facts that contradict another fact of the same entity."""
        from remem.learn.facts.answers import list_contradictions

        return list_contradictions(self._services.facts.known())

    def entities(self) -> FactAnswer:
        """Return all entities that have facts."""
        from remem.learn.facts.answers import list_entities

        return list_entities(self._services.facts.known())

    def add_aliases(self, entity: str, aliases: Sequence[str]) -> FactAnswer:
        """Add other names to an entity."""
        return self._services.facts.add_aliases(entity, aliases)

    def merge(self, entity: str, into: str) -> FactAnswer:
        """Treat two entities as one; their facts remain in their files."""
        return self._services.facts.merge(entity, into)

    def unmerge(self, entity: str) -> FactAnswer:
        """Undo `merge`."""
        return self._services.facts.unmerge(entity)

    def keep_apart(self, entity: str, into: str) -> FactAnswer:
        """Record that two entities are not the same, so that merging them is not proposed."""
        return self._services.facts.keep_apart(entity, into)
