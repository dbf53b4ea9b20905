"""A new file gets a route in the gate; nothing is removed from a gate."""

from __future__ import annotations

from remem.learn.file_updates.changes import AddRoute
from remem.learn.file_updates.routing import add_routes
from remem.model.gate import read_gate_file
from tests.tables import each_row

ROUTE = AddRoute(
    id="aaaaaaaaaaaa",
    file="memory/groups/garden.md",
    target="people.md",
    trigger="find someone | <who>",
    tier="P3",
)


@each_row(
    "gate",
    [
        "# G\n\n| When | Load | Tier |\n|---|---|---|\n| work | attention.md | P0 |\n\nend\n",
        "# G\r\n\r\n- work → `attention.md`\r\n",
        "# 花园\n\n## 路由\n\n| 文件 | 场景 |\n|---|---|\n| attention.md | 任务 |\n",
        "only words",
    ],
)
def test_a_route_is_added_once_in_the_form_of_the_gate(gate: str) -> None:
    new = add_routes(gate, [ROUTE])

    assert [route.file for route in read_gate_file(new).routes][-1:] == ["people.md"]
    assert "find someone" in new
    assert [line for line in gate.splitlines() if line not in new.splitlines()] == []
    assert add_routes(new, [ROUTE]) == new


def test_existing_and_deprecated_routes_are_left_alone() -> None:
    for gate in (
        "- who → people.md\n",
        "| x | y |\n|---|---|\n| who | memory/groups/garden/people.md |\n",
        "- [DEPRECATED] who → people.md\n",
        "",
    ):
        assert add_routes(gate, [ROUTE]) == gate


@each_row(
    "gate",
    [
        "| When | Load | Tier |\n|---|---|---|\n| stack | project.md | P1 |\n",
        "- stack → `project.md`\r\n",
    ],
)
def test_a_convention_is_reached_through_the_file_that_refers_to_it(gate: str) -> None:
    change = AddRoute(
        id="bbbbbbbbbbbb",
        file="memory/groups/garden.md",
        target="project.md",
        convention="conventions/watering",
        trigger="watering: conventions/watering",
        tier="P1",
    )
    new = add_routes(gate, [change])

    routes = read_gate_file(new).routes
    assert [route.file for route in routes] == ["project.md", "project.md"]
    assert routes[1].trigger.startswith("watering")
    assert add_routes(new, [change]) == new
