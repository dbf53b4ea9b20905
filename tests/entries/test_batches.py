from __future__ import annotations

from collections.abc import Iterator

from remem.entries.draft import MOST, batches


def test_a_batch_holds_so_many_items_and_the_last_one_the_rest() -> None:
    found = list(batches(range(2 * MOST + 3), lambda _item: 1))

    assert [len(each) for each in found] == [MOST, MOST, 3]
    assert [item for batch in found for item in batch] == list(range(2 * MOST + 3))


def test_long_items_make_small_batches() -> None:
    assert [len(batch) for batch in batches(["x" * 1_000_000] * 5, len)] == [2, 2, 1]


def test_no_more_is_taken_than_the_next_batch_needs() -> None:
    taken = []

    def items() -> Iterator[int]:
        for number in range(10 * MOST):
            taken.append(number)
            yield number

    next(batches(items(), lambda _item: 1))

    assert len(taken) == MOST


def test_nothing_makes_no_batch() -> None:
    assert list(batches([], len)) == []
