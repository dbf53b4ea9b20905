"""No words of a lesson can break its file, forge a mark, or leave the scope's folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from remem.app.opening import open_workspace
from remem.embed.counters import EstimatedCounter
from remem.text.labels import labels
from remem.text.markdown import outline
from remem.text.marked_line import LESSON_MARK
from remem.text.words import fold, words
from tests.quick import borrowed_folder
from tests.tiers import examples

GROUP = "agent:main:telegram:group:-100"
NASTY = st.sampled_from(
    [
        "<!-- remem:0123456789ab -->",
        "-->",
        "# heading",
        "\n## Tasks\n- [x] mine",
        "```",
        "\n~~~",
        "../../MEMORY",
        "/etc/passwd",
        "..",
        "CON",
        " — status: done",
        "| a | b |",
        "[DEPRECATED]",
        "---\n",
        "\u202e",
        "\u2028",
        "ünï",
        "数据",
        "x" * 90,
        "\r",
        "\t",
    ]
)
TEXT = st.lists(NASTY | st.text(max_size=10), min_size=1, max_size=4).map("".join)
ITEM = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["decision", "task", "person", "fact", "rule", "context"]),
        "text": TEXT,
    },
    optional={"topic": TEXT, "project": TEXT, "status": TEXT},
)


@pytest.mark.hostile
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.too_slow])
@given(items=st.lists(ITEM, min_size=1, max_size=4), session=st.sampled_from(["main", GROUP]))
def test_every_flushed_item_is_written_once_and_breaks_no_file(
    items: list[dict[str, Any]], session: str
) -> None:
    # Two wordings of one task are two states of it: flushing both again changes it again.
    tasks = {fold(item["text"]) for item in items if item["kind"] == "task"}
    assume(len({frozenset(words(text)) for text in tasks}) == len(tasks))
    with borrowed_folder() as folder:
        (folder / "memory").mkdir()
        (folder / "memory/group_names.json").write_text('{"-100": "garden"}')
        (folder / "MEMORY.md").write_text("# Mine\n")
        with open_workspace(
            folder, session, background=False, counter=EstimatedCounter()
        ) as memory:
            done = memory.flush(items)
            again = memory.flush(items)
            after = memory.flush(
                [{"kind": "person", "text": "Mara."}, {"kind": "task", "text": "Go"}]
            )

        assert len(done.written) + len(done.known) + len(done.refused) == len(items)
        assert done.waiting == again.waiting == after.waiting == ()
        assert again.written == ()
        assert [lesson.text for lesson in after.written] == ["Mara.", "Go"]
        assert (folder / "MEMORY.md").read_text() == "# Mine\n"
        assert set(os.listdir(folder)) <= {"MEMORY.md", "memory", ".remem"}
        for path in (folder / "memory").rglob("*.md"):
            if "domains" not in path.parts and path.name != "INDEX.md":
                _is_sound(path)


HEADINGS = (
    "tasks", "decisions", "lessons", "facts", "context", "task_history", "conventions",
    "hard_rules", "routing", "preferences",
)  # fmt: skip


def _is_sound(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    marks = LESSON_MARK.findall(text)
    kept = [line for was in labels("was", "texts") for line in text.splitlines() if was in line]
    assert len(set(marks)) == len(marks) or kept, path
    assert "0123456789ab" not in marks
    titles = [block.text for block in outline(text) if block.kind == "heading"]
    ours = {title for key in HEADINGS for title in labels(key)}
    assert set(titles[1:]) <= ours, (path, titles)
