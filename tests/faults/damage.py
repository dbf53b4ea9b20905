"""Change one byte of a workspace on the disk. One case at a time: a copy of a
workspace, one changed byte, the doctor's findings, its repair, and a comparison of what is
there with what was acknowledged."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.errors import RememError
from remem.files.layout import Layout
from remem.ops.doctor import examine_workspace
from tests.deterministic import Deterministic

Verdict = Literal["harmless", "healed", "reported", "SILENT", "LOST", "NOT HEALED"]
QUESTIONS = ("parcel 7", "who keeps the books", "when does the gate open", "harbour 12")


@dataclass(frozen=True, slots=True)
class Case:
    """One changed byte: where, into what, and what came of it."""

    file: str
    offset: int
    byte: int
    verdict: Verdict
    told: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """What a workspace says: its entries with their history, answers, and search results."""

    entries: dict[str, str]
    answers: list[list[str]]
    found: list[list[str]]


def template(root: Path) -> Held:
    """A workspace with entries, versions, vectors, files and passages; what it says."""
    (root / ".remem").mkdir(parents=True)
    (root / "memory").mkdir()
    notes = "\n".join(f"- Ship {i} lies in harbour {i}." for i in range(120))
    (root / "MEMORY.md").write_text(f"# Ships\n\n{notes}\n")
    (root / "memory/2026-11-15.md").write_text("The harbour master is Ines.\n" * 20)
    with _opened(root) as memory:
        memory.store_many(
            {"category": "fact", "content": f"Parcel {i} is for harbour {i}.", "tags": ["post"]}
            for i in range(60)
        )
        memory.store(category="person", content="Mara keeps the books.", context="She said so.")
        old = memory.store(category="fact", content="The gate opens at eight.").id
        memory.store(category="fact", content="The gate opens at nine.", supersedes=[old])
        memory.forget(memory.store(category="insight", content="Nobody asked for this.").id)
        memory.maintenance.embed_pending()
        memory.refresh(with_vectors=True)
    return held(root)


def _opened(root: Path) -> Workspace:
    return open_workspace(
        root,
        embedder=Deterministic(),
        background=False,
        clock=lambda: "2026-11-15T12:00:00Z",
        random_bytes=Random(7).randbytes,
    )


def held(root: Path) -> Held:
    with _opened(root) as memory:
        entries = {}
        for line in memory.export():
            value = json.loads(line)
            entries[value["entry"]["id"]] = line
        answers = [[entry.id for entry in memory.recall(text).entries] for text in QUESTIONS]
        found = [[result.path for result in memory.search(text).results] for text in QUESTIONS]
    return Held(entries, answers, found)


def change_a_byte(path: Path, rng: Random) -> tuple[int, int]:
    size = path.stat().st_size
    offset, flip = rng.randrange(size), rng.randrange(1, 256)
    with path.open("r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0] ^ flip
        file.seek(offset)
        file.write(bytes([byte]))
    return offset, byte


def one_case(origin: Path, before: Held, place: Path, name: str, rng: Random) -> Case:
    """Copy, damage, judge, repair, compare."""
    shutil.copytree(origin, place)
    try:
        offset, byte = change_a_byte(place / ".remem/main" / name, rng)
        verdict, told = _judged(place, before)
        return Case(name, offset, byte, verdict, told)
    finally:
        shutil.rmtree(place)


def _judged(place: Path, before: Held) -> tuple[Verdict, tuple[str, ...]]:
    found = examine_workspace(Layout(place), repair=False)
    told = tuple(finding.what for finding in found.findings)
    if found.healthy:
        return ("harmless" if _says(place) == before else "SILENT"), told
    mended = examine_workspace(Layout(place), repair=True)
    told += mended.repairs
    after = _says(place)
    if not mended.healthy or after is None:
        return "NOT HEALED", (*told, *(problem.what for problem in mended.remaining))
    if after.entries == before.entries:
        return "healed", told
    differing = {
        id_
        for id_, line in before.entries.items()
        if _words(after.entries.get(id_)) != _words(line)
    }
    named = {id_ for id_ in differing if any(id_ in repair for repair in mended.repairs)}
    if any(
        "nothing could be read from the damaged database" in repair for repair in mended.repairs
    ):
        named |= differing - _standing(before)
    return ("reported" if differing == named else "LOST"), told


def _says(place: Path) -> Held | None:
    try:
        return held(place)
    except RememError:
        return None


def _standing(before: Held) -> set[str]:
    """What stands in a domain file, and comes back whatever becomes of the database."""
    values = {id_: json.loads(line)["entry"] for id_, line in before.entries.items()}
    return {
        id_ for id_, state in values.items() if not state["archived"] and not state["superseded_by"]
    }


def _words(line: str | None) -> object:
    """What was acknowledged of an entry: its words and those it had before."""
    if line is None:
        return None
    value = json.loads(line)
    history = [version["entry"]["content"] for version in value["history"]]
    return value["entry"]["content"], history, value["entry"]["archived"]
