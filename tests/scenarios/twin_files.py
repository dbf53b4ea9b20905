"""What a session does with files, and what the others do to theirs, in the twin worlds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from remem.app.workspace import Workspace
from remem.model.scope import folder_name
from tests.scenarios.twin_world import same

MAIN = "main"
WORDS = "alpha beta gateway atlas coffee tea deploy friday mara pip the our 数据 数据中心".split()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


def near(text: str) -> str:
    """A question that shares no word with a text, and yet only a vector can tell it from it."""
    return " ".join(f"{word}{word}" for word in text.split())


QUESTIONS = TEXTS | TEXTS.map(near)
OWN = {
    MAIN: ["MEMORY.md", "USER.md", "memory/2026-11-15.md", "memory/main/attention.md"],
    "agent:main:telegram:group:-100": [
        "memory/groups/alpha.md",
        "memory/groups/alpha/attention.md",
        "memory/groups/alpha/conventions/tone.md",
    ],
    "agent:main:telegram:group:-200": [
        "memory/groups/beta.md",
        "memory/groups/beta/project.md",
    ],
    "agent:main:telegram:direct:77": [f"memory/peers/{folder_name('telegram:direct:77')}/notes.md"],
}
"""Every session's own files by its key."""

ODD = [
    "brain/areas/mara/summary.md",
    "memory/groups/alpha/../../../MEMORY.md",
    "memory/domains/facts.md",
    "memory/INDEX.md",
    "memory/groups/gamma.md",
    "AGENTS.md",
]
SEARCHES = st.fixed_dictionaries(
    {},
    optional={
        "max_results": st.sampled_from([1, 3, 20]),
        "min_score": st.sampled_from([0.0, 0.5, 0.9]),
        "corpus": st.sampled_from(["memory", "all", "sessions"]),
    },
)


class FileRules(RuleBasedStateMachine):
    """The part of the twins that is about files."""

    low: str
    worlds: tuple[Any, ...]
    both: Callable[[Callable[[Workspace], Any]], str]
    canary: Callable[[], str]

    @rule(query=TEXTS, wish=SEARCHES, enters=st.booleans())
    def search(self, query: str, wish: dict[str, Any], enters: bool) -> None:
        if enters:  # a room is entered through its gate, or not at all
            self.both(lambda ws: ws.services.files.get_for_host(OWN.get(self.low, OWN[MAIN])[0]))
        self.both(lambda ws: ws.services.files.search_for_host(query, **wish))

    @rule(path=st.sampled_from([*(word for own in OWN.values() for word in own), *ODD]))
    def get(self, path: str) -> None:
        self.both(lambda ws: ws.services.files.get_for_host(path))
        self.both(
            lambda ws: ws.services.files.get_for_host(path, from_line=2, lines=1, corpus="all")
        )
        one, other = (
            world.observe(
                lambda ws, whole=str(world.root / path): ws.services.files.get_for_host(whole)
            )
            for world in self.worlds
        )
        same(one, other)

    @precondition(lambda self: self.low in OWN)
    @rule(text=TEXTS, lines=st.integers(1, 4), data=st.data())
    def write_a_file(self, text: str, lines: int, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(OWN[self.low]))
        for world in self.worlds:
            write(world, name, f"- {text}\n" * lines)
        self.both(
            lambda ws: (
                ws.services.files.search_for_host(text),
                ws.recall(text),
                ws.services.files.get_for_host(name),
            )
        )

    @precondition(lambda self: self.low in OWN)
    @rule(text=TEXTS, data=st.data())
    def write_a_gate(self, text: str, data: st.DataObject) -> None:
        """One that leads to its own files, and to those of others."""
        own = "memory/main/index.md" if self.low == MAIN else OWN[self.low][0]
        names = data.draw(st.lists(st.sampled_from([*everybodys(), *ODD]), max_size=4))
        for world in self.worlds:
            write(world, own, "".join(f"- {text} {name} → {name}\n" for name in names))
        self.both(lambda ws: ws.open(text))

    @rule()
    def refresh(self) -> None:
        self.both(lambda ws: ws.refresh(with_vectors=True))

    @rule(text=TEXTS, data=st.data())
    def others_write_files(self, text: str, data: st.DataObject) -> None:
        foreign = [word for key, own in OWN.items() if key != self.low for word in own]
        name = data.draw(st.sampled_from(foreign))
        write(self.worlds[0], name, f"- {text} {self.canary()}\n- {text}\n")
        self.both(lambda ws: ws.services.files.get_for_host(name))

    @rule(text=TEXTS, data=st.data())
    def others_search_their_files(self, text: str, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from([key for key in OWN if key != self.low]))
        write(self.worlds[0], OWN[key][0], f"- {text} {self.canary()}\n")
        other = self.worlds[0].come_in(key)
        other.services.files.search_for_host(text)
        other.services.files.get_for_host(OWN[key][0])


def everybodys() -> list[str]:
    return [word for own in OWN.values() for word in own]


def write(world: Any, name: str, text: str) -> None:
    path = world.root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
