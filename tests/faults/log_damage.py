"""Damage the write-ahead log of a workspace after a kill. One case at a time:
a process acknowledges memories and is killed, its `-wal` or `-shm` is damaged in a copy of the
workspace, the doctor judges, the next open repairs, and what is there is compared with what was
acknowledged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import sleep
from typing import Literal

from remem.app.opening import open_workspace
from remem.entries.domain_sync.recovery import recovery_of
from remem.errors import RememError
from remem.files.layout import Layout
from remem.model.recovery import Recovery
from remem.ops.doctor import examine_workspace
from tests.faults.resident_program import Resident, files_locked

Verdict = Literal["harmless", "healed", "reported", "SILENT", "LOST", "DOUBLED"]
FILES = ("entries.db-wal", "entries.db-shm", "passages.db-wal", "passages.db-shm")
COUNT = 25


@dataclass(frozen=True, slots=True)
class Case:
    """One damaged file: how, and what came of it."""

    file: str
    damage: str
    verdict: Verdict
    told: tuple[str, ...] = ()


def killed(root: Path, *, checkpoints: int = 0, unwritten: int = 0) -> dict[str, str]:
    """A workspace whose process was killed with content in its logs; what it acknowledged.

    `checkpoints`: so many of the memories are brought into the database before the rest is
    stored. `unwritten`: so many are acknowledged and in no file yet when the process dies.
    """
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    (root / "MEMORY.md").write_text("# Ships\n\n- Ship 7 lies in harbour 7.\n")
    with Resident(root, checkpoint=bool(checkpoints)) as resident:
        acknowledged: dict[str, str] = {}
        for i in range(COUNT):
            content = f"Parcel {i} belongs to harbour {i}, number {i * 7919}."
            acknowledged[resident.ask("store", category=_kind(i), content=content)] = content
            if checkpoints and i == checkpoints:
                _await_checkpoint(root)
        resident.ask("search", query="ship")
        resident.ask("sync")
        with files_locked(root):
            for i in range(unwritten):
                content = f"Letter {i} was never written down."
                acknowledged[resident.ask("store", category="fact", content=content)] = content
            resident.kill()
    return acknowledged


def one_case(
    origin: Path, acknowledged: dict[str, str], place: Path, name: str, rng: Random
) -> Case:
    """Copy, damage, judge, reopen, compare."""
    shutil.copytree(origin, place)
    try:
        damage = _DAMAGES[rng.randrange(len(_DAMAGES))]
        how = damage(place / ".remem/main" / name, rng)
        verdict, told = _judged(place, acknowledged)
        return Case(name, how, verdict, told)
    finally:
        shutil.rmtree(place)


def _judged(place: Path, acknowledged: dict[str, str]) -> tuple[Verdict, tuple[str, ...]]:
    found = examine_workspace(Layout(place), repair=False)
    told = [finding.what for finding in found.findings if finding.severity != "notice"]
    try:
        held, recovery = _reopened(place)
    except RememError as error:
        told.append(str(error))
        mended = examine_workspace(Layout(place), repair=True)
        told += mended.repairs
        held, recovery = _reopened(place)
    if recovery is not None:
        told += recovery.sentences
    missing = [id_ for id_, content in acknowledged.items() if held.get(id_) != content]
    named = recovery.missing if recovery is not None else 0
    if len(set(held.values())) != len(held) or set(held) - set(acknowledged):
        return "DOUBLED", tuple(told)
    if not missing:
        return ("healed" if told else "harmless"), tuple(told)
    if len(missing) <= named or any("LOST" in line for line in told):
        return "reported", tuple(told)
    return ("LOST" if told else "SILENT"), (*told, *missing)


def _reopened(place: Path) -> tuple[dict[str, str], Recovery | None]:
    """What the library serves after opening: entries by id, and what is on record as lost."""
    with open_workspace(place, background=False) as memory:
        entries = [json.loads(line)["entry"] for line in memory.export()]
        assert memory.search("ship").results
        return {entry["id"]: entry["content"] for entry in entries}, recovery_of(
            memory.services.store
        )


def _delete(path: Path, _rng: Random) -> str:
    path.unlink()
    return "deleted"


def _truncate(path: Path, rng: Random) -> str:
    size = rng.randrange(path.stat().st_size)
    with path.open("r+b") as file:
        file.truncate(size)
    return f"truncated to {size}"


def _flip(path: Path, rng: Random) -> str:
    offset, bit = rng.randrange(path.stat().st_size), rng.randrange(8)
    with path.open("r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 1 << bit]))
    return f"bit {bit} of byte {offset} flipped"


def _zero(path: Path, rng: Random) -> str:
    offset = rng.randrange(path.stat().st_size) // 4096 * 4096
    with path.open("r+b") as file:
        file.seek(offset)
        file.write(bytes(4096))
    return f"zeros at {offset}"


_DAMAGES: list[Callable[[Path, Random], str]] = [_delete, _truncate, _flip, _flip, _flip, _zero]


def _kind(number: int) -> str:
    return ("fact", "person", "decision", "preference", "instruction")[number % 5]


def _await_checkpoint(root: Path) -> None:
    database, log = (root / ".remem/main" / name for name in ("entries.db", "entries.db-wal"))
    while not (
        database.stat().st_size > 100_000
        and log.stat().st_mtime_ns >= database.stat().st_mtime_ns  # clocks tick every few ms
    ):
        sleep(0.05)
