"""Names that may denote the same thing, and those that only look alike."""

from __future__ import annotations

from collections import Counter

from remem.model.entity import Entity
from remem.model.same_name import proposals, same_name
from scripts.name_pairs import counts, rates
from tests.tables import each_row


@each_row(
    ("one", "other"),
    [
        ("Zoë Müller", "Zoe Mueller"),
        ("Zoë Müller", "Zoe Muller"),
        ("Dr. Ann Bell", "Ann Bell"),
        ("Bell, Ann", "Ann Bell"),
        ("A. Bell", "Ann Bell"),
        ("Bob Stone", "Robert Stone"),
        ("Acme GmbH", "acme"),
        ("BlueHeron", "blue heron"),
        ("Project Atlas", "Atlas"),
        ("Ольга Петрова", "Olga Petrova"),
        ("Саша Иванов", "Александр Иванов"),
        ("田中さん", "田中"),
        ("陳志遠", "陈志远"),
        ("渡邊", "渡辺"),
        ("臺灣大學", "台湾大学"),
        ("旅行-京都", "京都旅行"),
        ("Lisbon Harbour Rowing Club", "LHRC"),
        ("Johannes Keller", "Johanes Keller"),
    ],
)
def test_one_name_is_written_in_two_ways(one: str, other: str) -> None:
    assert same_name(one, other)
    assert same_name(other, one)


@each_row(
    ("one", "other"),
    [
        ("Ann Bell", "Tom Bell"),
        ("Maria Costa", "Mario Costa"),
        ("Atlas 1", "Atlas 2"),
        ("Christian Weber", "Christina Weber"),
        ("Jan", "Jana"),
        ("Acme Foods", "Acme Tools"),
        ("Ann Bell", "Ann Stone"),
        ("王伟", "王芳"),
        ("京都-旅行", "京都案内"),
        ("", "Ann"),
    ],
)
def test_different_names_stay_different(one: str, other: str) -> None:
    assert same_name(one, other) is None


def entity(id_: str, name: str, **values: object) -> Entity:
    return Entity(id=id_, name=name, **values)  # type: ignore[arg-type]


def test_a_first_name_is_proposed_for_the_only_person_who_has_it() -> None:
    david, miller = entity("david", "David"), entity("david-miller", "David Miller")
    (pair,) = proposals([david, miller])
    assert (pair.entity, pair.other) == ("david", "david-miller")
    assert proposals([david, miller, entity("david-stone", "David Stone")]) == []


def test_merged_declined_and_unlike_entities_are_not_proposed() -> None:
    one = entity("zoe", "Zoe")
    assert proposals([one, entity("zoë", "Zoë")])
    assert proposals([one, entity("zoë", "Zoë", merged_into="zoe")]) == []
    assert proposals([one, entity("zoë", "Zoë", distinct_from=("zoe",))]) == []
    assert proposals([entity("zoe", "Zoe", kind="tool"), entity("zoë", "Zoë", kind="person")]) == []


def test_few_proposals_are_wrong_on_pairs_that_were_labelled_blind() -> None:
    precision, recall = rates(sum(counts().values(), Counter()))
    assert precision >= 0.97
    assert recall >= 0.45


@each_row(
    ("one", "other"),
    [("孟老师（孟知秋）", "孟知秋"), ("孟知秋律师", "孟知秋"), ("「晨星」项目", "晨星项目")],
)
def test_brackets_titles_and_words_for_projects_do_not_make_names_different(
    one: str, other: str
) -> None:
    assert same_name(one, other)


def test_brackets_that_say_where_something_is_are_not_a_name() -> None:
    assert same_name("Altona (Hamburg)", "Hamburg") is None
