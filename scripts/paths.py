"""Count what the common operations cost: functions, modules, transactions and snapshots.

Each operation runs in a temporary workspace in which nothing else is left to be done, traced in all
threads. Functions and modules are those of remem; transactions and snapshots are calls of the
store's `write` and `read`.

    python scripts/paths.py
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace

SETTLED = 2.5
"""Seconds after which a changed file is not read once more."""
GROUP = "agent:main:whatsapp:group:harbour"
ITEMS = [
    {"kind": "decision", "text": "The archive is kept in SQLite."},
    {"kind": "task", "text": "Order the new mooring lines."},
    {"kind": "convention", "text": "Reports are in English.", "topic": "reports"},
    {"kind": "person", "text": "Ines keeps the keys of the shed."},
]


class Trace:
    """The functions called while it is active, in all threads started since it was made."""

    def __init__(self) -> None:
        self.active = False
        self.clear()
        threading.setprofile(self._record)
        sys.setprofile(self._record)

    def clear(self) -> None:
        self.functions: set[tuple[str, str, int]] = set()
        self.edges: set[tuple[str, str]] = set()

    def _record(self, frame: FrameType, event: str, _argument: Any) -> None:
        name = frame.f_globals.get("__name__", "")
        if not self.active or event != "call" or not name.startswith("remem."):
            return
        code = frame.f_code
        self.functions.add((name, code.co_qualname, code.co_firstlineno))
        caller = frame.f_back.f_globals.get("__name__", "") if frame.f_back else ""
        if caller.startswith("remem.") and caller != name:
            self.edges.add((caller, name))

    @property
    def modules(self) -> set[str]:
        return {name for name, _, _ in self.functions}


@contextmanager
def counting(memory: Workspace) -> Iterator[Counter[str]]:
    """Count the transactions and snapshots of a workspace's stores."""
    counts: Counter[str] = Counter()
    services = memory.services
    real: list[tuple[type, str, Callable[..., Any]]] = []
    for store, kind in ((services.store, "entries"), (services.passages, "passages")):
        for method in ("read", "write"):
            function = getattr(type(store), method)
            real.append((type(store), method, function))

            def counted(
                *arguments: Any,
                function: Callable[..., Any] = function,
                key: str = f"{method} {kind}",
            ) -> Any:
                counts[key] += 1
                return function(*arguments)

            setattr(type(store), method, counted)
    try:
        yield counts
    finally:
        for type_, method, function in real:
            setattr(type_, method, function)


TRACE = Trace()


def measure(name: str, memory: Workspace, operation: Callable[[], object]) -> str:
    """Run an operation and return its row of the table."""
    trace = TRACE
    trace.clear()
    with counting(memory) as counts:
        trace.active = True
        try:
            operation()
        finally:
            trace.active = False
    snapshots = f"{counts['read entries']} + {counts['read passages']}"
    transactions = counts["write entries"] + counts["write passages"]
    figures = (len(trace.functions), len(trace.modules), len(trace.edges), transactions, snapshots)
    return f"| {name} | {' | '.join(map(str, figures))} |"


def edit(root: Path) -> None:
    path = root / "memory/domains/facts.md"
    path.write_text(path.read_text(encoding="utf-8").replace("evening", "morning"), "utf-8")


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memory").mkdir()
        (root / "memory/2026-11-14.md").write_text("- The ferry leaves at nine.\n", "utf-8")
        (root / "memory/group_names.json").write_text('{"harbour": "harbour"}', "utf-8")
        print("| operation | functions | modules | edges | transactions | snapshots |")
        print("|---|---|---|---|---|---|")
        with open_workspace(root, keywords_only=True, background=False) as memory:
            memory.store(category="fact", content="The herbs get water in the evening.")
            time.sleep(SETTLED)
            memory.recall("herbs")
            memory.search("ferry")
            ladder = "The ladder is in the cellar."
            print(measure("store", memory, lambda: memory.store(category="fact", content=ladder)))
            time.sleep(SETTLED)
            memory.recall("herbs")
            print(measure("recall", memory, lambda: memory.recall("herbs")))
            print(measure("search", memory, lambda: memory.search("ferry")))
            edit(root)
            print(measure("recall after a hand edit", memory, lambda: memory.recall("herbs")))
            (root / "memory/2026-11-15.md").write_text("- The shed is locked.\n", "utf-8")
            print(measure("refresh of a new file", memory, memory.refresh))
        with open_workspace(root, session=GROUP, keywords_only=True, background=False) as group:
            print(measure("flush of a group, 4 items", group, lambda: group.flush(ITEMS)))


if __name__ == "__main__":
    main()
