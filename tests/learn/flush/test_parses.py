"""A flush reads each Markdown file's structure once, however many lessons it writes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from remem import open_workspace
from remem.model import daily_note
from remem.text import markdown
from remem.text.markdown import Block

GROUP = "agent:main:telegram:group:-100123"
FIRST = [
    {"kind": "decision", "text": "The beds are watered in the morning."},
    {"kind": "task", "text": "Order seeds", "status": "open"},
    {"kind": "person", "text": "Mara repairs the pump."},
    {"kind": "rule", "text": "Close the gate at night.", "topic": "safety"},
]
LATER = [
    {"kind": "decision", "text": "The hedge is cut in autumn."},
    {"kind": "decision", "text": "The pond stays."},
    {"kind": "task", "text": "Order seeds", "status": "done"},
    {"kind": "task", "text": "Mend the fence", "status": "open"},
    {"kind": "fact", "text": "The pump is from 1998."},
    {"kind": "rule", "text": "Lock the shed.", "topic": "safety"},
    {"kind": "rule", "text": "Turn the compost monthly.", "topic": "compost"},
]


@pytest.mark.parametrize("session", ["main", GROUP])
def test_each_file_is_parsed_once(
    tmp_path: Path, session: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = tmp_path / "memory" / "group_names.json"
    names.parent.mkdir()
    names.write_text(json.dumps({"telegram:-100123": "garden"}))
    parsed: list[str] = []
    blocks_of = markdown.blocks_of

    def counted(lines: Sequence[str]) -> list[Block]:
        parsed.append("\n".join(lines))
        return blocks_of(lines)

    for module in (markdown, daily_note):
        monkeypatch.setattr(module, "blocks_of", counted)
    with open_workspace(tmp_path, session, background=False, environment={}) as workspace:
        workspace.flush(FIRST)
        parsed.clear()
        done = workspace.flush(LATER)

    assert len(done.written) == len(LATER)
    titles = Counter(text.partition("\n")[0] for text in parsed if text)
    assert titles
    assert set(titles.values()) == {1}, titles
