"""How extraction is measured: labels without text, sets that share nothing, honest counts."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tables import each_row

ROOT = next(p for p in Path(__file__).parents if (p / "pyproject.toml").exists())
LABELS = ROOT / "tests" / "samples" / "labels"
SCRIPT = ROOT / "scripts" / "extraction_accuracy.py"
SETS = ("read", "unread", "fresh")


def labels(split: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((LABELS / f"conversations_{split}.json").read_text())
    return found


@each_row("split", SETS)
def test_a_label_is_ids_and_spans_and_no_text(split: str) -> None:
    for label in labels(split):
        assert set(label) == {"data", "conversation", "session", "keep"}
        for turn, spans in label["keep"].items():
            assert " " not in turn
            assert all(isinstance(at, int) for span in spans for at in span)
            assert all(start < end for start, end in spans)


def test_no_sitting_is_in_two_sets() -> None:
    sittings = [
        (label["data"], label["conversation"], label["session"])
        for split in SETS
        for label in labels(split)
    ]

    assert len(set(sittings)) == len(sittings)
    assert all(len(labels(split)) >= 40 for split in SETS)


def test_the_fresh_set_is_large_and_speaks_two_languages() -> None:
    fresh = labels("fresh")

    turns = dict.fromkeys(("locomo", "longmemeval", "beam", "memdaily"), 0)
    for label in fresh:
        turns[label["data"].split("_")[0]] += len(label["keep"])
    assert all(count >= 20 for count in turns.values())


def measured(folder: Path | None, *options: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "REMEM_BENCH"}
    if folder is not None:
        environment["REMEM_BENCH"] = str(folder)
    command = [sys.executable, str(SCRIPT), *options]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_without_the_conversations_the_command_says_what_to_set(tmp_path: Path) -> None:
    for folder in (None, tmp_path / "none"):
        done = measured(folder)
        assert done.returncode == 1
        assert "REMEM_BENCH" in done.stderr


@pytest.fixture
def talks(tmp_path: Path) -> Path:
    """Every labelled turn says something that is taken, and something that is not."""
    sittings = [label for split in SETS for label in labels(split)]
    for name in {sitting["data"] for sitting in sittings}:
        by_id: dict[str, list[dict[str, Any]]] = {}
        for sitting in sittings:
            if sitting["data"] == name:
                by_id.setdefault(sitting["conversation"], []).extend(_turns(sitting))
        lines = [
            json.dumps({"id": id_, "turns": turns, "questions": [_question(turns)]})
            for id_, turns in by_id.items()
        ]
        with gzip.open(tmp_path / name, "wt", encoding="utf-8") as file:
            file.write("\n".join(lines))
    return tmp_path


def _turns(sitting: dict[str, Any]) -> list[dict[str, Any]]:
    """Two of three kept spans are plain statements; every turn ends with something unlabelled."""
    turns = []
    for number, (id_, spans) in enumerate(sitting["keep"].items()):
        said = "I moved to Oslo. " if number % 3 else "Nothing of note. "
        end = max(last for _, last in spans)
        text = (said * (end // len(said) + 1))[: max(end, len(said))]
        turns.append({"id": id_, "session": sitting["session"], "role": "user", "text": text})
    return turns


def _question(turns: list[dict[str, Any]]) -> dict[str, Any]:
    return {"gold_turns": [turn["id"] for turn in turns]}


def test_the_figures_are_shares_of_what_was_counted(talks: Path) -> None:
    done = measured(talks, "--json")

    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    for split in SETS:
        every = figures[split]["all"]
        assert 0 < every["precision_from"] < every["precision"] <= 1
        assert 0 < every["recall"] < 1
        assert every["wanted"] == sum(
            len(spans) for label in labels(split) for spans in label["keep"].values()
        )
        assert every["taken"] == sum(
            figures[split][name]["taken"] for name in ("English", "Chinese")
        )
    assert 0 < figures["evidence"]["locomo_dev.jsonl.gz"]["survive"] < 1


def test_one_set_can_be_measured_alone(talks: Path) -> None:
    """Rules are tuned on the first set only; the others stay unseen."""
    done = measured(talks, "--json", "--only", "read")

    assert done.returncode == 0, done.stderr
    assert set(json.loads(done.stdout)) == {"read"}


def test_a_rule_that_takes_everything_would_be_seen(talks: Path) -> None:
    source = SCRIPT.read_text(encoding="utf-8")
    greedy = source.replace(
        "learned = keep_grounded(learn([utterance]), [utterance])",
        "learned = type('L', (), {'lessons': [type('T', (), {'text': text})"
        " for text in one_line.split('. ')], 'likely': (), 'plain': ()})",
    ).replace("Path(__file__).parent.parent", f"Path({str(ROOT)!r})")
    assert "L', (), {" in greedy
    program = talks / "greedy.py"
    program.write_text(greedy, encoding="utf-8")

    done = subprocess.run(
        [sys.executable, str(program), "--json"],
        env={**os.environ, "REMEM_BENCH": str(talks)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stdout)["unread"]["all"]["precision"] < 0.9
