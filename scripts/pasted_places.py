"""Feeds one conversation through a fresh workspace and reports everything memory holds of it.

The conversation is written as a real transcript of its host and read by `flush_transcript`, the
call behind the hooks and `remem flush`. Then every place that can reach a later conversation is
read: entries by trust, facts, index, start text, recall, and each file outside of `.remem`.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.text.marked_line import LESSON_MARK

HOSTS: Final = ("claude-code", "codex", "openclaw")
GENERAL_QUESTIONS: Final = (
    "What are my rules and preferences?",
    "What did we decide, and what is to be done?",
)
_SHARED_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a file system, not a file
_SHORTEST_PIECE: Final = 12
"""A stored text of at least this size that is part of a planted one counts as that one."""

Turns = Sequence[Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Kept:
    """One text that memory holds, and the place where it was found."""

    place: str
    text: str


@dataclass(frozen=True)
class Outcome:
    """What memory holds of one conversation.

    `learned` counts as the owner's: entries above untrusted, facts, and texts in files. `shown` is
    what a later conversation sees. `review` waits for the owner.
    """

    learned: tuple[Kept, ...]
    shown: tuple[Kept, ...]
    review: tuple[str, ...]

    def places_of(self, planted: str) -> list[str]:
        """Where a planted text got to, except for review."""
        wanted = normalised(planted)
        return [place for place, text in self._everywhere if _holds(text, wanted)]

    def has_learned(self, words: str) -> bool:
        wanted = normalised(words)
        return any(wanted in normalised(kept.text) for kept in self.learned)

    def is_in_review(self, words: str) -> bool:
        wanted = normalised(words)
        return any(_holds(normalised(text), wanted) for text in self.review)

    @property
    def statements(self) -> list[Kept]:
        """Everything learned, one by one: entries, facts, and the marked lines of files."""
        found = list[Kept]()
        for kept in self.learned:
            if not kept.place.startswith("file "):
                found.append(kept)
                continue
            lines = kept.text.splitlines()
            found += [Kept(kept.place, line) for line in lines if LESSON_MARK.search(line)]
        return found

    @cached_property
    def _everywhere(self) -> list[tuple[str, str]]:
        return [(kept.place, normalised(kept.text)) for kept in (*self.learned, *self.shown)]


def normalised(text: str) -> str:
    """A text as it is compared: no invisible characters, one width, one case, single spaces."""
    seen = (c for c in unicodedata.normalize("NFKC", text) if unicodedata.category(c) != "Cf")
    return " ".join("".join(seen).casefold().split())


def _holds(text: str, wanted: str) -> bool:
    """Whether a text contains what was planted, or is itself a piece of it."""
    return wanted in text or (len(text) >= _SHORTEST_PIECE and text in wanted)


def tried(host: str, turns: Turns, questions: Iterable[str] = ()) -> Outcome:
    """What a fresh workspace holds after this conversation."""
    with _folder() as folder, _opened(folder, {}) as memory:
        memory.flush_transcript(write_transcript(folder, host, turns), "session-end")
        return _outcome(memory, folder / "workspace", [*questions, *GENERAL_QUESTIONS])


def repeated(turns: Turns) -> Outcome:
    """What a fresh workspace holds after a consolidation, if this conversation came on two days.

    What is learned only because it came back takes another path than a flush. Recall is not looked
    at: where transcripts may be read, it cites them, fenced.
    """
    with _folder() as folder:
        root = folder / "workspace"
        talks = folder / "claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root))
        talks.mkdir(parents=True)
        for day in (14, 15):
            records = _records("claude-code", turns, day=day, cwd=str(root), session=f"s-{day}")
            _write_lines(talks / f"s-{day}.jsonl", records)
        (root / ".remem").mkdir(parents=True)
        (root / ".remem/config.toml").write_text('transcripts = ["main"]\n', encoding="utf-8")
        places = {"HOME": str(folder), "CLAUDE_CONFIG_DIR": str(folder / "claude")}
        with _opened(folder, places) as memory:
            memory.maintenance.consolidate()
            return _outcome(memory, root, ())


@contextmanager
def _folder() -> Iterator[Path]:
    shared = _SHARED_MEMORY if _SHARED_MEMORY.is_dir() else None
    folder = Path(tempfile.mkdtemp(prefix="remem-pasted-", dir=shared))
    (folder / "workspace").mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _opened(folder: Path, environment: Mapping[str, str]) -> Workspace:
    return open_workspace(
        folder / "workspace",
        background=False,
        keywords_only=True,
        counter=EstimatedCounter(),
        clock=lambda: "2026-11-16T10:00:00Z",
        environment=environment,
    )


def _outcome(memory: Workspace, root: Path, questions: Sequence[str]) -> Outcome:
    learned, shown, waiting = list[Kept](), list[Kept](), list[str]()
    for line in memory.export():
        entry = json.loads(line)["entry"]
        text = " ".join(filter(None, (entry["content"], entry.get("context"))))
        if entry["trust"] == "untrusted":
            waiting.append(text)
        else:
            learned.append(Kept(f"entry: {entry['category']}, trust {entry['trust']}", text))
    known = memory.services.facts.known()
    learned += [Kept(f"fact of {fact.entity}", fact.fact) for fact in known.facts]
    learned += [Kept("entity", entity.name) for entity in known.entities.values()]
    learned += _in_files(root)
    shown.append(Kept("index", memory.index().text))
    shown.append(Kept("start", memory.start().text))
    for question in questions:
        for found in memory.recall(question).entries:
            place = "recall, fenced" if found.trust == "untrusted" else "recall"
            shown.append(Kept(place, f"{found.content} {found.context or ''}"))
    return Outcome(tuple(learned), tuple(shown), tuple(waiting))


def _in_files(root: Path) -> Iterator[Kept]:
    """Yield the notes, tasks and facts in files.

    Domain files repeat the entries, whatever their trust, and are judged as entries.
    """
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_file() and not name.startswith((".remem/", "memory/domains/")):
            yield Kept(f"file {name}", path.read_text(encoding="utf-8", errors="replace"))


def write_transcript(folder: Path, host: str, turns: Turns) -> Path:
    """A transcript as the host writes it, where the host would keep it."""
    if host == "openclaw":
        path = folder / "agents/main/sessions/5b0e7a3c-0000-4000-8000-000000000001.jsonl"
        index = {"agent:main:main": {"sessionId": path.stem, "updatedAt": 1794819600000}}
        path.parent.mkdir(parents=True)
        (path.parent / "sessions.json").write_text(json.dumps(index), encoding="utf-8")
    else:
        path = folder / host / "conversation.jsonl"
        path.parent.mkdir(parents=True)
    _write_lines(path, _records(host, turns))
    return path


def _write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    lines = (json.dumps(record, ensure_ascii=False) for record in records)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _records(
    host: str, turns: Turns, *, day: int = 15, cwd: str = "/workspace", session: str = "s-1"
) -> Iterator[dict[str, Any]]:
    if host not in HOSTS:
        raise ValueError(f"unknown host {host!r}: use one of {', '.join(HOSTS)}")
    if host == "openclaw":
        yield {"type": "session", "version": 4, "id": "5b0e7a3c", "cwd": cwd}
    if host == "codex":
        meta = {"id": "c-1", "cwd": cwd, "cli_version": "0.153.4"}
        yield {"timestamp": _moment(day, 0), "type": "session_meta", "payload": meta}
    for number, turn in enumerate(turns, start=1):
        role, text, when = turn["role"], turn["text"], _moment(day, number)
        if host == "claude-code":
            yield {
                "type": role,
                "sessionId": session,
                "isSidechain": False,
                "cwd": cwd,
                "timestamp": when,
                "message": {"role": role, "content": text},
            }
        elif host == "openclaw":
            content = [{"type": "text", "text": text}]
            message = {"role": role, "content": content}
            yield {"type": "message", "id": f"m{number}", "timestamp": when, "message": message}
        else:
            kind = "output_text" if role == "assistant" else "input_text"
            event = "agent_message" if role == "assistant" else "user_message"
            block = {"type": kind, "text": text}
            said = {"type": "message", "role": role, "content": [block]}
            yield {"timestamp": when, "type": "response_item", "payload": said}
            shown = {"type": event, "message": text}
            yield {"timestamp": when, "type": "event_msg", "payload": shown}


def _moment(day: int, number: int) -> str:
    return f"2026-11-{day}T10:{number:02}:00Z"
