"""Every scope leaves its name, so that the owner's commands find them all."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import RememError
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.scopes import known_scopes, record_scope_name
from remem.model.scope import MAIN, Scope, earlier_folder_name, folder_name
from tests.rights import can_be_given_up, of_an_owner


def settled(layout: Layout, scope: Scope) -> Path:
    folder = layout.state_folder(scope)
    make_folder(folder)
    record_scope_name(layout, scope)
    return folder


def test_an_empty_workspace_has_main(tmp_path: Path) -> None:
    assert known_scopes(Layout(tmp_path)) == ([MAIN], [])


@given(name=st.text(min_size=1, max_size=20).filter(lambda text: text.isprintable()))
def test_whatever_a_peer_is_called_it_is_found_again(name: str) -> None:
    with TemporaryDirectory() as folder:
        layout = Layout(Path(folder))
        scope = Scope("peer", name)
        settled(layout, scope)

        assert known_scopes(layout) == ([MAIN, scope], [])


@pytest.mark.skipif(not can_be_given_up(), reason="root may read every folder")
@pytest.mark.parametrize("folder", ["memory/groups", ".remem/groups"])
def test_a_folder_that_may_not_be_listed_is_an_error_and_not_empty(
    tmp_path: Path, folder: str
) -> None:
    closed = tmp_path / folder
    (closed / "garden" / "domains").mkdir(parents=True)
    closed.chmod(0)
    try:
        with of_an_owner(), pytest.raises(RememError, match="groups cannot be listed"):
            known_scopes(Layout(tmp_path))
    finally:
        closed.chmod(0o700)


def test_a_scope_name_is_written_once_and_never_replaced(tmp_path: Path) -> None:
    layout, scope = Layout(tmp_path), Scope("group", "Küche")
    file = settled(layout, scope) / "scope"
    before = file.stat()

    record_scope_name(layout, scope)

    assert file.read_text() == "group:Küche\n"
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_name_that_is_not_the_folders_own_counts_for_nothing(tmp_path: Path) -> None:
    layout = Layout(tmp_path)
    folder = settled(layout, Scope("peer", "Zoë"))
    (folder / "scope").write_text("peer:somebody else\n")

    assert known_scopes(layout) == ([MAIN], [folder])


def test_files_without_state_are_found_by_a_plain_name_or_by_the_mapped_rooms(
    tmp_path: Path,
) -> None:
    layout = Layout(tmp_path)
    for folder in ("kitchen", folder_name("Küche")):
        (tmp_path / "memory/groups" / folder / "domains").mkdir(parents=True)
    (tmp_path / "memory/groups/only-a-gate").mkdir()

    scopes, nameless = known_scopes(layout, ["Küche"])

    assert set(scopes) == {MAIN, Scope("group", "kitchen"), Scope("group", "Küche")}
    assert nameless == []


def test_a_group_keeps_the_folder_that_an_earlier_version_gave_it(tmp_path: Path) -> None:
    layout, scope = Layout(tmp_path), Scope("group", "küche")
    earlier = tmp_path / ".remem/groups" / earlier_folder_name("küche")
    assert layout.state_folder(scope).name == "küche"

    earlier.mkdir(parents=True)
    record_scope_name(layout, scope)

    assert layout.state_folder(scope) == earlier
    assert layout.domains(scope).parent.name == earlier.name
    assert layout.gate(scope) == tmp_path / f"memory/groups/{earlier.name}.md"
    assert known_scopes(layout) == ([MAIN, scope], [])


def test_a_gate_alone_keeps_the_earlier_folder(tmp_path: Path) -> None:
    gate = tmp_path / "memory/groups" / f"{earlier_folder_name('工房')}.md"
    gate.parent.mkdir(parents=True)
    gate.write_text("# 工房\n")

    assert Layout(tmp_path).gate(Scope("group", "工房")) == gate
