"""Facts are read from a JSON text with their lines, and edited without touching other bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.model.fact_json import MalformedFacts, next_id, values_in, with_fact, with_successor
from tests.tables import each_row


def test_facts_before_broken_json_are_read() -> None:
    found = values_in('[{"id": 1},\n{"id": 2},\n{"id":')

    assert [next(found), next(found)] == [(1, 1, {"id": 1}), (2, 2, {"id": 2})]
    with pytest.raises(MalformedFacts) as caught:
        next(found)
    assert (caught.value.line, caught.value.column) == (3, 7)


def test_the_list_of_an_object_is_read_whatever_surrounds_it() -> None:
    text = '{"_metadata": {"facts": ["no"]},\n "facts": [\n  {"id": 1},\n  {\n}], "more": 1}'

    assert list(values_in(text)) == [(3, 3, {"id": 1}), (4, 5, {})]


@each_row("text", ["", "\ufeff \n", "[]", "{}", '{"facts": "none"}'])
def test_a_text_without_facts_has_none(text: str) -> None:
    assert list(values_in(text)) == []


NEW = {"id": "zoe-009", "fact": "Zoë sings.", "status": "active"}
FIELDS = st.dictionaries(
    st.text(max_size=6) | st.sampled_from(["id", "fact", "status", "supersededBy"]),
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9),
    max_size=5,
)
STYLES = st.builds(
    lambda indent, ascii_, eol, end: {"indent": indent, "ascii": ascii_, "eol": eol, "end": end},
    st.sampled_from([None, 1, 2, 4, "\t"]),
    st.booleans(),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n"]),
)


def dumped(value: Any, style: dict[str, Any]) -> str:
    text = json.dumps(value, indent=style["indent"], ensure_ascii=style["ascii"])
    return f"{text}{style['end']}".replace("\n", str(style["eol"]))


def split(text: str) -> tuple[str, str]:
    """What stands before and behind the end of the last fact."""
    at = text.rindex("]")
    behind = text[at:]
    return text[: len(text[:at].rstrip())], behind


@given(st.lists(FIELDS, max_size=4), STYLES, st.booleans())
def test_adding_a_fact_keeps_every_other_byte(
    facts: list[dict[str, Any]], style: dict[str, Any], wrapped: bool
) -> None:
    value = {"_metadata": {"facts": "no"}, "facts": facts} if wrapped else facts
    before = dumped(value, style)

    after = with_fact(before, NEW)

    kept, tail = split(before)
    assert after.startswith(kept)
    assert after.endswith(tail)
    read = json.loads(after)
    assert (read["facts"] if wrapped else read) == [*facts, NEW]
    if "\n" in before:
        assert ("\r\n" in after) == (style["eol"] == "\r\n")


@given(st.lists(FIELDS, min_size=1, max_size=4), STYLES, st.data())
def test_superseding_changes_two_fields_of_one_fact(
    facts: list[dict[str, Any]], style: dict[str, Any], data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(facts) - 1))
    before = dumped(facts, style)

    after = json.loads(with_successor(before, number, "zoe-009"))

    changed = {**facts[number], "status": "superseded", "supersededBy": "zoe-009"}
    assert after == [*facts[:number], changed, *facts[number + 1 :]]
    assert list(after[number])[: len(facts[number])] == list(facts[number]), "order of fields"


def test_escapes_odd_blanks_and_unknown_fields_survive() -> None:
    before = '[ {"id":"a-001" ,"fact":"Caf\\u00e9","x":1.50,"y":[ ]},\n\n\t{"id":"a-002"}  ]'

    after = with_successor(with_fact(before, NEW), 0, "zoe-009")

    assert '{"id":"a-001" ,"fact":"Caf\\u00e9","x":1.50,"y":[ ]' in after
    assert '\n\n\t{"id":"a-002"}' in after


def test_an_empty_file_becomes_a_list() -> None:
    for empty in ("", " \n", "[]", "[ ]\n", '{"facts": []}', "{}"):
        read = json.loads(with_fact(empty, NEW))
        assert (read["facts"] if isinstance(read, dict) else read) == [NEW]


@each_row(
    ("text", "where"),
    [
        ('[\n  {"id": "a-001",\n   "fact": "cut off in the mi', "line 3, column 12"),
        ('[{"a": 1}\n {"b": 2}]', "line 2, column 2"),
        ('[{"a": 1},]', "line 1, column 11"),
        ('{"facts": [1], "x" 2}', "line 1, column 20"),
        ("[1] [2]", "line 1, column 5"),
        ("facts", "line 1, column 1"),
        ("[" * 5000, "line 1, column"),
    ],
)
def test_broken_json_is_refused_with_its_place(text: str, where: str) -> None:
    with pytest.raises(MalformedFacts, match=where):
        _read_and_written(text)


def _read_and_written(text: str) -> str:
    for _ in values_in(text):
        pass
    return with_fact(text, NEW)


@each_row(
    ("ids", "wanted"),
    [
        ([], "zoe-001"),
        (["zoe-001", "zoe-007"], "zoe-008"),
        (["abc-006", "abc-003"], "abc-007"),
        (["00af00af00af00af"], "zoe-001"),
        (["old-900", "zoe-999"], "zoe-1000"),
        (["abc-001", "zoe-004"], "zoe-006"),
        (["bob-1", "bob-2"], "bob-3"),
        (["bob-9"], "bob-10"),
        (["bob-0041"], "bob-0042"),
    ],
)
def test_ids_continue_in_the_style_of_the_file_and_are_not_reused(
    ids: list[str], wanted: str
) -> None:
    assert next_id(ids, "zoe", ids_in_other_files={"zoe-005"}) == wanted
