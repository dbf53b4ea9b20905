"""How is all due work done? Scope by scope, in order, each finished piece written down at once:
whoever is killed goes on where he was."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from remem.clinic.maintain.work import WORKS, Work
from remem.core.scope import MAIN, Session
from remem.errors import InvalidInput, RememError, shown
from remem.notes.layout import Layout
from remem.notes.locks import alone_within
from remem.notes.work_log import WorkLog
from remem.ports import Clock
from remem.wiring import open_workspace, owner_sessions, system_clock
from remem.workspace import Workspace

State = Literal["done", "due", "not due", "failed"]
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Step:
    """One work in one scope, and what came of it; `last` is when it was done before."""

    scope: str
    work: str
    often: str
    state: State
    what: str = ""
    last: str | None = None


@dataclass(frozen=True, slots=True)
class Maintained:
    """`busy` says that another run is under way: then nothing was done here."""

    at: str
    steps: tuple[Step, ...]
    busy: bool = False

    @property
    def well(self) -> bool:
        return all(each.state != "failed" for each in self.steps)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be done: only some works, or all of them although they are not due."""

    only: Sequence[str] = ()
    all: bool = False
    dry_run: bool = False

    def wants(self, work: Work, last: str | None, now: str) -> bool:
        if self.only and work.name not in self.only:
            return False
        return self.all or bool(self.only) or work.due(last, now)


def maintain(
    layout: Layout,
    wish: Wish | None = None,
    *,
    works: Sequence[Work] = WORKS,
    clock: Clock = system_clock,
    tell: Tell = lambda _: None,
) -> Maintained:
    """Do what is due. A work that fails is told of, stays due, and stops no other."""
    wish = wish or Wish()
    for name in wish.only:
        if name not in {each.name for each in works}:
            raise InvalidInput(
                f"no work has the name {shown(name)}",
                hint=f"the works are: {', '.join(each.name for each in works)}",
            )
    log = WorkLog(layout)
    with alone_within(log.lock, 0.0) as free:
        if not free:
            return Maintained(clock(), (), busy=True)
        sessions, _ = owner_sessions(layout)
        steps = [
            step
            for session in sessions
            for step in _Round(layout, session, wish, works, log, clock, tell).steps()
        ]
    return Maintained(clock(), tuple(steps))


@dataclass(frozen=True, slots=True)
class _Round:
    """One scope's turn."""

    layout: Layout
    session: Session
    wish: Wish
    works: Sequence[Work]
    log: WorkLog
    clock: Clock
    tell: Tell

    @property
    def _scope(self) -> str:
        return str(self.session.scope)

    def steps(self) -> Iterator[Step]:
        known = self.log.last()
        planned = [
            (work, known.get((self._scope, work.name)))
            for work in self.works
            if self.session.scope == MAIN or not work.main_only
        ]
        wanted = {w.name for w, last in planned if self.wish.wants(w, last, self.clock())}
        if not wanted or self.wish.dry_run:
            yield from (self._waiting(work, last, work.name in wanted) for work, last in planned)
            return
        try:
            with self._opened() as memory:
                for work, last in planned:
                    if work.name in wanted:
                        yield self._done(work, last, memory)
                    else:
                        yield self._waiting(work, last, due=False)
        except RememError as error:  # the scope cannot be opened, or not be closed properly
            yield Step(self._scope, "open", "always", "failed", str(error))

    def _opened(self) -> Workspace:
        return open_workspace(
            self.layout.root, self.session, trust="owner", background=False, clock=self.clock
        )

    def _done(self, work: Work, last: str | None, memory: Workspace) -> Step:
        self.tell(f"{self._scope}: {work.name}")
        try:
            what = work.run(memory)
        except RememError as error:
            return Step(self._scope, work.name, work.often, "failed", str(error), last)
        self.log.finished(self._scope, work.name, self.clock())
        return Step(self._scope, work.name, work.often, "done", what, last)

    def _waiting(self, work: Work, last: str | None, due: bool) -> Step:
        return Step(self._scope, work.name, work.often, "due" if due else "not due", "", last)
