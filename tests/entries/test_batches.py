from __future__ import annotations

from collections.abc import Iterator

from remem.entries.draft import MAX_BATCH_ITEMS, batches


def test_a_batch_holds_so_many_items_and_the_last_one_the_rest() -> None:
    found = list(batches(range(2 * MAX_BATCH_ITEMS + 3), lambda _item: 1))

    assert [len(batch) for batch in found] == [MAX_BATCH_ITEMS, MAX_BATCH_ITEMS, 3]
    assert [item for batch in found for item in batch] == list(range(2 * MAX_BATCH_ITEMS + 3))


def test_long_items_make_small_batches() -> None:
    assert [len(batch) for batch in batches(["x" * 1_000_000] * 5, len)] == [2, 2, 1]


def test_no_more_is_taken_than_the_next_batch_needs() -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in range(10 * MAX_BATCH_ITEMS):
            taken.append(number)
            yield number

    next(batches(items(), lambda _item: 1))

    assert len(taken) == MAX_BATCH_ITEMS


def test_nothing_makes_no_batch() -> None:
    assert list(batches([], len)) == []
