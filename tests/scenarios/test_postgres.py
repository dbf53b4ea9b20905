"""A workspace whose entries are in PostgreSQL works as one with files; two machines that share it
do not overwrite each other's edits."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.errors import ConfigError, StoreError, StoreMissing, StoreReadOnly
from remem.files.checkout import checkout_id
from remem.files.layout import Layout
from tests.postgres import PASSWORD, database_url, superuser_url

Open = Callable[..., Workspace]


@pytest.fixture
def url() -> str:
    """A workspace of its own in the database of the tests."""
    return f"{database_url()}&workspace=ws-{uuid4()}"


def opened(folder: Path, url: str, session: str = "main") -> Workspace:
    environment = {"REMEM_STORE": url, "HOME": str(folder)}
    return open_workspace(
        folder, session, background=False, keywords_only=True, environment=environment
    )


def stored(folder: Path, url: str, content: str) -> str:
    with opened(folder, url) as workspace:
        return workspace.store(category="fact", content=content).id


def facts(folder: Path) -> Path:
    return folder / "memory/domains/facts.md"


def contents(folder: Path, url: str) -> set[str]:
    with opened(folder, url) as workspace:
        return {entry.content for entry in workspace.entries()}


def test_entries_files_and_edits_work_as_with_sqlite(tmp_path: Path, url: str) -> None:
    id_ = stored(tmp_path, url, "The build runs in the cellar.")
    assert f"The build runs in the cellar. ^{id_}" in facts(tmp_path).read_text()
    facts(tmp_path).write_text(facts(tmp_path).read_text().replace("cellar", "attic"))
    with opened(tmp_path, url) as workspace:
        [found] = workspace.recall("where does the build run").entries
        assert found.content == "The build runs in the attic."
        assert [version.version for version in workspace.history(id_)] == [1, 2]
        assert workspace.erase(id_).erased
        assert not workspace.recall("where does the build run").entries
    assert "attic" not in facts(tmp_path).read_text()
    assert not (tmp_path / ".remem/main/entries.db").exists()


def test_two_machines_see_each_others_memories_in_their_files(tmp_path: Path, url: str) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    stored(one, url, "The build runs in the cellar.")
    stored(other, url, "The printer is in the attic.")
    opened(one, url).close()
    with opened(one, url) as workspace:
        workspace.sync()
    for folder in (one, other):
        text = facts(folder).read_text()
        assert "cellar" in text, folder
        assert "attic" in text, folder


def test_edits_on_two_machines_are_both_kept(tmp_path: Path, url: str) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    stored(one, url, "The build runs in the cellar.")
    stored(one, url, "The printer is in the attic.")
    opened(other, url).sync()
    facts(one).write_text(facts(one).read_text().replace("cellar", "garage"))
    facts(other).write_text(
        facts(other).read_text().replace("attic", "hall") + "- The key is under the mat.\n"
    )
    expected = {
        "The build runs in the garage.",
        "The printer is in the hall.",
        "The key is under the mat.",
    }
    opened(one, url).sync()
    opened(other, url).sync()
    assert contents(one, url) == expected
    for folder in (one, other):
        opened(folder, url).sync()
        assert all(sentence in facts(folder).read_text() for sentence in expected), folder


def test_two_wordings_of_one_entry_are_both_kept(tmp_path: Path, url: str) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    stored(one, url, "The build runs in the cellar.")
    opened(other, url).sync()
    facts(one).write_text(facts(one).read_text().replace("cellar", "garage"))
    facts(other).write_text(facts(other).read_text().replace("cellar", "hall"))
    opened(one, url).sync()
    opened(other, url).sync()
    assert contents(one, url) >= {"The build runs in the garage.", "The build runs in the hall."}


def test_a_removed_bullet_is_archived_and_leaves_the_other_machine_too(
    tmp_path: Path, url: str
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    stored(one, url, "The build runs in the cellar.")
    stored(one, url, "The printer is in the attic.")
    opened(other, url).sync()
    lines = facts(one).read_text().splitlines(keepends=True)
    facts(one).write_text("".join(line for line in lines if "cellar" not in line))
    opened(one, url).sync()
    opened(other, url).sync()
    assert contents(other, url) == {"The printer is in the attic."}
    assert "cellar" not in facts(other).read_text()


def test_a_file_that_came_with_git_from_the_other_machine_changes_nothing(
    tmp_path: Path, url: str
) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    stored(one, url, "The build runs in the cellar.")
    opened(other, url).sync()
    committed = facts(one).read_bytes()
    stored(one, url, "The printer is in the attic.")
    opened(other, url).sync()
    facts(other).write_bytes(committed)  # an earlier version, written by the other machine
    opened(other, url).sync()
    assert contents(other, url) == {
        "The build runs in the cellar.",
        "The printer is in the attic.",
    }
    assert "attic" in facts(other).read_text()


def test_a_copied_folder_is_another_checkout(tmp_path: Path, url: str) -> None:
    one, copy = tmp_path / "one", tmp_path / "copy"
    stored(one, url, "The build runs in the cellar.")
    shutil.copytree(one, copy)
    assert checkout_id(Layout(one)) == checkout_id(Layout(one)) != checkout_id(Layout(copy))
    facts(copy).write_text(facts(copy).read_text().replace("cellar", "hall"))
    stored(one, url, "The printer is in the attic.")
    assert "The build runs in the hall." in contents(copy, url)


def test_the_folder_without_a_name_in_the_url_has_its_own_memory(tmp_path: Path) -> None:
    plain = database_url()
    stored(tmp_path / "one", plain, "The build runs in the cellar.")
    assert contents(tmp_path / "two", plain) == set()
    assert contents(tmp_path / "one", plain) == {"The build runs in the cellar."}


def test_files_with_entries_that_the_store_does_not_know_are_not_overwritten(
    tmp_path: Path, url: str
) -> None:
    with open_workspace(tmp_path, background=False, keywords_only=True) as workspace:
        workspace.store(category="fact", content="The build runs in the cellar.")
    before = facts(tmp_path).read_bytes()
    with opened(tmp_path, url) as workspace:
        with pytest.raises(StoreMissing, match="remem copy --to"):
            workspace.store(category="fact", content="Another fact.")
        assert workspace.search("cellar").results  # the files can still be searched
    assert facts(tmp_path).read_bytes() == before


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda url: url.replace("postgresql:", "mysql:"), ConfigError, "is not supported"),
        (lambda url: url.replace("@/", "@db:port/"), ConfigError, "is not the URL"),
        (lambda url: url.replace("workspace=", "workspace=%20"), ConfigError, "not a valid name"),
        (lambda url: url + "&nonsense=1", ConfigError, "is not the URL"),
    ],
)
def test_a_wrong_url_is_refused_without_showing_the_password(
    tmp_path: Path, url: str, change: Callable[[str], str], error: type, words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        opened(tmp_path, change(url))
    assert PASSWORD not in str(caught.value) + repr(caught.value)


def test_a_wrong_password_or_database_is_named_without_the_password(
    tmp_path: Path, url: str
) -> None:
    dbname = psycopg.conninfo.conninfo_to_dict(database_url())["dbname"]
    for wrong, words in (
        (url.replace(PASSWORD, "wr0ng-one"), "password"),
        (url.replace(f"/{dbname}", "/nowhere"), "nowhere"),
    ):
        with opened(tmp_path, wrong) as workspace, pytest.raises(StoreError, match=words) as caught:
            workspace.store(category="fact", content="A fact.")
        assert PASSWORD not in str(caught.value)
        assert "wr0ng-one" not in str(caught.value)


def test_a_superuser_is_refused_because_the_walls_would_not_hold(tmp_path: Path) -> None:
    url = superuser_url(database_url())
    with opened(tmp_path, url) as workspace, pytest.raises(StoreReadOnly, match="bypasses"):
        workspace.store(category="fact", content="A fact.")


def test_status_names_the_store_without_its_password(tmp_path: Path, url: str) -> None:
    stored(tmp_path, url, "A fact.")
    with opened(tmp_path, url) as workspace:
        health = workspace.status().health
    assert health.store.startswith("postgresql://")
    assert "***" in health.store
    assert PASSWORD not in health.store


def test_without_the_extra_the_error_says_what_to_install(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"remem\[postgres\]"):
        opened(tmp_path, url)


def test_the_graph_follows_what_another_machine_stores_and_erases(tmp_path: Path, url: str) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    names = "MATCH (n {folded: 'ann'})-[:LEADS]->(m) RETURN m.name"
    for folder in (here, there):
        folder.mkdir()
    with opened(here, url) as one, opened(there, url) as other:
        (kept,) = one.graph.ingest(
            [{"subject": "Ann", "relation": "leads", "object": "Atlas"}]
        ).kept
        assert other.graph.query(names).rows == (("Atlas",),)
        one.erase(kept.id)
        assert other.graph.query(names).rows == ()
