"""Curating on the command line: what verdicts do to other lines of the page."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run

RULE = "Never post a draft to the harbour blog before Ines has read the whole text"


def test_what_leaves_the_page_is_reported_and_its_twin_takes_its_place(
    run: Run, root: Path
) -> None:
    (root / "MEMORY.md").write_text(f"# Rules\n\n- {RULE}\n- Answers are short and in German\n")
    run("migrate")
    run("store", f"{RULE} aloud", "--category", "fact")
    batch = json.loads(run("curate", "--json").stdout)
    lines = [line for group in batch["page"]["groups"] for line in group["lines"]]
    (rule,) = [line.split()[0] for line in lines if RULE in line]
    (answers,) = [line.split()[0] for line in lines if "Answers" in line]
    (pair,) = [item["item"] for item in batch["items"]]
    verdicts = [
        {"answer": "merge", "items": [pair]},
        {"answer": "reword", "items": [answers], "text": "Short answers in German"},
        {"answer": "pin", "items": [answers]},
        {"answer": "keep", "items": ["*"]},
    ]

    shown = run("curate", "-", input=json.dumps(verdicts)).stdout

    page, _, left = shown.partition("NO LONGER ON THE PAGE\n")
    assert f"{RULE} aloud" in page
    assert "Short answers in German" in page
    assert left.split()[:3] == [rule, "merged", "into"]
    assert RULE in left
