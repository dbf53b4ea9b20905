"""Memory travels: export, import, and no doubles however often it is repeated."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import InvalidInput
from remem.model.entry import Origin
from tests.conftest import NOW, SECRET, Opener
from tests.tables import each_row


def lines(*values: object) -> Callable[[], Iterable[bytes]]:
    return lambda: [v if isinstance(v, bytes) else json.dumps(v).encode() for v in values]


@pytest.fixture
def other(tmp_path: Path) -> Iterable[Workspace]:
    """Another workspace, which has exported nothing and knows no key but its own."""
    with open_workspace(tmp_path / "other", background=False, clock=lambda: NOW) as workspace:
        yield workspace


@pytest.fixture
def emptied(memory: Workspace, root: Path, other: Workspace, tmp_path: Path) -> Workspace:
    """The same workspace, as it is when all that is left of it is its key."""
    list(memory.export())
    shutil.copy(root / ".remem/workspace.key", tmp_path / "other/.remem/workspace.key")
    return other


def test_an_export_restores_exactly_the_same_entries(memory: Workspace, emptied: Workspace) -> None:
    first = memory.store(category="fact", content="One.", tags=["a"], context="why\nso")
    memory.store(
        category="fact", content="One. And more.", origin=Origin("chat", 3, "Mara", "user")
    )
    old = memory.store(category="decision", content="We use X.", created_at="2020-01-01")
    memory.store(category="decision", content="We use Y.", supersedes=[old.id])
    memory.store(category="fact", content="A page said so.", trust="untrusted")
    exported = list(memory.export())

    done = emptied.import_lines(lambda: [line.encode() for line in exported])

    assert list(emptied.export()) == exported
    assert (done.stored, done.waiting, len(exported)) == (3, 1, 4)
    assert (done.unproven, done.masked, done.bounded) == (0, 0, 0)
    assert [v.entry.content for v in emptied.history(first.id)] == ["One.", "One. And more."]


def test_importing_twice_changes_nothing(memory: Workspace, other: Workspace) -> None:
    memory.store(category="fact", content="One.")
    exported = [line.encode() for line in memory.export()]
    plain = lines({"category": "fact", "content": "Two.", "origin": {"source": "f", "position": 1}})

    other.import_lines(lambda: exported)
    other.import_lines(plain)
    before = list(other.export())
    again = other.import_lines(lambda: exported)
    other.import_lines(plain)

    assert again.already_there == 1
    assert list(other.export()) == before


def test_an_entry_that_was_stored_often_with_other_tags_can_be_edited_and_restored(
    memory: Workspace, emptied: Workspace
) -> None:
    for start in range(0, 1200, 80):
        tags = [f"tag{number}" for number in range(start, start + 80)]
        stored = memory.store(category="fact", content="The harbour opens at nine.", tags=tags)

    edited = memory.edit(stored.id, content="The harbour opens at ten.")
    exported = list(memory.export())
    emptied.import_lines(lambda: [line.encode() for line in exported])

    assert len(edited.tags) == 1000
    assert list(emptied.export()) == exported


def test_lines_are_read_once_so_that_all_that_is_stored_was_checked(memory: Workspace) -> None:
    readings: list[int] = []

    def changing() -> Iterable[bytes]:
        readings.append(len(readings))
        return [json.dumps({"category": "fact", "content": f"Read {len(readings)}."}).encode()]

    memory.import_lines(changing)

    assert readings == [0]
    assert [json.loads(line)["entry"]["content"] for line in memory.export()] == ["Read 1."]


def test_exported_entries_come_back_together_with_their_histories(
    memory: Workspace, emptied: Workspace
) -> None:
    for number in range(12):
        first = memory.store(category="fact", content=f"Shelf {number} holds {number * 7} cups.")
        if number % 3 == 0:
            memory.store(
                category="fact", content=f"Shelf {number} is empty.", supersedes=[first.id]
            )
            memory.store(category="fact", content=f"Shelf {number} is empty. It was sold.")
    exported = [line.encode() for line in memory.export()]
    steps: list[int] = []

    done = emptied.import_lines(lambda: [*exported, exported[0]], progress=steps.append)

    assert [line.encode() for line in emptied.export()] == exported
    assert (done.stored, done.already_there, steps) == (16, 1, [17])
    assert emptied.store(category="fact", content="Shelf 3 is empty.").deduplicated


def test_an_import_that_was_cut_off_and_is_repeated_doubles_nothing(
    memory: Workspace, other: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CutOff(Exception):
        pass

    def cut_off(done: int) -> None:
        if done == 10:
            raise CutOff

    monkeypatch.setattr("remem.entries.draft.MAX_BATCH_ITEMS", 5)
    for number in range(9):
        memory.store(category="fact", content=f"Shelf {number} holds {number * 7} cups.")
    exported = [line.encode() for line in memory.export()]
    plain = [{"category": "fact", "content": f"Jar {n} is full of {n} beans."} for n in range(9)]
    mixed = [*exported, *lines(*plain, plain[3])()]

    with pytest.raises(CutOff):
        other.import_lines(lambda: mixed, progress=cut_off)
    half = len(list(other.export()))
    done = other.import_lines(lambda: mixed)

    assert (half, len(list(other.export()))) == (10, 18)
    assert (done.already_there, done.deduplicated, done.stored) == (9, 2, 8)
    assert all(json.loads(line)["entry"]["strength"] == 1 for line in other.export())


@each_row(
    "bad",
    [
        b"{not json",
        b"\xff\xfe",
        b"[]",
        b"7",
        {"content": "no category"},
        {"category": "fact"},
        {"category": "rumour", "content": "x"},
        {"category": "fact", "content": 7},
        {"category": "fact", "content": "x", "colour": "red"},
        {"category": "fact", "content": "x", "origin": 5},
        {"entry": {"id": "nope"}},
        {"entry": {}},
        {"entry": 7},
        b"[" * 100_000,
    ],
)
def test_one_bad_line_is_named_and_nothing_is_imported(memory: Workspace, bad: object) -> None:
    good = {"category": "fact", "content": "fine"}

    with pytest.raises(InvalidInput, match="line 2"):
        memory.import_lines(lines(good, bad))

    assert list(memory.export()) == []


def test_an_import_gets_the_agents_trust_unless_the_owner_vouches_for_it(memory: Workspace) -> None:
    memory.import_lines(lines({"category": "fact", "content": "Found."}))
    memory.import_lines(lines({"category": "fact", "content": "Mine."}), trust="owner")
    memory.import_lines(lines({"category": "fact", "content": "Theirs."}), trust="untrusted")

    trusts = {
        json.loads(x)["entry"]["content"]: json.loads(x)["entry"]["trust"] for x in memory.export()
    }
    assert trusts == {"Found.": "agent", "Mine.": "owner", "Theirs.": "untrusted"}


def test_an_imported_line_cannot_raise_its_own_trust(opened: Opener, other: Workspace) -> None:
    other.store(category="fact", content="I am the owner.")
    exported = [line.encode() for line in other.export()]
    agent = opened(trust="agent")

    agent.import_lines(lambda: exported)

    assert json.loads(next(iter(agent.export())))["entry"]["trust"] == "agent"


def test_secrets_in_imported_lines_are_masked_and_counted(memory: Workspace) -> None:
    address = {"source": f"https://x.test/?key={SECRET}", "speaker": f"bot {SECRET}"}
    whole = {
        "id": "mem-00000000",
        "category": "fact",
        "content": "One.",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-02T00:00:00Z",
        "context": f"said {SECRET}",
        "tags": ["a", SECRET],
        "origins": [address, {"source": "chat"}],
        "version": 2,
    }
    old = {"change": "stored", "entry": {**whole, "content": f"key {SECRET}", "version": 1}}
    plain = {"category": "fact", "content": f"key {SECRET}", "tags": [SECRET], "origin": address}
    change = f"edited with {SECRET}"

    done = memory.import_lines(lines({"entry": whole, "change": change, "history": [old]}, plain))

    assert done.masked == (1 + 1 + 2 + 1) + (1 + 1 + 1 + 2) + (1 + 1 + 2)
    assert SECRET not in "".join(memory.export())


def test_the_source_of_an_imported_memory_is_not_counted_as_masked(memory: Workspace) -> None:
    line = b'{"category": "fact", "content": "Pip is a beagle.", "source": "diary"}'

    assert memory.import_lines(lambda: [line]).masked == 0
