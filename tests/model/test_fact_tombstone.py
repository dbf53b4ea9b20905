"""The tombstone of a fact has the fields that readers expect, and none of its words."""

from __future__ import annotations

import json

from remem.model.fact import (
    Fact,
    FactTombstone,
    fact_of,
    is_erased_wording,
    succession,
    tombstone_of,
    tombstone_value,
    valid_at,
)
from remem.model.fact_json import with_tombstone
from remem.text.similarity import folded_hash
from tests.tables import each_row

NOW = "2026-11-16T06:00:00Z"
FACT = {
    "id": "mara-001",
    "fact": "Mara keeps bees.",
    "category": "status",
    "timestamp": "2026-01-05",
    "source": "observation",
    "status": "superseded",
    "supersededBy": "mara-002",
    "origin": "memory/2026-01-05.md#L4",
    "mood": "said in a whisper",
}


def test_a_tombstone_keeps_the_succession_and_none_of_the_words() -> None:
    stone = tombstone_value(
        FACT, NOW, {folded_hash("Mara keeps bees."), folded_hash("Mara has bees.")}
    )

    hashes = stone.pop("wordings")
    assert stone == {
        "id": "mara-001",
        "fact": "",
        "category": "status",
        "timestamp": "2026-01-05",
        "source": "observation",
        "status": "erased",
        "erased": NOW,
        "supersededBy": "mara-002",
    }
    assert len(hashes) == 2
    wordy = tombstone_value(FACT | {"category": "keeps bees", "timestamp": "when bees"}, NOW, ())
    assert "bees" not in json.dumps(wordy)


def test_a_tombstone_is_not_a_fact_and_is_read_back() -> None:
    number = folded_hash("Mara keeps bees.")
    stone = json.loads(json.dumps(tombstone_value(FACT, NOW, {number, -1, 0})))

    assert fact_of(stone, entity="mara", path="p", lines=(1, 9), number=0) is None
    gone = tombstone_of(stone, entity="mara", path="p", number=0)
    assert gone is not None
    assert gone.wordings == {number, -1, 0}
    assert (gone.id, gone.at, gone.superseded_by) == ("mara-001", NOW, "mara-002")
    assert gone.since == "2026-01-05T00:00:00Z"
    assert is_erased_wording("mara  KEEPS bees.", [gone])
    assert not is_erased_wording("Mara kept bees.", [gone])


@each_row("value", ["erased", 7, None, [], {"status": "active"}, {"fact": "x"}])
def test_other_values_are_not_tombstones(value: object) -> None:
    assert tombstone_of(value, entity="", path="", number=0) is None


def test_a_tombstone_may_lack_fields() -> None:
    gone = tombstone_of({"status": "Erased", "wordings": ["x", 3]}, entity="", path="", number=2)

    assert gone == FactTombstone("", number=2)
    assert gone.since is None


def test_a_tombstone_replaces_only_its_fact() -> None:
    text = '{"v": 1,\n "facts": [{"id":"a","fact":"\\u00e9"},  {"id": "b", "fact": "B"} ]}\r\n'

    new = with_tombstone(text, 1, {"id": "b", "fact": ""})

    assert new == text.replace('"fact": "B"', '"fact": ""')


def test_successions_and_past_facts_pass_through_a_tombstone() -> None:
    first = Fact("a", "A", timestamp="2026-01-01", superseded_by="b", path="p")
    gone = FactTombstone("b", timestamp="2026-02-01", superseded_by="c", path="p")
    last = Fact("c", "C", timestamp="2026-03-01", path="p")

    assert succession([first, last], "a", [gone]) == [first, last]
    assert succession([first, last], "a") == [first]
    assert succession([first, last], "b", [gone]) == []
    assert valid_at([first, last], "2026-01-20", [gone]) == [first]
    assert valid_at([first, last], "2026-02-20", [gone]) == []
