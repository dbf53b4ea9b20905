"""A damaged database is noticed, left as it is, and made good from the files; one that is
only busy is not damaged."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest

from remem.app.workspace import Workspace
from remem.errors import (
    RememError,
    StoreBusy,
    StoreClosed,
    StoreDamaged,
    StoreError,
    StoreMissing,
    StoreTooNew,
)
from remem.store.sqlite import writer
from remem.store.sqlite.schema import SCHEMA
from tests import limits
from tests.conftest import Opener

pytestmark = pytest.mark.disk

COUNT = 250


@dataclass(frozen=True, slots=True)
class Closed:
    """A workspace that nobody has open."""

    database: Path
    held: dict[str, str]
    files: dict[Path, bytes]


@pytest.fixture
def closed(opened: Opener, root: Path) -> Closed:
    memory = opened()
    memory.store_many(
        {"category": "fact", "content": f"Parcel {i} for harbour {i}."} for i in range(COUNT)
    )
    memory.store(category="person", content="Mara keeps the books.", tags=["books"])
    memory.store(category="fact", content="A page said so.", trust="untrusted")
    held = contents(memory)
    memory.close()
    return Closed(root / ".remem/main/entries.db", held, markdown(root))


def contents(memory: Workspace) -> dict[str, str]:
    entries = (json.loads(line)["entry"] for line in memory.export())
    return {entry["id"]: entry["content"] for entry in entries}


def markdown(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in (root / "memory").rglob("*.md")}


def flipped_header(data: bytes) -> bytes:
    return bytes(byte ^ 0xFF for byte in data[:16]) + data[16:]


def flipped_pages(data: bytes) -> bytes:
    """The first bytes of every page but the first, which say what the page holds."""
    pages = [data[at : at + 4096] for at in range(0, len(data), 4096)]
    return pages[0] + b"".join(bytes(b ^ 0xFF for b in page[:8]) + page[8:] for page in pages[1:])


def truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def replaced_by_text(_: bytes) -> bytes:
    return b"# My notes\n\nThis used to be a database.\n" * 200


DAMAGES = [flipped_header, flipped_pages, truncated, replaced_by_text]


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_reported_and_no_byte_is_changed(
    opened: Opener, root: Path, closed: Closed, damage: Callable[[bytes], bytes]
) -> None:
    damaged = damage(closed.database.read_bytes())
    closed.database.write_bytes(damaged)

    with pytest.raises(StoreDamaged, match="is damaged") as caught:
        use(opened())

    assert "doctor --repair" in (caught.value.hint or "")
    assert closed.database.read_bytes() == damaged
    assert markdown(root) == closed.files
    assert not list(closed.database.parent.glob("*corrupt*"))


def use(memory: Workspace) -> None:
    try:
        list(memory.export())
        memory.recall("parcel")
        memory.store(category="fact", content="One more.")
    finally:
        memory.close()


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_the_files_hold_comes_back_once_the_damaged_file_is_moved_aside(
    opened: Opener, closed: Closed, damage: Callable[[bytes], bytes]
) -> None:
    damaged = damage(closed.database.read_bytes())
    closed.database.write_bytes(damaged)
    kept = closed.database.rename(closed.database.with_name("damaged.db"))

    memory = opened(start_empty=True)
    done = memory.maintenance.restore_from_files()

    assert (done.entries, done.problems) == (len(closed.held), ())
    assert contents(memory) == closed.held
    assert memory.problems == []
    assert memory.recall("who keeps the books").entries[0].content == "Mara keeps the books."
    assert kept.read_bytes() == damaged


@pytest.mark.parametrize("loss", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_lost_database_is_missed_and_no_empty_one_takes_its_place(
    opened: Opener, root: Path, closed: Closed, loss: Callable[[Path], object]
) -> None:
    kept = closed.database.read_bytes()
    loss(closed.database)

    memory = opened()
    told = memory.problems
    with pytest.raises(
        StoreMissing,
        match=r"entries\.db is missing, but its entries are still in facts-2\.md, facts\.md",
    ):
        memory.store(category="fact", content="Said before anybody noticed.")
    memory.close()

    assert any("remem doctor --repair" in reason for reason in told)
    assert markdown(root) == closed.files
    closed.database.write_bytes(kept)
    assert contents(opened()) == closed.held


def test_a_new_workspace_and_one_with_files_of_a_person_alone_are_not_missing_anything(
    opened: Opener, root: Path
) -> None:
    (root / "memory/domains").mkdir(parents=True)
    (root / "memory/domains/facts.md").write_text("# Facts\n\n- Tea is green.\n")

    memory = opened()

    assert memory.problems == []
    assert list(contents(memory).values()) == ["Tea is green."]


def test_a_database_of_a_later_remem_is_refused_and_left_as_it_is(
    opened: Opener, root: Path, closed: Closed
) -> None:
    later = apsw.Connection(str(closed.database))
    later.execute(f"PRAGMA user_version={SCHEMA + 1}")
    later.close()
    before = closed.database.read_bytes()

    with pytest.raises(StoreTooNew, match=f"schema {SCHEMA + 1}"):
        use(opened())

    assert closed.database.read_bytes() == before
    assert markdown(root) == closed.files


def test_b15_damage_to_the_full_text_is_no_damage_to_the_record(
    opened: Opener, closed: Closed
) -> None:
    raw = apsw.Connection(str(closed.database))
    raw.execute("UPDATE memory_fts_data SET block = x'00' WHERE id > 10")
    raw.close()
    memory = opened()

    with pytest.raises(StoreError, match="full text") as caught:
        memory.recall("parcel 7")

    assert not isinstance(caught.value, StoreDamaged)
    assert "remem rebuild" in (caught.value.hint or "")
    assert contents(memory) == closed.held
    memory.maintenance.rebuild()
    assert memory.recall("who keeps the books").entries[0].content == "Mara keeps the books."
    assert contents(memory) == closed.held


class Holder:
    """Another program that holds the database's own lock, until it is released."""

    def __init__(self, database: Path) -> None:
        self._connection = apsw.Connection(str(database))
        self._connection.execute("BEGIN IMMEDIATE")

    def let_go(self) -> None:
        self._connection.execute("ROLLBACK")
        self._connection.close()


