"""A client can check an answer against what the tool promised."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from jsonschema import Draft202012Validator

from remem.app.tools.declare import Tool
from remem.app.tools.table import TOOLS
from remem.mcp.schemas import output_schema
from remem.search.answer.answer import Answer, Recalled, plain
from tests.tables import each_row


@each_row("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_output_schema_is_a_schema_of_an_object(tool: Tool) -> None:
    schema = output_schema(tool.result)

    Draft202012Validator.check_schema(schema)
    assert schema["type"] == "object"


def test_an_answer_fits_without_the_fields_that_are_not_there() -> None:
    entry = Recalled("mem-00000000", "fact", "x", "medium", 0.5, "2026-11-15T12:00:00Z")
    answer = Answer((entry,), 10, 20, 1)

    Draft202012Validator(output_schema(Answer)).validate(plain(answer))


def test_a_field_that_is_always_there_is_required() -> None:
    schema = output_schema(Answer)

    assert "entries" in schema["required"]
    assert not Draft202012Validator(schema).is_valid({"entries": []})


def test_a_field_that_may_be_none_is_optional_even_without_a_default() -> None:
    status = next(tool for tool in TOOLS if tool.command == "status")
    progressive = output_schema(status.result)["$defs"]["Progressive"]

    assert "total_entries" in progressive["required"]
    assert "last_store" not in progressive["required"]
    assert progressive["properties"]["last_store"] == {"type": "string"}


@dataclass(frozen=True)
class Branch:
    """One that holds others of its kind."""

    name: str
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Odd:
    value: set[str]


def test_a_part_may_hold_others_of_its_kind() -> None:
    schema = output_schema(Branch)
    twig = {"name": "twig", "branches": []}

    assert Draft202012Validator(schema).is_valid({"name": "bough", "branches": [twig]})
    assert not Draft202012Validator(schema).is_valid({"name": "bough", "branches": [{}]})


def test_what_json_cannot_tell_is_no_answer() -> None:
    with pytest.raises(TypeError, match="unsupported type in a tool result"):
        output_schema(Odd)
