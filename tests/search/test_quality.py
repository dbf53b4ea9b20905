"""The ranking reaches the expected quality, and a broken signal is noticed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from remem.app.environment import choose_embedders
from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.config import Config
from remem.model.entry import Origin
from tests.search.quality_set import (
    HELP,
    HELP_QUESTIONS,
    NOTE_QUESTIONS,
    NOTES,
    TALK,
    TALK_QUESTIONS,
)
from tests.tables import each_row

NOW: Final = "2026-11-15T12:00:00Z"
Memories = Sequence[dict[str, Any]]
Questions = Sequence[tuple[str, int]]


def talk() -> Memories:
    return [
        {
            "category": "fact",
            "content": f"{speaker}: {text}",
            "created_at": day,
            "origin": Origin(source, i, speaker, "user"),
        }
        for i, (source, day, speaker, text) in enumerate(TALK)
    ]


def help_() -> Memories:
    return [
        {"category": "fact", "content": f"{role}: {text}", "origin": Origin(source, i, role, role)}
        for i, (source, role, text) in enumerate(HELP)
    ]


def notes() -> Memories:
    return [{"category": "fact", "content": text} for text in NOTES]


def reciprocal_rank(
    folder: Path, memories: Memories, questions: Questions, **options: Any
) -> float:
    """The mean over the questions of 1 / the rank of the right memory."""
    with open_workspace(folder, background=False, clock=lambda: NOW, **options) as memory:
        ids = [receipt.id for receipt in memory.store_many(memories)]  # type: ignore[arg-type]
        if not options.get("keywords_only"):
            memory.maintenance.embed_pending()
        return fmean(_rank(memory, question, ids[right]) for question, right in questions)


def _rank(memory: Workspace, question: str, wanted: str) -> float:
    found = [entry.id for entry in memory.recall(question, token_budget=100_000).entries]
    return 1 / (found.index(wanted) + 1) if wanted in found else 0.0


SETS: Final = {
    "talk": (talk, TALK_QUESTIONS),
    "help": (help_, HELP_QUESTIONS),
    "notes": (notes, NOTE_QUESTIONS),
}


@each_row(("name", "least"), [("talk", 0.7), ("help", 0.8), ("notes", 0.9)])
def test_keywords_alone_reach_the_expected_quality(tmp_path: Path, name: str, least: float) -> None:
    memories, questions = SETS[name]

    assert reciprocal_rank(tmp_path, memories(), questions, keywords_only=True) >= least


@pytest.mark.model
@pytest.mark.skipif(not choose_embedders(Config())[0], reason="the local model is not here")
@pytest.mark.parametrize(("name", "least"), [("talk", 0.78), ("help", 0.85), ("notes", 0.95)])
def test_the_model_improves_the_quality(tmp_path: Path, name: str, least: float) -> None:
    memories, questions = SETS[name]

    assert reciprocal_rank(tmp_path, memories(), questions) >= least


@each_row(
    ("name", "signal"),
    [("talk", "keyword"), ("talk", "answer"), ("talk", "date"), ("help", "role")],
)
def test_a_broken_signal_lowers_the_measured_quality(
    tmp_path: Path, name: str, signal: str
) -> None:
    memories, questions = SETS[name]
    whole = reciprocal_rank(tmp_path / "whole", memories(), questions, keywords_only=True)

    broken = reciprocal_rank(
        tmp_path / "broken", memories(), questions, keywords_only=True, without_signals=(signal,)
    )

    assert broken < whole


def test_a_note_is_found_among_conversations(tmp_path: Path) -> None:
    together = [*notes(), *talk(), *help_()]

    assert reciprocal_rank(tmp_path, together, NOTE_QUESTIONS, keywords_only=True) >= 0.9
