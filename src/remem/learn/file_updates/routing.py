"""Route lessons to files: where each kind belongs, and the changes that put it there.

| kind                | in a group                      | in main                               |
|---------------------|---------------------------------|---------------------------------------|
| task                | attention.md                    | main/attention.md                     |
| decision, insight   | experience.md                   | an entry, and a line in the day's note |
| fact                | project.md                      | an entry, and a line in the day's note |
| context             | project.md                      | main/projects/<name>.md if one is named |
| person, preference  | people.md                       | an entry, and a line in the day's note |
| rule                | conventions/<topic>.md          | an entry, and a line in the day's note |

In main, a statement about a named entity becomes a fact instead of an entry (`facts`). A peer has
only entries. Untrusted lessons are entries everywhere: no file that is read as the scope's own
text may contain them. A gate gets a new line for a new file; nothing in it is changed or removed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Final

from remem.files.domain_file.document import show
from remem.files.layout import Layout, markdown_file_for
from remem.learn.file_updates.changes import Change, bullet
from remem.learn.file_updates.tasks import state_id, task_words
from remem.model.gate import is_deprecated
from remem.model.gate_edit import with_route
from remem.model.lesson import Lesson, lesson_id
from remem.model.scope import Scope
from remem.text.markdown import lines_of
from remem.text.words import fold

TASKS: Final = "Tasks|Active tasks|任务|待办|当前任务|タスク|やること|Aufgaben|Задачи|Tareas|Tâches"
_GENERAL: Final = "general"
CONVENTIONS: Final = "conventions/"


@dataclass(frozen=True, slots=True)
class TargetFile:
    """A file of a scope, below its folder, and the section in it."""

    file: str
    title: str
    tier: str
    section: str = ""


FILES: Final = {
    "decision": TargetFile(
        "experience.md", "Experience", "P2", "Decisions|决策|决定|決定|Entscheidungen"
    ),
    "insight": TargetFile(
        "experience.md", "Experience", "P2", "Lessons|Lessons learned|经验|教训|学び"
    ),
    "fact": TargetFile("project.md", "Project", "P1", "Facts|事实|Fakten"),
    "context": TargetFile("project.md", "Project", "P1", "Context|背景|Kontext"),
    "person": TargetFile("people.md", "People", "P3"),
    "preference": TargetFile("people.md", "People", "P3", "Preferences|偏好|Vorlieben"),
    "task": TargetFile("attention.md", "Attention", "P0", TASKS),
}
TRIGGERS: Final = {
    "attention.md": "any work conversation: task, todo, status, blocker, deadline, next step",
    "project.md": "technical decisions: stack, architecture, tool, version, how it is built",
    "experience.md": "lessons learned: decision, decided, why, problem, mistake, experience",
    "people.md": "need to find someone: who, person, role, contact, team, prefers",
}


@dataclass(frozen=True, slots=True)
class TargetScope:
    """The scope whose files are written; `day` is the owner's day, `YYYY-MM-DD`."""

    layout: Layout
    scope: Scope
    day: str

    @property
    def folder(self) -> str:
        """The folder of the scope's files, relative to the workspace."""
        if self.scope.kind == "main":
            return "memory/main"
        return self.layout.domains(self.scope).parent.relative_to(self.layout.root).as_posix()

    @property
    def gate(self) -> str | None:
        path = self.layout.gate(self.scope)
        return None if path is None else path.relative_to(self.layout.root).as_posix()

    @property
    def note(self) -> str:
        """The day's note, which only main has."""
        return f"memory/{self.day}.md"


def target_file(lesson: Lesson, target: TargetScope) -> TargetFile | None:
    """The file that a lesson goes to; None if it becomes an entry."""
    if lesson.trust == "untrusted" or target.scope.kind not in ("main", "group"):
        return None
    if target.scope.kind == "group":
        return _convention(lesson, target) if lesson.kind == "rule" else FILES[lesson.kind]
    if lesson.kind == "task":
        return FILES["task"]
    if lesson.kind == "context" and lesson.project:
        folder = target.layout.root / target.folder / "projects"
        name = markdown_file_for(folder, lesson.project)
        return TargetFile(f"projects/{name}", show(lesson.project), "P3", "Context|背景|Kontext")
    return None


def _convention(lesson: Lesson, target: TargetScope) -> TargetFile:
    topic = lesson.topic or _GENERAL
    folder = target.layout.root / target.folder / "conventions"
    return TargetFile(f"conventions/{markdown_file_for(folder, topic)}", show(topic), "L3")


