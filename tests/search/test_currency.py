"""Of several statements about the same thing, the one that holds now comes first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.search.query.intent import tense_of
from remem.text.line_status import is_over
from tests.conftest import Opener
from tests.search.currency_set import OTHERS, PAIRS, PAST_QUESTIONS
from tests.tables import each_row

NOW: Final = "2026-11-15T12:00:00Z"
Shape = Callable[[str, str], dict[str, str]]


def _others(number: int) -> str:
    return "".join(f"- {line}\n" for line in OTHERS[number % 3 :: 2])


def in_daily_notes(old: str, new: str) -> dict[str, str]:
    return {
        "memory/2026-03-02.md": f"# Monday\n\n- {old}\n{_others(0)}",
        "memory/2026-05-20.md": f"# Notes\n\n{_others(1)}",
        "memory/2026-08-11.md": f"# Tuesday\n\n{_others(2)}- {new}\n",
    }


def below_a_heading(old: str, new: str) -> dict[str, str]:
    text = f"# Memory\n\n## Historical\n- {old}\n\n## Current\n- {new}\n\n## Other\n{_others(1)}"
    return {"MEMORY.md": text}


def further_down_in_a_file(old: str, new: str) -> dict[str, str]:
    return {"MEMORY.md": f"# Memory\n\n## Facts\n- {old}\n{_others(0)}\n## Facts\n- {new}\n"}


def with_dates_in_the_lines(old: str, new: str) -> dict[str, str]:
    lines = f"- (2026-09-30) {new}\n{_others(1)}- (2026-02-14) {old}\n"
    return {"MEMORY.md": f"# Memory\n\n{lines}"}


SHAPES: Final[tuple[Shape, ...]] = (
    in_daily_notes,
    below_a_heading,
    further_down_in_a_file,
    with_dates_in_the_lines,
)


def places(folder: Path, files: dict[str, str], question: str, *texts: str) -> list[int]:
    """Return the place of each text in the results of a search; a large number if it is absent."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")
    with open_workspace(
        folder, background=False, keywords_only=True, clock=lambda: NOW
    ) as workspace:
        snippets = [hit.snippet for hit in workspace.search(question, max_results=20).results]
    return [
        next((i for i, snippet in enumerate(snippets) if text in snippet), 99) for text in texts
    ]


def test_an_outdated_statement_is_rarely_above_the_current_one(tmp_path: Path) -> None:
    """At most one case in ten; there are more than sixty."""
    wrong = []
    for number, (question, old, new) in enumerate(PAIRS):
        for shape in SHAPES:
            folder = tmp_path / f"{number}-{shape.__name__}"
            earlier, current = places(folder, shape(old, new), question, old, new)
            if current > earlier:
                wrong.append((shape.__name__, question))

    assert len(PAIRS) * len(SHAPES) >= 60
    assert len(wrong) <= len(PAIRS) * len(SHAPES) / 10, wrong


def test_a_question_about_the_past_finds_the_earlier_statement_first(tmp_path: Path) -> None:
    wrong = []
    for number, (question, pair) in enumerate(PAST_QUESTIONS):
        _, old, new = PAIRS[pair]
        earlier, current = places(
            tmp_path / str(number), in_daily_notes(old, new), question, old, new
        )
        if earlier > current:
            wrong.append(question)

    assert len(wrong) <= len(PAST_QUESTIONS) / 10, wrong


def test_an_earlier_statement_is_marked(root: Path, opened: Opener) -> None:
    for path, text in in_daily_notes(*PAIRS[0][1:]).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    memory = opened()

    hits = {hit.path: hit.earlier for hit in memory.search(PAIRS[0][0]).results}
    recalled = {entry.id: entry.earlier for entry in memory.recall(PAIRS[0][0]).entries}

    assert hits["memory/2026-03-02.md"] is True
    assert hits["memory/2026-08-11.md"] is None
    assert any(id_.startswith("memory/2026-03-02.md") for id_, mark in recalled.items() if mark)


def test_the_order_of_lines_in_a_file_is_not_enough_for_a_mark(tmp_path: Path) -> None:
    """The lines of a list often differ in a name only, and all of them hold."""

    def hits(second: str) -> list[tuple[bool, bool | None]]:
        question, old, new = PAIRS[0]
        folder = tmp_path / second
        folder.mkdir()
        (folder / "MEMORY.md").write_text(f"## Office\n- {old}\n\n## {second}\n- {new}\n")
        with open_workspace(folder, background=False, keywords_only=True) as workspace:
            results = workspace.search(question).results
        return [(new in hit.snippet, hit.earlier) for hit in results]

    assert hits("Office") == [(True, None), (False, None)]
    assert {mark for _, mark in hits("Cabin")} == {None}


def test_a_line_that_shares_only_a_common_word_is_not_marked(root: Path, opened: Opener) -> None:
    notes = {
        "memory/2026-03-02.md": "- Day 2 of the pottery course was loud.\n",
        "memory/2026-08-11.md": "- Cleaned the printer on day 90 of its lease.\n",
        "memory/2026-08-12.md": "- Ana called about the roof.\n",
    }
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")

    results = opened().search("On which day do I buy groceries?").results

    assert [(hit.path, hit.earlier) for hit in results] == [
        ("memory/2026-08-11.md", None),
        ("memory/2026-03-02.md", None),
    ]


def test_a_newer_entry_comes_before_a_note_about_the_same_thing(memory: Workspace) -> None:
    memory.store(category="fact", content=PAIRS[0][1], created_at="2026-03-02T10:00:00Z")
    memory.store(category="fact", content=PAIRS[0][2], created_at="2026-08-11T10:00:00Z")

    found = memory.recall(PAIRS[0][0]).entries

    assert [entry.content for entry in found[:2]] == [PAIRS[0][2], PAIRS[0][1]]
    assert [entry.earlier for entry in found[:2]] == [None, True]


@each_row(
    ("question", "tense"),
    [
        ("Which port is used now?", "present"),
        ("What did we use before?", "past"),
        ("What was the original plan?", "past"),
        ("Welche Version läuft derzeit?", "present"),
        ("Wer war früher zuständig?", "past"),
        ("现在用的是哪个？", "present"),
        ("以前はどこ？", "past"),
        ("Which port is used?", "open"),
    ],
)
def test_the_tense_of_a_question_is_read_from_its_words(question: str, tense: str) -> None:
    assert tense_of(question) == tense


@each_row("heading", ["Removed", "Old setup", "Historical notes", "历史记录", "廃止"])
def test_headings_say_that_something_is_over(heading: str) -> None:
    assert is_over(heading)
    assert not is_over("Setup")
