"""What is said twice is found; what only looks alike is not."""

from __future__ import annotations

import pytest

from remem.admin.audit import duplicates as module
from remem.admin.audit.duplicates import DuplicatePair, lexical_duplicates
from remem.text.statements import statements
from tests.tables import each_row

NIGHT = "The backup runs every night at three and is kept on the grey disk."


def pairs(text: str) -> list[DuplicatePair]:
    return lexical_duplicates(statements("MEMORY.md", text, always_loaded=True))


@each_row(
    ("one", "other", "kind"),
    [
        (NIGHT, NIGHT, "exact"),
        (NIGHT, "the  BACKUP runs every night at three and is kept on the grey disk.", "exact"),
        (NIGHT, f"**{NIGHT}**", "exact"),
        (NIGHT, f"{NIGHT} <!-- importance: 7 -->", "exact"),
        (NIGHT, "The backup runs every night at three, and is kept on the grey disk!", "near"),
        (
            NIGHT,
            "The backup runs every night at three and is kept safely on the grey disk.",
            "near",
        ),
        (NIGHT, "The backup runs every night at three and is kept on the grey disks.", "near"),
        (
            "没有问过，绝对不给家人以外的人发消息。",
            "没有问过，绝对不给家人以外的人发消息。",
            "exact",
        ),
    ],
)
def test_duplicates_are_found(one: str, other: str, kind: str) -> None:
    (pair,) = pairs(f"- {one}\n\nA line of its own.\n\n- {other}\n")

    assert pair.kind == kind
    assert (pair.a.start, pair.b.start) == (1, 5)
    assert (pair.similarity == 1.0) == (kind == "exact")


@each_row(
    ("one", "other"),
    [
        (
            "Tests of the main branch: 371 of 371 pass today",
            "Tests of the main branch: 384 of 384 pass today",
        ),
        (NIGHT, NIGHT.replace("three", "four")),
        (NIGHT, NIGHT.replace("runs", "never runs")),
        (NIGHT, NIGHT.replace("grey", "blue")),
        (NIGHT, NIGHT.replace(" disk.", " disk, if the house is empty.")),
        (
            "Server alpha is restarted by hand after every single power cut in the house.",
            "Server beta is restarted by hand after every single power cut in the house.",
        ),
        (
            "Mara pays Jon for the garden work in the first week.",
            "Jon pays Mara for the garden work in the first week.",
        ),
        (
            "The heating stays off while the house is > 18 degrees inside.",
            "The heating stays off while the house is < 18 degrees inside.",
        ),
        (
            "The cellar may get as cold as -3 degrees in the winter.",
            "The cellar may get as cold as 3 degrees in the winter.",
        ),
        (
            "The new parser for the old house project is written in C++.",
            "The new parser for the old house project is written in C#.",
        ),
        ("Ask first.", "Ask first."),
        (f"~~{NIGHT}~~ ✅", NIGHT),
        ("在没有确认之前可以给外部人员发送消息", "在没有确认之前不可以给外部人员发送消息"),
    ],
)
def test_lines_that_only_look_alike_are_not_duplicates(one: str, other: str) -> None:
    assert pairs(f"- {one}\n- {other}\n") == []


def test_the_same_heading_with_other_content_is_no_duplicate() -> None:
    heading = "## The rules of the house and garden\n"
    text = f"{heading}- Ask.\n{heading}- Knock.\n"

    assert pairs(text) == []


def test_a_nested_line_belongs_to_its_parent() -> None:
    child = "  - is written in Rust and runs at home in the attic\n"

    assert pairs(f"- the mail filter\n{child}- the thumbnail cache\n{child}") == []
    twice = f"## Code\n- the mail filter\n{child}"
    assert len(pairs(f"{twice}{twice}")) == 1
    assert pairs(f"{twice}{twice.replace('Code', 'Old code')}") == []


def test_a_short_value_belongs_to_its_heading() -> None:
    line = "- Port of the web front end: 8080\n"

    assert pairs(f"## Alpha\n{line}## Beta\n{line}") == []
    assert len(pairs(f"## Alpha\n{line}- other\n{line}")) == 1


def test_only_few_pairs_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten thousand lines have fifty million pairs."""
    compared = 0
    own = module.overlap  # type: ignore[attr-defined]

    def counted(left: frozenset[str], right: frozenset[str]) -> float:
        nonlocal compared
        compared += 1
        return own(left, right)

    monkeypatch.setattr(module, "overlap", counted)
    apart = "".join(f"- matter{n % 97} in place{n % 89} of topic{n} for us\n" for n in range(5_000))
    alike = "".join(f"- item {n} of the long list of things\n" for n in range(5_000))

    assert pairs(apart + alike) == []
    assert compared < 10_000


def test_a_library_is_not_compared_with_itself() -> None:
    page = statements("skills/x/SKILL.md", f"- {NIGHT}\n- {NIGHT}\n", always_loaded=False)
    memory = statements("MEMORY.md", f"- {NIGHT}\n", always_loaded=True)

    assert lexical_duplicates([], page) == []
    assert [item.a.path for item in lexical_duplicates(memory, page)] == ["skills/x/SKILL.md"]


def test_of_two_twins_the_one_that_is_always_loaded_is_named() -> None:
    page = statements("skills/x/SKILL.md", f"- {NIGHT}\n", always_loaded=False)
    rules = statements("AGENTS.md", f"- {NIGHT}\n", always_loaded=True)
    memory = statements("MEMORY.md", f"- {NIGHT}\n", always_loaded=True)

    found = [(item.a.path, item.b.path) for item in lexical_duplicates([*rules, *memory], page)]

    assert found == [("skills/x/SKILL.md", "AGENTS.md"), ("AGENTS.md", "MEMORY.md")]
