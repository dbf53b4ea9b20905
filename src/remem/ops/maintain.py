"""How is all due work done? Scope by scope, in order, each finished piece written down at once:
whoever is killed goes on where he was.

Which work is there, how often is it due, and in which order? What is learnt comes first, then
what is made of it, then what follows from both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from remem.app.opening import open_workspace, owner_sessions, system_clock
from remem.app.workspace import Workspace
from remem.errors import InvalidInput, RememError, shown
from remem.files.layout import Layout
from remem.files.locks import alone_within
from remem.files.logs import WorkLog
from remem.model.scope import MAIN, Session
from remem.ports import Clock
from remem.text.timestamps import parsed

Often = Literal["always", "daily", "weekly"]
_EVERY: Final[dict[Often, timedelta]] = {
    "always": timedelta(0),
    # A timer does not ring to the second: what is due every day must not wait for the next.
    "daily": timedelta(hours=20),
    "weekly": timedelta(days=6, hours=20),
}


@dataclass(frozen=True, slots=True)
class Work:
    """One piece of work; `run` does it, and says in a few words what came of it."""

    name: str
    often: Often
    run: Callable[[Workspace], str]
    main_only: bool = False

    def due(self, last: str | None, now: str) -> bool:
        """Whether it is time; a clock that has gone back makes it so."""
        if last is None or self.often == "always":
            return True
        gone = parsed(now) - parsed(last)
        return gone < timedelta(0) or gone >= _EVERY[self.often]


def _heartbeat(memory: Workspace) -> str:
    done = memory.heartbeat()
    sources = f"{done.conversations} conversations and {done.notes} notes"
    return _with_trouble(f"{len(done.written)} kept of {sources}", done.troubles)


def _consolidate(memory: Workspace) -> str:
    done = memory.consolidate()
    across = f"{done.statements} statements in {done.conversations} conversations"
    found = len(done.contradictions)
    open_ = f", {found} contradictions (`remem consolidate` shows them)" if found else ""
    return _with_trouble(f"{len(done.taken)} taken of {across}{open_}", done.troubles)


def _synthesize(memory: Workspace) -> str:
    done = memory.synthesize()
    written = sum(page.changed for page in done.pages)
    failed = (f"{page.path}: {page.trouble}" for page in done.pages if page.trouble)
    told = (*done.troubles, *failed)
    return _with_trouble(f"{written} of {len(done.pages)} pages written", told)


def _with_trouble(what: str, troubles: Sequence[str]) -> str:
    """A source that could not be read stops nothing, and is told."""
    if not troubles:
        return what
    more = f" and {len(troubles) - 1} more" if len(troubles) > 1 else ""
    return f"{what}; trouble: {troubles[0]}{more}"


def _decay(memory: Workspace) -> str:
    done = memory.decay()
    return f"archived {len(done.archived)}, uses found {done.uses_found}"


def _refresh(memory: Workspace) -> str:
    done = memory.refresh()
    if done.trouble:
        unread = ", ".join(trouble.path for trouble in done.trouble[:3])
        return f"{done.read} files read; not wholly read: {unread}"
    return f"{done.read} files read, {done.unchanged} unchanged"


def _vectors(memory: Workspace) -> str:
    made = memory.embed_pending()
    left = memory.refresh(with_vectors=True).without_vector
    return f"{made} made for entries" + (f", {left} passages without one" if left else "")


def _leftovers(memory: Workspace) -> str:
    try:
        flushed = memory.flush_idle()
    finally:
        memory.finish_flush()
        memory.write_files()
    return f"{len(flushed)} quiet conversations flushed" if flushed else "nothing was left"


def _record(memory: Workspace) -> str:
    new = memory.record_facts()
    return f"{new} new wordings of facts noted"


WORKS: Final = (
    Work("facts", "always", _record, main_only=True),
    Work("heartbeat", "daily", _heartbeat),
    Work("consolidate", "weekly", _consolidate),
    Work("synthesize", "weekly", _synthesize, main_only=True),
    Work("decay", "daily", _decay),
    Work("refresh", "always", _refresh),
    Work("vectors", "always", _vectors),
    Work("leftovers", "always", _leftovers),
)
"""In the order in which it is done; synthesis writes `main/longterm.md` and
`main/daily-synced.md` too."""


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
        return all(step.state != "failed" for step in self.steps)


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
        if name not in {work.name for work in works}:
            raise InvalidInput(
                f"no work has the name {shown(name)}",
                hint=f"the works are: {', '.join(work.name for work in works)}",
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