@pytest.fixture
def names(root: Path) -> Callable[[], set[str]]:
    """The files of the store; a healthy one must never be renamed or set aside."""
    folder = root / ".remem/main"
    return lambda: {path.name for path in folder.iterdir() if path.is_file()}


def test_b14_a_busy_database_is_waited_for(
    opened: Opener, closed: Closed, names: Callable[[], set[str]]
) -> None:
    memory = opened()
    before = names()
    holder = Holder(closed.database)
    letting_go = threading.Timer(0.3, holder.let_go)
    letting_go.start()

    stored = memory.store(category="fact", content="It had to wait.")
    letting_go.join()

    assert memory.entry(stored.id).content == "It had to wait."
    assert names() == before


def test_b14_a_database_that_stays_busy_is_called_busy_and_nothing_else(
    opened: Opener,
    closed: Closed,
    names: Callable[[], set[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits.BUSY_MILLISECONDS, 50)
    memory = opened()
    assert memory.services.passages.writable  # they are opened by those who read them
    before = names()
    holder = Holder(closed.database)
    try:
        with pytest.raises(StoreError, match="busy") as caught:
            memory.store(category="fact", content="Too soon.")
        answer = memory.recall("who keeps the books")
    finally:
        holder.let_go()

    assert type(caught.value) is StoreBusy
    assert answer.entries[0].content == "Mara keeps the books."
    assert names() == before
    assert any("busy" in reason for reason in memory.problems)
    assert "Too soon." not in contents(memory).values()
    memory.store(category="fact", content="Now it works.")
    assert contents(memory).keys() > closed.held.keys()


def test_a_reader_does_not_wait_for_another_program(
    opened: Opener, closed: Closed, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The known-bad version waits ten seconds for each thing that it would like to write."""
    monkeypatch.setattr(limits.BUSY_MILLISECONDS, 300)
    monkeypatch.setattr(limits.SHORT_BUSY_MILLISECONDS, 1)
    real, patience = writer.set_busy_timeout, list[bool]()  # type: ignore[attr-defined]

    def noticed(connection: apsw.Connection, *, short: bool) -> None:
        patience.append(not short)
        real(connection, short=short)

    monkeypatch.setattr(writer, "set_busy_timeout", noticed)
    memory = opened()
    memory.store(category="person", content="Ana lives in Porto.")
    facts = root / "memory/domains/people.md"
    facts.write_text(facts.read_text().replace("in Porto", "in Faro"), encoding="utf-8")
    patience.clear()
    holder = Holder(closed.database)
    try:
        answer = memory.recall("where does Ana live")
        memory.close()
    finally:
        holder.let_go()

    assert patience
    assert not any(patience)
    assert answer.entries[0].content == "Ana lives in Porto."
    assert any("results may be out of date" in note and "busy" in note for note in answer.notes)
    again = opened()
    assert again.recall("where does Ana live").entries[0].content == "Ana lives in Faro."
    assert not any("busy" in reason for reason in again.problems)


def test_a_search_of_files_does_not_wait_for_another_program(
    opened: Opener, closed: Closed, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = opened()
    memory.recall("who keeps the books")
    (root / "memory/2026-11-01.md").write_text("The ferry leaves from pier nine.\n")
    holder = Holder(root / ".remem/main/passages.db")
    monkeypatch.setattr(limits.BUSY_MILLISECONDS, 3_600_000)  # a writer would wait for an hour
    try:
        answer = memory.recall("where does the ferry leave")
        memory.close()
    finally:
        holder.let_go()

    assert any("results may be out of date" in note and "busy" in note for note in answer.notes)
    again = opened().recall("where does the ferry leave")
    assert "pier nine" in again.entries[0].content


def test_b05_closing_in_the_middle_of_questions_gives_answers_or_the_true_reason(
    opened: Opener, closed: Closed
) -> None:
    memory = opened()
    outcomes: list[object] = []

    def ask() -> None:
        for _ in range(20):
            try:
                outcomes.append(len(memory.recall("who keeps the books").entries))
            except RememError as error:
                outcomes.append(type(error))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    memory.close()
    for thread in threads:
        thread.join()

    assert len(outcomes) == 80
    assert {outcome for outcome in outcomes if isinstance(outcome, type)} <= {StoreClosed}
    assert opened().recall("who keeps the books").entries
