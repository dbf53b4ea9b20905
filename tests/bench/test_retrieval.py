"""Conversations are stored, asked and judged through the public API."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench.conversations import Conversation, Question, Turn, merged, read
from bench.plain_bm25 import terms
from bench.retrieval import Task, compared, measure
from bench.subjects import Setting, Written, build
from bench.typos import misspelt
from remem.errors import InvalidInput
from tests.bench.conversation_set import CONVERSATIONS, written
from tests.tables import each_row

PLAIN = Setting("bm25")
BY_WORDS = Setting("store", keyword_only=True)
BY_FILES = Setting("search", keyword_only=True)


def test_a_file_is_read_with_or_without_gzip(tmp_path: Path) -> None:
    packed, plain = (read(written(tmp_path, name)) for name in ("a.jsonl.gz", "a.jsonl"))

    assert packed == plain
    assert [document.id for document in packed] == ["one", "two"]
    assert packed[0].turns[0].content == "Mara: I adopted a beagle called Pip."


@each_row("text", ["", "{}", "[1]", '{"id": 1, "turns": 3}', "not json"])
def test_what_is_no_conversation_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(text)

    with pytest.raises(InvalidInput, match=r"bad\.jsonl"):
        read(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        read(tmp_path / "missing.jsonl")


def test_merged_conversations_keep_their_turns_apart(tmp_path: Path) -> None:
    one = merged(read(written(tmp_path)))

    assert len({turn.id for turn in one.turns}) == len(one.turns) == 6
    assert one.questions[-2].gold_turns == {"two/1"}
    assert one.questions[-2].gold_sessions == {"two/S1"}


@each_row(
    "task",
    [
        {"setting": PLAIN},
        {"setting": BY_WORDS},
        {"setting": BY_WORDS, "merge": True},
        {"setting": Setting("store", isolated=True, keyword_only=True)},
        {"setting": BY_FILES},
    ],
)
def test_the_right_turn_is_found_in_every_way_of_asking(
    tmp_path: Path, task: dict[str, Any]
) -> None:
    result = measure(Task(written(tmp_path), **task))

    assert result["questions"] == 6
    assert result["all"]["n"] == 4  # neither adversarial nor abstention
    assert result["macro"]["n"] == 3  # with adversarial
    assert result["all"]["R@10"] == 100
    assert set(result["per_question"]) == {"q1", "q2", "q3", "q5"}


def test_what_stands_in_the_text_of_six_results_is_counted_too(tmp_path: Path) -> None:
    written_down = measure(Task(written(tmp_path), BY_FILES))
    stored = measure(Task(written(tmp_path), BY_WORDS))

    assert written_down["all"]["V@6"] == 100
    assert "V@6" not in stored["all"]


def test_a_turn_that_is_only_named_by_its_lines_is_not_seen(tmp_path: Path) -> None:
    long = "Mara: " + "we walked and walked and walked. " * 60
    turns = tuple(Turn(str(i), "S1", "2024-05-08", "Mara", "user", long) for i in range(2))
    question = Question("q", "where did we walk?", "", "single", frozenset("0"), frozenset({"S1"}))
    memory = build(tmp_path / "ws", Conversation("one", turns, (question,)), BY_FILES, None)

    assert isinstance(memory, Written)
    assert memory.ask(question)[0], "its lines are among the results"
    assert not memory.seen(question, 6)
    memory.close()


def test_a_category_can_be_left_out(tmp_path: Path) -> None:
    result = measure(Task(written(tmp_path), PLAIN, leave_out=frozenset({"multi-hop"})))

    assert result["all"]["n"] == 3
    assert "multi-hop" not in result["categories"]


def test_a_run_repeats_exactly(tmp_path: Path) -> None:
    first, second = (measure(Task(written(tmp_path), BY_WORDS)) for _ in range(2))

    assert first["per_question"] == second["per_question"]


def test_a_run_is_compared_with_an_earlier_one(tmp_path: Path) -> None:
    result = measure(Task(written(tmp_path), PLAIN))
    worse = {**result, "per_question": {key: {"R@10": 0.0} for key in result["per_question"]}}

    assert compared(result, worse)["R@10"]["verdict"] == "gain"
    assert compared(result, result)["R@10"]["difference"] == 0
    with pytest.raises(InvalidInput, match="no question in common"):
        compared(result, {"per_question": {"other": {}}})


def test_the_baseline_stems_and_drops_what_says_nothing() -> None:
    assert terms("The dogs' owner was running") == ["dog", "owner", "run"]
    assert terms("北京大学") == ["北", "京", "大", "学", "北京", "京大", "大学"]


def test_half_of_the_long_words_are_misspelt_and_always_in_the_same_way() -> None:
    text = " ".join(["adopted beagle allotment flooded goldfish"] * 20)

    slips = sum(a != b for a, b in zip(text.split(), misspelt(text, 3).split(), strict=True))
    assert 30 < slips < 70
    assert misspelt(text, 3) == misspelt(text, 3) != misspelt(text, 4)
    assert misspelt("one two red", 3) == "one two red"


def test_the_set_of_the_tests_is_what_it_says() -> None:
    assert len(CONVERSATIONS) == 2
