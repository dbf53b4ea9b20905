"""Whatever can be written is kept, and found by its own words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.model.arguments import MAX_BUDGET
from remem.text.words import search_terms
from tests.quick import borrowed_folder
from tests.tiers import examples

pytestmark = pytest.mark.hostile

ANY_TEXT = st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=40
).filter(str.strip)


@settings(max_examples=examples(40))
@given(st.lists(ANY_TEXT, min_size=1, max_size=15))
def test_any_text_with_a_word_in_it_finds_itself(texts: list[str]) -> None:
    with (
        borrowed_folder() as root,
        open_workspace(
            root,
            background=False,
            counter=EstimatedCounter(),
            environment={"REMEM_MODELS": str(root)},
        ) as memory,
    ):
        for text in texts:
            receipt = memory.store(category="fact", content=text)
            told = memory.recall(text, limit=100, token_budget=MAX_BUDGET)

            assert receipt.id in [entry.id for entry in told.entries] or not search_terms(text)


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("The ferry costs 100₽ or ₿2.", "100"),  # signs that are younger than the tokenizer
        ("\u2066isolated\u2069", "isolated"),
        ("z̛a̗l̲g̵o̶", "zalgo"),
        ("שָׁלוֹם", "שלום"),
        ("q̃uick", "quick"),
    ],
)
def test_signs_around_and_on_top_of_a_word_do_not_hide_it(
    memory: Workspace, text: str, question: str
) -> None:
    memory.store(category="fact", content=text)

    assert [entry.content for entry in memory.recall(question).entries] == [text]


def test_a_flood_of_likes_links_each_to_a_few(memory: Workspace) -> None:
    words = "the nightly backup of the wiki goes to the blue disk in the cellar at"
    receipts = memory.store_many(
        {"category": "fact", "content": f"{words} {i}"} for i in range(300)
    )

    assert max(len(receipt.linked) for receipt in receipts) == 8
