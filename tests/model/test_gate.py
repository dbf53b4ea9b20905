"""Gates are read in the many forms in which people write them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from remem.model.gate import read_gate_file
from tests.tables import each_row


def routes(text: str) -> list[tuple[str, str, str]]:
    return [(route.file, route.trigger, route.tier) for route in read_gate_file(text).routes]


def test_the_table_of_the_protocol_is_read() -> None:
    gate = read_gate_file(
        "---\nmemory_budget: 2500\n---\n# Garden\n\n## Hard rules\n\n- Ask before you plant.\n\n"
        "## Routing\n\n| Priority | File | Content | When to Load |\n|---|---|---|---|\n"
        "| P0 | attention.md | Active tasks | Any work conversation |\n"
        "| P1 | project.md | Tech stack | Technical decisions |\n"
    )

    assert gate.budget == 2500
    assert gate.rules == ("Ask before you plant.",)
    assert [(route.file, route.tier) for route in gate.routes] == [
        ("attention.md", "P0"),
        ("project.md", "P1"),
    ]
    assert gate.routes[0].trigger == "Any work conversation; Active tasks"
    assert gate.routes[0].line == 14


@each_row(
    "table",
    [
        "| When | Load | Tier |\n|---|---|---|\n| todo | attention.md | P0 |\n",
        "| Tier | Trigger | File |\n|:--|:-:|--:|\n| P0 | todo | `attention.md` |\n",
        "| 触发场景 | 加载文件 | 优先级 |\n|---|---|---|\n| todo | **attention.md** | P0 |\n",
        "| 优先级 | 文件 | 何时加载 |\n|---|---|---|\n| P0 | [x](attention.md) | todo |\n",
        "| File | Prio | Keywords |\r\n|---|---|---|\r\n| attention | P0 | todo |\r\n",
        "| attention.md | todo | P0 |\n",
        "When | Load\n--- | ---\ntodo | attention.md (P0)\n",
        "- todo → attention.md (P0)\n",
        "- [P0] todo: `attention.md`\n",
        "* **P0** [todo](attention.md)\n",
        "1. `attention.md` P0 — todo\n",
        "- attention.md (P0)\n  - todo\n",
        "### P0 attention.md\n\ntodo\n",
        "- todo => [[attention]] P0\n",
        "todo -> ./attention.md#now (P0)\n",
    ],
)
def test_other_columns_orders_and_lists_are_equivalent(table: str) -> None:
    assert routes(f"# Garden\n\n{table}") == [("attention.md", "todo", "P0")]


def test_a_deprecated_line_is_not_a_route() -> None:
    text = (
        "| When | Load |\n|---|---|\n| [DEPRECATED] old | old.md |\n| ~~gone~~ | gone.md |\n"
        "| now | now.md |\n\n- [已废弃] 旧 → past.md\n\n## Archive [deprecated]\n\n- a → a.md\n"
    )

    assert [file for file, _, _ in routes(text)] == ["now.md"]


def test_a_rule_that_names_a_file_is_not_a_route() -> None:
    gate = read_gate_file("## 铁律\n\n- 先读 garden.md\n\n## 路由\n\n- 任务 → attention.md\n")

    assert gate.rules == ("先读 garden.md",)
    assert [route.file for route in gate.routes] == ["attention.md"]


def test_rules_may_be_announced_by_a_line_instead_of_a_heading() -> None:
    gate = read_gate_file("**Hard rules:**\n- be kind\n\n**Where to go:**\n- todo → attention.md\n")

    assert gate.rules == ("be kind",)
    assert [route.file for route in gate.routes] == ["attention.md"]


def test_code_and_comments_are_not_routes() -> None:
    assert routes("```\ntodo → a.md\n```\n<!-- todo → b.md -->\n") == []


def test_other_tables_are_not_routes() -> None:
    assert routes("| Name | Role |\n|---|---|\n| Mara | gardener |\n") == []


@each_row(
    ("line", "budget"),
    [
        ("memory_budget: 900", 900),
        ("memory_budget: '2,000'", 2000),
        ("memory_budget: 2_000 # tokens", 2000),
        ("memory_budget: 3k", 3000),
        ("memory_budget: 3.5k", 3500),
        ("memory_budget: 3.500", 3500),
        ("memory_budget: 1.2.3k", None),
        ("memory_budget: much", None),
        ("budget: 900", None),
    ],
)
def test_the_budget_is_read_from_the_front_matter(line: str, budget: int | None) -> None:
    assert read_gate_file(f"---\ntitle: x\n{line}\n---\n# Garden\n").budget == budget
    assert read_gate_file(f"# Garden\n\n{line}\n").budget is None


@each_row("text", ["", "\ufeff", "# Garden\n", "---\n", "|", "| |\n|-|\n"])
def test_a_gate_with_parts_missing_is_still_a_gate(text: str) -> None:
    assert routes(text) == []


@given(st.text(alphabet="|-# \n.md→`[]()P01a:*~>", max_size=200))
def test_any_text_is_read_without_failing(text: str) -> None:
    lines = text.count("\n") + 1

    assert all(0 < route.line <= lines for route in read_gate_file(text).routes)
