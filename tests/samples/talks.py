"""Small transcripts with given messages, in Claude Code's format."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

DAY = "2026-11-15"


def talk(
    home: Path, root: Path, name: str, said: Sequence[str], day: str = DAY, role: str = "user"
) -> Path:
    """A conversation of the workspace at `root`; every text is a turn, one minute apart."""
    folder = home / ".claude/projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    records = [
        {
            "type": role,
            "sessionId": name,
            "cwd": str(root),
            "timestamp": f"{day}T10:{minute:02d}:00Z",
            "message": {"role": role, "content": text},
        }
        for minute, text in enumerate(said)
    ]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    when = datetime.fromisoformat(f"{day}T11:00:00+00:00").timestamp()
    os.utime(path, (when, when))
    return path
