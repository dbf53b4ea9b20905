"""A session's memory is opened once, by the first call that needs it."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from remem.app.workspace import Workspace
from remem.errors import NotAllowed, StoreClosed
from remem.mcp.sessions import SessionHandle
from tests.conftest import Opener


def test_twenty_callers_open_it_once(memory: Workspace) -> None:
    opened: list[Workspace] = []

    def open_() -> Workspace:
        opened.append(memory)
        return memory

    door = SessionHandle(open_)
    with ThreadPoolExecutor(20) as pool:
        found = list(pool.map(lambda _: door.workspace(), range(20)))

    assert found == [memory] * 20
    assert len(opened) == 1


def test_a_refused_session_may_be_let_in_later(memory: Workspace) -> None:
    refusals = [NotAllowed("this room has no name")]

    def open_() -> Workspace:
        if refusals:
            raise refusals.pop()
        return memory

    door = SessionHandle(open_)

    with pytest.raises(NotAllowed):
        door.workspace()
    assert door.workspace() is memory


def test_a_session_that_has_got_a_memory_is_opened_again(opened: Opener) -> None:
    without, memory = opened("agent:main:cron:7", spaces_only=True), opened()
    named: list[str] = []
    door = SessionHandle(
        lambda: memory if named else without,
        lambda workspace: workspace is without and bool(named),
    )

    assert door.workspace() is door.workspace() is without
    named.append("the room has a name now")
    assert door.workspace() is door.workspace() is memory


def test_nothing_opens_after_it_was_closed(memory: Workspace) -> None:
    door = SessionHandle(lambda: memory)
    door.workspace()

    door.close()

    with pytest.raises(StoreClosed):
        door.workspace()
    with pytest.raises(StoreClosed):
        memory.store(category="fact", content="too late")
