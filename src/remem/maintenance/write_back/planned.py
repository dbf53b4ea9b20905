"""What has to be done so that a lesson stands in its home, and the home can be found?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from remem.core.lesson import Lesson, lesson_id
from remem.core.words import fold
from remem.maintenance.write_back.change import Change
from remem.maintenance.write_back.homes import CONVENTIONS, FILES, TRIGGERS, Home, Where
from remem.maintenance.write_back.tasks import state_id, task_words
from remem.maintenance.write_back.wording import bullet
from remem.notes.domain_text import show

_HISTORY: Final = "Task history"


def changes_for(lesson: Lesson, home: Home, where: Where, attention: str = "") -> list[Change]:
    """What has to be done so that the lesson stands in its home, and the home can be found.

    `attention` is the present text of the scope's tasks.
    """
    file = f"{where.folder}/{home.file}"
    if lesson.kind == "task":
        changes = [_task(lesson, home, where, file, attention)]
    else:
        changes = [
            Change(
                id=lesson.id,
                file=file,
                do="add",
                text=bullet(lesson, where.day),
                title=home.title,
                section=home.section,
                lesson=lesson.id,
            )
        ]
    if home.file.startswith(CONVENTIONS):
        changes.append(_reference(home, where, lesson))
    return [*changes, *_route(home, where, lesson)]


def _task(lesson: Lesson, home: Home, where: Where, file: str, attention: str) -> Change:
    """The change's id follows from the state that it starts from: the same change told twice
    is one, and a task that is opened and closed again is closed twice."""
    text = task_words(lesson.text)
    change = Change(
        id="",
        file=file,
        do="task",
        text=text,
        title=home.title,
        section=home.section,
        status=show(lesson.status or ""),
        replaces=task_words(lesson.replaces or ""),
        history=where.note if where.scope.kind == "main" else f"{where.folder}/experience.md",
        day=where.day,
        lesson=lesson.id,
    )
    said = (file, fold(text), fold(change.status), state_id(attention, change))
    return replace(change, id=lesson_id("task", *said))


def _reference(home: Home, where: Where, lesson: Lesson) -> Change:
    """A rule's file is loaded only through the file that refers to it."""
    project = FILES["fact"]
    file = f"{where.folder}/{project.file}"
    return Change(
        id=lesson_id("refer", file, home.file),
        file=file,
        do="refer",
        text=home.file,
        title=project.title,
        section="Conventions|约定|规范|Konventionen",
        lesson=lesson.id,
    )


def _route(home: Home, where: Where, lesson: Lesson) -> list[Change]:
    if where.gate is None:
        return []
    stem = PurePosixPath(home.file).stem
    names = ", ".join(dict.fromkeys(fold(each) for each in (home.title, stem.replace("-", " "))))
    if home.file.startswith(CONVENTIONS):
        return [_detail(home, where, names, lesson)]
    return [
        Change(
            id=lesson_id("route", where.gate, home.file),
            file=where.gate,
            do="route",
            text=home.file,
            trigger=TRIGGERS.get(home.file) or names,
            tier=home.tier,
            lesson=lesson.id,
        )
    ]


def _detail(home: Home, where: Where, names: str, lesson: Lesson) -> Change:
    project, name = FILES["fact"], home.file.removesuffix(".md")
    return Change(
        id=lesson_id("route", where.gate or "", home.file),
        file=where.gate or "",
        do="route",
        text=project.file,
        section=name,
        trigger=f"{names}: {name}",
        tier=project.tier,
        lesson=lesson.id,
    )


def history_section(change: Change) -> str:
    """In a group the earlier states of tasks stand in their own section; a day has none."""
    return _HISTORY if change.history.endswith("/experience.md") else ""
