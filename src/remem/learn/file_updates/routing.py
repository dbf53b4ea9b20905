"""Route lessons to files: where each kind belongs, and the changes that write it there.

In main, a task goes to attention.md and the context of a named project to that project's file. A
statement about a known entity becomes a fact (see the module `facts`), everything else an entry,
and each lesson gets a line in the day's note. A group has a file for each kind (`KINDS`). A peer
has only entries. In every scope, untrusted lessons become entries, because a file that is read as
the scope's own text must not contain them. A gate gets a new line for a new file; nothing in it is
changed or removed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Final

from remem.files.domain_file.document import show
from remem.files.layout import Layout, markdown_file_for
from remem.files.start_files import scope_language
from remem.learn.file_updates.changes import (
    AddBullet,
    AddReference,
    AddRoute,
    Change,
    SetTask,
    bullet_body,
)
from remem.learn.file_updates.tasks import TaskLine, state_id, task_text
from remem.model.arguments import LessonKind
from remem.model.gate import Route, is_deprecated
from remem.model.gate_edit import with_routes
from remem.model.lesson import Lesson, lesson_id
from remem.model.scope import Scope
from remem.text.labels import label, labels, punctuation
from remem.text.markdown import lines_of
from remem.text.marked_line import lesson_mark
from remem.text.words import fold

CONVENTIONS: Final = "conventions/"
_UNSAFE: Final = re.compile(r"[|`\n\r\[\]<>]+")
"""Characters that end a cell of a table or the name of a link."""
_GENERAL: Final = "general"
"""The file, and the key of the labels, for conventions without a topic."""
_OTHER_NAMES: Final = {
    "tasks": ("Active tasks", "待办", "当前任务", "やること"),
    "decisions": ("决策",),
    "lessons": ("Lessons learned", "教训"),
    "conventions": ("规范",),
}
"""Names that people give to sections, besides those that remem writes."""


@dataclass(frozen=True, slots=True)
class TargetFile:
    """A file of a scope, below its folder, and the section in it.

    `title` and `section` are keys of labels; a file for one topic or project has its name as
    `title`.
    """

    file: str
    title: str
    tier: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class KindOfLesson:
    """The place and form of a kind of lesson.

    `part` is the key of its label in the day's note, and `fact_category` its category as a fact
    about an entity, if it can be one. `file` is its file in a group; rules have a file for each
    topic instead. `dated` bullets begin with the day.
    """

    part: str
    fact_category: str | None
    file: TargetFile | None
    dated: bool = False


_EXPERIENCE: Final = TargetFile("experience.md", "experience", "P2")
_PEOPLE: Final = TargetFile("people.md", "people", "P3")
_PROJECT: Final = TargetFile("project.md", "project", "P1")
_TASKS: Final = TargetFile("attention.md", "attention", "P0", "tasks")


KINDS: Final[dict[LessonKind, KindOfLesson]] = {
    "task": KindOfLesson("next", None, _TASKS),
    "decision": KindOfLesson(
        "decided", "decision", replace(_EXPERIENCE, section="decisions"), dated=True
    ),
    "insight": KindOfLesson(
        "learned", "status", replace(_EXPERIENCE, section="lessons"), dated=True
    ),
    "fact": KindOfLesson("learned", "status", replace(_PROJECT, section="facts")),
    "context": KindOfLesson("happened", "status", replace(_PROJECT, section="context"), dated=True),
    "person": KindOfLesson("learned", "relationship", _PEOPLE),
    "preference": KindOfLesson("learned", "preference", replace(_PEOPLE, section="preferences")),
    "rule": KindOfLesson("learned", None, None),
}
TIERS: Final = {file.file: file.tier for file in (_TASKS, _PROJECT, _EXPERIENCE, _PEOPLE)}
MAIN_TIERS: Final = {_TASKS.file: _TASKS.tier, "longterm.md": "P1", "daily-synced.md": "P2"}


def trigger_words(file: str, language: str) -> str:
    """Return the trigger words of a standard file in a gate."""
    return label(file.removesuffix(".md"), language, "gate_triggers")


@dataclass(frozen=True)
class TargetScope:
    """The scope whose files are written; `day` is the owner's local date, `YYYY-MM-DD`."""

    layout: Layout
    scope: Scope
    day: str

    @cached_property
    def language(self) -> str:
        """The owner's language in main, and the language of the gate in a group."""
        return scope_language(self.layout, self.scope)

    @property
    def folder(self) -> str:
        """The folder of the scope's files, relative to the workspace."""
        return self.layout.scope_folder(self.scope)

    @property
    def gate(self) -> str | None:
        path = self.layout.gate(self.scope)
        return None if path is None else self.layout.relative(path)

    @property
    def note(self) -> str:
        """The day's note, which only main has."""
        return f"memory/{self.day}.md"


def target_file(lesson: Lesson, target: TargetScope) -> TargetFile | None:
    """Return the file that a lesson goes to; None if it becomes an entry."""
    if lesson.trust == "untrusted" or target.scope.kind not in ("main", "group"):
        return None
    if target.scope.kind == "group":
        return KINDS[lesson.kind].file or _convention(target, lesson.topic or _GENERAL)
    if lesson.kind == "task":
        return _TASKS
    if lesson.kind == "context" and lesson.project:
        return _named_file(target, "projects/", lesson.project, "P3", "context")
    return None


def _convention(target: TargetScope, topic: str) -> TargetFile:
    file = _named_file(target, CONVENTIONS, topic, "L3")
    is_general = fold(topic) == _GENERAL
    return replace(file, title=label(_GENERAL, target.language)) if is_general else file


