"""The doctor finds what is wrong, repairs it, and loses nothing that was acknowledged."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import apsw
import pytest

from remem.app.workspace import Workspace
from remem.errors import FileError, StoreError
from remem.files import atomic, database_swap
from remem.files.layout import Layout
from remem.model.entry import Entry
from remem.model.scope import Scope
from remem.ops.doctor import Diagnosis, examine_workspace
from remem.store.sqlite.transaction import SqliteTransaction
from tests import limits
from tests.conftest import Opener

pytestmark = pytest.mark.disk


@pytest.fixture(autouse=True)
def without_model(root: Path) -> None:
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')


@pytest.fixture
def database(root: Path) -> Path:
    return root / ".remem/main/entries.db"


@pytest.fixture
def held(opened: Opener) -> dict[str, str]:
    """What a closed workspace holds, by id: forty facts, one reworded, one archived."""
    memory = opened()
    memory.store_many(
        {"category": "fact", "content": f"Parcel {i} is for harbour {i}."} for i in range(40)
    )
    memory.store(category="person", content="Mara keeps the books.", tags=["books"])
    old = memory.store(category="fact", content="The gate opens at eight.").id
    memory.store(category="fact", content="The gate opens at nine.", supersedes=[old])
    found = contents(memory)
    memory.close()
    return found


def contents(memory: Workspace) -> dict[str, str]:
    entries = (json.loads(line)["entry"] for line in memory.export())
    return {entry["id"]: entry["content"] for entry in entries}


def id_of(held: Mapping[str, str], content: str) -> str:
    return next(id_ for id_, text in held.items() if text == content)


def look(root: Path, *, repair: bool = False) -> Diagnosis:
    return examine_workspace(Layout(root), repair=repair)


def kinds(found: Diagnosis) -> list[str]:
    return [finding.severity for finding in found.findings]


def change(database: Path, statement: str, *values: object) -> None:
    """What a disk might do behind SQLite's back."""
    raw = apsw.Connection(str(database))
    raw.execute(statement, values)
    raw.close()


def test_a_healthy_workspace_has_no_findings(root: Path, held: dict[str, str]) -> None:
    found = look(root)

    assert found.findings == ()
    assert found.healthy


def test_one_changed_byte_in_an_archived_record_is_found_and_the_text_kept_for_review(
    opened: Opener, root: Path, database: Path
) -> None:
    memory = opened()
    id_ = memory.store(category="fact", content="The harbour closes at eight.").id
    memory.forget(id_)
    memory.close()
    change(database, "DELETE FROM memory_versions")
    changed = "The harbour closes at eighu."
    change(database, "UPDATE memory_entries SET content = ? WHERE id = ?", changed, id_)

    found = look(root)
    assert kinds(found)[0] == "damage"
    assert id_ in found.findings[0].what
    repaired = look(root, repair=True)

    assert repaired.healthy, repaired
    assert any("without verification" in repair and id_ in repair for repair in repaired.repairs)
    entry = opened().entry(id_)
    assert entry.content == changed
    assert entry.archived


def test_a_damaged_record_is_restored_from_its_domain_file(
    opened: Opener, root: Path, database: Path, held: dict[str, str]
) -> None:
    id_ = id_of(held, "Mara keeps the books.")
    change(database, "UPDATE memory_entries SET content = 'xxxx', tags = '[]' WHERE id = ?", id_)

    repaired = look(root, repair=True)

    assert repaired.healthy, repaired
    assert any(
        "restored from domain files" in repair and id_ in repair for repair in repaired.repairs
    )
    memory = opened()
    assert contents(memory) == held
    assert memory.entry(id_).tags == ("books",)


def test_a_record_without_a_twin_falls_back_to_its_history_and_says_so(
    opened: Opener, root: Path, database: Path, held: dict[str, str]
) -> None:
    id_ = id_of(held, "The gate opens at eight.")
    change(database, "UPDATE memory_entries SET content = 'xxxx' WHERE id = ?", id_)

    repaired = look(root, repair=True)

    assert any(
        "restored from the history" in repair and id_ in repair for repair in repaired.repairs
    )
    entry = opened().entry(id_)
    assert entry.content == "The gate opens at eight."
    assert entry.archived  # it was superseded, and must not return to the answers


def test_a_damaged_earlier_version_is_reported_by_the_id_of_its_entry(
    opened: Opener, root: Path, database: Path, held: dict[str, str]
) -> None:
    id_ = id_of(held, "The gate opens at eight.")
    change(database, "UPDATE memory_versions SET change = 'xxxx'")

    repaired = look(root, repair=True)

    assert repaired.healthy, repaired
    assert any(f"LOST from the history: version 1 of {id_}" in line for line in repaired.repairs)
    assert contents(opened()) == held


