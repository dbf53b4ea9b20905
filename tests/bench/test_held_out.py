"""A conversation is judged by weights that the others chose."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bench import held_out
from bench.choosing import Choice
from bench.conversations import Question
from bench.held_out import Ranked, measure
from bench.retrieval import Task
from bench.retrieval import measure as as_asked
from bench.subjects import Setting
from remem.search.rank.weights import SIGNALS
from tests.bench.conversation_set import question, turn, written

BY_WORDS = Setting("store", keyword_only=True)
PETS = ("beagle", "parrot", "lizard", "rabbit")


def chats(folder: Path) -> Path:
    """Talks with an assistant who says every word again; what the user said is the evidence."""
    lines = []
    for number, pet in enumerate(PETS):
        told = [
            turn("1", "S1", "user", f"I have adopted a {pet}."),
            turn("2", "S1", "assistant", f"A {pet}! A {pet} is a fine pet.", "assistant"),
            turn("3", "S1", "user", "It rained all week."),
        ]
        asked = question(f"q{number}", f"Which {pet} was it?", ["1"], "S1", "single-hop")
        lines.append(json.dumps({"id": pet, "turns": told, "questions": [asked]}))
    path = folder / "chats.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_the_table_is_judged_as_the_retrieval_measurement_judges_it(tmp_path: Path) -> None:
    task = Task(written(tmp_path), BY_WORDS)
    found, asked = measure(task), as_asked(task)

    assert found["folds"] == 2
    assert found["questions"] == asked["all"]["n"] == 4
    for name in found["table"]:
        assert found["table"][name] == pytest.approx(asked["all"][name], abs=0.1)


def test_what_the_other_conversations_show_is_used_on_the_one_left_out(tmp_path: Path) -> None:
    found = measure(Task(chats(tmp_path), BY_WORDS))

    assert found["folds"] == len(PETS)
    assert found["held_out"]["R@1"] == 100.0
    assert found["factors"]["role"]["mean"] > 0
    assert found["factors"]["role"]["sd"] < 0.5
    assert set(found["factors"]) <= set(SIGNALS)


def test_where_nothing_can_be_left_out_the_table_stays(tmp_path: Path) -> None:
    found = measure(Task(chats(tmp_path), BY_WORDS, first=1))

    assert found["folds"] == 1
    assert found["held_out"] == found["table"]
    assert all(value["mean"] == 1 for value in found["factors"].values())


def test_conversations_in_one_memory_are_still_left_out_one_by_one(tmp_path: Path) -> None:
    found = measure(Task(chats(tmp_path), BY_WORDS, merge=True))

    assert (found["folds"], found["questions"]) == (len(PETS), len(PETS))


def test_other_factors_make_another_order() -> None:
    asked = Question("q", "?", "", "single-hop", frozenset({"b"}), frozenset({"S"}))
    given = np.array([[2.0, 0.0], [1.0, 3.0]])
    ranked = Ranked(
        asked, 0, (("a",), ("b",)), {"a": "S", "b": "S"}, Choice(given, np.array([False, True]))
    )

    assert ranked.judged(np.array([1.0, 0.0]))["R@1"] == 0
    assert ranked.judged(np.array([1.0, 1.0]))["R@1"] == 1


def test_the_command_prints_both_figures_of_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMEM_BENCH", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["held_out.py", chats(tmp_path).name, "--keyword-only"])

    held_out.main()

    shown = capsys.readouterr().out
    assert "chats.jsonl: 4 questions in 4 parts" in shown
    assert "| chosen without it | 100.0 |" in shown
