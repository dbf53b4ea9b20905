"""Momentary chatter is distinguished from what lasts, in several languages."""

from __future__ import annotations

from remem.admin.doctor.chatter import find_chatter
from tests.tables import each_row


def found(*lines: str, heading: str = "Notes") -> list[str]:
    text = f"# Memory\n\n## {heading}\n\n" + "".join(f"- {line}\n" for line in lines)
    return [item.statement.plain_text for item in find_chatter(text)]


@each_row(
    "line",
    [
        "assistant: let me check the calendar",
        "User: where did I put it?",
        "Thanks!",
        "lol ok brb, lunch was nice today",
        "10:42 just waiting for the build, hmm",
        "still looking into the printer",
        "ok, will do",
        "Sounds good",
        "Danke dir",
        "Спасибо!",
        "收到",
        "ありがとうございます",
        "[14:05] rebooted the router",
        "Heartbeat OK, 20 checks",
        "Tests: 371 → 384",
        "✅ deployed",
        "no new messages",
        "一切正常",
    ],
)
def test_a_line_about_one_moment_is_chatter(line: str) -> None:
    assert found(line) == [line]


@each_row(
    "line",
    [
        "David prefers tea without milk.",
        "Never restart the relay between 17:10 and midnight.",
        "17:10 到零点之间不要重启邮件中继。",
        "Thanks to Ada we have a key to the north shed.",
        "OK Computer",
        "Great Expectations",
        "The user service listens on port 8080.",
        "Done means: tested, documented, reviewed.",
        "Deploys are done by Mara on Thursdays.",
        "Test counts belong into the daily note.",
        "Heartbeats run every thirty minutes.",
        "Привет говорят только утром.",
        "好的代码要有测试。",
        "09:00 – 17:00 are the office hours",
        "08:30 Standup with the crane team",
        "Status: waiting for the harbour office to confirm the lease",
        "✅ Always ask before restarting the relay",
        "✅ Short answers, no buzzwords",
        'Tone: casual, "lol" is fine',
        "The hm library listens on port 80",
        "User: prefers dark mode",
        "3.11 is the minimum version",
        "1.99 EUR a month for the domain",
        "24:99 is the code of the lamp",
    ],
)
def test_a_lasting_line_is_not_chatter(line: str) -> None:
    assert found(line) == []


def test_a_line_with_others_below_it_stays() -> None:
    text = "# Memory\n\n- Status: pending\n  - Mara decides on the lease.\n"

    assert find_chatter(text) == []


def test_a_line_of_a_timeline_belongs_to_the_line_above_it() -> None:
    text = "# Memory\n\n- The outage in March:\n  - 10:42 the relay was down\n"

    assert find_chatter(text) == []


def test_chatter_belongs_to_the_day_of_its_heading() -> None:
    text = "# Memory\n\n## 2026-03-04\n\n- Thanks!\n\n## Later\n\n- Thanks!\n"

    assert [item.day for item in find_chatter(text)] == ["2026-03-04", None]


@each_row("text", ["", "\n", "# \n", "- \n", "\ufeff# x", "```\nThanks!\n"])
def test_any_text_is_read(text: str) -> None:
    assert find_chatter(text) == []
