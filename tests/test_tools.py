"""Every tool is declared once, and says the same to every surface."""

from __future__ import annotations

import json
import re
from dataclasses import is_dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from remem.app.tools.declare import Tool, arguments, input_schema
from remem.app.tools.entries import FORGET, RECALL, STATUS, STORE
from remem.app.tools.files import FLUSH, GET, SEARCH
from remem.app.tools.table import TOOLS, tool_named, tools_of
from remem.embed.counters import ExactCounter
from remem.entries.draft import make_draft
from remem.errors import InvalidInput
from remem.model.entry import CATEGORIES, PRIORITIES
from remem.search.query.question import parse_request
from tests.tables import each_row

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.text(max_size=3), SCALARS)


def cost(tools: tuple[Tool, ...]) -> int:
    """What a model pays for knowing the tools."""
    listed = [
        {"name": tool.name, "description": tool.purpose, "inputSchema": input_schema(tool)}
        for tool in tools
    ]
    return ExactCounter().count(json.dumps(listed, ensure_ascii=False, separators=(",", ":")))


def test_the_core_profile_costs_less_than_two_thousand_tokens() -> None:
    assert cost(tools_of("core")) < 2000


def test_these_three_tools_leave_room_for_others() -> None:
    assert cost((STORE, RECALL, STATUS)) <= 900


def test_the_parameters_are_those_of_the_contract() -> None:
    names = {tool.name: [parameter.name for parameter in tool.parameters] for tool in TOOLS}

    assert names["memory_store"][:7] == (
        "category content context priority tags related_to expires".split()
    )
    assert names["memory_recall"][:6] == (
        "query categories priority_min token_budget include_context format".split()
    )
    assert names["memory_index_status"] == []


def test_the_defaults_in_the_table_are_those_of_the_memory() -> None:
    asked = parse_request("anything", {})
    kept = make_draft({"category": "fact", "content": "x"}, "owner", "2026-11-15T12:00:00Z")
    told = {
        (tool.command, parameter.name): parameter.default
        for tool in TOOLS
        for parameter in tool.parameters
    }

    assert told["recall", "token_budget"] == asked.token_budget
    assert told["recall", "format"] == asked.format
    assert told["store", "priority"] == kept.priority


@each_row("tool", TOOLS, ids=lambda tool: tool.name)
def test_an_input_schema_is_a_schema_that_forbids_what_it_does_not_name(tool: Tool) -> None:
    schema = input_schema(tool)

    Draft202012Validator.check_schema(schema)
    assert not Draft202012Validator(schema).is_valid({"surprise": 1})


def test_a_schema_names_the_choices() -> None:
    properties = input_schema(STORE)["properties"]

    assert properties["category"]["enum"] == list(CATEGORIES)
    assert properties["priority"]["enum"] == list(PRIORITIES)
    assert input_schema(RECALL)["properties"]["categories"]["items"]["enum"] == list(CATEGORIES)


def test_null_counts_as_absent() -> None:
    given_ = {"query": "coffee", "limit": None, "tags": None}

    assert arguments(RECALL, given_) == {"query": "coffee"}


