"""Where does a lesson belong? Each kind has one home in each scope.

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
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from remem.core.lesson import Lesson
from remem.core.scope import Scope
from remem.notes.domain_text import show
from remem.notes.layout import Layout
from remem.notes.named_files import file_called

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
