"""remem as a program, with a clock and random numbers that a test has chosen.

    python -m tests.scenarios.twin_program CLOCK SEED ARGUMENT...

CLOCK is a file that holds the present. Each session draws numbers of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from typing import Any

from remem.app import opening
from remem.app.workspace import Workspace
from remem.cli.main import main
from remem.embed.counters import EstimatedCounter
from remem.model.scope import Session


def run(clock: Path, seed: str) -> None:
    own = opening.open_workspace

    def open_workspace(path: Any = None, session: str | Session = "main", **rest: Any) -> Workspace:
        key = session.key if isinstance(session, Session) else session
        chosen = {
            "background": False,  # or it would be chance what is done already
            "clock": lambda: clock.read_text(encoding="utf-8"),
            "random_bytes": Random(f"{seed} {key}").randbytes,
            "counter": EstimatedCounter(),
        }
        return own(path, session, **{**rest, **chosen})

    opening.open_workspace = open_workspace
    main()


if __name__ == "__main__":
    _, clock_file, numbers, *arguments = sys.argv
    sys.argv = ["remem", *arguments]
    run(Path(clock_file), numbers)
