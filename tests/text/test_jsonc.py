"""Positions in JSON as people write it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from remem.text.jsonc import Malformed, parse, to_python
from tests.setup.hosts.documents import json_texts, values
from tests.tables import each_row


@given(values)
def test_plain_json_is_parsed_as_the_standard_library_does(value: object) -> None:
    root = parse(json.dumps(value))

    assert root is not None
    assert to_python(root) == value


@given(json_texts({"kept": [1, {"x": None}]}))
def test_comments_and_trailing_commas_do_not_change_the_value(text: str) -> None:
    root = parse(text)

    assert root is not None
    assert to_python(root)["kept"] == [1, {"x": None}]
    assert text[root.start] == "{"
    assert text[root.end - 1] == "}"


@each_row("text", ["", " \n", "\ufeff", "// only\n", "/* a */"])
def test_an_empty_text_has_no_root(text: str) -> None:
    assert parse(text) is None


@each_row(
    ("text", "place"),
    [
        ('{"a": 1', "line 1, column 8"),
        ('{\n  "a" 1\n}', "line 2, column 7"),
        ('{"a": 1 "b": 2}', "line 1, column 9"),
        ("[1,,2]", "line 1, column 4"),
        ('{"a": tru}', "line 1, column 7"),
        ('{"a": "x\ny"}', "line 1, column 7"),
        ("{} {}", "line 1, column 4"),
        ("/* open", "line 1, column 1"),
        ("{a: 1}", "line 1, column 2"),
        ('{"a": 01}', "line 1, column 7"),
        ('{"a": "\\x"}', "line 1, column 7"),
        ("[" * 5000, "line 1, column 102"),
    ],
)
def test_a_broken_text_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(Malformed, match=place):
        parse(text)


def test_the_wide_dialect_has_bare_names_and_single_quotes() -> None:
    text = "{ a: 'it\\'s', $b: +.5, 'c': \"\\x41\\\n\", d: 0x1F, e: [Infinity,], }"

    root = parse(text, json5=True)

    assert root is not None
    value = to_python(root)
    assert value["a"] == "it's"
    assert value["c"] == "A"
    assert list(value) == ["a", "$b", "c", "d", "e"]


def test_of_two_members_of_one_name_the_last_counts() -> None:
    root = parse('{"a": 1, "a": 2}')

    assert root is not None
    assert to_python(root) == {"a": 2}
    found = root.member("a")
    assert found is not None
    assert found.node.value == 2
