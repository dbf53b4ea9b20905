"""Other files of a host in a workspace: the files that it loads, state, links and programs."""

from __future__ import annotations

import json

from tests.samples.memory_md import memory_md
from tests.samples.world import World

LINK = "memory/outside.md"
OUTSIDE = "# Outside\n\n- The vault outside holds 44 ledgers.\n"


def host_files(world: World) -> dict[str, bytes]:
    """AGENTS, SOUL, USER and their kin, and the skills."""
    random = world.random("host files")
    return {
        path: world.phrases.fill(text, random, owner=world.phrases.words["owner"][0]).encode()
        for path, text in world.phrases.files.items()
        if path != "MEMORY.template.md"
    }


def machine_files(world: World) -> dict[str, bytes]:
    """What programs leave below memory/: none of it is a note, some of it looks like one."""
    random = world.random("machine files")
    state = {"lastChecks": {"email": 1_793_000_000, "calendar": None}, "notes": "free form"}
    recalls = [{"at": f"2026-05-0{n}", "q": world.event(random), "hits": n} for n in range(1, 8)]
    return {
        "memory/MEMORY.md": memory_md(world, 3_000, "second MEMORY.md").text.encode(),
        "memory/heartbeat-state.json": json.dumps(state, indent=2).encode(),
        "memory/.dreams/recall-events.jsonl": "".join(
            json.dumps(recall, ensure_ascii=False) + "\n" for recall in recalls
        ).encode(),
        "memory/.dreams/empty.jsonl": b"",
        "memory/people/list.jsonl": b'{"name": "not a transcript"}\n',
        "memory/tidy_notes.py": b'"""Sorts the notes."""\n\nprint("nothing to do")\n',
        "memory/cache.sqlite": b"SQLite format 3\0" + random.randbytes(4_080),
    }
