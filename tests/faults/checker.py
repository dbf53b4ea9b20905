"""Check every promise: with plain SQL and plain file reads first, then through remem.

    python -m tests.faults.checker FOLDER < ledger.json

Prints one line for each promise that was broken; the exit status is 1 if any was.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from tests.deterministic import Deterministic
from tests.faults.ledger import Ack, Ledger, digest, superseded

_BULLET = re.compile(r"^- (.*) \^(mem-\w{8})$", re.MULTILINE)
_DETAILS = re.compile(r"^(mem-[\w:, -]+?) (?:@\w{4} )?\{", re.MULTILINE)


def main() -> None:
    found = list(problems(Path(sys.argv[1]), Ledger.loads(sys.stdin.read())))
    for problem in found:
        print(problem)
    sys.exit(1 if found else 0)


def problems(folder: Path, ledger: Ledger) -> Iterator[str]:
    """What is not as promised: in the database; if that is sound, on remem's surfaces too."""
    database = folder / ".remem" / "main" / "entries.db"
    if not database.exists():
        if ledger.acks:
            yield f"{len(ledger.acks)} acknowledged, and no database"
        return
    found = list(in_database(database, ledger))
    yield from found
    if found:
        return
    gone, acks = superseded(ledger.acks), _looked_up(database, ledger)
    with open_workspace(folder, embedder=Deterministic(), background=False) as memory:
        # The first operation completes what a kill interrupted, so the files are read after it.
        yield from in_remem(memory, acks, gone)
        yield from in_files(folder / "memory" / "domains", acks, gone)


def in_database(path: Path, ledger: Ledger) -> Iterator[str]:
    """Present, once, in order, searchable, whole: by SQL alone."""
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(10_000)
    try:
        yield from whole(connection)
        if _count(connection, "sqlite_master WHERE name = 'memory_entries'"):
            yield from present(connection, ledger)
            yield from once(connection, ledger)
            yield from searchable(connection, ledger)
        elif ledger.acks:
            yield f"{len(ledger.acks)} acknowledged, and no table"
    finally:
        connection.close()


def whole(connection: apsw.Connection) -> Iterator[str]:
    for (verdict,) in connection.execute("PRAGMA integrity_check"):
        if verdict != "ok":
            yield f"integrity_check: {verdict}"
    version = next(iter(connection.execute("PRAGMA user_version")))[0]
    tables = _count(connection, "sqlite_master WHERE type = 'table'")
    if (version == 0) != (tables == 0):
        yield f"a half-built schema: version {version} with {tables} tables"
    for (table,) in list(
        connection.execute("SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5(%'")
    ):
        try:
            connection.execute(f"INSERT INTO {table}({table}) VALUES ('integrity-check')")
        except apsw.CorruptError as error:
            yield f"full text {table}: {error}"


def present(connection: apsw.Connection, ledger: Ledger) -> Iterator[str]:
    """Every acknowledged wording, byte for byte: now, or in the history."""
    wordings: dict[str, set[str]] = {}
    for id_, content in connection.execute(
        "SELECT id, content FROM memory_entries UNION ALL "
        "SELECT e.id, v.record ->> 'content' FROM memory_versions v "
        "JOIN memory_entries e ON e.row = v.row"
    ):
        wordings.setdefault(id_, set()).add(digest(content))
    gone = dict(connection.execute("SELECT id, superseded_by FROM memory_entries"))
    for ack in ledger.acks:
        if ack.digest not in wordings.get(ack.id, ()):
            yield f"lost: {ack.id} version {ack.version}"
        for id_ in ack.superseded:
            if gone.get(id_) != ack.id:
                yield f"{id_} was superseded by {ack.id}, and is not"


def once(connection: apsw.Connection, ledger: Ledger) -> Iterator[str]:
    for content, times in connection.execute(
        "SELECT content, count(*) FROM memory_entries GROUP BY content HAVING count(*) > 1"
    ):
        yield f"{times} times: {content[:60]}"
    for id_, version, earlier in connection.execute(
        "SELECT e.id, e.version, count(v.version) FROM memory_entries e "
        "LEFT JOIN memory_versions v ON v.row = e.row GROUP BY e.row"
    ):
        if version != earlier + 1:
            yield f"{id_} has version {version} and {earlier} earlier ones"
    rows = dict(connection.execute("SELECT id, row FROM memory_entries"))
    first = [ack for ack in ledger.acks if ack.version == 1 and ack.id in rows]
    order = [rows[ack.id] for ack in first]
    if order != sorted(order):
        yield "acknowledged in another order than stored"
    extra = set(rows) - {ack.id for ack in ledger.acks}
    if len(extra) > ledger.cut_short:
        yield f"{len(extra)} entries were never acknowledged, {ledger.cut_short} could be"


