"""A month of an agent: conversations, notes, changes of mind, a person's edits, kills."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, Final

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.files.layout import Layout
from remem.ops.maintain import MaintenanceReport, maintain

DAYS: Final = 30
FIRST: Final = datetime(2026, 9, 30, 22, 0, tzinfo=UTC)  # in the evening, after what happened
CHANGE: Final = 15
"""The day on which minds are changed."""
KILLED: Final = (5, 11, 17, 23)

HABITS: Final = (
    "I prefer short answers without bullet points.",
    "We decided to keep the invoices of project Falcon in PostgreSQL.",
    "Always ask me before you delete a file.",
    "I am allergic to walnuts.",
    "We decided to move the team meeting to Thursday mornings.",
    "Remember that the office key lies at the bakery next door.",
)
CHATTER: Final = (
    "Good morning!",
    "Thanks, that was great.",
    "What is the weather like?",
    "What if we used MongoDB for everything?",
    "How do I restart the router?",
)
_MAINTAIN: Final = """
import os, sys
from pathlib import Path
from remem.ops.maintain import maintain
from remem.files.layout import Layout
from tests.faults.dying import Steps
steps = Steps(int(sys.argv[3]))
steps.around(os, "fsync", "link", "mkdir", "rename", "unlink")
steps.around_transactions()
maintain(Layout(Path(sys.argv[1])), clock=lambda: sys.argv[2])
"""


@dataclass
class Month:
    """The workspace at `root`, whose conversations OpenClaw keeps at `home`."""

    root: Path
    home: Path
    day: int = 0
    noted: dict[str, list[str]] = field(default_factory=dict)
    rng: Random = field(default_factory=lambda: Random(30))

    @property
    def now(self) -> str:
        return (FIRST + timedelta(days=self.day)).strftime("%Y-%m-%dT%H:%M:%SZ")

    @property
    def today(self) -> str:
        return self.now[:10]

    def date_of(self, day: int) -> str:
        return (FIRST + timedelta(days=day)).strftime("%Y-%m-%d")

    def settle_in(self) -> None:
        self.root.mkdir()
        (self.root / ".remem").mkdir()
        (self.root / ".remem/config.toml").write_text(
            f'transcripts = ["main"]\nopenclaw_home = "{self.home}"\n'
            'openclaw_agents = ["main"]\ntimezone = "UTC"\n'
        )
        (self.root / "MEMORY.md").write_text("# Memory\n\n## Rules\n\n- Be kind.\n")

    def opened(self) -> Workspace:
        return open_workspace(
            self.root, background=False, keywords_only=True, clock=lambda: self.now
        )

    def live(self) -> None:
        """All days, one after the other."""
        for self.day in range(1, DAYS + 1):
            self._talk()
            with self.opened() as memory:
                for text in (f"Day {self.day}: walked the dog.", f"Day {self.day}: fixed a bug."):
                    memory.note(text)
                    self.noted.setdefault(self.today, []).append(text)
                self._change_of_mind(memory)
            self._edit_by_hand()
            if self.day in KILLED:
                self._killed_at_work()
            self.maintained()

    def maintained(self) -> MaintenanceReport:
        return maintain(Layout(self.root), clock=lambda: self.now)

    def _talk(self) -> None:
        """A conversation with chatter in it; a few of them say something that lasts."""
        said = [self.rng.choice(CHATTER)]
        if self.day % 5 == 1:
            said.append(HABITS[self.day // 5])
        said.append(self.rng.choice(CHATTER))
        lines: list[dict[str, Any]] = [
            {"type": "session", "version": 4, "id": f"s{self.day}", "cwd": str(self.root)}
        ]
        for text in said:
            lines += [_turn("user", text, self.now), _turn("assistant", "All right.", self.now)]
        folder = self.home / "agents/main/sessions"
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"s{self.day}.jsonl"
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        moment = (FIRST + timedelta(days=self.day)).timestamp()
        os.utime(file, (moment, moment))
        known = {"sessionId": file.stem, "usageFamilySessionIds": [f"s{n}" for n in self._days()]}
        (folder / "sessions.json").write_text(json.dumps({"agent:main:main": known}))

    def _days(self) -> Iterator[int]:
        yield from range(1, self.day + 1)

    def _change_of_mind(self, memory: Workspace) -> None:
        if self.day == 2:
            memory.facts.record("Falcon", "Falcon is released on Fridays.", kind="project")
            memory.store(category="preference", content="David drinks green tea in the morning.")
        if self.day == CHANGE:
            (old,) = memory.facts.active("Falcon").facts or ()
            memory.facts.supersede(old.id, "Falcon is released on Mondays.")
            answer = memory.recall("What does David drink in the morning?")
            (tea,) = [entry for entry in answer.entries if "green tea" in entry.content]
            memory.store(
                category="preference",
                content="David drinks black coffee in the morning.",
                supersedes=[tea.id],
            )

    def _edit_by_hand(self) -> None:
        if self.day == 8:
            note = self.root / f"memory/{self.today}.md"
            note.write_text(note.read_text() + "- typed by hand\n")
        if self.day == 9:
            page = self.root / "brain/areas/falcon/summary.md"
            page.write_text(page.read_text() + "\nFalcon is named after a bird.\n")
        if self.day == 12:
            path = self.root / "MEMORY.md"
            path.write_text(path.read_text() + "- Never use the word synergy.\n")

    def _killed_at_work(self) -> None:
        """Maintenance in a process that ends itself as SIGKILL would, at one of its writes."""
        last = str(self.rng.randint(1, 20))
        command = [sys.executable, "-c", _MAINTAIN, str(self.root), self.now, last]
        done = subprocess.run(command, check=False)
        assert done.returncode == -signal.SIGKILL


def _turn(role: str, text: str, now: str) -> dict[str, Any]:
    message = {"role": role, "content": [{"type": "text", "text": text}]}
    return {"type": "message", "id": "x", "timestamp": now, "message": message}
