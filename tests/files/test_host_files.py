"""Which files an audit reads: the owner's own, never those of others."""

from __future__ import annotations

from pathlib import Path

import pytest

from remem.files.host_files import domain_files, note_files, note_lines, owners_file, skill_files
from remem.files.layout import Layout
from remem.model.scope import MAIN, Scope
from tests.tables import each_row

ALPHA = Scope("group", "alpha")


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    root = tmp_path / "workspace"
    for name in (
        "MEMORY.md",
        "memory/2026-11-14.md",
        "memory/INDEX.md",
        "memory/deep/er/notes mit Ümlaut.md",
        "memory/.dreams/state.md",
        "memory/domains/facts.md",
        "memory/domains/not.txt",
        "memory/groups/alpha.md",
        "memory/groups/alpha/domains/facts.md",
        "memory/peers/7/domains/facts.md",
        "memory/shared/x/notes.md",
        "skills/b/SKILL.md",
        "skills/a/SKILL.md",
        "skills/SKILL.md",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{name}\n")
    return Layout(root)


def test_notes_are_the_owners_markdown_below_memory(layout: Layout) -> None:
    problems: list[str] = []

    assert [file.path for file in note_files(layout, problems)] == [
        "memory/2026-11-14.md",
        "memory/deep/er/notes mit Ümlaut.md",
    ]
    assert problems == []


def test_each_scope_has_its_own_domain_files(layout: Layout) -> None:
    assert [file.path for file in domain_files(layout, MAIN, [])] == ["memory/domains/facts.md"]
    assert [file.path for file in domain_files(layout, ALPHA, [])] == [
        "memory/groups/alpha/domains/facts.md"
    ]


def test_a_hard_link_to_mains_file_is_not_read_in_a_group(layout: Layout) -> None:
    theirs = layout.domains(ALPHA) / "people.md"
    theirs.hardlink_to(layout.root / "MEMORY.md")
    problems: list[str] = []

    found = [file.path for file in domain_files(layout, ALPHA, problems)]

    assert found == ["memory/groups/alpha/domains/facts.md"]
    assert "is hard-linked" in problems[0]


def test_links_are_named_and_not_followed(layout: Layout, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("outside")
    (layout.memory / "out.md").symlink_to(secret)
    (layout.root / "SOUL.md").symlink_to(secret)
    (layout.root / "skills/c").symlink_to(tmp_path)
    problems: list[str] = []

    assert owners_file(layout, "SOUL.md", problems) is None
    assert "SOUL.md is a symbolic link" in problems[0]
    assert "memory/out.md" not in {file.path for file in note_files(layout, problems)}
    assert [file.path for file in skill_files(layout, problems)] == [
        "skills/a/SKILL.md",
        "skills/b/SKILL.md",
    ]


def test_a_linked_folder_is_reported(layout: Layout, tmp_path: Path) -> None:
    layout.memory.rename(tmp_path / "elsewhere")
    layout.memory.symlink_to(tmp_path / "elsewhere")
    problems: list[str] = []

    assert list(note_files(layout, problems)) == []
    assert "memory is a symbolic link" in problems[0]


def test_a_workspace_without_any_of_it_has_nothing(tmp_path: Path) -> None:
    layout, problems = Layout(tmp_path / "empty"), list[str]()

    assert owners_file(layout, "MEMORY.md", problems) is None
    assert [*skill_files(layout, problems), *note_files(layout, problems)] == []
    assert [*domain_files(layout, MAIN, problems)] == []
    assert problems == []


@each_row(
    "path",
    [
        "memory/../MEMORY.md",
        "/etc/passwd",
        "MEMORY.md",
        "memory/groups/alpha.md",
        "memory/missing.md",
        "memory/\0.md",
        "memory",
        "",
    ],
)
def test_only_lines_of_notes_are_looked_up(layout: Layout, path: str) -> None:
    assert note_lines(layout, path, 1, 1) is None


def test_lines_of_a_note_are_counted_from_one(layout: Layout) -> None:
    (layout.memory / "n.md").write_text("a\nb\nc\n")

    assert note_lines(layout, "memory/n.md", 2, 3) == "b\nc"
    assert note_lines(layout, "memory/n.md", 9, 9) == ""