def _named_file(
    target: TargetScope, folder: str, name: str, tier: str, section: str = ""
) -> TargetFile:
    """Return the file for a topic or a project, in a folder of the scope."""
    file = markdown_file_for(target.layout.root / target.folder / folder, name)
    return TargetFile(f"{folder}{file}", show(name), tier, section)


def bullet_change(lesson: Lesson, destination: TargetFile, target: TargetScope) -> AddBullet:
    """Return the change that writes a lesson to its file."""
    file = f"{target.folder}/{destination.file}"
    bullet = _bullet(lesson, target)
    return AddBullet(lesson.id, file, bullet, *_title_and_sections(destination, target.language))


def _title_and_sections(destination: TargetFile, language: str) -> tuple[str, str]:
    """Return the title for a new file, and the names that the section may have.

    The names are separated by `|`. A section that does not exist yet gets the first one.
    """
    has_own_name = "/" in destination.file
    title = destination.title if has_own_name else label(destination.title, language)
    key = destination.section
    if not key:
        return title, ""
    sections = dict.fromkeys((label(key, language), *labels(key), *_OTHER_NAMES.get(key, ())))
    return title, "|".join(sections)


def reachability_changes(destination: TargetFile, target: TargetScope) -> list[Change]:
    """Return the changes that make a file reachable from the gate."""
    references = (
        [_reference(destination, target)] if destination.file.startswith(CONVENTIONS) else []
    )
    return [*references, *_route(destination, target)]


def _bullet(lesson: Lesson, target: TargetScope) -> str:
    """Return the lesson as a bullet of its file, with its mark.

    Only main has a note, which has the reason of a lesson; elsewhere it is in the bullet.
    """
    text = lesson.text
    if lesson.why and target.scope.kind != "main":
        colon = punctuation(target.language).colon
        text = f"{text}\n{label('why', target.language)}{colon}{lesson.why}"
    dated = f"{target.day}: " if KINDS[lesson.kind].dated else ""
    return f"- {dated}{bullet_body(text)} {lesson_mark(lesson.id)}"


def task_change(
    lesson: Lesson, destination: TargetFile, target: TargetScope, tasks: Sequence[TaskLine]
) -> SetTask:
    """Return the change to a task's state; `tasks` are the tasks that the file has now.

    The id of the change depends on the task's current state: the same change twice is one change,
    but a task that was reopened can be closed again.
    """
    file, text = f"{target.folder}/{destination.file}", task_text(lesson.text)
    title, section = _title_and_sections(destination, target.language)
    change = SetTask(
        id="",
        file=file,
        text=text,
        title=title,
        section=section,
        status=show(lesson.status or ""),
        replaces=task_text(lesson.replaces or ""),
        history=target.note if target.scope.kind == "main" else f"{target.folder}/experience.md",
        day=target.day,
        lesson=lesson.id,
        language=target.language,
    )
    parts = (file, fold(text), fold(change.status), state_id(tasks, change))
    return replace(change, id=lesson_id("task", *parts))


def _reference(destination: TargetFile, target: TargetScope) -> AddReference:
    """Return the reference to a convention, which is loaded only through references."""
    file = f"{target.folder}/{_PROJECT.file}"
    title, section = _title_and_sections(replace(_PROJECT, section="conventions"), target.language)
    id_ = lesson_id("refer", file, destination.file)
    name = " ".join(_UNSAFE.sub(" ", destination.title).split())
    return AddReference(id_, file, destination.file, title, section, name)


def _route(destination: TargetFile, target: TargetScope) -> list[AddRoute]:
    """Return the route for a file; the one for a convention leads to the file that refers to it."""
    if target.gate is None:
        return []
    id_ = lesson_id("route", target.gate, destination.file)
    stem = PurePosixPath(destination.file).stem
    is_same = fold(destination.title) == fold(stem.replace("-", " "))
    names = destination.title if is_same else f"{destination.title}, {stem.replace('-', ' ')}"
    if destination.file.startswith(CONVENTIONS):
        name = destination.file.removesuffix(".md")
        if stem == _GENERAL:
            names = label(_GENERAL, target.language, "gate_triggers")
        trigger = f"{names} ({name})"
        return [AddRoute(id_, target.gate, _PROJECT.file, trigger, _PROJECT.tier, name)]
    is_standard = destination.file in TIERS
    trigger = trigger_words(destination.file, target.language) if is_standard else names
    return [AddRoute(id_, target.gate, destination.file, trigger, destination.tier)]


def add_routes(text: str, changes: Sequence[AddRoute]) -> str:
    """Return the gate with a route to each file that it has none for.

    A route that a person has marked as deprecated is not added again.
    """
    if not text or not changes:
        return text
    deprecated_lines = "\n".join(line for line in lines_of(text) if is_deprecated(line))
    routes: dict[str, Route] = {}
    for change in changes:
        # The route of a convention leads to the file that refers to it, and is recognised by the
        # name of the convention among its trigger words.
        has_route = (
            change.convention in text if change.convention else change.target in deprecated_lines
        )
        if not has_route:
            file_name = f"{change.convention}.md" if change.convention else change.target
            routes.setdefault(file_name, Route(change.trigger, change.target, change.tier))
    return with_routes(text, routes)


def route_row(trigger: str, file: str, tier: str) -> str:
    """Return a row in the table of a new gate."""
    return f"| {' '.join(_UNSAFE.sub(' ', trigger).split())} | {file} | {tier} |"
