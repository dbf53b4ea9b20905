"""The sample workspaces: one for each language, and one with thirty agents."""

from __future__ import annotations

from pathlib import Path

from tests.samples import memory_md
from tests.samples.host_files import LINK, OUTSIDE, host_files, machine_files
from tests.samples.notes import notes
from tests.samples.odd_notes import odd_notes
from tests.samples.para import facts
from tests.samples.room_files import room_files
from tests.samples.world import World, world

AGENTS = 30


def grown(root: Path, size: int = memory_md.GROWN, *, note_count: int = 400, seed: int = 1) -> Path:
    """English: a MEMORY.md of about `size` bytes and everything that lies around it."""
    spoken = world("english", seed)
    files = _plain(spoken, size, note_count)
    files |= machine_files(spoken) | facts(spoken) | room_files() | odd_notes(spoken)
    _write(root, files)
    outside = root.parent / f"{root.name}-outside.md"
    outside.write_text(OUTSIDE, encoding="utf-8")
    (root / LINK).symlink_to(outside.resolve())
    return root


def chinese(root: Path, size: int = 33_000, *, note_count: int = 80, seed: int = 1) -> Path:
    """Chinese, with names and topics in the file names."""
    return _tended(root, world("chinese", seed), size, note_count)


def japanese(root: Path, size: int = 10_000, *, note_count: int = 50, seed: int = 1) -> Path:
    """Japanese, and a second MEMORY.md that differs from the first."""
    return _tended(root, world("japanese", seed), size, note_count)


def russian(root: Path, size: int = 25_000, *, note_count: int = 60, seed: int = 1) -> Path:
    return _tended(root, world("russian", seed), size, note_count)


def mixed(root: Path, size: int = 12_000, *, note_count: int = 40, seed: int = 1) -> Path:
    """Chinese sentences with English names in them, and both kinds of punctuation."""
    return _tended(root, world("mixed", seed), size, note_count)


def thirty_agents(root: Path, *, seed: int = 1) -> Path:
    """A root MEMORY.md and thirty agents, most of whose files nobody ever changed."""
    spoken = world("russian", seed)
    files = _plain(spoken, 10_000, 30)
    shared = host_files(spoken)
    template = spoken.phrases.files["MEMORY.template.md"].encode()
    for number in range(AGENTS):
        home = f"agents/{_agent(number)}"
        home += "/workspace" if number == AGENTS - 1 else ""
        files |= {f"{home}/{name}": shared[name] for name in ("USER.md", "AGENTS.md", "SOUL.md")}
        if number < 2:
            continue  # two have no MEMORY.md at all
        own = {2: b"", 3: _own(spoken, number, 60_000), 4: _own(spoken, number, 25_000)}
        edited = _own(spoken, number, 3_000) if number % 5 == 0 else template
        files[f"{home}/MEMORY.md"] = own.get(number, edited)
        note = f"# 2026-05-07\n\n- {spoken.event(spoken.random(home))}\n"
        files[f"{home}/memory/2026-05-07.md"] = note.encode()
    _write(root, files)
    return root


def _agent(number: int) -> str:
    return "main" if number == 0 else f"agent-{number:02d}"


def _own(spoken: World, number: int, size: int) -> bytes:
    return memory_md.memory_md(spoken, size, f"MEMORY.md of {number}").text.encode()


def _tended(root: Path, spoken: World, size: int, note_count: int) -> Path:
    files = _plain(spoken, size, note_count)
    second = memory_md.memory_md(spoken, 4_000, "second MEMORY.md").text
    files["memory/archive/MEMORY.md"] = second.replace("\n", "\r\n").encode()
    _write(root, files | facts(spoken))
    return root


def _plain(spoken: World, size: int, note_count: int) -> dict[str, bytes]:
    """MEMORY.md, notes with the statements that it does not have, and the host's files."""
    memory = memory_md.memory_md(spoken, size)
    rest = [statement for statement in spoken.statements if statement not in memory.said]
    files = {path: text.encode() for path, text in notes(spoken, note_count, rest).items()}
    return files | host_files(spoken) | {"MEMORY.md": memory.text.encode()}


def _write(root: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
