"""Fail the disk at the first operation, the second, the third …: nothing may be lost.

    python -m tests.faults.sweep FOLDER --stride N --seed S [--mutant NAME]

Prints one JSON line: how many operations failed in turn, how often, and what was broken.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import product
from pathlib import Path

import apsw

from remem.ports.records import Where
from remem.store.sqlite.entries import SqliteStore
from tests.faults.checker import in_database
from tests.faults.story import Told, live
from tests.faults.vfs import Disk, failing
from tests.mutants import apply
from tests.store.sqlite.sample import entry, put

WAYS = tuple(product((apsw.IOError, apsw.FullError), (False, True), (False, True)))
"""Which error, whether the disk fails for good, and whether there was a store before."""


@dataclass
class Outcome:
    """What a sweep has shown; `refused` counts the failures by what SQLite had asked for."""

    seed: int
    operations: int = 0
    runs: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)


def run(folder: Path, stride: int, seed: int, ways: tuple = WAYS) -> Outcome:
    """Every operation in turn, or every so-manieth, until a promise is broken."""
    outcome = Outcome(seed)
    for error, for_good, existing in ways:
        outcome.operations = operations(folder / "sound", existing=existing)
        for at in range(1 + seed % stride, outcome.operations + 1, stride):
            disk = Disk(at, error, for_good)
            place = folder / f"{error.__name__}-{for_good}-{existing}-{at}"
            problems = list(broken(place, disk, existing=existing))
            outcome.runs += 1
            for what in disk.refused[:1]:
                outcome.refused[what] = outcome.refused.get(what, 0) + 1
            if problems:
                outcome.broken = [f"{place.name}: {problem}" for problem in problems]
                return outcome
            shutil.rmtree(place)
    return outcome


def operations(folder: Path, *, existing: bool) -> int:
    """How much a life asks of a sound disk."""
    disk = Disk()
    path = prepared(folder, existing=existing)
    with failing(disk) as vfs:
        told = live(path, vfs)
    assert not told.errors, told.errors
    shutil.rmtree(folder)
    return disk.count


def prepared(folder: Path, *, existing: bool) -> Path:
    """Where the database lies, or will lie; one that exists was left with a log to read."""
    folder.mkdir(parents=True)
    path = folder / "entries.db"
    if existing:
        SqliteStore(path).close()
        crashed = apsw.Connection(str(path))
        crashed.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        crashed.execute("INSERT INTO records VALUES ('flush file', '', '\"a crash\"')")
        crashed.close()
    return path


def broken(folder: Path, disk: Disk, *, existing: bool) -> Iterator[str]:
    """What is not as promised after a life on a failing disk."""
    path = prepared(folder, existing=existing)
    with failing(disk) as vfs:
        told = live(path, vfs)
    if told.ledger.acks:
        yield from in_database(path, told.ledger)
        yield from settled(path)
    yield from usable(path, told)


def settled(path: Path) -> Iterator[str]:
    """A store that opened has taken every setting."""
    connection = apsw.Connection(str(path))
    mode = next(iter(connection.execute("PRAGMA journal_mode")))[0]
    connection.close()
    if mode != "wal":
        yield f"opened without an error, and the journal mode is {mode}"


def usable(path: Path, told: Told) -> Iterator[str]:
    """On a sound disk it opens, holds whole operations, and takes the next one."""
    store = SqliteStore(path)
    with store.read() as snapshot:
        there = {stored.id for stored in snapshot.select(Where(state="any"))}
    if len(there & set(told.pair)) == 1:
        yield "half of an operation is there"
    put(store, entry("foxtrot came after the repair"))
    store.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--stride", type=int, default=1)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--mutant")
    options = parser.parse_args()
    if options.mutant:
        apply(options.mutant)
    print(json.dumps(asdict(run(options.folder, options.stride, options.seed))))


if __name__ == "__main__":
    main()
