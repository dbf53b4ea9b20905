"""How does a conversation become memory? From its lessons to the files, each exactly once.

What is new is noted, and its changes planned, in one transaction; then the files are written,
and whatever a kill interrupts is written by whoever opens the memory next. A lesson that is
noted is not planned again, a change that a file shows is not made again: so it may be told
twice, by two at once, or killed anywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from remem.core.lesson import Lesson
from remem.maintenance.first_gate import first_gate
from remem.maintenance.flush import ledger
from remem.maintenance.flush.conversation import Heard
from remem.maintenance.flush.due import telling
from remem.maintenance.flush.job import Flushing
from remem.maintenance.flush.planning import Outcome, Plan, block_of, commit, plan_all
from remem.maintenance.flush.result import Flushed, Kept, Refused
from remem.maintenance.flush.state import tell_state
from remem.maintenance.write_back.change import Change
from remem.maintenance.write_back.run import Writing, write
from remem.maintenance.write_back.wording import place

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
    gate = first_gate(job.layout, job.scope, [each.text for each in lessons])
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
            changes = ledger.waiting(snapshot)
        failed = write(Writing(job.layout, job.scope, job.announce), changes) if changes else {}
        done = [each for each in changes if each not in failed]
        if done:
            job.store.write(lambda tx: ledger.done(tx, done))
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
