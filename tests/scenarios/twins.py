"""Two worlds that differ only in what one session may not know; it must not notice."""

from __future__ import annotations

import base64
import json
import re
import shutil
import unicodedata
from collections import Counter
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import RememError
from remem.files.domain_file.details import details_block
from remem.model.entry import CATEGORIES, PRIORITIES
from remem.setup.rooms import map_room
from tests.scenarios.twin_files import QUESTIONS, TEXTS, WORDS, FileRules, near
from tests.scenarios.twin_spaces import SpaceRules
from tests.scenarios.twin_tools import ToolRules
from tests.scenarios.twin_world import World, same

MAIN = "main"
ALPHA = "agent:main:telegram:group:-100"
BETA = "agent:main:telegram:group:-200"
PEER = "agent:main:telegram:direct:77"
KEYS = (MAIN, ALPHA, BETA, PEER)
NOBODY = ("agent:main:telegram:group:-9", "agent:main:cron:7", "agent:main:subagent:x", "what?")

FIRST_FLUSH = [{"kind": "fact", "text": "the first day"}]
"""Main may have been flushed before, or not: a group's flush must not show in either."""

STEPS: Counter[str] = Counter()
"""How many steps each session has gone."""

MEMORIES = st.fixed_dictionaries(
    {"category": st.sampled_from(CATEGORIES), "content": TEXTS},
    optional={
        "priority": st.sampled_from(PRIORITIES),
        "context": TEXTS,
        "tags": st.lists(st.sampled_from(["ops", "channel", "mara"]), max_size=2),
        "trust": st.sampled_from(["agent", "untrusted"]),
        "expires": st.sampled_from(["2026-11-16", "2030-01-01"]),
    },
)
WISHES = st.fixed_dictionaries(
    {},
    optional={
        "include_untrusted": st.booleans(),
        "include_archived": st.booleans(),
        "include_context": st.booleans(),
        "why": st.booleans(),
        "format": st.sampled_from(["brief", "detailed"]),
        "token_budget": st.sampled_from([100, 400, 3000]),
    },
)


def new_canary(number: int) -> str:
    """A word that nobody else would say."""
    digest = blake2b(str(number).encode(), digest_size=20).digest()
    return "".join(chr(ord("a") + byte % 26) for byte in digest)


def traces(canary: str) -> list[str]:
    """What would be left of a secret word, were it shown as it is, in part, or as base64."""
    pieces = [canary[at : at + 12] for at in range(len(canary) - 11)]
    coded = [base64.b64encode(b"x" * skip + canary.encode()).decode()[4:-4] for skip in range(3)]
    return [*pieces, *coded]


def betrayed(text: str, canary: str) -> bool:
    forms = (text, text.casefold(), unicodedata.normalize("NFKC", text))
    return any(trace in form for trace in traces(canary) for form in forms)


