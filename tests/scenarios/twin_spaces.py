"""The part of the twins that is about shared spaces: one that the low session may not use exists in
one world only, and everybody else is busy in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from remem.app.stores import postgres_address, space_list
from remem.app.workspace import Workspace
from remem.files.sessions import read_config, session_of
from remem.model.scope import level_in
from tests.scenarios.twin_files import QUESTIONS, TEXTS
from tests.scenarios.twin_tools import DARK, SPACES

GRANTEES = {
    "groups": "read",
    "group:alpha": "read",
    "group:beta": "read",
    "peers": "read",
    "peer:telegram:direct:77": "read",
    "subagents": "write",
    "agent:main": "propose",
    "agent:research": "write",
    "unknown": "read",
}
RESEARCH = "agent:research:subagent:1"


class SpaceRules(RuleBasedStateMachine):
    """What others do in a space, and how the low session looks for it."""

    low: str
    worlds: tuple[Any, ...]
    both: Callable[[Callable[[Workspace], Any]], str]
    canary: Callable[[], str]
    _acts: Callable[[str, Callable[[Workspace], Any]], None]

    @precondition(lambda self: self.low != "main")  # main uses every space
    @rule(text=TEXTS, grantee=st.sampled_from(sorted(GRANTEES)))
    def others_use_a_space(self, text: str, grantee: str) -> None:
        """The owner creates a space, grants it to others, and everybody stores and reads there."""
        said = f"{text} {self.canary()}"

        def act(owner: Workspace) -> None:
            owner.spaces.create(DARK)
            owner.spaces.grant(DARK, grantee, GRANTEES[grantee])
            if self._reaches(self.low):
                owner.spaces.revoke(DARK, grantee)
            id_ = owner.store(category="fact", content=said).id
            owner.spaces.share(id_, DARK)
            owner.spaces.store(DARK, category="decision", content=f"{text} {self.canary()}")
            owner.spaces.recall(text)

        self._acts("main", act)
        if self._reaches(RESEARCH):
            more = {"category": "fact", "content": f"{text} {self.canary()}"}
            self._acts(RESEARCH, lambda ws: ws.spaces.store(DARK, **more))
            self._acts("main", lambda ws: ws.spaces.proposals())

    @precondition(lambda self: self.low != "main")
    @rule()
    def others_leave_a_space(self) -> None:
        self._acts("main", lambda ws: [ws.spaces.unshare(e.id, DARK) for e in _dark(ws)])

    @precondition(lambda self: self.low != "main")
    @rule(text=TEXTS)
    def a_space_of_everybody_is_deleted_again(self, text: str) -> None:
        """What is deleted was never there, even for those who could have read it."""
        said = f"{text} {self.canary()}"

        def act(owner: Workspace) -> None:
            owner.spaces.create(DARK)
            for grantee, level in GRANTEES.items():
                owner.spaces.grant(DARK, grantee, level)
            owner.spaces.store(DARK, category="fact", content=said)

        self._acts("main", act)
        self._acts(RESEARCH, lambda ws: ws.spaces.recall(text))
        self._acts("main", lambda ws: ws.spaces.delete(DARK))
        assert not self._reaches(self.low)
        assert not self.worlds[0].keeps(said)

    @rule(query=QUESTIONS, spaces=st.none() | st.lists(SPACES, max_size=3))
    def look_into_spaces(self, query: str, spaces: list[str] | None) -> None:
        self.both(lambda ws: ws.spaces.recall(query, spaces=spaces, why=True))
        self.both(lambda ws: ws.spaces.summaries())

    @rule(text=TEXTS, space=SPACES)
    def store_in_a_space(self, text: str, space: str) -> None:
        self.both(lambda ws: ws.spaces.store(space, category="fact", content=text))
        self.both(lambda ws: ws.spaces.proposals(spaces=[space]))
        self.both(lambda ws: ws.spaces.log(space))

    def _reaches(self, key: str) -> bool:
        """Whether a session may use the dark space now."""
        layout = self.worlds[0].layout
        list_ = space_list(layout, postgres_address(layout))
        session = session_of(layout, read_config(layout), key)
        return level_in(session, DARK, list_.read().grants) is not None


def _dark(workspace: Workspace) -> list[Any]:
    """The memories that the owner has put into the dark space."""
    found = workspace.spaces.recall("gateway atlas", spaces=[DARK], limit=2).entries
    return [entry for entry in found if entry.id.startswith("mem-")]
