"""Lines of USER.md and MEMORY.md that are out of date are found; what holds is not."""

from __future__ import annotations

from pathlib import Path

from remem.admin.audit.stale_lines import find_stale_lines
from remem.text.statements import statements
from tests.conftest import Opener
from tests.tables import each_row

TODAY = "2026-11-18"


def found(text: str, path: str = "MEMORY.md") -> list[tuple[str, str]]:
    lines = find_stale_lines(statements(path, text, always_loaded=True), TODAY)
    return [(line.statement.plain_text, line.reason) for line in lines]


def under(heading: str, line: str) -> str:
    return f"# Memory\n\n## {heading}\n\n- {line}\n"


@each_row(
    "line",
    [
        "✅ Fixed the sluice gate",
        "[x] Deployed the tide page",
        "✅ Order the chain - DONE",
        "✅ 已修复闸门",
    ],
)
def test_finished_work_is_out_of_date(line: str) -> None:
    assert [reason for _, reason in found(under("Current work", line))] == ["finished work"]


def test_finished_work_may_be_kept_as_a_record() -> None:
    assert found(under("Completed", "✅ Fixed the sluice gate")) == []


@each_row(
    "line",
    [
        "✅ Always answer in German",
        "✅ Prefers short mails",
        "Harbour lights: ✅ working",
    ],
)
def test_a_tick_in_front_of_something_that_holds_is_no_sign(line: str) -> None:
    assert found(under("How to work", line)) == []


def test_the_log_of_a_past_day_is_one_finding() -> None:
    text = "# Memory\n\n## 2026-03-05: harbour audit\n\n- Painted the buoys\n- Counted the ropes\n"

    assert found(text) == [("Painted the buoys", "the log of 2026-03-05, 2 lines")]


@each_row(
    "text",
    [
        "# Memory\n\n## 2026-11-10\n\n- Painted the buoys\n",
        "# Memory\n\n## 2026-03-05\n\n- Rule: never moor at the north wall without asking Ines\n",
        "# Memory\n\n## 2026-03-05\n\n- The boat is now officially called Aurora\n",
        "# Memory\n\n## Mooring (since 2026-03-05)\n\n- The boat lies at pier 4\n",
    ],
)
def test_a_dated_section_is_no_log_if_it_is_recent_or_something_in_it_holds(text: str) -> None:
    assert found(text) == []


def test_a_dated_line_of_a_list_of_changes_is_a_log() -> None:
    text = under("Recent updates", "2026-02-27: maintenance day, everything ran")

    assert [reason for _, reason in found(text)] == ["the log of 2026-02-27, 1 line"]


@each_row(
    ("line", "words"),
    [
        ("The crane is stuck, we retry tomorrow", "tomorrow"),
        ("Easter regatta (today April 5, 2026!)", "today"),
        ("Permit of 2026-08-02: 89 days remaining", "89 days remaining"),
    ],
)
def test_a_day_named_from_another_day_is_over(line: str, words: str) -> None:
    assert found(under("Projects", line)) == [(line, f"says “{words}” of a day that is over")]


@each_row(
    "line",
    [
        "Read the notes of today and tomorrow's tides every morning",
        "If the crane is stuck, retry tomorrow",
        "What should be removed tomorrow?",
    ],
)
def test_the_same_words_in_a_habit_or_a_rule_are_not(line: str) -> None:
    assert found(under("Projects", line)) == []


def test_a_state_of_a_day_long_ago_is_out_of_date() -> None:
    old = "Web shop: pending review as of 2026-03-10"
    new = "Web shop: pending review as of 2026-11-10"

    assert [line for line, _ in found(under("Projects", old))] == [old]
    assert found(under("Projects", new)) == []


def test_other_files_are_not_the_owners() -> None:
    assert found(under("Work", "✅ Fixed the sluice gate"), "AGENTS.md") == []


def test_audit_lists_outdated_lines_and_proposes_to_review_them(opened: Opener, root: Path) -> None:
    root.mkdir()
    (root / "MEMORY.md").write_text(under("Current work", "✅ Fixed the sluice gate"))

    audit = opened().audit(recommend=True)

    assert [(line.kind, line.reason) for line in audit.noise] == [("stale", "finished work")]
    assert audit.recommendations is not None
    assert "review_lines" in [one.action for one in audit.recommendations]
