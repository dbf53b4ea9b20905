"""Several processes write one store; all must get their turn.

    python -m tests.faults.many FOLDER --processes N --writes N

Prints one JSON line: which process stored each entry, in the order of storing.
"""

from __future__ import annotations

import argparse
import json
import threading
import time
from collections.abc import Callable
from pathlib import Path

from remem.ports.records import Where
from remem.store.sqlite.entries import SqliteStore
from tests.faults import crowd
from tests.faults.checker import in_database
from tests.faults.ledger import Ack, Ledger, digest
from tests.store.sqlite.sample import entry, put

_THREADS = 3


def writing(path: Path, number: int, processes: int, writes: int) -> Callable[[crowd.Say], object]:
    """A process in which three threads store, each after its own answer."""

    def act(say: crowd.Say) -> None:
        # Opening takes its time: nobody begins before all have opened, or have failed to.
        try:
            store = SqliteStore(path)
        finally:
            (path.parent / f"ready{number}").touch()
        while len(list(path.parent.glob("ready*"))) < processes:
            time.sleep(0.005)

        def run(thread: int) -> None:
            for turn in range(writes // _THREADS):
                word = f"p{number}t{thread}n{turn}"
                kept = put(store, entry(f"{word} was here", id=f"mem-{word}"))
                say(Ack(kept.id, 1, digest(kept.content), word).line().encode() + b"\n")

        threads = [threading.Thread(target=run, args=(number,)) for number in range(_THREADS)]
        for worker in threads:
            worker.start()
        for worker in threads:
            worker.join()
        store.close()

    return act


def order(path: Path) -> list[str]:
    """Whose each entry is, the first one stored first."""
    store = SqliteStore(path)
    with store.read() as snapshot:
        whose = [
            entry.id.removeprefix("mem-p").split("t")[0]
            for entry in snapshot.select(Where(state="any"))
        ]
    store.close()
    return whose


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--writes", type=int, default=60)
    options = parser.parse_args()
    path = options.folder / "entries.db"
    children = crowd.together(
        [
            writing(path, number, options.processes, options.writes)
            for number in range(options.processes)
        ]
    )
    ledger = Ledger()
    for child in children:
        ledger.record(child.heard)
    assert len(ledger.acks) == options.processes * options.writes
    ledger.acks.sort(key=lambda ack: ack.id)

    def check(say: crowd.Say) -> None:
        problems = [
            problem for problem in in_database(path, ledger) if "another order" not in problem
        ]
        assert problems == [], problems
        say(json.dumps(order(path)).encode())

    (checker,) = crowd.together([check])
    print(checker.heard.decode())


if __name__ == "__main__":
    main()
