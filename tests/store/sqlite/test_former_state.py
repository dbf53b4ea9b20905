"""Everything that earlier versions stored under string keys is found again as records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from remem.entries.lifecycle import ERASURES, UnfinishedErasure
from remem.entries.notices import latest_notices
from remem.entries.pending_facts import FactDraft, held_fact
from remem.entries.receipt import ReviewedFields, read_intent
from remem.entries.verdicts import all_verdicts
from remem.files.transcripts.reading import CITED, LEARNED, ReadPosition
from remem.learn.consolidate.runs import ConsolidationRun, EntryAction, FactAction, recorded_runs
from remem.learn.flush.state import LessonRecord, lesson_record
from remem.model.recovery import Recovery
from remem.model.verdict import Verdict
from remem.ports.entries import Snapshot
from remem.ports.records import WrittenFile
from remem.ports.state import ACTIVITY, NAMESPACES, RECOVERY, SCOPE, Namespace
from remem.setup.migrate.matching import MigratedRow, read_rows
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.former_state import former_records
from tests.store.sqlite.former import to_schema_10
from tests.tables import each_row

AT = "2026-11-17T08:00:00Z"
ID = "mem-abcdefgh"
PLACE = ["sessions/a.jsonl", 4]
STATE: dict[str, Any] = {
    "recovery": {"at": AT, "restored": 2, "lowered": 0, "missing": 1, "changes": True},
    "verdict 000007": {
        "at": AT,
        "author": "owner",
        "state": "applied",
        "topic": "index",
        "answer": "pin",
        "entries": [ID],
        "wordings": [5],
        "versions": {ID: [1, 2]},
    },
    "writing facts:1": {"digest": "d", "items": {ID: "x"}},
    "writing people:1": None,
    "look of facts:1": [1, 2, 3, 4],
    "earlier facts:1": [{ID: "x"}, {}],
    f"fact waiting {ID}": {
        "entity": "zoe",
        "fact": "Zoe sings.",
        "category": "",
        "timestamp": "",
        "source": "conversation",
        "origin": None,
        "kind": "",
        "supersedes": None,
        "redacted": ["password"],
    },
    f"review intent {ID}": {"category": "fact", "priority": "high", "drop_context": False},
    "cited a.jsonl": {"offset": 5, "lines": 1, "digest": "d", "size": 9},
    "flushed a.jsonl": {"offset": 6, "lines": 2, "digest": "e", "size": 8},
    "lesson abc": {"home": "memory/x.md", "at": AT},
    "page:brain/a/summary.md": ["a", "b"],
    "migrated": ["MEMORY.md"],
    "migrated:MEMORY.md": [[3, "hash", ID]],
    "unfinished erasures": [{"id": ID, "texts": ["gone"], "entity": None}],
    "consolidations": [
        {
            "number": 2,
            "at": AT,
            "deeds": [
                {"entry": ID, "stored": True, "version": 1, "strength": 1, "places": [PLACE]}
            ],
            "undone": None,
            "facts": [
                {"file": "f", "text": "t", "origin": "o", "stored": False, "places": [PLACE]}
            ],
        }
    ],
    "decay_watch": [["2026-11-02", ID]],
}
TEXTS = {
    "last_store": AT,
    "last_recall": AT,
    "last_flush": AT,
    "last_flush_reason": "remem",
    "last_expiry": AT,
    "last_decay": AT,
    "scope": "main",
    "decay_notice": "one faded",
    "flush told": "digest",
    "declined:abc": "2026-11-17",
    "open part facts": "1 17",
    "migration running": "",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "entries.db"
    SqliteStore(path).close()
    connection = apsw.Connection(str(path))
    to_schema_10(connection, **TEXTS, **{key: json.dumps(value) for key, value in STATE.items()})
    connection.execute("INSERT INTO notices(at, text) VALUES ('then', 'something happened')")
    connection.execute("INSERT INTO projected VALUES ('facts:1', 'd', ?)", [json.dumps({ID: "x"})])
    connection.close()
    return path


def test_records_of_an_older_database_are_found(path: Path) -> None:
    store = SqliteStore(path)
    with store.read() as snapshot:
        check(snapshot)
    store.close()
    connection = apsw.Connection(str(path))
    assert list(connection.execute("SELECT key FROM meta")) == []
    connection.close()


def check(snapshot: Snapshot) -> None:
    activity = ("decay", "expiry", "flush", "flush reason", "recall", "store")
    assert tuple(snapshot.records(ACTIVITY)) == activity
    assert snapshot.record(SCOPE) == "main"
    assert snapshot.record(RECOVERY) == Recovery(AT, 2, 0, 1, changes=True)
    (verdict,) = all_verdicts(snapshot)
    assert verdict == Verdict(
        7, AT, "owner", "applied", "index", "pin", (ID,), (5,), versions={ID: (1, 2)}
    )
    written: Namespace[WrittenFile] = Namespace("written", WrittenFile)
    planned: Namespace[WrittenFile] = Namespace("planned", WrittenFile)
    assert snapshot.records(written) == {"facts:1": WrittenFile("d", {ID: "x"})}
    assert snapshot.records(planned) == {"facts:1": WrittenFile("d", {ID: "x"})}
    draft = FactDraft("zoe", "Zoe sings.", redacted=("password",))
    assert held_fact(snapshot, ID) == draft
    assert read_intent(snapshot, ID) == ReviewedFields("fact", "high")
    assert snapshot.records(CITED) == {"a.jsonl": ReadPosition(5, 1, "d", 9)}
    assert snapshot.records(LEARNED) == {"a.jsonl": ReadPosition(6, 2, "e", 8)}
    assert lesson_record(snapshot, "abc") == LessonRecord("memory/x.md", AT)
    assert read_rows(snapshot, "MEMORY.md") == (MigratedRow(3, "hash", ID),)
    assert snapshot.records(ERASURES) == {ID: UnfinishedErasure(ID, ("gone",))}
    place = (("sessions/a.jsonl", 4),)
    entries, facts = EntryAction(ID, True, 1, 1, place), FactAction("f", "t", "o", False, place)
    assert recorded_runs(snapshot) == [ConsolidationRun(2, AT, (entries,), facts=(facts,))]
    assert latest_notices(snapshot, 5) == ["then something happened"]


def test_every_former_key_becomes_a_record_of_a_known_namespace() -> None:
    values = TEXTS | {key: json.dumps(value) for key, value in STATE.items()}
    for key, value in values.items():
        converted = former_records(key, value)
        assert converted is not None, key
        assert {namespace for namespace, _, _ in converted} <= NAMESPACES


@each_row(("key", "value"), [("lesson a", "{"), ("unknown", "1"), ("model", "m")])
def test_an_unknown_or_damaged_value_is_left_where_it_is(key: str, value: str) -> None:
    assert former_records(key, value) is None
