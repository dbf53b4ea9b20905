"""Entries are found by their words and by their ids, without leaving a trace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from remem.search.answer.answer import Answer
from remem.setup.validate.result import ToolResult
from remem.setup.validate.round_trip import check_stored_entries, sample_of
from tests.conftest import Opener


def test_every_entry_is_found_again(opened: Opener) -> None:
    memory = opened()
    memory.store_many(
        {"category": "fact", "content": f"Drawer {i} holds the letters of year {1900 + i}."}
        for i in range(40)
    )
    sample = sample_of(memory.services.setup.sample_entries())

    result = check_stored_entries(
        [ToolResult("memory_store")], sample, memory.services.recall.recall_unrecorded
    )

    assert len(sample) == 10
    assert (result.passed, result.reasons) == (True, ())


def test_a_recall_that_finds_nothing_is_caught(opened: Opener) -> None:
    memory = opened()
    id_ = memory.store(category="fact", content="The shed is locked.").id

    result = check_stored_entries(
        [], memory.services.setup.sample_entries(), lambda _query: Answer((), 0, 0, 0)
    )

    assert not result.passed
    assert result.reasons == (
        f"{id_} is not found by its id",
        f"{id_} is not found by its own words",
    )


def test_one_of_ten_entries_may_be_missing_but_not_two(opened: Opener) -> None:
    memory = opened()
    receipts = memory.store_many(
        {"category": "fact", "content": f"Drawer {i} holds the letters of year {1900 + i}."}
        for i in range(10)
    )

    def forgetting(ids: set[str]) -> Callable[[str], Answer]:
        def recall(query: str) -> Answer:
            answer = memory.services.recall.recall_unrecorded(query)
            left = tuple(
                entry for entry in answer.entries if entry.id not in ids or query == entry.id
            )
            return replace(answer, entries=left)

        return recall

    sample = memory.services.setup.sample_entries()
    assert check_stored_entries([], sample, forgetting({receipts[0].id})).passed
    two = {receipts[0].id, receipts[1].id}
    assert not check_stored_entries([], sample, forgetting(two)).passed


def test_very_short_and_very_long_entries_are_not_used(opened: Opener) -> None:
    memory = opened()
    memory.store(category="fact", content="…")
    memory.store(category="fact", content="ok")
    memory.store(category="fact", content=" ".join(f"word{i}" for i in range(3000)))

    assert sample_of(memory.services.setup.sample_entries()) == []


def test_a_failed_self_test_is_reported() -> None:
    tried = [ToolResult("memory_store", "disk full"), ToolResult("memory_get", "no")]

    result = check_stored_entries(tried, [], lambda _query: Answer((), 0, 0, 0))

    assert result.reasons == ("memory_store in a temporary workspace: disk full",)


def test_unrecorded_queries_leave_no_trace(opened: Opener) -> None:
    memory = opened()
    memory.store(category="fact", content="The shed is locked.")
    before = memory.status().progressive.last_recall

    memory.services.recall.recall_unrecorded("shed")
    memory.store(category="fact", content="The gate is open.")  # would carry what waits along

    assert memory.status().progressive.last_recall == before is None
    memory.recall("shed")
    memory.store(category="fact", content="The door is open.")
    assert memory.status().progressive.last_recall is not None
