"""How does a gate lead to a new file? By one more line; nothing in it is changed or removed.

Where does a lesson belong? Each kind has one home in each scope.

| kind                | in a group                      | in main                               |
|---------------------|---------------------------------|---------------------------------------|
| task                | attention.md                    | main/attention.md                     |
| decision, insight   | experience.md                   | an entry, and a line in the day's note |
| fact                | project.md                      | an entry, and a line in the day's note |
| context             | project.md                      | main/projects/<name>.md if one is named |
| person, preference  | people.md                       | an entry, and a line in the day's note |
| rule                | conventions/<topic>.md          | an entry, and a line in the day's note |

In main, what is said about a named entity is a fact of it, and no entry (`facts`).

A peer has no files but those of its entries. What a stranger said is an untrusted entry
everywhere: no file that is read as the scope's own words may hold it.

What has to be done so that a lesson stands in its home, and the home can be found?
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from remem.files.domain_file.document import show
from remem.files.layout import Layout, file_called
from remem.learn.file_updates.changes import Change, bullet
from remem.learn.file_updates.tasks import state_id, task_words
from remem.model.gate import is_over
from remem.model.gate_edit import with_route
from remem.model.lesson import Lesson, lesson_id
from remem.model.scope import Scope
from remem.text.markdown import lines_of
from remem.text.words import fold

TASKS: Final = "Tasks|Active tasks|任务|待办|当前任务|タスク|やること|Aufgaben|Задачи|Tareas|Tâches"
_GENERAL: Final = "general"
CONVENTIONS: Final = "conventions/"


@dataclass(frozen=True, slots=True)
class Home:
    """A file of a scope, below its folder, and the section in it."""

    file: str
    title: str
    tier: str
    section: str = ""


FILES: Final = {
    "decision": Home(
        "experience.md", "Experience", "P2", "Decisions|决策|决定|決定|Entscheidungen"
    ),
    "insight": Home("experience.md", "Experience", "P2", "Lessons|Lessons learned|经验|教训|学び"),
    "fact": Home("project.md", "Project", "P1", "Facts|事实|Fakten"),
    "context": Home("project.md", "Project", "P1", "Context|背景|Kontext"),
    "person": Home("people.md", "People", "P3"),
    "preference": Home("people.md", "People", "P3", "Preferences|偏好|Vorlieben"),
    "task": Home("attention.md", "Attention", "P0", TASKS),
}
TRIGGERS: Final = {
    "attention.md": "any work conversation: task, todo, status, blocker, deadline, next step",
    "project.md": "technical decisions: stack, architecture, tool, version, how it is built",
    "experience.md": "lessons learned: decision, decided, why, problem, mistake, experience",
    "people.md": "need to find someone: who, person, role, contact, team, prefers",
}


@dataclass(frozen=True, slots=True)
class Where:
    """The scope whose files are written; `day` is the owner's, `YYYY-MM-DD`."""

    layout: Layout
    scope: Scope
    day: str

    @property
    def folder(self) -> str:
        """The folder of the scope's files, in the workspace."""
        if self.scope.kind == "main":
            return "memory/main"
        return self.layout.domains(self.scope).parent.relative_to(self.layout.root).as_posix()

    @property
    def gate(self) -> str | None:
        path = self.layout.gate(self.scope)
        return None if path is None else path.relative_to(self.layout.root).as_posix()

    @property
    def note(self) -> str:
        """The day's note; main's alone."""
        return f"memory/{self.day}.md"


def home_of(lesson: Lesson, where: Where) -> Home | None:
    """The file that a lesson goes to; None if an entry is its home."""
    if lesson.trust == "untrusted" or where.scope.kind not in ("main", "group"):
        return None
    if where.scope.kind == "group":
        return _convention(lesson, where) if lesson.kind == "rule" else FILES[lesson.kind]
    if lesson.kind == "task":
        return FILES["task"]
    if lesson.kind == "context" and lesson.project:
        folder = where.layout.root / where.folder / "projects"
        name = file_called(folder, lesson.project)
        return Home(f"projects/{name}", show(lesson.project), "P3", "Context|背景|Kontext")
    return None


def _convention(lesson: Lesson, where: Where) -> Home:
    topic = lesson.topic or _GENERAL
    folder = where.layout.root / where.folder / "conventions"
    return Home(f"conventions/{file_called(folder, topic)}", show(topic), "L3")


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


COLUMNS: Final = ("When", "Load", "Tier")
_UNFIT: Final = re.compile(r"[|`\n\r\[\]<>]+")


def routed(text: str, change: Change) -> str:
    """The gate with a line for a file. Where somebody has marked such a line as over, he does
    not want the file to be loaded: it stays without one."""
    if change.section:
        return _with_detail(text, change)
    if not text or any(is_over(line) and change.text in line for line in lines_of(text)):
        return text
    return with_route(text, change.trigger, change.text, change.tier)


def _with_detail(text: str, change: Change) -> str:
    """The gate with a line for a convention. A convention is reached through the file that
    refers to it, so the line names it, without its ending, among the words that lead there."""
    if not text or change.section in text:
        return text
    known, itself = set(lines_of(text)), f"{change.section}.md"
    grown = with_route(text, change.trigger, itself, change.tier).split("\n")
    return "\n".join(
        line if line.removesuffix("\r") in known else line.replace(itself, change.text)
        for line in grown
    )


def route_row(trigger: str, file: str, tier: str) -> str:
    """A row of a first gate's table."""
    return f"| {' '.join(_UNFIT.sub(' ', trigger).split())} | {file} | {tier} |"
