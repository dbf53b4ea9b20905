"""Do fifty processes that append to one note, or record facts of one entity, lose anything?
Does a kill at any step leave a whole file?

    python -m tests.faults.layers_program crowd note|fact FOLDER [--writers N] [--mutant NAME]
    python -m tests.faults.layers_program kills note|fact FOLDER [--mutant NAME]

Prints one JSON line: what is missing or doubled; or how many kills there were and what broke.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import UTC
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from remem.entries.pending_facts import FactDraft
from remem.files.disk import make_folder
from remem.files.facts import FactFiles
from remem.files.layout import Layout
from remem.learn import daily_note
from remem.learn.facts.recording import record
from remem.learn.facts.writer import FactWriter
from tests.faults import crowd
from tests.faults.dying import is_killed_at_call
from tests.mutants import apply

NOW = "2026-11-15T12:00:00Z"
NOTE, ITEMS = "memory/2026-11-15.md", "brain/areas/zoe/items.json"
EACH = 1
STRIDE = {"note": 1, "fact": 3}
"""A fact takes more calls: every third of them is tried."""
WORD = re.compile(r"w\d+x\d+")


def write(kind: str, root: Path, words: str) -> None:
    layout = Layout(root)
    if kind == "note":
        daily_note.append_note(layout, f"{words} was said.", NOW, UTC)
        return
    job = FactWriter(layout, FactFiles(layout), lambda: NOW, UTC, lambda _: None)
    record(job, FactDraft("zoe", f"Zoe did {words}."))


def place(kind: str) -> str:
    return NOTE if kind == "note" else ITEMS


def crowded(kind: str, root: Path, writers: int) -> dict[str, Any]:
    """Every process appends some words, one after the other."""

    def writing(number: int) -> Callable[[crowd.Say], object]:
        return lambda _: [write(kind, root, f"w{number}x{turn}") for turn in range(EACH)]

    crowd.together([writing(number) for number in range(writers)])
    text = (root / place(kind)).read_text(encoding="utf-8")
    found = Counter(WORD.findall(text))
    wanted = {f"w{number}x{turn}" for number in range(writers) for turn in range(EACH)}
    doubled = sorted(word for word, times in found.items() if times > 1)
    return {"missing": sorted(wanted - set(found)), "doubled": doubled, "ids": _ids(kind, text)}


def _ids(kind: str, text: str) -> bool:
    """Whether every fact has an id of its own."""
    if kind == "note":
        return True
    ids = [load["id"] for load in json.loads(text)]
    return len(ids) == len(set(ids))


def killed(kind: str, root: Path) -> dict[str, Any]:
    """A write is killed just before each call that the code of the files makes."""
    broken: list[str] = []
    kills, step = 0, 0
    while not broken:
        step += STRIDE[kind]
        folder = root / str(step)
        make_folder(folder / ".remem/main")
        write(kind, folder, "w0x0")
        old = (folder / place(kind)).read_bytes()
        act = partial(write, kind, folder, "w1x1")
        died = is_killed_at_call(step, act, _is_of_files)
        now = (folder / place(kind)).read_bytes()
        if not _is_whole(kind, now, old):
            broken.append(f"step {step}: {now[:80]!r}")
        else:
            _again(kind, folder, step, broken)
        if not died:
            break
        kills += 1
    return {"kills": kills, "broken": broken}


def _again(kind: str, folder: Path, step: int, broken: list[str]) -> None:
    """The next process finds everything in order and leaves no temporary files."""
    write(kind, folder, "w2x2")
    found = Counter(WORD.findall((folder / place(kind)).read_text(encoding="utf-8")))
    if found["w0x0"] != 1 or found["w2x2"] != 1 or found["w1x1"] > 1:
        broken.append(f"step {step}: {dict(found)}")


def _is_whole(kind: str, now: bytes, old: bytes) -> bool:
    if kind == "note":
        return now == old or (now.startswith(old) and now.endswith(b"w1x1 was said.\n"))
    try:
        facts = json.loads(now)
    except ValueError:
        return False
    return len(facts) in (1, 2) and facts[0] == json.loads(old)[0]


def _is_of_files(frame: FrameType, _function: object) -> bool:
    code = frame.f_code.co_filename
    return "/remem/files/" in code or "/mutants/" in code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("crowd", "kills"))
    parser.add_argument("kind", choices=("note", "fact"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--writers", type=int, default=50)
    parser.add_argument("--mutant")
    options = parser.parse_args()
    make_folder(options.folder / ".remem/main")
    if options.mutant:
        apply(options.mutant)
    if options.what == "crowd":
        print(json.dumps(crowded(options.kind, options.folder, options.writers)))
    else:
        print(json.dumps(killed(options.kind, options.folder)))


if __name__ == "__main__":
    main()