@each_row(
    ("tool", "bad", "named"),
    [
        (STORE, {"category": "fact"}, "content is missing"),
        (STORE, {"category": "fact", "content": None}, "content is missing"),
        (RECALL, {"query": 5}, "query must be a string, not 5"),
        (RECALL, {"query": "x", "token_budget": "many"}, "token_budget must be a whole number"),
        (RECALL, {"query": "x", "token_budget": 3000.5}, "token_budget must be a whole number"),
        (RECALL, {"query": "x", "limit": True}, "limit must be a whole number, not True"),
        (RECALL, {"query": "x", "why": 1}, "why must be true or false, not 1"),
        (RECALL, {"query": "x", "tags": "a, b"}, "tags must be a list of strings, not 'a, b'"),
        (RECALL, {"query": "x", "tags": ["one", 2]}, "tags must be a list of strings"),
        (RECALL, {"query": "x", "format": ["brief", "long"]}, "format must be a string"),
        (RECALL, {"query": "x", "scope": "main"}, "memory_recall has no parameter 'scope'"),
        (STATUS, {"session": "main"}, "memory_index_status has no parameter 'session'"),
        (STORE, {"content": "x"}, "category is missing"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(tool: Tool, bad: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match=named) as caught:
        arguments(tool, bad)

    assert caught.value.hint or "must be" in str(caught.value)


@given(st.dictionaries(st.sampled_from([p.name for p in RECALL.parameters]), JSON))
def test_arguments_pass_if_they_fit_the_schema_and_repeating_changes_nothing(
    given_: dict[str, Any],
) -> None:
    try:
        passed = arguments(RECALL, given_)
    except InvalidInput:
        return

    assert arguments(RECALL, passed) == passed
    for name, value in passed.items():
        schema = {**input_schema(RECALL)["properties"][name]}
        schema.pop("enum", None)
        schema.pop("minimum", None)
        schema.get("items", {}).pop("enum", None)
        assert Draft202012Validator(schema).is_valid(value)
    assert {name for name, value in given_.items() if value is not None} == set(passed)


@each_row(
    ("tool", "given_", "meant"),
    [
        (STORE, {"category": "Preference"}, {"category": "preference"}),
        (STORE, {"priority": " HIGH "}, {"priority": "high"}),
        (STORE, {"category": "preferences"}, {"category": "preference"}),
        (STORE, {"category": "People"}, {"category": "person"}),
        (STORE, {"tags": "cats"}, {"tags": ["cats"]}),
        (STORE, {"tags": '["cats", "dogs"]'}, {"tags": ["cats", "dogs"]}),
        (STORE, {"supersedes": "mem-00000000"}, {"supersedes": ["mem-00000000"]}),
        (RECALL, {"token_budget": "500"}, {"token_budget": 500}),
        (RECALL, {"token_budget": 500.0}, {"token_budget": 500}),
        (RECALL, {"include_context": "True"}, {"include_context": True}),
        (RECALL, {"categories": "Fact"}, {"categories": ["fact"]}),
        (RECALL, {"categories": ["Fact", "person"]}, {"categories": ["fact", "person"]}),
        (FORGET, {"id": ["mem-00000000"]}, {"id": "mem-00000000"}),
        (
            FLUSH,
            {"items": {"kind": "Decision", "text": "We paint it."}},
            {"items": [{"kind": "decision", "text": "We paint it."}]},
        ),
        (
            FLUSH,
            {"items": '[{"type": "tasks", "content": "Paint it."}]'},
            {"items": [{"kind": "task", "text": "Paint it."}]},
        ),
    ],
)
def test_what_can_only_mean_one_thing_is_accepted(
    tool: Tool, given_: dict[str, Any], meant: dict[str, Any]
) -> None:
    required = {p.name: "x" for p in tool.parameters if p.required and p.name not in given_}

    assert arguments(tool, {**required, **given_}) == {**required, **meant}


@each_row("given_", [{"maxResults": "5"}, {"minScore": "0.5"}, {"corpus": "All"}])
def test_the_hosts_contract_is_kept_to_the_letter(given_: dict[str, Any]) -> None:
    passed_on = {"corpus"}  # a text; the memory itself refuses its value

    if given_.keys() <= passed_on:
        assert arguments(SEARCH, {"query": "x", **given_})["corpus"] == "All"
    else:
        with pytest.raises(InvalidInput, match="must be a"):
            arguments(SEARCH, {"query": "x", **given_})


def test_descriptions_have_the_words_that_a_search_for_tools_looks_for() -> None:
    purposes = {tool.name: tool.purpose.lower() for tool in tools_of("core")}

    for name in ("memory_store", "memory_recall", "memory_flush"):
        assert "remember" in purposes[name]
    assert "forget" in purposes["memory_forget"]
    for name, purpose in purposes.items():
        assert set(name.split("_")) <= set(re.findall("[a-z]+", purpose)), name
    assert "memory_flush" in purposes["memory_store"]
    assert "memory_store" in purposes["memory_flush"]


def test_a_tool_is_found_by_its_name_and_others_are_offered() -> None:
    assert tool_named("memory_store") is STORE
    with pytest.raises(InvalidInput, match=r"unknown tool 'memory_set'.*memory_store"):
        tool_named("memory_set")


def test_search_and_get_leave_room_for_others() -> None:
    assert cost((SEARCH, GET)) <= 450


def test_a_profile_holds_the_smaller_ones() -> None:
    assert tools_of("legacy") == (SEARCH, GET)
    assert set(tools_of("legacy")) < set(tools_of("core")) <= set(TOOLS)


def test_a_profile_that_does_not_exist_is_refused() -> None:
    with pytest.raises(InvalidInput, match="unknown profile 'most'"):
        tools_of("most")


@each_row("bad", [{}, {"query": None}, {"query": 5}, {"query": ["x"]}])
def test_a_host_gets_the_exact_sentence_it_expects(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        arguments(SEARCH, bad)

    assert str(caught.value) == "query required"


@each_row("tool", TOOLS, ids=lambda tool: tool.name)
def test_what_a_tool_returns_is_found_where_it_says(tool: Tool) -> None:
    assert is_dataclass(tool.result)
