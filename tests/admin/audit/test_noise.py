"""Noise is what nobody will ask for; a lasting statement is none, however short."""

from __future__ import annotations

from remem.admin.audit.noise import Noise, find_noise, is_status
from remem.text.statements import statements
from tests.tables import each_row

TAIL = "[score=0.87 recalls={} avg=0.62 source=memory/2026-03-01.md:2-2]"


def found(text: str, note: str | None = "- no active sessions found") -> list[Noise]:
    return find_noise(
        statements("MEMORY.md", text, always_loaded=True), lambda _path, _first, _last: note
    )


@each_row(
    "line",
    [
        "no active sessions found",
        "Heartbeat OK, 20 checks",
        "HEARTBEAT_OK",
        "Nothing to report",
        "All systems operational.",
        "tests 371→384",
        "Status: done",
        "✅ done",
        "已完成",
    ],
)
def test_a_momentary_status_report_is_noise(line: str) -> None:
    assert is_status(line)
    assert [item.kind for item in found(f"- {line}\n")] == ["status"]


@each_row(
    "line",
    [
        "Tests run on every push.",
        "Status meetings are on Monday at nine.",
        "All services are deployed by Mara after the tests passed on the staging server at night",
        "No raw onions for Samir: it ends in hospital.",
        "The heartbeat file lists what to look at.",
        "Done means: merged, deployed, and told to the customer.",
        "No new dependency without a reason in the log.",
        "Coverage must stay above 90 %.",
        "Completed:",
    ],
)
def test_a_lasting_statement_is_not(line: str) -> None:
    assert found(f"- {line}\n") == []


def test_a_promoted_line_that_nobody_recalled_is_noise() -> None:
    (item,) = found(f"- Mara keeps the books {TAIL.format(0)}\n", "- Mara keeps the books")

    assert (item.kind, item.is_in_note, item.is_report) == ("promoted", True, False)
    assert item.statement.plain_text == "Mara keeps the books"


def test_what_was_recalled_is_not_noise_unless_it_reports_a_moment() -> None:
    assert found(f"- The boiler is refilled at the grey valve {TAIL.format(6)}\n") == []
    assert len(found(f"- no active sessions found {TAIL.format(6)}\n")) == 1


@each_row("note", [None, "- something else"])
def test_a_promoted_line_is_safe_to_drop_only_if_its_note_still_has_it(note: str | None) -> None:
    (item,) = found(f"- Mara keeps the books {TAIL.format(0)}\n", note)

    assert not item.is_in_note
