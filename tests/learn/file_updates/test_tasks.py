"""A task is updated in place, and its earlier line is returned."""

from __future__ import annotations

from dataclasses import dataclass

from remem.learn.file_updates.changes import SetTask
from remem.learn.file_updates.tasks import TaskLine, TaskPage, find_task, has_state
from remem.text.marked_line import lesson_mark
from tests.tables import each_row

OURS = lesson_mark("a" * 12)


def change(text: str, status: str = "", **more: str) -> SetTask:
    return SetTask(
        id="aaaaaaaaaaaa",
        file="attention.md",
        text=text,
        title="Attention",
        section="Tasks",
        status=status,
        **more,
    )


@dataclass(frozen=True)
class Edit:
    text: str
    old: str | None


def set_task(text: str, change: SetTask) -> Edit:
    page = TaskPage(text)
    old = page.set_task(change)
    return Edit(page.text, old)


def tasks_in(text: str) -> list[TaskLine]:
    return TaskPage(text).tasks


def test_a_new_task_is_added_to_the_tasks() -> None:
    edit = set_task("# A\n\n## Tasks\n\n- [ ] Sow\n", change("Water"))

    assert edit.text == f"# A\n\n## Tasks\n\n- [ ] Sow\n- [ ] Water {OURS}\n"
    assert edit.old is None


def test_a_task_is_closed_in_place_and_keeps_its_spelling() -> None:
    old = "Now:\n\n* [ ] Water the  BEDS <!-- remem:bbbbbbbbbbbb -->\n  behind the shed\n* Sow\n"
    edit = set_task(old, change("water the beds", "done"))

    assert edit.text == f"Now:\n\n* [x] Water the  BEDS {OURS}\n  behind the shed\n* Sow\n"
    assert edit.old == "[ ] Water the  BEDS <!-- remem:bbbbbbbbbbbb -->"


def test_other_states_are_shown_in_words() -> None:
    edit = set_task("1. Water\n", change("Water", "blocked by frost"))

    assert edit.text == f"1. [ ] Water — status: blocked by frost {OURS}\n"
    again = set_task(edit.text, change("water", "open"))
    assert again.text == f"1. [ ] Water {OURS}\n"
    assert again.old == f"[ ] Water — status: blocked by frost {OURS}"


def test_known_states_are_in_the_language_of_the_file() -> None:
    german = set_task("- Water\n", change("Water", "Blocked", language="de"))
    assert german.text == f"- [ ] Water — Stand: blockiert {OURS}\n"
    for status in ("blocked", "blockiert", "受阻"):
        assert has_state(tasks_in(german.text), change("water", status))
    chinese = set_task("- 浇水\n", change("浇水", "cancelled", language="zh"))
    assert chinese.text == f"- [x] 浇水 — 状态：已取消 {OURS}\n"
    assert has_state(tasks_in(chinese.text), change("浇水", "cancelled"))


@each_row("word", ["done", "Done", "finished", "已完成", "erledigt", "готово"])
def test_done_is_understood_in_several_languages(word: str) -> None:
    assert set_task("- Water\n", change("Water", word)).text.startswith("- [x] Water")


def test_a_task_that_already_has_the_state_is_left_alone() -> None:
    for line, status in (("- Water", ""), ("- [x] Water", "done"), ("- [ ] Water", "open")):
        edit = set_task(line + "\n", change("water", status))
        assert (edit.text, edit.old) == (line + "\n", None)
        assert has_state(tasks_in(line + "\n"), change("water", status))
    assert not has_state(tasks_in("- [ ] Water\n"), change("Water", "done"))
    assert not has_state([], change("Water"))


def test_a_slightly_reworded_task_is_the_same_task() -> None:
    old = "- [ ] Write the report for Mara about the beds and send it by mail\n"
    edit = set_task(
        old, change("Write the report for Mara about the beds, send it by mail", "done")
    )

    assert edit.text.count("\n") == 1
    assert edit.old == old[2:-1]


def test_tasks_that_differ_in_a_number_are_two() -> None:
    text = "- Check the valve of pump 3 in the cellar behind the shed\n"

    assert (
        find_task(tasks_in(text), "Check the valve of pump 4 in the cellar behind the shed") is None
    )


@each_row(
    "other",
    [
        "Call Ann about the roof repair estimate before the meeting on Monday morning",
        "Do not call Bob about the roof repair estimate before the meeting on Monday morning",
        "Call Bob about the roof repair estimate before the meeting on Friday morning",
    ],
)
def test_tasks_that_differ_in_a_name_or_a_negation_are_two(other: str) -> None:
    text = "- [ ] Call Bob about the roof repair estimate before the meeting on Monday morning\n"
    edit = set_task(text, change(other))

    assert edit.text == f"{text}\n## Tasks\n\n- [ ] {other} {OURS}\n"
    assert edit.old is None


def test_an_earlier_wording_can_be_named() -> None:
    edit = set_task("- [ ] Water\n", change("Water with the new hose", replaces="water"))

    assert edit.text == f"- [ ] Water with the new hose {OURS}\n"
    assert edit.old == "[ ] Water"
