"""The rest of a budget is filled with passages that no entry covers yet, without duplicates."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.model.entry import Origin
from remem.search.answer.answer import answer_text
from tests.conftest import Opener

MEMORY = """\
# Memory

## Wedding
- Wedding venue: Black Canyon Inn. <!-- importance: 7 -->
- The wedding guests are one hundred and twenty.

## Ops
- The gateway runs on atlas.
"""


@pytest.fixture
def files(root: Path) -> Path:
    (root / "memory/domains").mkdir(parents=True)
    (root / "MEMORY.md").write_text(MEMORY, encoding="utf-8")
    return root


@pytest.fixture
def memory(files: Path, opened: Opener) -> Workspace:
    return opened()


def told(memory: Workspace, query: str, **wishes: object) -> dict[str, str]:
    answer = memory.recall(query, **wishes)  # type: ignore[arg-type]
    return {entry.id: entry.content for entry in answer.entries}


def test_a_memory_that_was_never_migrated_is_recalled_from_the_files(memory: Workspace) -> None:
    answer = memory.recall("wedding venue")
    first = answer.entries[0]

    assert (first.id, first.category) == ("MEMORY.md#L4", "passage")
    assert first.content == "Memory › Wedding\n- Wedding venue: Black Canyon Inn."
    assert answer.total_entries_matched == len(answer.entries)


def test_entries_and_passages_share_the_answer_best_first(memory: Workspace) -> None:
    """Or many weak entries would use up the budget before the line that answers."""
    id_ = memory.store(category="fact", content="The wedding cake is lemon.").id

    assert list(told(memory, "which wedding cake", limit=1)) == [id_]
    assert list(told(memory, "wedding venue", limit=1)) == ["MEMORY.md#L4"]
    assert {id_, "MEMORY.md#L4"} <= set(told(memory, "wedding"))


def test_a_line_that_an_entry_came_from_is_not_repeated(memory: Workspace) -> None:
    memory.store(
        category="fact",
        content="The wedding's venue is Black Canyon Inn.",
        origin=Origin("MEMORY.md", 4),
    )
    found = told(memory, "wedding venue guests")

    assert "MEMORY.md#L4" not in found
    assert "MEMORY.md#L5" in found


def test_an_archived_line_does_not_come_back_from_its_file(memory: Workspace) -> None:
    old = memory.store(
        category="fact", content="Wedding venue: Black Canyon Inn.", origin=Origin("MEMORY.md", 4)
    )
    memory.store(category="fact", content="We marry in Reno.", supersedes=[old.id])

    assert "MEMORY.md#L4" not in told(memory, "wedding venue")


def test_an_origin_does_not_count_after_the_file_was_edited(memory: Workspace, files: Path) -> None:
    """Another fact stands on that line now."""
    memory.store(
        category="fact", content="Wedding venue: Black Canyon Inn.", origin=Origin("MEMORY.md", 4)
    )
    text = MEMORY.replace("## Wedding\n", "## Wedding\n- The wedding rings are of tungsten.\n")
    (files / "MEMORY.md").write_text(text, encoding="utf-8")

    found = told(memory, "wedding rings venue")

    assert "tungsten" in found["MEMORY.md#L4"]
    assert "MEMORY.md#L5" not in found  # which the entry says word for word


def test_a_line_that_an_entry_of_the_answer_contains_is_not_repeated(memory: Workspace) -> None:
    memory.store(category="fact", content="On atlas runs the gateway.")

    assert not [id_ for id_ in told(memory, "gateway atlas") if id_.startswith("MEMORY.md#L8")]


def test_only_the_lines_without_an_entry_are_shown_of_a_passage(
    memory: Workspace, files: Path
) -> None:
    note = "# Day\n\n- The gateway moved to atlas.\n- The gateway port is 8080.\n"
    (files / "memory/2026-11-14.md").write_text(note, encoding="utf-8")
    memory.store(
        category="fact",
        content="The gateway was moved to atlas.",
        origin=Origin("memory/2026-11-14.md", 3),
    )
    (passage,) = [
        entry
        for entry in memory.recall("gateway moved atlas port").entries
        if entry.id.startswith("memory/2026-11-14.md")
    ]

    assert "8080" in passage.content
    assert "moved" not in passage.content
    assert passage.truncated is True
    assert passage.stored_at == "2026-11-14T00:00:00Z"


def test_front_matter_is_not_shown_without_the_lines_that_it_describes(
    memory: Workspace, files: Path
) -> None:
    note = "---\nname: deploy\n---\n\nNever deploy on Fridays.\n"
    (files / "memory/deploy.md").write_text(note, encoding="utf-8")
    assert "name: deploy" in memory.recall("deploy").entries[0].content
    origin = Origin("memory/deploy.md", 5)
    memory.store(category="instruction", content="Never deploy on Fridays.", origin=origin)

    answer = memory.recall("deploy")

    assert [entry.content for entry in answer.entries] == ["Never deploy on Fridays."]


def test_the_same_line_in_two_files_is_shown_once(memory: Workspace, files: Path) -> None:
    for name in ("a", "b"):
        (files / f"memory/{name}.md").write_text("The zeppelin is red.\n", encoding="utf-8")

    assert len([c for c in told(memory, "zeppelin red").values() if "zeppelin" in c]) == 1


def test_passages_never_come_from_the_index_or_domain_files(memory: Workspace, files: Path) -> None:
    memory.store(category="fact", content="The gateway is old.", priority="critical")
    memory.index()

    paths = {id_ for id_ in told(memory, "gateway memory index fact") if "#" in id_}

    assert all(path.startswith("MEMORY.md#") for path in paths)


def test_a_question_of_ids_reads_those_passages(memory: Workspace, files: Path) -> None:
    (files / "memory/my notes.md").write_text("# Tea\n\nGreen.\n", encoding="utf-8")
    id_ = memory.store(category="fact", content="The sky is blue.").id

    assert list(told(memory, "MEMORY.md#L4")) == ["MEMORY.md#L4"]
    assert list(told(memory, f"{id_}, MEMORY.md#L8 MEMORY.md#L5")) == [
        id_,
        "MEMORY.md#L8",
        "MEMORY.md#L5",
    ]
    assert list(told(memory, "memory/my notes.md#L1-L3")) == ["memory/my notes.md#L1-L3"]
    assert list(told(memory, "MEMORY.md#L4-L5")) == ["MEMORY.md#L4", "MEMORY.md#L5"]
    answer = memory.recall(f"{id_} MEMORY.md#L99")
    assert answer.notes == ("1 of the passages were not found",)


def test_filters_exclude_passages(memory: Workspace) -> None:
    assert told(memory, "wedding", categories=["fact"]) == {}
    assert told(memory, "wedding", tags=["x"]) == {}
    assert told(memory, "wedding", priority_min="high") == {}


def test_passages_count_towards_the_budget(files: Path, opened: Opener) -> None:
    lines = "".join(f"- gateway line {n} {'word ' * (n % 40)}\n" for n in range(200))
    (files / "USER.md").write_text(lines, encoding="utf-8")
    memory = opened(counter=EstimatedCounter())

    for budget in range(100, 3_000, 137):
        for form in ("brief", "detailed"):
            answer = memory.recall("gateway line", token_budget=budget, format=form)
            assert EstimatedCounter().count(answer_text(answer)) <= answer.token_count <= budget


def test_recall_includes_the_first_results_of_search(memory: Workspace, files: Path) -> None:
    for n in range(12):
        (files / f"memory/2026-10-{n + 10}.md").write_text(
            f"The zeppelin flew {n} miles, and the captain said number {n}.\n", encoding="utf-8"
        )
    for question in ("zeppelin 7 miles", "captain number 11", "wedding venue", "gateway"):
        recalled = set(told(memory, question))
        for hit in memory.search(question).results:  # which may show the lines around it too
            lines = range(hit.start_line, hit.end_line + 1)
            assert {hit.citation, *(f"{hit.path}#L{line}" for line in lines)} & recalled


def test_passages_are_not_recorded_as_used(memory: Workspace) -> None:
    """Only entries record that they were shown; a passage has no field for it."""
    memory.recall("wedding venue")
    memory.recall("MEMORY.md#L4")

    assert list(memory.export()) == []


def test_a_line_that_differs_in_one_number_is_shown_too(memory: Workspace, files: Path) -> None:
    note = "# Day\n- The form for the income tax of the year is filled in, it is number 12.\n"
    (files / "memory/2026-03-09.md").write_text(note, encoding="utf-8")
    other = "The form for the income tax of the year is filled in, it is number 51."
    memory.store(category="fact", content=other)

    assert any("number 12" in value for value in told(memory, "form for the income tax").values())


def test_a_passage_that_lost_its_best_line_does_not_hold_back_the_others(
    memory: Workspace, files: Path
) -> None:
    """Its rest says nothing of what was asked; what stood behind it in the files does."""
    line = "The form for the income tax is filled in, number {}."
    first = f"# Day\n- {line.format(51)}\n- Piano for 22 minutes.\n- Walked eight miles.\n"
    second = f"# Day\n- Closed eleven old bugs.\n- {line.format(12)}\n- Answered 17 letters.\n"
    (files / "memory/2026-03-08.md").write_text(first, encoding="utf-8")
    (files / "memory/2026-03-09.md").write_text(second, encoding="utf-8")
    memory.store(category="fact", content=line.format(51), origin=Origin("memory/2026-03-08.md", 2))
    for number in range(9):
        memory.store(category="fact", content=f"A form was given the mark {number * 7}.")

    found = list(told(memory, "the form for the income tax is filled in").values())

    assert any("number 12" in text for text in found[:3])
