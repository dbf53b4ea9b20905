"""Which files belong to a scope: no more, no less, and never another scope's."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from remem.files.host_files import note_lines, note_paths
from remem.files.layout import Layout
from remem.files.memory_files import domain_files, memory_files
from remem.files.walking import IS_LINK, MemoryFile
from remem.model.scope import MAIN, Scope
from tests.tables import each_row

GARDEN = Scope("group", "garden")
PEER = Scope("peer", "4711")


def write(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(f"words of {path}\n")


def listed(root: Path, scope: Scope = MAIN, *extra: str) -> dict[str, MemoryFile]:
    files = list(memory_files(Layout(root), scope, extra))
    assert len({file.path for file in files}) == len(files), "each once"
    return {file.path: file for file in files}


def readable(root: Path, scope: Scope = MAIN, *extra: str) -> list[str]:
    found = listed(root, scope, *extra).values()
    return sorted(file.path for file in found if file.refused is None)


def refused(root: Path, scope: Scope = MAIN, *extra: str) -> dict[str, str]:
    found = listed(root, scope, *extra).values()
    return {file.path: file.refused for file in found if file.refused is not None}


@pytest.fixture
def other_case(tmp_path: Path) -> Iterator[Path]:
    """A workspace in which memory/groups is memory/Groups too, as on a disk that ignores case."""
    write(tmp_path, "memory/groups/garden/project.md", "memory/notes/Groups/own.md")
    other = tmp_path / "memory/Groups"
    other.mkdir()
    command = ["mount", "--bind", str(tmp_path / "memory/groups"), str(other)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("only root can give a folder a second name")
    yield tmp_path
    subprocess.run(["umount", str(other)], check=True)


def test_a_groups_folder_in_another_case_is_no_folder_of_main(other_case: Path) -> None:
    problems: list[str] = []

    assert readable(other_case) == ["memory/notes/Groups/own.md"]
    assert readable(other_case, MAIN, "memory/Groups/garden") == ["memory/notes/Groups/own.md"]
    assert [path.name for path in note_paths(Layout(other_case), problems)] == ["own.md"]
    assert note_lines(Layout(other_case), "memory/Groups/garden/project.md", 1, 1) is None
    assert readable(other_case, GARDEN) == ["memory/groups/garden/project.md"]


@each_row("path", ["memory//groups/garden/project.md", "memory/./groups/garden/project.md"])
def test_a_line_of_a_group_is_no_line_of_a_note_however_it_is_spelled(
    tmp_path: Path, path: str
) -> None:
    write(tmp_path, "memory/groups/garden/project.md")

    assert note_lines(Layout(tmp_path), path, 1, 1) is None


def test_main_has_its_curated_files_notes_and_what_is_known(tmp_path: Path) -> None:
    write(
        tmp_path,
        *("MEMORY.md", "USER.md", "DREAMS.md", "memory/2026-03-18.md", "memory/MEMORY.md"),
        *("memory/main/index.md", "memory/projects/a b/庭.md", "memory/projects/INDEX.md"),
        *("brain/areas/x/summary.md", "life/areas/people/y/summary.md", "brain/notes.md"),
        "para/areas/z.md",
    )

    assert readable(tmp_path) == sorted(
        [
            *("MEMORY.md", "USER.md", "DREAMS.md", "memory/2026-03-18.md", "memory/MEMORY.md"),
            *("memory/main/index.md", "memory/projects/a b/庭.md", "memory/projects/INDEX.md"),
            *("brain/areas/x/summary.md", "life/areas/people/y/summary.md", "brain/notes.md"),
            "para/areas/z.md",
        ]
    )
    kinds = {path: file.kind for path, file in listed(tmp_path).items()}
    assert kinds["memory/MEMORY.md"] == kinds["USER.md"] == "curated"
    assert kinds["memory/2026-03-18.md"] == "note"


@each_row(
    ("scope", "folder"),
    [(MAIN, "memory/domains"), (GARDEN, "memory/groups/garden/domains")],
)
def test_domain_files_are_those_of_the_scope_without_the_untrusted_ones(
    tmp_path: Path, scope: Scope, folder: str
) -> None:
    for place in ("memory/domains", "memory/groups/garden/domains", "memory/peers/4711/domains"):
        write(tmp_path, f"{place}/facts.md", f"{place}/facts-2.md", f"{place}/untrusted.md")
    write(tmp_path, f"{folder}/untrusted-2.md")
    (tmp_path / folder / "people.md").symlink_to(tmp_path / "MEMORY.md")

    found = {file.path: file.refused for file in domain_files(Layout(tmp_path), scope)}

    assert found == {
        f"{folder}/facts.md": None,
        f"{folder}/facts-2.md": None,
        f"{folder}/people.md": IS_LINK,
    }


def test_what_is_derived_hidden_foreign_or_no_markdown_is_left_out(tmp_path: Path) -> None:
    write(
        tmp_path,
        *("memory/INDEX.md", "memory/domains/facts.md", "memory/groups/garden.md"),
        *("memory/groups/garden/people.md", "memory/peers/4711/x.md", "memory/shared/team/x.md"),
        *("memory/.dreams/x.md", "memory/.hidden.md", "memory/x.json", "memory/x.py"),
        *("AGENTS.md", "SOUL.md", "skills/a/SKILL.md", ".remem/main/x.md", "agents/b/MEMORY.md"),
        *("agents/b/memory/2026-01-01.md", "memory.md", "docs/x.md"),
    )

    assert listed(tmp_path) == {}


def test_facts_are_listed_by_all_the_names_that_people_give_their_files(tmp_path: Path) -> None:
    write(
        tmp_path,
        *("brain/areas/a/items.json", "brain/areas/b/items.json", "brain/areas/b/summary.md"),
        *("life/projects/c/items.json", "memory/items.json", "brain/areas/d/other.json"),
        *("brain/entities.json", "life/areas/e/facts.json", "life/projects/f-facts.json"),
    )

    assert readable(tmp_path) == [
        "brain/areas/a/items.json",
        "brain/areas/b/items.json",
        "brain/areas/b/summary.md",
        "life/areas/e/facts.json",
        "life/projects/c/items.json",
        "life/projects/f-facts.json",
    ]
    assert listed(tmp_path)["brain/areas/a/items.json"].kind == "facts"


def test_a_group_has_its_gate_and_its_own_folder(tmp_path: Path) -> None:
    write(
        tmp_path,
        *("MEMORY.md", "USER.md", "memory/2026-01-01.md", "brain/x.md", "memory/INDEX.md"),
        *("memory/groups/garden.md", "memory/groups/garden/people.md"),
        *("memory/groups/garden/conventions/git.md", "memory/groups/garden/domains/facts.md"),
        *("memory/groups/kitchen.md", "memory/groups/kitchen/people.md", "memory/groups/x.md"),
        *("memory/peers/4711/x.md", "extra/x.md"),
    )

    assert readable(tmp_path, GARDEN, "extra") == [
        "memory/groups/garden.md",
        "memory/groups/garden/conventions/git.md",
        "memory/groups/garden/people.md",
    ]
    assert listed(tmp_path, GARDEN)["memory/groups/garden.md"].kind == "curated"


def test_a_peer_has_its_own_folder_alone(tmp_path: Path) -> None:
    write(tmp_path, "memory/peers/4711/x.md", "memory/peers/4711.md", "memory/peers/4712/x.md")
    write(tmp_path, "memory/peers/4711/domains/facts.md", "MEMORY.md")

    assert list(listed(tmp_path, PEER)) == ["memory/peers/4711/x.md"]


@pytest.mark.walls
@each_row("private", ["MEMORY.md", "memory/2026-01-01.md", "brain/a.md"])
def test_a_link_to_a_private_file_in_a_groups_folder_is_refused(
    tmp_path: Path, private: str
) -> None:
    write(tmp_path, private, "memory/groups/garden/own.md")
    (tmp_path / "memory/groups/garden/soft.md").symlink_to(tmp_path / private)
    os.link(tmp_path / private, tmp_path / "memory/groups/garden/hard.md")
    (tmp_path / "memory/groups/garden.md").symlink_to(tmp_path / private)
    (tmp_path / "memory/groups/garden/tree").symlink_to(tmp_path / "memory")

    assert readable(tmp_path, GARDEN) == ["memory/groups/garden/own.md"]
    assert {path: reason.split(",")[0] for path, reason in refused(tmp_path, GARDEN).items()} == {
        "memory/groups/garden/soft.md": "it is a symbolic link",
        "memory/groups/garden/hard.md": "it is hard-linked to another file",
        "memory/groups/garden.md": "it is a symbolic link",
        "memory/groups/garden/tree": "it is a symbolic link",
    }


@pytest.mark.walls
@each_row("linked", ["memory", "memory/groups", "memory/groups/garden"])
def test_a_folder_on_the_way_that_is_a_link_is_not_followed(tmp_path: Path, linked: str) -> None:
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, *("groups/garden/x.md", "garden/x.md", "x.md"))
    root = tmp_path / "root"
    (root / linked).parent.mkdir(parents=True)
    (root / linked).symlink_to(elsewhere)

    assert readable(root, GARDEN) == []
    assert list(refused(root, GARDEN)) == [linked]


@pytest.mark.walls
def test_a_groups_file_hard_linked_into_main_is_refused(tmp_path: Path) -> None:
    write(tmp_path, "memory/groups/garden/secret.md", "memory/own.md")
    os.link(tmp_path / "memory/groups/garden/secret.md", tmp_path / "memory/note.md")

    assert readable(tmp_path) == ["memory/own.md"]
    assert "hard-linked" in refused(tmp_path)["memory/note.md"]


def test_the_owners_file_may_have_a_second_name_as_in_backups_made_of_links(
    tmp_path: Path,
) -> None:
    write(tmp_path, "ws/MEMORY.md", "ws/memory/a.md")
    os.link(tmp_path / "ws/MEMORY.md", tmp_path / "backup.md")
    os.link(tmp_path / "ws/memory/a.md", tmp_path / "ws/memory/copy.md")

    assert readable(tmp_path / "ws") == ["MEMORY.md", "memory/a.md", "memory/copy.md"]


def test_links_out_of_the_workspace_are_named_and_not_followed(tmp_path: Path) -> None:
    write(tmp_path, "outside/x.md")
    write(tmp_path, "ws/memory/a.md")
    (tmp_path / "ws/memory/archive").symlink_to(tmp_path / "outside")
    (tmp_path / "ws/memory/x.md").symlink_to(tmp_path / "outside/x.md")
    (tmp_path / "ws/brain").symlink_to(tmp_path / "outside")
    (tmp_path / "ws/USER.md").symlink_to("/nowhere")

    assert readable(tmp_path / "ws") == ["memory/a.md"]
    assert set(refused(tmp_path / "ws")) == {
        *("memory/archive", "memory/x.md", "brain", "USER.md"),
    }


def test_a_pipe_is_named_and_a_folder_called_like_a_file_is_entered(tmp_path: Path) -> None:
    write(tmp_path, "memory/folder.md/inside.md")
    os.mkfifo(tmp_path / "memory/pipe.md")

    assert readable(tmp_path) == ["memory/folder.md/inside.md"]
    assert refused(tmp_path) == {"memory/pipe.md": "it is not a regular file"}


def test_a_name_that_is_not_utf8_has_a_printable_form(tmp_path: Path) -> None:
    write(tmp_path, "memory/a.md")
    (tmp_path / os.fsdecode(b"memory/\xff\xfe.md")).write_text("x")

    assert readable(tmp_path) == ["memory/%FF%FE.md", "memory/a.md"]
    assert refused(tmp_path) == {}


@pytest.mark.usefixtures("modes_hold")
def test_a_folder_that_cannot_be_listed_leaves_its_files_unknown(tmp_path: Path) -> None:
    write(tmp_path, "memory/shut/a.md")
    (tmp_path / "memory/shut").chmod(0)
    try:
        found = listed(tmp_path)["memory/shut"]
    finally:
        (tmp_path / "memory/shut").chmod(0o700)

    assert found.unknown
    assert found.refused


def test_extra_folders_and_files_are_read_for_main(tmp_path: Path) -> None:
    write(tmp_path, "notes/a.md", "notes/deep/b.md", "notes/c.txt", "notes/.git/d.md")
    write(tmp_path, "one.md", "ws/docs/e.md", "ws/README.md", "notes/node_modules/f.md")

    found = readable(
        tmp_path / "ws", MAIN, str(tmp_path / "notes"), "../one.md", "docs", "./docs/e.md"
    )

    assert found == sorted(
        [
            *(str(tmp_path / "notes/a.md"), str(tmp_path / "notes/deep/b.md")),
            *(str(tmp_path / "one.md"), "docs/e.md"),
        ]
    )


def test_extra_paths_do_not_pull_in_another_workspace_or_scope(tmp_path: Path) -> None:
    write(
        tmp_path,
        *("MEMORY.md", "agents/b/MEMORY.md", "agents/b/memory/x.md", "agents/c/notes.md"),
        *("memory/groups/garden/x.md", "memory/domains/facts.md", "memory/INDEX.md"),
        *("memory/peers/1/x.md", ".remem/main/x.md", "memory/note.md", "docs/x.md"),
    )

    assert readable(tmp_path, MAIN, ".", "agents") == [
        "MEMORY.md",
        "agents/c/notes.md",
        "docs/x.md",
        "memory/note.md",
    ]
    for path in ("agents/b", "agents/b/memory", "memory/groups", "memory/groups/garden", ".remem"):
        assert readable(tmp_path, MAIN, path) == ["MEMORY.md", "memory/note.md"], path
        assert refused(tmp_path, MAIN, path)[path].startswith("extra_paths: "), path


@pytest.mark.walls
def test_no_spelling_of_an_extra_path_walks_around_a_wall(tmp_path: Path) -> None:
    write(tmp_path, "ws/MEMORY.md", "ws/memory/groups/garden/x.md", "ws/memory/note.md")
    (tmp_path / "alias").symlink_to(tmp_path / "ws")
    aliases = ("../alias/memory/groups", str(tmp_path / "ws/memory/groups"), "x/../memory/groups")

    for root in (tmp_path / "ws", tmp_path / "alias", tmp_path / "ws/../ws"):
        for path in aliases:
            assert readable(root, MAIN, path) == ["MEMORY.md", "memory/note.md"], (root, path)
            assert "another scope" in refused(root, MAIN, path)[path]


def test_an_extra_place_above_the_workspace_does_not_lead_back_into_it(tmp_path: Path) -> None:
    write(tmp_path, "ws/memory/groups/garden/x.md", "ws/AGENTS.md", "other.md")
    write(tmp_path, "second/.remem/config.toml", "second/notes.md")

    assert readable(tmp_path / "ws", MAIN, "..") == [str(tmp_path / "other.md")]


def test_extra_paths_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    write(tmp_path, "ws/MEMORY.md", "real/x.md", "table.csv")
    (tmp_path / "linked").symlink_to(tmp_path / "real")

    reasons = refused(tmp_path / "ws", MAIN, "../linked", "../missing", "../table.csv")

    assert readable(tmp_path / "ws", MAIN, "../linked") == ["MEMORY.md"]
    assert [reason.removeprefix("extra_paths: ") for reason in reasons.values()] == [
        "it is a symbolic link, which remem does not follow",
        "it does not exist",
        "it is not a Markdown file",
    ]


def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    assert listed(tmp_path / "nowhere") == {}
    assert listed(tmp_path / "nowhere", GARDEN) == {}
