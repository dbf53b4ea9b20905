"""The library for asyncio: every call runs in a thread, so that it never blocks the event loop.

    import remem.aio

    async with remem.aio.open_workspace("~/agent") as memory:
        await memory.store(category="preference", content="David drinks coffee black.")
        answer = await memory.recall("How does David like his coffee?")

Many tasks can share one workspace. A call that has begun is finished even if its task is cancelled,
so that a memory is either stored or not.
"""

from __future__ import annotations

import asyncio
import contextvars
import os
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial, update_wrapper
from typing import Any, Concatenate, Final, ParamSpec, Protocol, Self, TypeVar

from remem.app.facades.facts import FactsFacade
from remem.app.opening import open_workspace as open_blocking
from remem.app.workspace import Workspace
from remem.errors import StoreClosed
from remem.model.scope import Scope, Session

__all__ = ["AsyncWorkspace", "open_workspace"]

_MAX_THREADS: Final = 8
P = ParamSpec("P")
T = TypeVar("T")
Target = TypeVar("Target")
Target_co = TypeVar("Target_co", covariant=True)


class _Runner(Protocol[Target_co]):
    async def run(self, operation: Callable[[Target_co], T], /) -> T: ...


def _threaded(
    method: Callable[Concatenate[Target, P], T],
) -> Callable[Concatenate[_Runner[Target], P], Coroutine[Any, Any, T]]:
    """Return a coroutine function that runs a method of a workspace or facade in a thread."""

    async def call(self: _Runner[Target], /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await self.run(lambda target: method(target, *args, **kwargs))

    return update_wrapper(call, method)


class AsyncFacts:
    """The methods of `Workspace.facts` as coroutines."""

    def __init__(self, memory: AsyncWorkspace) -> None:
        self._memory = memory

    record = _threaded(FactsFacade.record)
    supersede = _threaded(FactsFacade.supersede)
    active = _threaded(FactsFacade.active)
    history = _threaded(FactsFacade.history)

    async def run(self, operation: Callable[[FactsFacade], T]) -> T:
        """Call a function with the facts of the workspace, in a thread."""
        return await self._memory.run(lambda memory: operation(memory.facts))


class AsyncWorkspace:
    """A memory whose methods are coroutines; close it, or use an `async with` block.

    The methods take the same arguments, return the same results and raise the same errors as the
    methods of `Workspace`. What has no method here can be done with `run`.
    """

    def __init__(self, memory: Workspace) -> None:
        self._memory = memory
        self._threads = ThreadPoolExecutor(_MAX_THREADS, "remem")
        self._closing: Future[None] | None = None

    @property
    def session(self) -> Session:
        """The session that the workspace was opened for."""
        return self._memory.session

    @property
    def scope(self) -> Scope:
        """The part of the workspace that the session reads and writes."""
        return self._memory.scope

    @property
    def facts(self) -> AsyncFacts:
        """Facts about people, projects and things, in main."""
        return AsyncFacts(self)

    store = _threaded(Workspace.store)
    store_many = _threaded(Workspace.store_many)
    recall = _threaded(Workspace.recall)
    search = _threaded(Workspace.search)
    get = _threaded(Workspace.get)
    entry = _threaded(Workspace.entry)
    entries = _threaded(Workspace.entries)
    recent = _threaded(Workspace.recent)
    history = _threaded(Workspace.history)
    edit = _threaded(Workspace.edit)
    forget = _threaded(Workspace.forget)
    reinforce = _threaded(Workspace.reinforce)
    erase = _threaded(Workspace.erase)
    review = _threaded(Workspace.review)
    confirm = _threaded(Workspace.confirm)
    dismiss = _threaded(Workspace.dismiss)
    index = _threaded(Workspace.index)
    start = _threaded(Workspace.start)
    open = _threaded(Workspace.open)
    flush = _threaded(Workspace.flush)
    flush_transcript = _threaded(Workspace.flush_transcript)
    note = _threaded(Workspace.note)
    refresh = _threaded(Workspace.refresh)
    sync = _threaded(Workspace.sync)
    status = _threaded(Workspace.status)
    audit = _threaded(Workspace.audit)

    async def run(self, operation: Callable[[Workspace], T]) -> T:
        """Call a function with the workspace, in a thread: `await memory.run(Workspace.status)`.

        Iterators must be consumed in the function: `run(lambda memory: list(memory.export()))`.
        """
        if self._closing is not None:
            raise StoreClosed("the workspace is closed")
        context = contextvars.copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(
            self._threads, partial(context.run, operation, self._memory)
        )

    async def aclose(self) -> None:
        """Finish the calls that have begun, then close the databases.

        Closing goes on even if the task that waits for it is cancelled.
        """
        if self._closing is None:
            closer = ThreadPoolExecutor(1, "remem-close")
            self._closing = closer.submit(self._finish)
            closer.shutdown(wait=False)
        await asyncio.shield(asyncio.wrap_future(self._closing))

    def _finish(self) -> None:
        self._threads.shutdown(wait=True)
        self._memory.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()


class _Opening:
    """A workspace that is about to be opened: by `await`, or by `async with`."""

    def __init__(self, open_: Callable[[], Workspace]) -> None:
        self._open = open_
        self._memory: AsyncWorkspace | None = None

    def __await__(self) -> Generator[Any, None, AsyncWorkspace]:
        return self._open_in_thread().__await__()

    async def __aenter__(self) -> AsyncWorkspace:
        self._memory = await self._open_in_thread()
        return self._memory

    async def __aexit__(self, *_: object) -> None:
        assert self._memory is not None, "it was entered"
        await self._memory.aclose()

    async def _open_in_thread(self) -> AsyncWorkspace:
        opening = asyncio.get_running_loop().run_in_executor(None, self._open)
        try:
            return AsyncWorkspace(await asyncio.shield(opening))
        except asyncio.CancelledError:
            opening.add_done_callback(_close_unused)
            raise


def _close_unused(opening: asyncio.Future[Workspace]) -> None:
    """Close a workspace that was opened for a task that has been cancelled since."""
    if not opening.cancelled() and opening.exception() is None:
        opening.get_loop().run_in_executor(None, opening.result().close)


def open_workspace(
    path: str | os.PathLike[str] | None = None, session: str | Session = "main", **options: Any
) -> _Opening:
    """Open the memory of one session; it has the same arguments as `remem.open_workspace`.

    Use it with `async with`, or await it and call `aclose` at the end.
    """
    return _Opening(partial(open_blocking, path, session, **options))
