"""Which work is there, how often is it due, and in which order? What is learnt comes first, then
what is made of it, then what follows from both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Literal

from remem.core.moments import parsed
from remem.workspace import Workspace

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
    written = sum(each.changed for each in done.pages)
    failed = (f"{each.path}: {each.trouble}" for each in done.pages if each.trouble)
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
        unread = ", ".join(each.path for each in done.trouble[:3])
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
