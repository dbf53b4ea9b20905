"""Stores numbered memories until it is killed, and says so after each reply.

    python -m tests.faults.writer_program FOLDER SEED [--count N] [--mutant NAME]

It speaks through the library as a user would. One in five memories extends an earlier
one, one in seven replaces an earlier one, and some are long enough to fill several pages.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from random import Random

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from tests.deterministic import Deterministic
from tests.faults.ledger import Ack, digest
from tests.mutants import apply

Say = Callable[[bytes], object]


def write(folder: Path, seed: int, say: Say, *, limit: int | None = None) -> None:
    """Open the workspace and store; each line that is said is an acknowledgement."""
    with open_workspace(folder, embedder=Deterministic(), background=True) as memory:
        say(b"open\n")
        for ack in stored(memory, seed, limit):
            say(ack.line().encode() + b"\n")


def stored(memory: Workspace, seed: int, limit: int | None) -> Iterator[Ack]:
    random = Random(seed)
    texts: dict[str, str] = {}
    for number in count(1) if limit is None else range(1, limit + 1):
        word = f"w{seed}x{number}"
        own = f"Memory {word} was told by nobody."
        if random.random() < 0.1:
            own += f" It goes on {'and on ' * random.randint(200, 2_000)}about {word}."
        old = random.choice(list(texts)) if texts else None
        content, replaced = own, ()
        if old and number % 5 == 0:
            content = f"{texts[old]} {own}"
        elif old and number % 7 == 0:
            replaced = (old,)
        receipt = memory.store(category="fact", content=content, supersedes=replaced)
        for gone in replaced:
            texts.pop(gone)
        texts[receipt.id] = content
        yield Ack(receipt.id, receipt.version, digest(content), word, replaced)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("seed", type=int)
    parser.add_argument("--count", type=int)
    parser.add_argument("--mutant")
    options = parser.parse_args()
    if options.mutant:
        apply(options.mutant)
    # One system call per line: what is said is said whole, and at once.
    write(
        options.folder,
        options.seed,
        lambda line: os.write(sys.stdout.fileno(), line),
        limit=options.count,
    )


if __name__ == "__main__":
    main()
