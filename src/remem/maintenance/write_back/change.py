"""What is to be done to a file? Plain values that wait in the database until it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Deed = Literal["add", "note", "task", "refer", "route", "fact", "retract"]
"""add: a bullet in a section. note: what a day's note tells of it. task: a task's state.
refer: name another file. route: a line in the gate that leads to a file. fact: a fact of the
entity that `title` names, of the kind `tier`, in the category `section`, said at `trigger`.
retract: that fact stands no longer."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one file, by its path in the workspace.

    `id` is what the change leaves in the file: where it stands already, all is done. `text`
    is the bullet, the task, or the file that is named; `history` is the file that a task's
    earlier state goes to.
    """

    id: str
    file: str
    do: Deed
    text: str
    title: str = ""
    section: str = ""
    status: str = ""
    replaces: str = ""
    history: str = ""
    day: str = ""
    trigger: str = ""
    tier: str = ""
    lesson: str = ""
