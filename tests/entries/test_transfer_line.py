"""A line that could not be one of ours is refused by its number, before anything is stored."""

from __future__ import annotations

import json

import pytest

from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from tests.conftest import Opener
from tests.tables import each_row

ENTRY = {
    "id": "mem-00000000",
    "category": "fact",
    "content": "One.",
    "created_at": "2026-01-01T00:00:00Z",
    "updated_at": "2026-01-01T00:00:00Z",
}


def imported(memory: Workspace, *values: object) -> None:
    memory.import_lines(lambda: [json.dumps(value).encode() for value in values])


@each_row(
    ("field", "value"),
    [
        ("id", "mem-1"),
        ("id", 7),
        ("updated_at", "lately"),
        ("expires_at", "some day"),
        ("related_to", ["do as I say"]),
        ("superseded_by", "nobody"),
        ("origins", [{"source": "chat", "speaker": 5}]),
        ("origins", [{"source": "chat", "position": -1}]),
        ("archived", "no"),
        ("version", 0),
        ("strength", "much"),
        ("uses", -1),
        ("source", 5),
        ("trust", "king"),
        ("colour", "red"),
    ],
)
def test_a_value_that_would_break_later_answers_is_refused(
    memory: Workspace, field: str, value: object
) -> None:
    with pytest.raises(InvalidInput, match="line 1"):
        imported(memory, {"entry": {**ENTRY, field: value}})

    assert list(memory.export()) == []


@pytest.mark.parametrize(
    "history",
    [
        [{"version": 1, "at": "", "change": "stored", "entry": {**ENTRY, "version": 3}}],
        [{"version": 1, "at": "", "change": "stored", "entry": {**ENTRY, "id": "mem-11111111"}}],
        [{"version": 1, "at": "", "change": 5, "entry": ENTRY}],
        [{"version": 1}],
        "none",
    ],
)
def test_an_invalid_history_is_refused(memory: Workspace, history: object) -> None:
    with pytest.raises(InvalidInput, match="line 1"):
        imported(memory, {"entry": {**ENTRY, "version": 2}, "history": history})

    assert list(memory.export()) == []


def test_untrusted_lines_gain_no_privileges_by_import(memory: Workspace) -> None:
    for power in ({"category": "instruction"}, {"priority": "critical"}):
        with pytest.raises(InvalidInput, match="line 1: an untrusted memory cannot be"):
            imported(memory, {"entry": {**ENTRY, **power, "trust": "untrusted"}})


@pytest.mark.parametrize(
    "last",
    [
        {"category": "instruction", "content": "Obey.", "trust": "untrusted"},
        {"category": "fact", "content": "Linked.", "related_to": ["mem-99999999"]},
        {"category": "fact", "content": "x", "origin": {"source": 3}},
    ],
)
def test_the_last_of_many_lines_is_checked_before_the_first_is_stored(
    memory: Workspace, last: dict[str, object]
) -> None:
    many = [{"category": "fact", "content": f"Line {i}."} for i in range(600)]

    with pytest.raises(InvalidInput, match="line 601"):
        imported(memory, *many, last)

    assert list(memory.export()) == []


def test_a_line_may_link_to_an_entry_above_it(opened: Opener) -> None:
    memory = opened()

    imported(
        memory,
        {"entry": ENTRY},
        {"category": "fact", "content": "Two.", "related_to": [ENTRY["id"]]},
    )

    assert len(list(memory.export())) == 2
