"""Every item is checked separately; a bad one is refused with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from remem.errors import InvalidInput, NotAllowed
from remem.learn.flush.items import MAX_ITEMS, lesson_of, read_items
from remem.model.entry import Origin
from tests.conftest import SECRET
from tests.tables import each_row


def test_an_item_may_have_all_fields() -> None:
    lesson = lesson_of(
        {
            "kind": "task",
            "text": "Order seeds",
            "project": " new \n shed ",
            "status": "blocked  by frost",
            "source": "talk.jsonl",
            "position": 7,
            "said_at": "2026-11-15T10:00:00+02:00",
        },
        "owner",
    )

    assert lesson.project == "new shed"
    assert lesson.status == "blocked by frost"
    assert lesson.origin == Origin("talk.jsonl", 7)
    assert lesson.said_at == "2026-11-15T08:00:00Z"
    assert lesson.trust == "owner"


@each_row(
    ("item", "named"),
    [
        ("a text", "must be an object"),
        ({"text": "x"}, "kind is missing"),
        ({"kind": "mood", "text": "x"}, "kind 'mood' is unknown"),
        ({"kind": "fact"}, "has no text"),
        ({"kind": "fact", "text": "  "}, "text is empty"),
        ({"kind": "fact", "text": 5}, "text must be text"),
        ({"kind": "fact", "text": "x\0"}, "NUL"),
        ({"kind": "fact", "text": "x" * 20_001}, "20,001 characters"),
        ({"kind": "fact", "text": "x", "scope": "main"}, "unknown field 'scope'"),
        ({"kind": "fact", "text": "x", "said_at": "soon"}, "'soon' is not a date"),
        ({"kind": "fact", "text": "x", "source": "y", "position": "3"}, "'3' is not a whole"),
        ({"kind": "fact", "text": "x", "source": "y", "position": -5}, "-5 is not a whole"),
        ({"kind": "fact", "text": "x", "source": "y", "position": 2**70}, "is not a whole"),
        ({"kind": "rule", "text": "x", "trust": "untrusted"}, "cannot be a rule"),
    ],
)
def test_invalid_items_are_refused_with_a_reason(item: Any, named: str) -> None:
    lessons, refused = read_items([item, {"kind": "fact", "text": "Beans."}], "agent")

    assert [lesson.text for lesson in lessons] == ["Beans."]
    assert named in refused[0].reason


def test_trust_can_only_be_lowered() -> None:
    asked = {"kind": "fact", "text": "x", "trust": "owner"}

    with pytest.raises(NotAllowed, match="higher than this session may grant"):
        lesson_of(asked, "agent")
    assert "higher than this session may grant" in read_items([asked], "agent")[1][0].reason
    assert lesson_of({**asked, "trust": "untrusted"}, "owner").trust == "untrusted"


def test_too_many_items_are_refused() -> None:
    with pytest.raises(InvalidInput, match=f"at most {MAX_ITEMS}"):
        read_items([{"kind": "fact", "text": "x"}] * (MAX_ITEMS + 1), "agent")
    with pytest.raises(InvalidInput, match="must be a list"):
        read_items("items", "agent")


def test_a_secret_is_masked_in_every_field() -> None:
    lesson = lesson_of({"kind": "fact", "text": f"key {SECRET}", "topic": SECRET}, "agent")

    assert SECRET not in lesson.text
    assert SECRET not in (lesson.topic or "")
    assert lesson.redacted
