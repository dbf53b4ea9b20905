"""Pending changes are stored by type, and rows of earlier versions are migrated."""

from __future__ import annotations

import json

from remem.learn.file_updates.changes import (
    AddBullet,
    AddDayBlock,
    AddReference,
    AddRoute,
    Change,
    RecordFact,
    RetractFact,
    SetTask,
)
from remem.learn.file_updates.routing import KINDS
from remem.model.arguments import LESSON_KINDS
from remem.model.lesson import CATEGORY_OF_LESSON
from remem.ports.state import Namespace
from remem.store.sqlite.former_state import former_records
from tests.tables import each_row

PENDING: Namespace[Change] = Namespace("flush change", Change)
BASE = {"id": "aaaaaaaaaaaa", "file": "memory/x.md"}
STORED: list[tuple[Change, dict[str, str]]] = [
    (
        AddBullet(**BASE, text="- a", title="Experience", section="Decisions"),
        {"do": "add", "text": "- a", "title": "Experience", "section": "Decisions"},
    ),
    (
        AddDayBlock(
            **BASE,
            text="- b",
            day="2026-11-17",
            heading="Conversation",
            time="08:15",
            conversation="cccccccccccc",
        ),
        {
            "do": "note",
            "text": "- b",
            "title": "2026-11-17",
            "section": "Conversation",
            "status": "08:15",
            "trigger": "cccccccccccc",
        },
    ),
    (
        SetTask(**BASE, text="Water", status="done", history="memory/y.md", lesson="dddddddddddd"),
        {
            "do": "task",
            "text": "Water",
            "status": "done",
            "history": "memory/y.md",
            "lesson": "dddddddddddd",
        },
    ),
    (
        AddReference(**BASE, target="conventions/a.md", title="Project", section="Conventions"),
        {"do": "refer", "text": "conventions/a.md", "title": "Project", "section": "Conventions"},
    ),
    (
        AddRoute(**BASE, target="project.md", trigger="a", tier="P1", convention="conventions/a"),
        {
            "do": "route",
            "text": "project.md",
            "trigger": "a",
            "tier": "P1",
            "section": "conventions/a",
        },
    ),
    (
        RecordFact(
            **BASE,
            text="Zoë sings.",
            entity="Zoë",
            kind="person",
            category="status",
            origin="sessions/a#L1",
            day="2026-11-17",
        ),
        {
            "do": "fact",
            "text": "Zoë sings.",
            "title": "Zoë",
            "tier": "person",
            "section": "status",
            "trigger": "sessions/a#L1",
            "day": "2026-11-17",
        },
    ),
    (
        RetractFact(**BASE, text="Zoë sings.", origin="sessions/a#L1"),
        {"do": "retract", "text": "Zoë sings.", "trigger": "sessions/a#L1"},
    ),
]


@each_row(("change", "row"), STORED)
def test_a_change_is_stored_and_read_again(change: Change, row: dict[str, str]) -> None:
    assert PENDING.load(PENDING.dump(change)) == change

    [(_, _, migrated)] = former_records("flush change 00000001", json.dumps({**BASE, **row})) or []
    assert PENDING.load(migrated) == change


def test_fields_of_earlier_versions_are_ignored() -> None:
    row = {**BASE, "do": "refer", "text": "a.md", "title": "P", "section": "S", "lesson": "x"}
    [(_, _, migrated)] = former_records("flush change 00000001", json.dumps(row)) or []

    assert PENDING.load(migrated) == AddReference(**BASE, target="a.md", title="P", section="S")


def test_every_kind_of_lesson_has_its_place_and_its_category() -> None:
    assert set(KINDS) == set(LESSON_KINDS) == set(CATEGORY_OF_LESSON)
