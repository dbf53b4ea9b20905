"""Which ability does an action of the tool call, and with what?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from remem.errors import InvalidInput, shown

if TYPE_CHECKING:
    from remem.maintenance.knowledge.result import FactAnswer

SAID: Final = ("category", "timestamp", "source", "origin", "kind", "trust")
_TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "record": ("entity", "fact", *SAID),
    "supersede": ("id", "entity", "fact", *SAID),
    "list": ("entity", "as_of", "id", "limit"),
    "history": ("entity", "id", "limit"),
    "entities": (),
    "alias": ("entity", "aliases"),
    "merge": ("entity", "into"),
    "unmerge": ("entity",),
    "proposals": (),
}
_NEEDS: Final[Mapping[str, tuple[str, ...]]] = {
    "record": ("entity", "fact"),
    "supersede": ("id", "fact"),
    "alias": ("entity", "aliases"),
    "merge": ("entity", "into"),
    "unmerge": ("entity",),
}


class _Knows(Protocol):
    """A workspace, which stands above this."""

    def record_fact(self, entity: str, fact: str, **said: Any) -> FactAnswer: ...
    def supersede_fact(self, id_: str, fact: str, **said: Any) -> FactAnswer: ...
    def facts(
        self,
        entity: str | None = None,
        *,
        as_of: str | None = None,
        id_: str | None = None,
        limit: int | None = None,
    ) -> FactAnswer: ...
    def fact_history(
        self, entity: str | None = None, *, id_: str | None = None, limit: int | None = None
    ) -> FactAnswer: ...
    def entities(self) -> FactAnswer: ...
    def entity_proposals(self) -> FactAnswer: ...
    def alias_entity(self, entity: str, aliases: Any) -> FactAnswer: ...
    def merge_entities(self, entity: str, into: str) -> FactAnswer: ...
    def unmerge_entity(self, entity: str) -> FactAnswer: ...


def act(workspace: _Knows, action: str, said: Mapping[str, Any]) -> FactAnswer:
    """What the action answers; a value that it does not take is a mistake worth hearing of."""
    given = {name: value for name, value in said.items() if value is not None}
    _check(action, given)
    id_ = given.pop("id", None)
    match action:
        case "record":
            return workspace.record_fact(**given)
        case "supersede":
            return workspace.supersede_fact(id_, given.pop("fact"), **given)
        case "list":
            return workspace.facts(id_=id_, **given)
        case "history":
            return workspace.fact_history(id_=id_, **given)
        case "entities":
            return workspace.entities()
        case "alias":
            return workspace.alias_entity(**given)
        case "merge":
            return workspace.merge_entities(**given)
        case "unmerge":
            return workspace.unmerge_entity(**given)
        case _:
            return workspace.entity_proposals()


def _check(action: str, given: Mapping[str, Any]) -> None:
    for name in given:
        if name not in _TAKES[action]:
            takes = ", ".join(_TAKES[action]) or "nothing"
            raise InvalidInput(f"{action} does not take {shown(name)}", hint=f"it takes: {takes}")
    for name in _NEEDS.get(action, ()):
        if name not in given:
            raise InvalidInput(f"{action} needs {name}", hint=f"give {name} with the action")
