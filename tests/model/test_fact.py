"""A fact holds until another supersedes it; nothing else ends it."""

from __future__ import annotations

import pytest

from remem.errors import InvalidInput
from remem.model.fact import Fact, fact_of, in_order, succession, valid_at
from tests.tables import each_row


def fact(
    id_: str,
    at: str = "2026-01-01",
    by: str | None = None,
    *,
    status: str | None = None,
    path: str = "",
) -> Fact:
    state = status if status is not None else "superseded" if by else "active"
    said = f"{id_} is so."
    return Fact(id_, said, timestamp=at, status=state, superseded_by=by, path=path)


def read(value: object) -> Fact | None:
    return fact_of(value, entity="zoe", path="p", lines=(1, 2), number=0)


@each_row("status", ["active", "completed", "planned", "resolved", "deprecated", ""])
def test_only_superseded_ends_a_fact(status: str) -> None:
    assert fact("a", status=status).active
    assert not fact("a", status="Superseded").active
    assert not fact("a", by="b", status=status).active


def test_the_fields_of_all_variants_are_read() -> None:
    plain = read({"id": "zoe-001", "fact": "Zoe sings.", "status": "active", "supersededBy": None})
    other = read({"id": 7, "text": "She left.", "timestamp": 20260102, "supersededBy": "x-2"})

    assert plain == Fact("zoe-001", "Zoe sings.", "zoe", path="p", start=1, end=2)
    assert other is not None
    assert (other.id, other.fact, other.superseded_by) == ("7", "She left.", "x-2")
    assert read({"id": "no text"}) is None
    assert read(["no", "object"]) is None


@each_row(
    ("timestamp", "since", "day"),
    [
        ("2026-02-03", "2026-02-03T00:00:00Z", "2026-02-03"),
        ("2026-02-03T23:30:00-05:00", "2026-02-04T04:30:00Z", "2026-02-03"),
        ("2026-02-03T09:14:00.123456Z", "2026-02-03T09:14:00Z", "2026-02-03"),
        ("last spring", None, None),
        ("", None, None),
    ],
)
def test_a_timestamp_is_a_date_or_a_time_or_nothing(
    timestamp: str, since: str | None, day: str | None
) -> None:
    assert fact("a", timestamp).since == since
    assert fact("a", timestamp).day == day


def test_a_superseded_fact_held_until_its_successor_began() -> None:
    old, new = fact("a", "2026-01-10", by="b"), fact("b", "2026-03-05")

    assert valid_at([old, new], "2026-01-09") == []
    assert valid_at([old, new], "2026-01-10") == [old]
    assert valid_at([old, new], "2026-03-04") == [old]
    assert valid_at([old, new], "2026-03-05") == [new]
    assert valid_at([old, new], "2026-03-04T23:59:59Z") == [old]


def test_a_fact_that_ended_at_an_unknown_time_is_left_out() -> None:
    lost, undated, odd = fact("a", by="gone"), fact("b", ""), fact("c", "2026-01-01", by="b")

    assert valid_at([lost, undated, odd], "2026-06-01") == [undated]
    with pytest.raises(InvalidInput, match="as_of 'soon' is not a date"):
        valid_at([undated], "soon")


def test_a_successor_of_the_same_id_in_another_file_is_another_fact() -> None:
    old, new = fact("a", by="b", path="one"), fact("b", "2026-03-01", path="two")

    assert valid_at([old, new], "2026-02-01") == []


def test_a_succession_has_predecessors_and_successors_and_cycles_end() -> None:
    a, b, c = fact("a", by="b"), fact("b", "2026-02-01", by="c"), fact("c", "2026-03-01")
    other, also = fact("x"), fact("d", "2026-01-15", by="b")

    assert succession([c, other, also, b, a], "b") == [a, also, b, c]
    assert succession([c, other, also, b, a], "a") == [a, also, b, c]
    assert succession([other], "nobody") == []
    one, two = fact("a", by="b"), fact("b", by="a")
    assert set(succession([one, two], "a")) == {one, two}


def test_facts_of_one_day_keep_the_order_of_their_file() -> None:
    one, two = fact("z", path="p"), Fact("a", "A.", timestamp="2026-01-01", path="p", number=1)

    assert in_order([two, fact("y", ""), one]) == [fact("y", ""), one, two]


def test_a_fact_cites_its_lines() -> None:
    assert Fact("a", "A.", path="p/items.json", start=4, end=12).place == "p/items.json#L4-L12"
    assert Fact("a", "A.", path="p/items.json", start=4, end=4).place == "p/items.json#L4"
