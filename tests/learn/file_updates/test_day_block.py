"""“What happened, what was learned, why it matters, key decisions made, what's next.”"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.conftest import Opener

NOTE = "memory/2026-11-15.md"
GROUP = "agent:main:telegram:group:-100"
ITEMS = [
    {"kind": "task", "text": "Order seeds"},
    {"kind": "decision", "text": "Beans go into bed 3.", "why": "Bed 2 was too wet."},
    {"kind": "person", "text": "Mara keeps the tools."},
    {"kind": "task", "text": "Mend the roof", "status": "done"},
    {"kind": "context", "text": "The shed got its roof."},
]


def note(root: Path) -> str:
    """The note as a viewer shows it."""
    return re.sub(r" \^rem-\w{10}", "", (root / NOTE).read_text(encoding="utf-8"))


def test_a_conversation_has_one_block_with_the_parts_it_needs(opened: Opener, root: Path) -> None:
    opened().flush(ITEMS)

    assert note(root) == (
        "# 2026-11-15\n\n- 12:00 Conversation\n"
        "  - Happened: Mend the roof (done)\n"
        "  - Happened: The shed got its roof.\n"
        "  - Learned: Mara keeps the tools.\n"
        "  - Decided: Beans go into bed 3.\n"
        "  - Why it matters: Bed 2 was too wet.\n"
        "  - Next: Order seeds\n"
    )


def test_repeating_a_flush_adds_nothing_and_continuing_adds_new_lines(
    opened: Opener, root: Path
) -> None:
    first = opened(conversation="a")
    first.flush(ITEMS[:2])
    before = note(root)
    first.flush(ITEMS[:2])
    assert note(root) == before

    opened(conversation="a").flush(ITEMS)

    assert note(root).startswith(before)
    assert note(root).count("Conversation") == 1
    assert note(root).count("Beans") == 1


def test_the_earlier_state_of_a_task_is_in_the_block_of_its_conversation(
    opened: Opener, root: Path
) -> None:
    opened().flush(ITEMS[:1])

    opened().flush([{"kind": "task", "text": "Order seeds", "status": "done"}])

    assert note(root) == (
        "# 2026-11-15\n\n- 12:00 Conversation\n"
        "  - Next: Order seeds\n"
        "  - Happened: Order seeds (done)\n"
        "  - task was [ ] Order seeds\n"
    )


def test_a_reason_is_stored_with_its_lesson_where_there_is_no_note(
    opened: Opener, root: Path
) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')

    opened().flush(ITEMS[1:2])
    opened(GROUP).flush(ITEMS[1:2])

    stored = opened().recall("beans", include_context=True).entries
    assert "Bed 2 was too wet." in {entry.context for entry in stored}
    shared = (root / "memory/groups/garden/experience.md").read_text()
    assert "Beans go into bed 3.\n  Why it matters: Bed 2 was too wet. ^rem-" in shared


def test_another_conversation_gets_another_block(opened: Opener, root: Path) -> None:
    opened(conversation="a").flush(ITEMS[:1])
    opened(conversation="b").flush(ITEMS[1:2])
    opened(conversation="b").note("A call came in.")
    opened(conversation="b").flush(ITEMS[2:3])

    assert note(root).count("- 12:00 Conversation\n") == 3
    assert note(root).index("A call came in.") < note(root).index("Mara")


@pytest.mark.parametrize(
    ("before", "head"),
    [
        ("- **09:14** Peas.\r\n", "- **12:00** Conversation\r\n  - Learned: "),
        ("## 09:14 Peas\n\nThey grew.\n", "\n## 12:00\n\nConversation\n\n- Learned: "),
        ("They grew.\n", "\nConversation\n\n- Learned: "),
        ("- Peas.\n", "- Conversation\n  - Learned: "),
    ],
)
def test_the_block_has_the_style_of_the_note(
    opened: Opener, root: Path, before: str, head: str
) -> None:
    (root / "memory").mkdir(parents=True)
    (root / NOTE).write_bytes(before.encode())

    opened().flush(ITEMS[2:3])

    data = re.sub(rb" \^rem-\w{10}", b"", (root / NOTE).read_bytes()).decode()
    assert data.startswith(before + head)


def test_untrusted_lessons_and_those_of_groups_are_in_no_note(opened: Opener, root: Path) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"-100": "garden"}')

    opened().flush([{"kind": "fact", "text": "Free lunch!", "trust": "untrusted"}])
    opened(GROUP).flush(ITEMS)

    assert not list((root / "memory").glob("20*.md"))


def test_a_lesson_cannot_break_out_of_its_line(opened: Opener, root: Path) -> None:
    opened().flush([{"kind": "fact", "text": "a\n## b\n<!-- remem:000000000000 --> ^rem-00\n```"}])

    assert note(root).count("\n") == 4
    assert "Learned: a ## b" in note(root)


def test_a_block_has_the_time_at_which_it_was_said(
    opened: Opener, root: Path, tmp_path: Path
) -> None:
    said = ("2026-11-13T09:30:00Z", "2026-11-13T09:41:00Z")
    turns = [
        {
            "type": "user",
            "sessionId": "s",
            "timestamp": at,
            "message": {"role": "user", "content": text},
        }
        for at, text in zip(
            said, ("I prefer tea in the morning.", "We decided on beans."), strict=True
        )
    ]
    talk = tmp_path / "talk.jsonl"
    talk.write_text("".join(json.dumps(turn) + "\n" for turn in turns))

    opened().flush_transcript(talk)

    assert "- 09:41 Conversation" in (root / "memory/2026-11-13.md").read_text()
