"""An id that the agent cites in a conversation is use; what it was shown is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from tests.conftest import Opener

BEFORE = "2026-11-15T09:00:00.000Z"


def said(role: str, text: str) -> str:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return json.dumps({"type": "message", "id": "x", "timestamp": BEFORE, "message": message})


class Talk:
    """A conversation of main that grows."""

    def __init__(self, home: Path) -> None:
        self.file = home / "agents/main/sessions/m.jsonl"
        self.file.parent.mkdir(parents=True)
        keys = {"agent:main:main": {"sessionId": "m"}}
        (self.file.parent / "sessions.json").write_text(json.dumps(keys))
        first = {"type": "session", "version": 4, "id": "s", "cwd": "/x"}
        self.file.write_text(json.dumps(first) + "\n")

    def goes_on(self, role: str, text: str) -> None:
        with self.file.open("a") as file:
            file.write(said(role, text) + "\n")


@pytest.fixture
def talk(tmp_path: Path, root: Path) -> Talk:
    home = tmp_path / "openclaw"
    (root / ".remem").mkdir(parents=True)
    (root / ".remem/config.toml").write_text(
        f'transcripts = ["main"]\nopenclaw_home = "{home}"\nopenclaw_agents = ["main"]\n'
    )
    return Talk(home)


def stored(memory: Workspace, content: str = "The ferry is blue.") -> str:
    return memory.store(category="fact", content=content, priority="low").id


def test_what_the_agent_cites_is_used_once(talk: Talk, opened: Opener) -> None:
    memory = opened()
    id_, other = stored(memory), stored(memory, "The mill is shut.")
    talk.goes_on("user", f"What do you know of {other}?")
    talk.goes_on("assistant", f"The ferry is blue ({id_}; see {id_}).")
    talk.goes_on("assistant", f"x{other} and {other}z are no ids, mem-00000000 is unknown.")

    assert memory.maintenance.decay().uses_found == 1
    assert memory.maintenance.decay().uses_found == 0

    assert (memory.entry(id_).uses, memory.entry(other).uses) == (1, 0)


def test_a_continued_conversation_is_read_from_the_last_position(
    talk: Talk, opened: Opener
) -> None:
    memory = opened()
    id_ = stored(memory)
    talk.goes_on("assistant", f"Blue, says {id_}.")
    memory.services.maintenance.count_citations()
    talk.goes_on("assistant", f"Still blue, says {id_}.")

    assert memory.services.maintenance.count_citations().uses == 1
    assert memory.entry(id_).uses == 2


def test_a_rewritten_conversation_is_not_counted_again(talk: Talk, opened: Opener) -> None:
    memory = opened()
    id_ = stored(memory)
    talk.goes_on("assistant", f"Blue, says {id_}.")
    memory.services.maintenance.count_citations()
    lines = talk.file.read_text().splitlines(keepends=True)
    talk.file.write_text("".join([lines[0], said("user", "first") + "\n", *lines[1:]]))

    assert memory.services.maintenance.count_citations().uses == 0
    talk.goes_on("assistant", f"Once more: {id_}.")
    assert memory.services.maintenance.count_citations().uses == 1


def test_a_faded_memory_that_is_cited_is_revived(talk: Talk, opened: Opener) -> None:
    first = opened()
    id_ = stored(first)
    first.maintenance.decay()
    first.close()
    later = opened(clock=lambda: "2027-08-01T00:00:00Z")
    later.maintenance.decay()
    assert later.entry(id_).archived
    talk.goes_on("assistant", f"Blue, says {id_}.")

    later.services.maintenance.count_citations()

    assert not later.entry(id_).archived


def test_nothing_is_read_that_was_not_allowed(talk: Talk, root: Path, opened: Opener) -> None:
    (root / ".remem/config.toml").write_text("")
    memory = opened()
    id_ = stored(memory)
    talk.goes_on("assistant", f"Blue, says {id_}.")

    assert memory.maintenance.decay().uses_found == 0