def searchable(connection: apsw.Connection, ledger: Ledger) -> Iterator[str]:
    entries = _count(connection, "memory_entries")
    texts = _count(connection, "memory_fts") + _count(connection, "memory_fts_aside")
    if entries != texts:
        yield f"{entries} entries, {texts} in the full text"
    waiting, vectors = (
        {row for (row,) in connection.execute(f"SELECT row FROM {table}")}
        for table in ("vector_queue", "memory_vectors")
    )
    rows = {row for (row,) in connection.execute("SELECT row FROM memory_entries")}
    if waiting | vectors != rows:
        yield f"{len(rows)} entries, {len(waiting | vectors)} with a vector or waiting for one"
    gone = superseded(ledger.acks)
    for ack in known_to_the_end(connection, ledger):
        table = "memory_fts_aside" if ack.id in gone else "memory_fts"
        hits = connection.execute(
            f"SELECT e.id FROM {table} JOIN memory_entries e ON e.row = {table}.rowid "
            f"WHERE {table} MATCH ?",
            [ack.word],
        )
        if (ack.id,) not in list(hits):
            yield f"{ack.id} is not found by {ack.word}"


def known_to_the_end(connection: apsw.Connection, ledger: Ledger) -> list[Ack]:
    """The last word on each entry; without those that an operation changed afterwards whose
    acknowledgement was cut off."""
    versions = dict(connection.execute("SELECT id, version FROM memory_entries"))
    gone = superseded(ledger.acks)
    latest = {ack.id: ack for ack in ledger.acks}
    return [
        ack for ack in latest.values() if versions.get(ack.id) == ack.version + (ack.id in gone)
    ]


def in_remem(memory: Workspace, acks: list[Ack], gone: set[str]) -> Iterator[str]:
    """What a user gets: by id, and by the exact words."""
    for ack in _sample(acks):
        answer = memory.recall(ack.id, token_budget=10_000_000)
        if [digest(entry.content) for entry in answer.entries] != [ack.digest]:
            yield f"recall of {ack.id} gives other words"
        answer = memory.recall(ack.word, token_budget=10_000_000)
        found = [entry.id for entry in answer.entries].count(ack.id)
        if found != (ack.id not in gone):
            yield f"recall of {ack.word} finds {ack.id} {found} times"
    if trouble := memory.status().health.degraded:
        yield f"degraded: {trouble}"


def _ids_of_details(file: str) -> Iterator[str]:
    """The ids in the details; a line may have several, of which only the first has its prefix."""
    for line in _DETAILS.findall(file):
        for word in line.split():
            yield f"mem-{word.removeprefix('mem-').partition(':')[0]}"


def in_files(folder: Path, acks: list[Ack], gone: set[str]) -> Iterator[str]:
    """In its Markdown file, once, byte for byte, with its details; what is superseded stands
    nowhere."""
    standing: dict[str, list[str]] = {}
    for path in sorted(folder.glob("*.md")):
        file = path.read_text()
        bullets = _BULLET.findall(file)
        for text, id_ in bullets:
            standing.setdefault(id_, []).append(digest(text))
        if sorted(id_ for _, id_ in bullets) != sorted(_ids_of_details(file)):
            yield f"the details of {path.name} are not those of its bullets"
    for ack in acks:
        wanted = [] if ack.id in gone else [ack.digest]
        if standing.get(ack.id, []) != wanted:
            yield f"{ack.id} stands in {len(standing.get(ack.id, []))} bullets, or in other words"


def _looked_up(database: Path, ledger: Ledger) -> list[Ack]:
    connection = apsw.Connection(str(database))
    try:
        return known_to_the_end(connection, ledger) if ledger.acks else []
    finally:
        connection.close()


def _sample(acks: list[Ack], most: int = 40) -> list[Ack]:
    return acks if len(acks) <= most else [*acks[: most // 2], *acks[-most // 2 :]]


def _count(connection: apsw.Connection, what: str) -> int:
    return int(next(iter(connection.execute(f"SELECT count(*) FROM {what}")))[0])


if __name__ == "__main__":
    main()
