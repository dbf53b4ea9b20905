"""Agents that share one memory in an event loop."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
from pathlib import Path

import pytest

import remem.aio
from remem.aio import AsyncFacts, AsyncWorkspace, open_workspace
from remem.app.facades.facts import FactsFacade
from remem.app.workspace import Workspace
from remem.errors import ConfigError, InvalidInput, StoreClosed

QUIET = {"keywords_only": True, "background": False}


async def agent(memory: AsyncWorkspace, name: str, memories: int) -> int:
    """Store and recall in turns; returns how many of its own memories it found."""
    found = 0
    for number in range(memories):
        content = f"{name} saw heron number {number}."
        stored = await memory.store(category="fact", content=content, tags=[name])
        answer = await memory.recall(content, tags=[name])
        found += stored.id in {entry.id for entry in answer.entries}
    return found


def test_many_agents_store_and_recall_at_the_same_time(root: Path) -> None:
    async def story() -> None:
        async with open_workspace(root, **QUIET) as memory:
            names = [f"agent{number}" for number in range(10)]
            found = await asyncio.gather(*(agent(memory, name, 5) for name in names))
            assert found == [5] * 10
            lines = await memory.run(lambda workspace: list(workspace.export()))
            assert len(lines) == 50

    asyncio.run(story())


def test_the_event_loop_goes_on_while_the_memory_works(root: Path) -> None:
    async def story() -> None:
        async with open_workspace(root, **QUIET) as memory:
            go_on = threading.Event()
            work = asyncio.create_task(memory.run(lambda _: go_on.wait()))
            for _ in range(10):
                await asyncio.sleep(0.01)
            assert not work.done()
            go_on.set()
            await work

    asyncio.run(story())


def test_a_cancelled_call_is_finished_and_the_memory_can_be_used(root: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def slowly(workspace: Workspace) -> None:
        begun.set()
        go_on.wait()
        workspace.store(category="fact", content="The gate is red.")

    async def story() -> None:
        async with open_workspace(root, **QUIET) as memory:
            call = asyncio.create_task(memory.run(slowly))
            await asyncio.to_thread(begun.wait)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            go_on.set()
            await memory.store(category="fact", content="The door is blue.")

    asyncio.run(story())
    with remem.open_workspace(root, **QUIET) as memory:
        stored = [json.loads(line)["entry"]["content"] for line in memory.export()]
        assert sorted(stored) == ["The door is blue.", "The gate is red."]


def test_closing_waits_for_calls_and_refuses_new_ones(root: Path) -> None:
    async def story() -> None:
        memory = await open_workspace(root, **QUIET)
        calls = [
            asyncio.create_task(memory.store(category="fact", content=f"Heron {number}."))
            for number in range(20)
        ]
        await asyncio.sleep(0)
        await memory.aclose()
        assert all(await asyncio.gather(*calls))
        await memory.aclose()
        with pytest.raises(StoreClosed):
            await memory.recall("heron")

    asyncio.run(story())
    with remem.open_workspace(root, **QUIET) as memory:
        assert len(list(memory.export())) == 20


def test_closing_goes_on_when_its_task_is_cancelled(root: Path) -> None:
    async def story() -> None:
        memory = await open_workspace(root, **QUIET)
        closing = asyncio.create_task(memory.aclose())
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
        await memory.aclose()

    asyncio.run(story())


def test_a_task_that_is_cancelled_while_opening_leaves_nothing_open(root: Path) -> None:
    async def story() -> None:
        opening = asyncio.ensure_future(_opened(root))
        await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening

    asyncio.run(story())
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("remem")]


async def _opened(root: Path) -> AsyncWorkspace:
    return await open_workspace(root, **QUIET)


def test_errors_are_raised_as_by_the_library(root: Path) -> None:
    async def story() -> None:
        async with open_workspace(root, **QUIET) as memory:
            with pytest.raises(InvalidInput, match="category 'rumour'"):
                await memory.store(category="rumour", content="x")  # type: ignore[arg-type]
        with pytest.raises(ConfigError, match="is not a remem workspace"):
            await open_workspace(root.with_name("mistyped"), create=False)

    asyncio.run(story())


def test_the_methods_are_those_of_the_workspace_and_documented() -> None:
    named = set()
    for async_one, blocking in ((AsyncWorkspace, Workspace), (AsyncFacts, FactsFacade)):
        for name, method in inspect.getmembers(async_one, inspect.iscoroutinefunction):
            if name[0] != "_" and name not in ("run", "aclose"):
                named.add(name)
                assert inspect.getdoc(method) == inspect.getdoc(getattr(blocking, name))

    assert {"store", "recall", "search", "get", "flush", "forget", "start", "record"} <= named
    assert {"entries", "recent", "edit", "erase", "review", "confirm", "dismiss"} <= named
