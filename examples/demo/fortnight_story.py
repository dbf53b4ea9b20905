"""Chapter: a fortnight of notes and facts, and a change of mind."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from examples.demo.stage import Stage
from remem.app.opening import open_workspace, system_clock
from remem.files.layout import Layout
from remem.ops.maintain import maintain
from remem.text.timestamps import format_time, parse_time

_DAYS: Final = 14
_CHANGE: Final = 7
_QUESTION: Final = "On which day is the bakery website updated?"
_BEFORE: Final = "The bakery website is updated on Fridays."
_AFTER: Final = "The bakery website is updated on Mondays."


async def run_fortnight_chapter(stage: Stage) -> None:
    stage.chapter(6, f"{_DAYS} days pass: notes, facts, a change of mind, `remem maintain`")
    start = parse_time(system_clock()) - timedelta(days=_DAYS)
    for day in range(_DAYS + 1):
        _run_day(stage, day, format_time(start + timedelta(days=day)))
    page = stage.folder / "brain" / "areas" / "bakery-website" / "summary.md"
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    for line in text.splitlines():
        stage.say(line)
    stage.claim("the summary has only what is true now", _AFTER in text and _BEFORE not in text)
    before = format_time(start + timedelta(days=_CHANGE - 1))[:10]
    await _ask(stage, before)
    notes = [path.read_text(encoding="utf-8") for path in (stage.folder / "memory").glob("2*.md")]
    written = sum(note.count("worked on the bakery website") for note in notes)
    stage.claim("every note is in the file of its day, once", written == _DAYS + 1)


def _run_day(stage: Stage, day: int, now: str) -> None:
    """Run one day: a note, its decision, and all maintenance that is due."""
    with open_workspace(
        stage.folder, background=False, keywords_only=True, clock=lambda: now
    ) as memory:
        memory.note(f"Day {day}: worked on the bakery website.")
        if day == 0:
            memory.facts.record("bakery website", _BEFORE, kind="project", category="decision")
        if day == _CHANGE:
            (old,) = memory.facts.active("bakery website").facts or ()
            memory.facts.supersede(old.id, _AFTER, category="decision")
    maintain(Layout(stage.folder), clock=lambda: now)


async def _ask(stage: Stage, before: str) -> None:
    """Ask the same question about now and about an earlier day."""
    stage.say(f"“{_QUESTION}”", italic=True)
    async with stage.server("main") as host:
        now = (await host.call("memory_recall", query=_QUESTION)).value
        then = (await host.call("memory_recall", query=_QUESTION, as_of=before)).value
    answers = {"now": _first(now), before: _first(then)}
    for when, answer in answers.items():
        stage.say(f"{when:<12}{answer}")
    stage.claim("asked now, it gives the new answer", answers["now"] == _AFTER)
    stage.claim(f"asked as of {before}, it gives the old answer", answers[before] == _BEFORE)


def _first(answer: dict[str, Any]) -> str:
    return next((str(entry["content"]) for entry in answer.get("entries", ())), "nothing")
