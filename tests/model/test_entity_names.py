"""Names that may mean one entity are proposed with the reason; others are left in peace."""

from __future__ import annotations

import pytest

from remem.model.entity import Entity, likely_duplicates, similar_entities


def entities(*names: str, kinds: tuple[str, ...] = ()) -> dict[str, Entity]:
    pairs = zip(names, (*kinds, *[""] * len(names)), strict=False)
    return {name: Entity(name, name, kind) for name, kind in pairs}


@pytest.mark.parametrize(
    ("one", "other", "why"),
    [
        ("zoë-müller", "zoe-mueller", "differ only in their spelling"),
        ("Straße", "Strasse", "differ only in their spelling"),
        ("open-claw", "openclaw", ""),
        ("müller-zoë", "zoë-müller", "have the same words"),
        ("zoë", "zoë-müller", "one name is part of the other"),
        ("Jonathan", "Johnathan", "differ in a letter or two"),
        ("C.P.T. Group", "CPT Group", ""),
    ],
)
def test_a_name_in_another_spelling_is_proposed(one: str, other: str, why: str) -> None:
    found = likely_duplicates(entities(one, other))

    assert bool(found) == bool(why)
    if found:
        assert why in found[0].why
        assert {found[0].entity, found[0].other} == {one, other}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("anna", "anne"),
        ("release-2024", "release-2025"),
        ("mara", "mark"),
        ("north-garden", "south-garden"),
        ("project-atlas", "project-orbit"),
        ("müller-anna", "schmidt-anna"),
    ],
)
def test_different_names_are_left_in_peace(one: str, other: str) -> None:
    assert likely_duplicates(entities(one, other)) == []


def test_a_person_is_no_project() -> None:
    assert likely_duplicates(entities("zoe", "zoë", kinds=("person", "project"))) == []
    assert likely_duplicates(entities("zoe", "zoë", kinds=("person", "person")))


def test_what_is_merged_is_proposed_no_more() -> None:
    merged = entities("zoe", "zoë") | {"zoe": Entity("zoe", "zoe", merged_into="zoë")}

    assert likely_duplicates(merged) == []


def test_a_new_name_is_compared_with_those_that_are_known() -> None:
    known = entities("zoë-müller", "atlas")

    (found,) = similar_entities(known, "Zoe Mueller")

    assert (found.entity, found.other) == ("Zoe Mueller", "zoë-müller")
    assert similar_entities(known, "Marble") == []


def test_a_thousand_entities_are_compared_by_their_words_alone() -> None:
    many = entities(*(f"person-{number:04d}x" for number in range(60)), "zoë", "zoe")

    assert {(each.entity, each.other) for each in likely_duplicates(many)} == {("zoe", "zoë")}
