from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.model.domain_routing import (
    INDEX_MARK,
    STEMS,
    domain_mark,
    domain_stem,
    parse_domain_mark,
)
from remem.model.entry import CATEGORIES, Entry

ENTRY = Entry("mem-00000000", "person", "Ada", "", "")


def test_every_category_has_a_file_of_its_own() -> None:
    assert [domain_stem(replace(ENTRY, category=category), ()) for category in CATEGORIES] == [
        STEMS[category] for category in CATEGORIES
    ]
    assert len(set(STEMS.values())) == len(CATEGORIES)


def test_the_first_tag_that_is_a_topic_decides() -> None:
    tagged = replace(ENTRY, tags=("work", "Goals", "openclaw"))

    assert domain_stem(tagged, ("openclaw", "goals")) == "goals"
    assert domain_stem(tagged, ("openclaw",)) == "openclaw"
    assert domain_stem(tagged, ()) == "people"


def test_a_topic_is_found_in_whatever_spelling_and_named_as_configured() -> None:
    assert domain_stem(replace(ENTRY, tags=("cafe\u0301",)), ("Café",)) == "Café"


@pytest.mark.parametrize("tags", [(), ("goals",)])
def test_untrusted_entries_stand_apart_whatever_their_tags(tags: tuple[str, ...]) -> None:
    untrusted = replace(ENTRY, trust="untrusted", tags=tags)

    assert domain_stem(untrusted, ("goals",)) == "untrusted"


@given(st.text(min_size=1), st.integers(1, 10_000))
def test_a_mark_names_one_place(stem: str, part: int) -> None:
    assert parse_domain_mark(domain_mark(stem, part)) == (stem, part)


def test_the_index_has_no_place() -> None:
    assert parse_domain_mark(INDEX_MARK) is None
