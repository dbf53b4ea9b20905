"""A route is added to a gate without changing its other lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.model.gate import DEPRECATED, Route, read_gate_file
from remem.model.gate_edit import with_routes
from tests.tables import each_row

GATES = [
    "",
    "# Garden\n",
    "# Garden\n\n| When | Load | Tier |\n|---|---|---|\n| todo | attention.md | P0 |\n\nBye.\n",
    "# G\r\n\r\n| 优先级 | 文件 | 触发 |\r\n|---|---|---|\r\n| P0 | attention.md | 任务 |",
    "- todo → `attention.md`\n  and what blocks it\n\n# More\n",
    "## Routing\n\n### attention.md\n\ntodo\n",
]


def with_route(text: str, trigger: str, file: str, tier: str = "") -> str:
    return with_routes(text, {file: Route(trigger, file, tier)})


def files(text: str) -> list[str]:
    return [route.file for route in read_gate_file(text).routes]


@each_row("gate", GATES)
def test_a_new_file_gets_one_line_in_the_style_of_the_gate(gate: str) -> None:
    grown = with_route(gate, "who, role", "people.md", "P3")

    assert files(grown) == [*files(gate), "people.md"]
    (route,) = [route for route in read_gate_file(grown).routes if route.file == "people.md"]
    assert (route.trigger, route.tier) == ("who, role", "P3")
    kept = [line for line in grown.splitlines() if line in gate.splitlines()]
    assert kept == gate.splitlines()
    assert ("\r\n" in grown) == ("\r\n" in gate)


def test_new_routes_are_in_the_order_of_their_tiers() -> None:
    text = "# Garden\n"
    for file, tier in (("experience.md", "P2"), ("attention.md", "P0"), ("project.md", "P1")):
        text = with_route(text, "when", file, tier)
    text = with_routes(
        text, {name: Route("x", name, tier) for name, tier in (("b.md", "P3"), ("a.md", "P2"))}
    )

    assert files(text) == ["attention.md", "project.md", "experience.md", "a.md", "b.md"]


def test_a_table_with_tiers_of_a_persons_own_keeps_its_order() -> None:
    gate = "| When | Load | Tier |\n|---|---|---|\n| a | a.md | often |\n| b | b.md | P0 |\n"

    assert files(with_route(gate, "c", "c.md", "P0")) == ["a.md", "b.md", "c.md"]


@each_row("gate", GATES)
def test_a_file_with_a_route_gets_no_other(gate: str) -> None:
    once = with_route(gate, "who", "people.md", "P3")

    assert with_route(once, "who else", "people.md", "P3") == once


@each_row("route", ["- [DEPRECATED] todo → `attention.md`\n", "~~attention.md~~\n"])
def test_a_deprecated_route_is_not_added_again(route: str) -> None:
    assert files(route) == []
    if DEPRECATED in route:
        assert with_route(route, "todo", "attention.md", "P0") == route


def test_an_empty_section_for_routes_is_filled() -> None:
    grown = with_route("# G\n\n## Routing\n\n## Rules\n\n- x\n", "who", "people.md", "P3")

    assert grown == "# G\n\n## Routing\n- who → `people.md` (P3)\n\n## Rules\n\n- x\n"


def test_a_route_with_the_full_path_counts_too() -> None:
    gate = "- todo → memory/groups/garden/attention.md\n"

    assert with_route(gate, "todo", "attention.md") == gate


@given(st.text(alphabet="|-# \n\r.md→`ab:", max_size=120))
def test_no_line_of_a_person_is_ever_lost(text: str) -> None:
    grown = with_route(text, "who", "people.md", "P3")

    rest = iter(grown.split("\n"))
    assert all(
        any(line.rstrip("\r") == other.rstrip("\r") for other in rest)
        for line in text.split("\n")
        if line.strip()
    )
