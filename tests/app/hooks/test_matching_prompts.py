"""What a prompt brings to mind: little, and only what belongs to it."""

from __future__ import annotations

import pytest

from remem.app.hooks.start import PROMPT_TOKEN_BUDGET, matching_memories
from remem.app.workspace import Workspace
from tests.conftest import Opener
from tests.tables import each_row


@pytest.fixture
def boiler(opened: Opener) -> Workspace:
    memory = opened(keywords_only=True, embedder=None)
    memory.store(
        category="fact",
        content="The boiler is mended by Mara every October.",
        context="MEMORY.md\ntriggers: heating broken; cold flat",
    )
    memory.store(category="preference", content="大卫早上喝黑咖啡。")
    return memory


@pytest.mark.parametrize(
    "prompt",
    [
        "who mends the boiler?",
        "Oh no, HEATING  broken again - what now?",
        "When does Mara come for the boiler",
    ],
)
def test_words_in_common_and_triggers_bring_it(boiler: Workspace, prompt: str) -> None:
    assert "mended by Mara" in matching_memories(boiler, prompt)


def test_other_scripts_work_too(boiler: Workspace) -> None:
    assert "黑咖啡" in matching_memories(boiler, "大卫喝不喝黑咖啡?")


@each_row(
    "prompt",
    [
        "",
        "?",
        "and the",
        "rename the variable in line 3",
        "October revolution essay",
        "a cold drink",
    ],
)
def test_what_does_not_belong_brings_nothing(boiler: Workspace, prompt: str) -> None:
    assert matching_memories(boiler, prompt) == ""


def test_it_stays_small_and_names_where_it_comes_from(opened: Opener) -> None:
    memory = opened(keywords_only=True, embedder=None)
    for number in range(20):
        memory.store(category="fact", content=f"The garden gate number {number} is green. " * 3)

    text = matching_memories(memory, "which garden gate is green?")

    assert 0 < text.count("\n- ") <= 3
    assert "[mem-" in text
    assert len(text) < 8 * PROMPT_TOKEN_BUDGET


def test_text_of_strangers_is_not_offered_unasked(opened: Opener) -> None:
    memory = opened(keywords_only=True, embedder=None)
    memory.store(category="fact", content="The boiler code is 1234.", trust="untrusted")

    assert matching_memories(memory, "what is the boiler code?") == ""
