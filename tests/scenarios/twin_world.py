"""One of two worlds: a workspace in which everybody talks at the same times, and every caller
gets the same random numbers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from remem.app.opening import open_workspace
from remem.app.stores import postgres_address, space_list
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.entries.spaces.listing import create_space, grant_space
from remem.errors import NotAllowed, RememError
from remem.files.layout import Layout
from remem.model.scope import Scope
from remem.text.timestamps import format_time
from tests.deterministic import Deterministic
from tests.quick import quick_folder

ROOMS = {"-100": "alpha", "-200": "beta"}
OPEN = "open"
"""A shared space of every session. Others use it in neither world, because they would be seen."""
OPEN_TO = {"groups": "read", "peers": "read", "subagents": "propose", "unknown": "read"}
_UNUSED_NAME = re.compile(r"(?<=\.)[0-9a-f]{16}\b")
_TIME_TAKEN = re.compile(r"""(_ms=|Ms\\*": ?)\d+""")


class World:
    """A workspace, and what one session of it, the low one, gets to see."""

    def __init__(self, low: str) -> None:
        self.root = quick_folder()
        self.layout = Layout(self.root)
        self.minutes = 0
        self._low = low
        self._draws: dict[str, Random] = {}
        self._open: dict[str, Workspace] = {}
        rooms = self.root / "memory/group_names.json"
        rooms.parent.mkdir()
        rooms.write_text(json.dumps(ROOMS), encoding="utf-8")
        self.layout.key_file.parent.mkdir()
        self.layout.key_file.write_text("07" * 32)  # random, and so different, elsewhere
        list_ = space_list(self.layout, postgres_address(self.layout))
        create_space(list_, OPEN, self.now())
        for grantee, level in OPEN_TO.items():
            grant_space(list_, OPEN, grantee, level)

    def now(self) -> str:
        return format_time(datetime(2026, 11, 15, tzinfo=UTC) + timedelta(minutes=self.minutes))

    def session(self, key: str) -> Workspace:
        if key not in self._open:
            draws = self._draws.setdefault(key, Random(f"seed of {key}"))
            self._open[key] = open_workspace(
                self.root,
                key,
                background=False,
                clock=self.now,
                embedder=Deterministic(),
                counter=EstimatedCounter(),
                random_bytes=draws.randbytes,
            )
        return self._open[key]

    def observe(self, act: Callable[[Workspace], Any]) -> str:
        """Every byte that the low session gets to see of an act."""
        try:
            workspace = self.session(self._low)
            seen = repr(act(workspace))
        except RememError as error:
            return self.masked(f"{type(error).__name__}: {error}")
        with suppress(NotAllowed):  # behind what recall writes when nobody waits
            workspace.services.store.write(lambda _: None)
        return self.masked(seen)

    def masked(self, seen: str) -> str:
        """Without what differs between any two folders and any two moments."""
        timeless = _TIME_TAKEN.sub(r"\1…", seen.replace(str(self.root), "ROOT"))
        return _UNUSED_NAME.sub("…", timeless)

    def come_in(self, key: str) -> Workspace:
        """A session whose conversation has read its gate, where it has one."""
        workspace = self.session(key)
        if gate := self.layout.gate(workspace.scope):
            workspace.services.files.get_for_host(gate.relative_to(self.root).as_posix())
        return workspace

    def own_files(self) -> dict[str, bytes]:
        """Every file that the low session may read, by its path."""
        found = [file for place in self._own_places() for file in files_in(place)]
        seen = {path.relative_to(self.root).as_posix(): path.read_bytes() for path in found}
        return _without_the_groups_time(seen)

    def own_bytes(self) -> bytes:
        """Everything that the low session has on the disk; nobody may have it open now."""
        places = self._own_places()
        places.append(self.layout.state_folder(Scope("shared", OPEN)))
        with suppress(NotAllowed):
            places.append(self.layout.state_folder(self.session(self._low).scope))
        self.close()
        return b"\n".join(file.read_bytes() for place in places for file in files_in(place))

    def keeps(self, text: str) -> bool:
        """Whether any file of the workspace has a text, whoever it belongs to."""
        return any(text.encode() in file.read_bytes() for file in files_in(self.root))

    def hang_up(self, key: str) -> None:
        if workspace := self._open.pop(key, None):
            workspace.close()

    def close(self) -> None:
        for key in list(self._open):
            self.hang_up(key)

    def _own_places(self) -> list[Path]:
        space = self.layout.memory / "shared" / OPEN
        try:
            scope = self.session(self._low).scope
        except NotAllowed:
            return [space]
        if scope.kind == "main":
            others = {"groups", "peers", "group_names.json"}
            inside = [path for path in self.layout.memory.iterdir() if path.name not in others]
            return [*self.root.glob("*.md"), *inside]
        gate = self.layout.gate(scope)
        return [self.layout.domains(scope).parent, space, *([gate] if gate else [])]


def same(one: object, other: object) -> None:
    """An AssertionError that shows where two observations part."""
    if one == other:
        return
    texts = [answer if isinstance(answer, str) else repr(answer) for answer in (one, other)]
    at = next((i for i, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
    near = [text[max(0, at - 120) : at + 120] for text in texts]
    raise AssertionError(f"one world shows {near[0]!r}, the other {near[1]!r}")


def files_in(place: Path) -> list[Path]:
    """A file, or all that lie in a folder; in order."""
    found = [place] if place.is_file() else place.rglob("*")
    return sorted(path for path in found if path.is_file())


def _without_the_groups_time(seen: dict[str, bytes]) -> dict[str, bytes]:
    """The one thing that main may know of groups: when one of them was last flushed."""
    name = "memory/flush-state.json"
    if name not in seen:
        return seen
    state = json.loads(seen[name])
    state.pop("groups", None)
    empty = state == {"main_session": {"last_flush_time": None}, "pending_items": []}
    rest = {path: data for path, data in seen.items() if path != name}
    return rest if empty else {**rest, name: json.dumps(state).encode()}
