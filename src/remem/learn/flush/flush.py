"""How does a conversation become memory? From its lessons to the files, each exactly once.

What is new is noted, and its changes planned, in one transaction; then the files are written,
and whatever a kill interrupts is written by whoever opens the memory next. A lesson that is
noted is not planned again, a change that a file shows is not made again: so it may be told
twice, by two at once, or killed anywhere.

Is it time to flush because nobody speaks any more? Once after half an hour, if something
was said that is not flushed yet.

Who notices that nobody speaks any more? A thread of a server that looks now and then.

How does what a conversation taught get into memory, exactly once, however it ends?
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol

from remem.errors import RememError
from remem.files.transcripts.places import Transcript
from remem.files.transcripts.reading import source_of
from remem.learn.file_updates.apply import Writing, write
from remem.learn.file_updates.changes import Change, place
from remem.learn.first_gate import first_gate
from remem.learn.flush import state
from remem.learn.flush.items import Heard
from remem.learn.flush.planning import Outcome, Plan, block_of, commit, plan_all
from remem.learn.flush.result import Flushed, Flushing, Kept, Refused
from remem.learn.flush.state import tell_state, telling
from remem.model.lesson import Lesson
from remem.ports.entries import Reading
from remem.text.timestamps import parsed

IDLE: Final = timedelta(minutes=30)
_LONG_AGO: Final = timedelta(days=1)
"""Conversations that ended before remem was asked to listen are left alone."""


def is_idle(last_said: str, now: str) -> bool:
    """Whether a conversation has been quiet for so long, and not for much longer."""
    quiet = parsed(now) - parsed(last_said)
    return IDLE <= quiet <= _LONG_AGO


def quiet_ones(
    transcripts: Iterable[Transcript], reading: Reading, now: str
) -> Iterator[Transcript]:
    """Those that have grown quiet and hold something new."""
    for transcript in transcripts:
        if not is_idle(transcript.moment, now):
            continue
        mark = state.read_up_to(reading, source_of(transcript.file))
        size = transcript.signature[2]
        if mark is None or mark.size != size:
            yield transcript


_EVERY: Final = 60.0


class Alarm:
    """Calls `look` every minute until it is closed; what it raises is kept in `trouble`."""

    def __init__(self, look: Callable[[], object], every: float = _EVERY) -> None:
        self._look = look
        self._every = every
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="remem idle", daemon=True)
        self.trouble: str | None = None
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._closing.wait(self._every):
            try:
                self._look()
                self.trouble = None
            except RememError as error:
                self.trouble = str(error)


class _Flushes(Protocol):
    """A workspace, which stands above this."""

    def flush_transcript(self, transcript: Path, reason: str) -> Flushed: ...


def flush_transcript(workspace: _Flushes, transcript: Path, reason: str) -> Flushed:
    """What hooks call: write down what a transcript says that is not written yet."""
    return workspace.flush_transcript(transcript, reason)


_AROUND: Final = ("refer", "route", "note")
"""Changes that only lead to a lesson's home, or tell of it."""
_BRIEF: Final = 200
"""Whoever told a lesson knows it: the answer need not cost as much again."""


def flush(
    job: Flushing,
    lessons: Sequence[Lesson],
    refused: Sequence[Refused] = (),
    heard: Heard | None = None,
    reason: str = "remem",
) -> Flushed:
    """Write lessons into memory; when this returns, each is in its home or safely waiting."""
    gate = first_gate(job.layout, job.scope, [lesson.text for lesson in lessons])
    plans = plan_all(job, lessons)
    now = job.now()
    outcomes = job.store.write(commit(plans, now, heard, reason, block_of(job, heard)))
    waiting = settle(job)
    return Flushed(
        last_flush=now,
        **_sorted_out(plans, outcomes, waiting),
        refused=(*refused, *_refusals(plans, outcomes)),
        created=(gate.relative_to(job.layout.root).as_posix(),) if gate else (),
        notes=(*_around(waiting), *([heard.why_not] if heard and heard.why_not else [])),
    )


def settle(job: Flushing) -> dict[Change, str]:
    """Write what waits, and the state; what still waits, with the reason."""
    with job.alone():
        with job.store.read() as snapshot:
            changes = state.pending_changes(snapshot)
        failed = write(Writing(job.layout, job.scope, job.announce), changes) if changes else {}
        done = [change for change in changes if change not in failed]
        if done:
            job.store.write(lambda tx: state.done(tx, done))
        tell_state(telling(job))
    return failed


def _sorted_out(
    plans: Sequence[Plan], outcomes: Sequence[Outcome], waiting: dict[Change, str]
) -> dict[str, tuple[Kept, ...]]:
    reasons = {each.lesson: why for each, why in waiting.items() if each.do not in _AROUND}
    found: dict[str, list[Kept]] = {"written": [], "known": [], "waiting": [], "review": []}
    for plan, outcome in zip(plans, outcomes, strict=True):
        if outcome.refused:
            continue
        lesson = plan.lesson
        because = reasons.get(lesson.id) or lesson.doubt
        kept = Kept(
            kind=lesson.kind,
            text=_brief(lesson.text),
            home=outcome.home,
            origin=place(lesson.origin),
            redacted=lesson.redacted,
            because=because,
            contradicts=None if outcome.known else plan.contradicts or None,
        )
        held = "review" if lesson.doubt else "waiting" if because else "written"
        found["known" if outcome.known and held != "waiting" else held].append(kept)
    return {name: tuple(each) for name, each in found.items()}


def _around(waiting: dict[Change, str]) -> list[str]:
    """What leads to the lessons, and could not be written yet."""
    return list(dict.fromkeys(why for each, why in waiting.items() if each.do in _AROUND))


def _brief(text: str) -> str:
    return text if len(text) <= _BRIEF else f"{text[: _BRIEF - 1]}…"


def _refusals(plans: Sequence[Plan], outcomes: Sequence[Outcome]) -> list[Refused]:
    pairs = zip(plans, outcomes, strict=True)
    return [Refused(_brief(plan.lesson.text), out.refused) for plan, out in pairs if out.refused]