_HISTORY_SECTION: Final = "Task history"


def changes_for(
    lesson: Lesson, home: TargetFile, target: TargetScope, attention: str = ""
) -> list[Change]:
    """The changes that write a lesson to its file and make the file reachable from the gate.

    `attention` is the current text of the scope's tasks.
    """
    file = f"{target.folder}/{home.file}"
    if lesson.kind == "task":
        changes = [_task(lesson, home, target, file, attention)]
    else:
        changes = [
            Change(
                id=lesson.id,
                file=file,
                do="add",
                text=bullet(lesson, target.day),
                title=home.title,
                section=home.section,
                lesson=lesson.id,
            )
        ]
    if home.file.startswith(CONVENTIONS):
        changes.append(_reference(home, target, lesson))
    return [*changes, *_route(home, target, lesson)]


def _task(
    lesson: Lesson, home: TargetFile, target: TargetScope, file: str, attention: str
) -> Change:
    """The change of a task's state.

    Its id depends on the state it starts from: the same change twice is one change, but a task
    that is reopened can be closed again.
    """
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
        history=target.note if target.scope.kind == "main" else f"{target.folder}/experience.md",
        day=target.day,
        lesson=lesson.id,
    )
    parts = (file, fold(text), fold(change.status), state_id(attention, change))
    return replace(change, id=lesson_id("task", *parts))


def _reference(home: TargetFile, target: TargetScope, lesson: Lesson) -> Change:
    """The reference to a convention, which is loaded only through the file that refers to it."""
    project = FILES["fact"]
    file = f"{target.folder}/{project.file}"
    return Change(
        id=lesson_id("refer", file, home.file),
        file=file,
        do="refer",
        text=home.file,
        title=project.title,
        section="Conventions|约定|规范|Konventionen",
        lesson=lesson.id,
    )


def _route(home: TargetFile, target: TargetScope, lesson: Lesson) -> list[Change]:
    if target.gate is None:
        return []
    stem = PurePosixPath(home.file).stem
    names = ", ".join(dict.fromkeys(fold(name) for name in (home.title, stem.replace("-", " "))))
    if home.file.startswith(CONVENTIONS):
        return [_convention_route(home, target, names, lesson)]
    return [
        Change(
            id=lesson_id("route", target.gate, home.file),
            file=target.gate,
            do="route",
            text=home.file,
            trigger=TRIGGERS.get(home.file) or names,
            tier=home.tier,
            lesson=lesson.id,
        )
    ]


def _convention_route(home: TargetFile, target: TargetScope, names: str, lesson: Lesson) -> Change:
    project, name = FILES["fact"], home.file.removesuffix(".md")
    return Change(
        id=lesson_id("route", target.gate or "", home.file),
        file=target.gate or "",
        do="route",
        text=project.file,
        section=name,
        trigger=f"{names}: {name}",
        tier=project.tier,
        lesson=lesson.id,
    )


def history_section(change: Change) -> str:
    """The section for earlier states of tasks: groups have one, a day's note has none."""
    return _HISTORY_SECTION if change.history.endswith("/experience.md") else ""


COLUMNS: Final = ("When", "Load", "Tier")
_UNSAFE: Final = re.compile(r"[|`\n\r\[\]<>]+")


def add_route(text: str, change: Change) -> str:
    """The gate with a line for a file.

    If a person has marked such a line as deprecated, no new one is added.
    """
    if change.section:
        return _add_convention_route(text, change)
    if not text or any(is_deprecated(line) and change.text in line for line in lines_of(text)):
        return text
    return with_route(text, change.trigger, change.text, change.tier)


def _add_convention_route(text: str, change: Change) -> str:
    """The gate with a line for a convention.

    A convention is reached through the file that refers to it, so the line leads to that file and
    names the convention, without its suffix, among the trigger words.
    """
    if not text or change.section in text:
        return text
    known, convention = set(lines_of(text)), f"{change.section}.md"
    lines = with_route(text, change.trigger, convention, change.tier).split("\n")
    return "\n".join(
        line if line.removesuffix("\r") in known else line.replace(convention, change.text)
        for line in lines
    )


def route_row(trigger: str, file: str, tier: str) -> str:
    """A row of a first gate's table."""
    return f"| {' '.join(_UNSAFE.sub(' ', trigger).split())} | {file} | {tier} |"
