"""An entity is found by any of its names; a new one gets its own folder."""

from __future__ import annotations

import pytest

from remem.errors import InvalidInput
from remem.model.entity import (
    Entity,
    category_of,
    entity_named,
    key_of,
    kind_by_path,
    merged_with,
    root_of,
    slug_of,
)
from remem.model.fact import Fact
from tests.tables import each_row


def known(*entities: Entity) -> dict[str, Entity]:
    return {entity.id: entity for entity in entities}


ZOE = Entity("zoë-müller", "Zoë Müller", "person", aliases=("Zo",))


@each_row("name", ["Zoë Müller", "zoë  MÜLLER", "zoë-müller", "zo", "ZOË_müller"])
def test_case_blanks_and_hyphens_do_not_matter(name: str) -> None:
    assert entity_named(known(ZOE), name) == ZOE


@each_row("name", ["Zoe Müller", "Zoë Mueller", "Zoë", "Müller"])
def test_another_spelling_is_another_name(name: str) -> None:
    assert entity_named(known(ZOE), name) is None


def test_a_name_that_means_two_is_refused_with_their_ids() -> None:
    both = known(Entity("people/anna", "anna"), Entity("life/projects/anna", "anna"))

    with pytest.raises(InvalidInput, match=r"several entities.*people/anna, life/projects/anna"):
        entity_named(both, "Anna")
    assert entity_named(both, "people/anna") == both["people/anna"]


def test_a_merged_entity_resolves_to_the_other_and_cycles_end() -> None:
    all_ = known(ZOE, Entity("zoe", "Zoe", merged_into="zoë-müller"))

    assert entity_named(all_, "Zoe") == ZOE
    assert {entity.id for entity in merged_with(all_, ZOE)} == {"zoë-müller", "zoe"}
    circle = known(Entity("a", "a", merged_into="b"), Entity("b", "b", merged_into="a"))
    assert root_of(circle, "a").id in circle
    lost = known(Entity("a", "a", merged_into="gone"))
    assert root_of(lost, "a").id == "a"


@each_row(
    ("name", "slug"),
    [
        ("Zoë Müller", "zoë-müller"),
        ("  C++  ", "c-2"),
        ("../../etc/passwd", "etc-passwd"),
        ("山田 太郎", "山田-太郎"),
        ("Con.", "con"),
        ("x" * 300, "x" * 60),
        (".hidden", "hidden"),
    ],
)
def test_the_folder_of_a_new_entity_is_safe_and_unused(name: str, slug: str) -> None:
    assert slug_of(name, taken_slugs=["c"]) == slug


def test_a_name_without_a_letter_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no letter or digit"):
        slug_of("../..")


def test_the_kind_of_an_entity_comes_from_its_folder() -> None:
    assert kind_by_path("life/areas/people/anna") == "person"
    assert kind_by_path("life/projects/boat") == "project"
    assert kind_by_path("people") == ""
    assert kind_by_path("boat") == ""


@each_row(
    ("kind", "category", "wanted"),
    [
        ("person", "preference", "person"),
        ("project", "decision", "project"),
        ("tool", "decision", "fact"),
        ("", "decision", "decision"),
        ("", "Preference", "preference"),
        ("", "lesson", "insight"),
        ("", "relationship", "person"),
        ("", "infrastructure", "fact"),
    ],
)
def test_the_kind_decides_the_category_and_the_facts_own_where_there_is_none(
    kind: str, category: str, wanted: str
) -> None:
    assert category_of(Fact("a", "A.", category=category), kind) == wanted


def test_a_key_keeps_what_distinguishes_two_names() -> None:
    assert key_of("C++") != key_of("C")
    assert key_of("Zoë") != key_of("Zoe")
    assert key_of("ｚｏë") == key_of("Zoë")