def test_a_damaged_record_is_left_out_of_answers_and_stops_writing(
    opened: Opener, database: Path, held: dict[str, str]
) -> None:
    id_ = id_of(held, "Mara keeps the books.")
    change(
        database, "UPDATE memory_entries SET content = 'Mara burns the books.' WHERE id = ?", id_
    )
    memory = opened()

    answer = memory.recall("what does Mara do with the books?")

    assert "burns" not in str(answer)
    assert any(id_ in reason for reason in memory.problems)
    with pytest.raises(StoreError, match="is damaged"):
        memory.entry(id_)
    with pytest.raises(StoreError, match="is damaged"):
        memory.store(category="fact", content="One more.")


@pytest.mark.parametrize("loss", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_missing_database_is_made_from_the_files(
    opened: Opener,
    root: Path,
    database: Path,
    held: dict[str, str],
    loss: Callable[[Path], object],
) -> None:
    loss(database)

    repaired = look(root, repair=True)

    assert repaired.healthy, repaired
    standing = {id_: content for id_, content in held.items() if "eight" not in content}
    assert contents(opened()) == standing


def test_a_file_that_is_not_a_database_any_more_is_kept_and_replaced(
    opened: Opener, root: Path, database: Path, held: dict[str, str]
) -> None:
    ruin = b"this used to be a database\n" * 500
    database.write_bytes(ruin)

    repaired = look(root, repair=True)

    assert repaired.healthy, repaired
    (kept,) = database.parent.glob("damaged.*/entries.db")
    assert kept.read_bytes() == ruin
    assert len(contents(opened())) == len(held) - 1


def test_a_search_index_that_lost_its_words_is_rebuilt(
    opened: Opener, root: Path, database: Path, held: dict[str, str]
) -> None:
    change(database, "DELETE FROM memory_fts WHERE rowid > 10")
    change(database, "DELETE FROM memory_tags")

    found = look(root)
    repaired = look(root, repair=True)

    assert set(kinds(found)) == {"drift"}
    assert any("missing from the full-text index" in finding.what for finding in found.findings)
    assert repaired.healthy, repaired
    assert opened().recall("who keeps the books").entries[0].content == "Mara keeps the books."


def test_files_that_differ_from_the_entries_are_rewritten(root: Path, held: dict[str, str]) -> None:
    (root / "memory/domains/people.md").unlink()
    (root / "memory/INDEX.md").write_text("something else\n")

    found = look(root)
    repaired = look(root, repair=True)

    assert {finding.part for finding in found.findings} == {
        "memory/domains/people.md",
        "memory/INDEX.md",
    }
    assert repaired.healthy, repaired
    assert "Mara keeps the books." in (root / "memory/domains/people.md").read_text()
    (kept,) = (root / ".remem/main/conflicts").glob("INDEX.md.*")
    assert kept.read_text() == "something else\n"


def test_a_file_of_another_user_is_reported_and_stops_nothing_else(
    root: Path, database: Path, held: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    database.chmod(0o644)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("os.chmod", refuse)
    found = examine_workspace(Layout(root), repair=True)

    assert any(
        "cannot be made private: Operation not permitted" in repair for repair in found.repairs
    )
    assert [finding.severity for finding in found.remaining] == ["notice"]


def test_files_that_others_can_read_become_private(
    root: Path, database: Path, held: dict[str, str]
) -> None:
    database.chmod(0o644)

    found = look(root, repair=True)

    assert kinds(found) == ["notice"]
    assert database.stat().st_mode & 0o077 == 0


def test_unreadable_settings_and_rooms_are_named(root: Path) -> None:
    (root / ".remem/config.toml").write_text("colour = 'green'\n")
    (root / "memory").mkdir()
    (root / "memory/group_names.json").write_text("{")

    found = look(root)

    assert [finding.part for finding in found.findings] == [
        ".remem/config.toml",
        "memory/group_names.json",
        "layers",  # not compared, because the settings may name another store
    ]
    assert not found.healthy


def test_b14_a_busy_database_is_not_called_damaged_and_not_touched(
    root: Path, database: Path, held: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.BUSY_MILLISECONDS, 50)
    holder = apsw.Connection(str(database))
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN IMMEDIATE")
    holder.execute("DELETE FROM records")
    before = sorted(path.name for path in database.parent.iterdir())
    try:
        found = look(root, repair=True)
    finally:
        holder.execute("ROLLBACK")
        holder.close()

    assert "busy" in found.findings[0].what
    assert any("not repaired" in repair and "busy" in repair for repair in found.repairs)
    assert not list(database.parent.glob("damaged*"))
    assert set(before) >= {path.name for path in database.parent.iterdir()} - {"open.lock"}
    assert look(root).healthy


def test_nothing_is_exchanged_under_a_program_that_has_the_database_open(
    opened: Opener, root: Path, database: Path, held: dict[str, str]
) -> None:
    id_ = id_of(held, "Mara keeps the books.")
    change(database, "UPDATE memory_entries SET content = 'xxxx' WHERE id = ?", id_)
    server = opened()

    found = look(root, repair=True)
    assert any("another program has the database" in repair for repair in found.repairs)
    assert not found.healthy
    server.close()

    assert look(root, repair=True).healthy


def lose_every_tenth(monkeypatch: pytest.MonkeyPatch) -> None:
    """M19: a repair that loses entries, and is content with its own count."""
    insert_record = SqliteTransaction.insert_record
    seen: list[str] = []

    def forgetful(tx: SqliteTransaction, entry: Entry, *rest: Any, **options: Any) -> int:
        seen.append(entry.id)
        return insert_record(tx, entry, *rest, **options) if len(seen) % 10 else 1

    monkeypatch.setattr(SqliteTransaction, "insert_record", forgetful)


def test_m19_a_repair_that_trusts_its_own_count_is_not_put_in_place(
    root: Path, database: Path, held: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    id_ = id_of(held, "The gate opens at eight.")
    change(database, "UPDATE memory_entries SET content = 'xxxx' WHERE id = ?", id_)
    for path in (root / "memory/domains").iterdir():
        path.unlink()  # no twin can make good for it
    before = database.read_bytes()
    lose_every_tenth(monkeypatch)

    found = look(root, repair=True)

    assert any("could not be repaired: mem-" in repair for repair in found.repairs)
    assert not found.healthy
    assert database.read_bytes() == before
    assert not list(database.parent.glob("damaged*"))
    assert not list(database.parent.glob("mending*"))


@pytest.mark.parametrize("moves", range(4))
def test_an_exchange_that_is_killed_is_never_opened_half_done_and_is_finished(
    opened: Opener,
    root: Path,
    database: Path,
    held: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    moves: int,
) -> None:
    id_ = id_of(held, "Mara keeps the books.")
    change(database, "UPDATE memory_entries SET content = 'xxxx' WHERE id = ?", id_)
    done: list[Path] = []

    class Killed(BaseException):
        pass

    def mortal(path: Path, target: Path) -> None:
        if len(done) == moves:
            raise Killed
        done.append(path)
        set_aside(path, target)

    set_aside = atomic.set_aside
    with monkeypatch.context() as fate:
        fate.setattr(database_swap.atomic, "set_aside", mortal)  # type: ignore[attr-defined]
        fate.setattr("remem.ops.repair.shutil.rmtree", lambda *_args, **_options: None)
        try:
            look(root, repair=True)
        except Killed:
            assert (database.parent / "exchange.json").exists()
            with pytest.raises(StoreError, match="was interrupted"):
                opened().store(category="fact", content="Too soon.")

    repaired = look(root, repair=True)

    assert repaired.healthy, repaired
    assert contents(opened()) == held


@pytest.mark.parametrize("content", ["Mara keeps the books.", "The gate opens at eight."])
def test_a_record_with_a_spoiled_id_comes_back_under_its_own(
    opened: Opener, root: Path, database: Path, held: dict[str, str], content: str
) -> None:
    id_ = id_of(held, content)
    change(database, "UPDATE memory_entries SET id = ? WHERE id = ?", f"{id_[:-1]}!", id_)

    repaired = look(root, repair=True)

    assert repaired.healthy, repaired
    assert contents(opened()) == held


def spoil_header(data: bytes) -> bytes:
    return data[:16] + b"\x01" + data[17:]


def spoil_definition(data: bytes) -> bytes:
    wanted = b"CREATE TABLE memory_entries ("
    assert wanted in data
    return data.replace(wanted, wanted[:-1] + b"\xff")


@pytest.mark.parametrize("spoil", [spoil_header, spoil_definition])
def test_a_file_that_cannot_be_opened_is_kept_and_what_is_in_no_other_file_reported(
    opened: Opener,
    root: Path,
    database: Path,
    held: dict[str, str],
    spoil: Callable[[bytes], bytes],
) -> None:
    database.write_bytes(spoil(database.read_bytes()))

    repaired = look(root, repair=True)

    assert repaired.healthy, repaired
    lost = "nothing could be read from the damaged database"
    assert any(lost in repair for repair in repaired.repairs)
    superseded = id_of(held, "The gate opens at eight.")
    assert any("may be missing" in line and superseded in line for line in repaired.repairs)
    assert contents(opened()) == {id_: text for id_, text in held.items() if id_ != superseded}
    assert list(database.parent.glob("damaged.*/entries.db"))


def test_what_cannot_be_read_is_named_and_the_rest_is_checked(root: Path, opened: Opener) -> None:
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/note.md").write_text("The shed is green.\n")
    (root / "memory/elsewhere.md").symlink_to(root / "nowhere.md")
    memory = opened()
    memory.refresh()
    memory.close()

    found = look(root)

    assert ("notice", "memory/elsewhere.md") in {(f.severity, f.part) for f in found.findings}
    assert found.healthy


def test_groups_that_cannot_be_listed_do_not_stop_the_check(
    root: Path, held: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_layout: Layout) -> list[Scope]:
        raise FileError("memory/groups cannot be listed: Permission denied", hint="allow it")

    monkeypatch.setattr("remem.ops.doctor.checkable_scopes", refuse)

    found = look(root)

    assert "memory/groups cannot be listed: Permission denied" in {f.what for f in found.findings}
    assert not found.healthy
