"""Facts are read from a text with their lines, as far as it can be read."""

from __future__ import annotations

import pytest

from remem.model.fact_json import MalformedFacts, values_in


def test_what_stands_before_a_break_is_read() -> None:
    found = values_in('[{"id": 1},\n{"id": 2},\n{"id":')

    assert [next(found), next(found)] == [(1, 1, {"id": 1}), (2, 2, {"id": 2})]
    with pytest.raises(MalformedFacts) as caught:
        next(found)
    assert (caught.value.line, caught.value.column) == (3, 7)


def test_the_list_of_an_object_is_read_whatever_stands_around_it() -> None:
    text = '{"_metadata": {"facts": ["no"]},\n "facts": [\n  {"id": 1},\n  {\n}], "more": 1}'

    assert list(values_in(text)) == [(3, 3, {"id": 1}), (4, 5, {})]


@pytest.mark.parametrize("text", ["", "\ufeff \n", "[]", "{}", '{"facts": "none"}'])
def test_a_text_without_facts_has_none(text: str) -> None:
    assert list(values_in(text)) == []
