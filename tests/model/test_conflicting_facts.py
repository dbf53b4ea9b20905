"""Contradictory facts are found, with the reason why one of them is later."""

from __future__ import annotations

from remem.model.contradictions import find_conflicts
from remem.model.fact import Fact
from tests.tables import each_row

FOUND = [
    ("Mara lives in Porto.", "Mara now lives in Lisbon."),
    ("Mara lives in Porto.", "Mara lives in Lisbon."),
    ("The carpenter's offer is 2,900 euros.", "The carpenter's offer is now 3,150 euros, oak."),
    ("The winter berth costs 410 euros.", "The winter berth costs 455 euros since October."),
    ("Mara works at Acme.", "Mara no longer works at Acme."),
    ("Zoë's phone number is 555.", "Zoë's phone number is 777."),
    ("The release is on 2026-03-01.", "The release is on 2026-04-01."),
    ("Zoë wohnt in Bern.", "Zoë wohnt jetzt in Basel."),
    ("小明住在北京。", "小明现在住在上海。"),
    ("Default model: luna-2", "Default model: sol-4"),
    ("Ana vive en Lima.", "Ana vive en Quito."),
    ("Never use the helper script.", "The helper script is now the primary way."),
]
LEFT = [
    ("Zoë is a doctor.", "Zoë is married."),
    ("The door is red.", "The door is old."),
    ("Mara lives in Porto.", "Mara lives in Porto, near the sea."),
    ("Mara lives in Porto.", "Zoë lives in Lisbon."),
    ("Zoë likes tea.", "Zoë likes coffee."),
    ("Zoë has two cats.", "Zoë has a dog."),
    ("Release 3 shipped on 2026-03-01.", "Release 4 shipped on 2026-04-01."),
    ("Decision: use oak.", "Decision: paint it blue."),
    ("Mara never eats fish.", "Mara never eats meat."),
    ("The tests run nightly.", "The tests are green."),
]


def fact(text: str, at: str = "") -> Fact:
    return Fact(text[:3], text, timestamp=at)


@each_row(("old", "new"), FOUND)
def test_a_contradiction_is_found_and_the_later_one_is_proposed(old: str, new: str) -> None:
    (found,) = find_conflicts(fact(new, "2026-05-01"), [fact(old, "2026-01-01")])

    assert found.old.fact == old
    assert found.rule
    assert found.supersede
    assert "the new fact is later" in found.why


@each_row(("old", "new"), LEFT)
def test_compatible_statements_are_not_reported(old: str, new: str) -> None:
    assert find_conflicts(fact(new, "2026-05-01"), [fact(old, "2026-01-01")]) == []
    assert find_conflicts(fact(old, "2026-05-01"), [fact(new, "2026-01-01")]) == []


def test_an_earlier_fact_replaces_nothing() -> None:
    later = fact("Mara lives in Lisbon.", "2026-05-01")

    (found,) = find_conflicts(fact("Mara lives in Porto.", "2026-01-01"), [later])

    assert not found.supersede
    assert found.why == "the known fact is later (2026-05-01 after 2026-01-01)"


def test_on_the_same_day_the_wording_decides() -> None:
    old = fact("Mara lives in Porto.", "2026-01-01")

    (told,) = find_conflicts(fact("Mara now lives in Lisbon.", "2026-01-01"), [old])
    (untold,) = find_conflicts(fact("Mara lives in Lisbon.", "2026-01-01"), [old])

    assert told.supersede
    assert told.why == "the new fact says that it is true now"
    assert not untold.supersede
    assert "decide which is right" in untold.why


def test_a_conflicting_fact_is_reported_once() -> None:
    standing = [fact(text, "2026-01-01") for text in ("Mara lives in Porto.", "Mara sings.")]

    found = find_conflicts(fact("Mara now lives in Lisbon.", "2026-05-01"), standing)

    assert [conflict.old.fact for conflict in found] == ["Mara lives in Porto."]
