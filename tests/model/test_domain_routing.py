"""Every entry belongs to exactly one domain file."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from remem.model.domain_routing import (
    INDEX_FILE_KEY,
    STEMS,
    domain_file_key,
    domain_stem,
    domain_title,
    parse_domain_file_key,
)
from remem.model.entry import CATEGORIES, Entry
from tests.tables import each_row

ENTRY = Entry("mem-00000000", "person", "Ada", "", "")


def test_every_category_has_its_own_file() -> None:
    assert [domain_stem(replace(ENTRY, category=category), ()) for category in CATEGORIES] == [
        STEMS[category] for category in CATEGORIES
    ]
    assert len(set(STEMS.values())) == len(CATEGORIES)


def test_the_first_tag_that_is_a_topic_decides() -> None:
    tagged = replace(ENTRY, tags=("work", "Goals", "openclaw"))

    assert domain_stem(tagged, ("openclaw", "goals")) == "goals"
    assert domain_stem(tagged, ("openclaw",)) == "openclaw"
    assert domain_stem(tagged, ()) == "people"


def test_a_topic_is_found_in_any_spelling_and_named_as_configured() -> None:
    assert domain_stem(replace(ENTRY, tags=("cafe\u0301",)), ("Café",)) == "Café"


@each_row("tags", [(), ("goals",)])
def test_untrusted_entries_have_their_own_file_whatever_their_tags(tags: tuple[str, ...]) -> None:
    untrusted = replace(ENTRY, trust="untrusted", tags=tags)

    assert domain_stem(untrusted, ("goals",)) == "untrusted"


@given(st.text(min_size=1), st.integers(1, 10_000))
def test_a_mark_names_one_file(stem: str, part: int) -> None:
    assert parse_domain_file_key(domain_file_key(stem, part)) == (stem, part)


def test_the_index_is_not_a_domain_file() -> None:
    assert parse_domain_file_key(INDEX_FILE_KEY) is None


GERMAN = "Mara führt die Bücher und wohnt in Köln, sie mag keine langen Besprechungen am Montag. "


@each_row(
    ("stem", "contents", "title"),
    [
        ("facts", ["The relay is called ember."], "Facts"),
        ("facts", ["我们决定种豆子。"], "事实"),
        ("people", [GERMAN] * 3, "Personen"),
        ("people", [GERMAN], "People"),
        ("untrusted", ["我们决定种豆子。"], "未确认"),
        ("my-topic", ["我们决定种豆子。"], "My topic"),
        ("facts", [], "Facts"),
    ],
)
def test_a_new_file_has_a_heading_in_the_language_of_its_entries(
    stem: str, contents: list[str], title: str
) -> None:
    assert domain_title(stem, contents) == title
