"""A process that rewrites one page from changing facts until it is killed."""

from __future__ import annotations

import sys
from pathlib import Path

from remem.app.opening import open_workspace
from tests.learn.synthesize.knowledge import FACTS, fact, write_facts

root = Path(sys.argv[1])
with open_workspace(root, background=False) as memory:
    for number in range(1_000_000):
        write_facts(root, [*FACTS, fact(9, f"Has read {number} books.", "2026-10-01")])
        memory.maintenance.synthesize(["anna berg"])
        print(number, flush=True)
