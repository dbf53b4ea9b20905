"""Contradictory statements are found, and compatible ones are not reported."""

from __future__ import annotations

from remem.model.contradictions import StatementContradiction, contradictions
from remem.text.statements import statements
from tests.tables import each_row


def clashes(text: str) -> list[StatementContradiction]:
    return contradictions(statements("MEMORY.md", text, always_loaded=True))


FOUND = [
    ("Never use the helper script.", "The new helper script is now the primary way."),
    (
        "Never use the helper script `ship.sh` for deployments; it skipped the migrations twice",
        "The new `ship.sh` helper script is now the primary way to deploy",
    ),
    ("Do not use deploy.sh", "deploy.sh is now the default"),
    ("Never feed the grey cat.", "Always feed the grey cat."),
    ("Default model: luna-2", "Default model: sol-4"),
    ("**Current model**: luna-2", "The current model is sol-4."),
    (
        "Current model for drafts: Birch-mini",
        "Current model for drafts: Delphi-flash, Birch-mini was too forgetful",
    ),
    ("默认模型：甲", "默认模型：乙"),
    ("Mara lives in Porto.", "Mara now lives in Lisbon."),
    ("The ledger runs on atlas.", "The ledger runs on cinder now."),
]


@each_row(("one", "other"), FOUND)
def test_a_contradiction_is_found(one: str, other: str) -> None:
    (clash,) = clashes(f"## Setup\n- {one}\n- something else\n\n## Setup\n- {other}\n")

    assert (clash.a.start, clash.b.start) == (2, 6)
    assert clash.reason


@each_row(
    ("one", "other"),
    [
        ("Never send mail without asking.", "Always send mail in the morning."),
        ("Never use SQLite for analytics.", "SQLite is now the default database of the house."),
        (
            "Never merge to Saltmarsh without a green run.",
            "Always merge to Saltmarsh with a green run.",
        ),
        ("Never use the helper script.", "The helper script is written in Rust."),
        ("Never use the helper script.", "~~The helper script is now the primary way.~~"),
        ("Never use the helper script.", "The helper script was the primary way until May."),
        ("Default model: luna-2", "Default model: luna-2 (large)"),
        (
            "Small version (no motor): the old pump already lifts the water of both tanks",
            "Small version (no motor): a hand wheel, which the harbour office has in its shed",
        ),
        ("Default model: luna-2", "Default model: sol-4 (until May)"),
        ("Current test count: 371", "Current test count: 384"),
        ("Tests: 371", "Tests: 384"),
        ("Mara lives in Porto.", "Jon now lives in Lisbon."),
        ("Mara lives in Porto.", "Mara lives in Portugal."),
        ("The comment deadline is 12 days out.", "The comment deadline is now 11 days out."),
        ("Model: luna-2; Size: 3 GB; Use: drafts", "Model: sol-4; Size: 9 GB; Use: letters"),
        ("Name: Mara", "Name: Jon"),
        ("Current time: 04:23 (Lisbon)", "Current time: 06:10 (Lisbon)"),
        ("She lives in Porto.", "She now lives in Lisbon."),
        (
            "Fiona always orders cold brew, never with sugar.",
            "Rufus always orders rooibos, never with milk.",
        ),
    ],
)
def test_a_similar_statement_is_not_a_contradiction(one: str, other: str) -> None:
    assert clashes(f"## Setup\n- {one}\n\n## Setup\n- {other}\n") == []


def test_a_default_of_another_agent_is_not_a_contradiction() -> None:
    assert clashes("## Luna\n- Default model: a\n## Sol\n- Default model: b\n") == []
    assert clashes("- Luna\n  - Default model: a\n- Sol\n  - Default model: b\n") == []
    assert len(clashes("## Setup\n- Default model: a\n## 2026-05-07\n- Default model: b\n")) == 1


def test_the_later_date_decides() -> None:
    text = "## 2026-03-01\n- Mara lives in Porto.\n## 2026-05-07\n- Mara now lives in Lisbon.\n"
    (dated,) = clashes(text)
    (undated,) = clashes(text.replace("2026-03-01", "Log"))

    assert dated.resolution == "MEMORY.md#L4 is later (2026-05-07)"
    assert undated.resolution.startswith("their dates do not show")


def test_a_field_of_a_log_is_not_a_contradiction() -> None:
    lines = [f"## 2026-03-0{day}\n- Current version: 1.{day}\n" for day in range(1, 7)]

    assert clashes("".join(lines)) == []
    assert len(clashes("".join(lines[:2]))) == 1


def test_a_list_with_its_introduction_in_every_line_gives_no_values() -> None:
    lines = ["**Crane** (daily)", "`pump.sh` (nightly)", "one rope", "two lamps"]

    assert clashes("# Setup\n" + "\n".join(f"- Short version: {line}" for line in lines)) == []
