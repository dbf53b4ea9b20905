"""Changes to files, which remain pending in the database until they are made.

Each change has an `id` that marks it in its `file`, a path in the workspace: if the mark is there,
the change has been made. Texts are escaped so that they cannot break the file's structure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from remem.files.domain_file.document import show
from remem.model.entry import Origin
from remem.ports.state import Namespace

_STRUCTURE: Final = re.compile(r"(#{1,6}(?:\s|$)|`{3,}|~{3,}|\|)")
_MAX_CONVERSATION_LENGTH: Final = 8
_MAX_NOTE_NAME_LENGTH: Final = 40
_UNSAFE: Final = re.compile(r"[^\w.~-]+")


@dataclass(frozen=True, slots=True)
class AddBullet:
    """Append a lesson's bullet to a section; `id` is that of the lesson.

    `title` is for a file that is still empty; `section` lists possible headings, separated by |.
    """

    id: str
    file: str
    text: str
    title: str
    section: str = ""


@dataclass(frozen=True, slots=True)
class AddDayBlock:
    """Add the lines of a conversation to the note of a day, below a heading with the time."""

    id: str
    file: str
    text: str
    day: str
    heading: str
    time: str
    conversation: str


@dataclass(frozen=True, slots=True)
class SetTask:
    """Set the state of a task; `history` is the file that its earlier state is added to.

    `replaces` is the task's earlier wording, `lesson` the id of the lesson, and `language` the
    language of the labels.
    """

    id: str
    file: str
    text: str
    title: str = ""
    section: str = ""
    status: str = ""
    replaces: str = ""
    history: str = ""
    day: str = ""
    lesson: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True)
class AddReference:
    """Add a link to the file of a convention, which is only loaded through such references."""

    id: str
    file: str
    target: str
    title: str
    section: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class AddRoute:
    """Add a route to a gate: when `trigger` words are used, load the file `target`.

    If the route is for a `convention`, `target` is the file that refers to it.
    """

    id: str
    file: str
    target: str
    trigger: str
    tier: str
    convention: str = ""


@dataclass(frozen=True, slots=True)
class RecordFact:
    """Record a fact about an entity, said at `origin`; `id` is that of the lesson."""

    id: str
    file: str
    text: str
    entity: str
    kind: str
    category: str
    origin: str
    day: str


@dataclass(frozen=True, slots=True)
class RetractFact:
    """End a fact that `RecordFact` recorded: it is no longer active, but stays in its file."""

    id: str
    file: str
    text: str
    origin: str


Change = AddBullet | AddDayBlock | SetTask | AddReference | AddRoute | RecordFact | RetractFact
PENDING: Final[Namespace[Change]] = Namespace("flush change", Change)
"""Changes that no file contains yet, numbered in the order of planning."""


@dataclass(frozen=True, slots=True)
class AddHistory:
    """Add the line that a `SetTask` replaces to the task's history.

    It is not stored among the pending changes, because it follows from the `SetTask`.
    """

    id: str
    file: str
    text: str
    day: str
    language: str = ""


def bullet_body(text: str) -> str:
    """Return the text of a bullet.

    Further lines are indented, and escaped if they look like structure.
    """
    first, *rest = show(text).split("\n")
    return "\n".join([first, *(_continuation(line) for line in rest)])


def _continuation(line: str) -> str:
    escape = "\\" if _STRUCTURE.match(line.lstrip()) else ""
    return f"  {escape}{line.lstrip() if escape else line}".rstrip()


def short_origin(origin: Origin | None) -> str | None:
    """Return the file name and line of a lesson's origin, such as `3f2a9c1e#L12`.

    The name of a conversation is shortened to a few characters, which are enough to find it.
    """
    if origin is None or origin.position is None:
        return None
    name, _, kind = origin.source.rpartition("/")[2].partition(".")
    length = _MAX_NOTE_NAME_LENGTH if kind == "md" else _MAX_CONVERSATION_LENGTH
    return f"{_UNSAFE.sub('-', name)[:length] or 'said'}#L{origin.position}"