class Twins(ToolRules, FileRules, SpaceRules):
    """The low session does everything in both worlds, the others only in one of them."""

    def __init__(self, low: str) -> None:
        super().__init__()
        self.low = low
        self.worlds = (World(low), World(low))
        self.ids = ["mem-00000000"]
        self.canaries: list[str] = []
        self.unread: list[str] = []

    def both(self, act: Callable[[Workspace], Any]) -> str:
        one, other = (world.observe(act) for world in self.worlds)
        same(one, other)
        self.unread.append(one)
        for world in self.worlds:
            world.minutes += 5
        return one

    def canary(self) -> str:
        self.canaries.append(new_canary(len(self.canaries)))
        return self.canaries[-1]

    @initialize(read=st.booleans(), flushed=st.booleans())
    def a_conversation_begins(self, read: bool, flushed: bool) -> None:
        if read and self.low in KEYS:
            self.come_in()
        if flushed and self.low == MAIN:
            self.both(lambda ws: ws.flush(FIRST_FLUSH))

    @precondition(lambda self: self.low in KEYS)
    @rule()
    def come_in(self) -> None:
        for world in self.worlds:
            world.come_in(self.low)

    @rule(minutes=st.sampled_from([40, 24 * 60]))
    def time_passes(self, minutes: int) -> None:
        for world in self.worlds:
            world.minutes += minutes

    @rule(memory=MEMORIES)
    def store(self, memory: dict[str, Any]) -> None:
        self.ids += re.findall("mem-[0-9a-z]{8}", self.both(lambda ws: ws.store(**memory)))[:1]

    @rule(memory=MEMORIES, data=st.data())
    def supersede(self, memory: dict[str, Any], data: st.DataObject) -> None:
        old = data.draw(st.sampled_from(self.ids))
        self.both(lambda ws: ws.store(**memory, supersedes=[old]))

    @rule(query=QUESTIONS, wishes=WISHES)
    def recall(self, query: str, wishes: dict[str, Any]) -> None:
        self.both(lambda ws: ws.recall(query, **wishes))

    @rule(data=st.data())
    def look_at_one(self, data: st.DataObject) -> None:
        id_ = data.draw(st.sampled_from(self.ids))
        self.both(lambda ws: ws.recall(id_, include_untrusted=True))
        self.both(lambda ws: (ws.entry(id_), ws.history(id_)))

    @rule()
    def look_around(self) -> None:
        self.both(lambda ws: (ws.index(), ws.status(), ws.problems, ws.session))
        self.both(lambda ws: ws.start())
        self.both(lambda ws: list(ws.export()))

    @rule(verdict=st.sampled_from(["confirm", "dismiss"]), data=st.data())
    def review(self, verdict: str, data: st.DataObject) -> None:
        id_ = data.draw(st.sampled_from(self.ids))
        self.both(lambda ws: ws.review())
        self.both(lambda ws: getattr(ws, verdict)(id_))

    @rule(memory=MEMORIES)
    def import_lines(self, memory: dict[str, Any]) -> None:
        lines = [json.dumps(memory).encode()]
        self.both(lambda ws: ws.import_lines(lambda: lines))

    @precondition(lambda self: self.low in KEYS)
    @rule(text=TEXTS)
    def write_a_bullet(self, text: str) -> None:
        for world in self.worlds:
            append_bullet(world, self.low, text)
        self.both(lambda ws: ws.recall(text))

    @rule()
    def rebuild(self) -> None:
        self.both(
            lambda ws: (
                ws.maintenance.rebuild(),
                ws.maintenance.restore_from_files(),
                ws.maintenance.embed_pending(),
            )
        )

    @rule()
    def reopen(self) -> None:
        for world in self.worlds:
            world.hang_up(self.low)

    @rule(memory=MEMORIES, place=st.sampled_from(["content", "context", "tag"]), data=st.data())
    def others_store(self, memory: dict[str, Any], place: str, data: st.DataObject) -> None:
        secret = f"{memory['content']} {self.canary()}"
        changed = {"tags": [secret]} if place == "tag" else {place: secret}
        self._other(data, lambda ws: ws.store(**{**memory, **changed}))

    @rule(memory=MEMORIES, data=st.data())
    def others_store_the_same(self, memory: dict[str, Any], data: st.DataObject) -> None:
        """Word for word what the low session may store too: deduplication must not tell."""
        self._other(data, lambda ws: [ws.store(**memory), *ws.recall(memory["content"]).entries])

    @rule(memory=MEMORIES, data=st.data())
    def others_are_nearer(self, memory: dict[str, Any], data: st.DataObject) -> None:
        """What others say in the very words of a question must not crowd out one's own."""
        question = near(memory["content"])
        self.both(lambda ws: ws.store(**memory))
        self._other(data, lambda ws: ws.store(**{**memory, "content": question}))
        self._other(data, lambda ws: ws.recall(question))
        self.both(lambda ws: ws.recall(question, include_untrusted=True))

    @rule(two=st.lists(st.sampled_from(WORDS), min_size=2, max_size=2, unique=True), data=st.data())
    def others_make_a_word_common(self, two: list[str], data: st.DataObject) -> None:
        """How rare a word is among others must not decide which of one's own comes first."""
        for word in two:
            self.both(lambda ws, word=word: ws.store(category="fact", content=f"it is {word}"))
        for number in range(3):
            said = f"{two[0]} once more, number {number} {self.canary()}"
            self._other(data, lambda ws, said=said: ws.store(category="fact", content=said))
        self.both(lambda ws: ws.recall(" ".join(two), why=True))

    @rule(data=st.data())
    def others_tend(self, data: st.DataObject) -> None:
        acts = (
            lambda ws: ws.maintenance.rebuild(),
            lambda ws: list(ws.export()),
            lambda ws: (ws.status(), ws.index()),
            lambda ws: [ws.confirm(entry.id) for entry in ws.review()],
        )
        self._other(data, data.draw(st.sampled_from(acts)))

    @rule(text=TEXTS, data=st.data())
    def others_edit_their_files(self, text: str, data: st.DataObject) -> None:
        key = self._somebody_else(data)
        append_bullet(self.worlds[0], key, f"{text} {self.canary()}")
        self._acts(key, lambda ws: ws.recall(text))

    @rule(data=st.data())
    def others_hang_up(self, data: st.DataObject) -> None:
        self.worlds[0].hang_up(self._somebody_else(data))

    @rule()
    def a_room_is_named(self) -> None:
        canary, room = self.canary(), f"-{300 + len(self.canaries)}"
        name = f"room {room}" if self.low == MAIN else canary  # the owner may know the names
        map_room(self.worlds[0].layout, room, name)
        key = f"agent:main:telegram:group:{room}"
        self.worlds[0].session(key).store(category="fact", content=f"gateway {canary}")
        self.worlds[0].hang_up(key)

    @rule(key=st.sampled_from(NOBODY))
    def a_stranger_knocks(self, key: str) -> None:
        """They have a shared space, and nothing else."""
        with open_workspace(self.worlds[0].root, key) as stranger:
            try:
                stranger.recall("gateway")
            except RememError as error:
                self.unread.append(str(error))
            else:
                raise AssertionError(f"{key} was let in")

    @precondition(lambda self: self.low != MAIN)
    @rule(name=st.sampled_from(["MEMORY.md", "USER.md", "memory/2026-11-15.md"]))
    def the_owner_writes(self, name: str) -> None:
        (self.worlds[0].root / name).write_text(f"gateway {self.canary()}", encoding="utf-8")

    @invariant()
    def nothing_leaks(self) -> None:
        STEPS[self.low] += 1
        one, other = (world.own_files() for world in self.worlds)
        same(one, other)
        seen = "\n".join([*self.unread, *(data.decode(errors="replace") for data in one.values())])
        assert not any(betrayed(seen, canary) for canary in self.canaries)
        self.unread.clear()

    def teardown(self) -> None:
        try:
            kept = self.worlds[0].own_bytes()
            assert not any(canary.encode() in kept for canary in self.canaries)
        finally:
            for world in self.worlds:
                world.close()
                shutil.rmtree(world.root)

    def _somebody_else(self, data: st.DataObject) -> str:
        return data.draw(st.sampled_from([key for key in KEYS if key != self.low]))

    def _other(self, data: st.DataObject, act: Callable[[Workspace], Any]) -> None:
        self._acts(self._somebody_else(data), act)

    def _acts(self, key: str, act: Callable[[Workspace], Any]) -> None:
        world = self.worlds[0]
        workspace = world.come_in(key) if key in KEYS else world.session(key)
        try:
            act(workspace)
        except RememError as error:
            self.unread.append(type(error).__name__)


def append_bullet(world: World, key: str, text: str) -> None:
    """A person writes a new bullet into a domain file, above the end line if there is one."""
    path = world.layout.domain_path(world.session(key).scope, "facts")
    path.parent.mkdir(parents=True, exist_ok=True)
    empty = f"# Facts\n\n{details_block([], chr(10))}"
    old = path.read_text(encoding="utf-8") if path.exists() else empty
    path.write_text(old.replace("<!-- remem:", f"- {text}\n\n<!-- remem:"))
