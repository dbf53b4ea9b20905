"""Many processes open a new store at the same moment.

python -m tests.faults.opens FOLDER --processes N --rounds N
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from remem.store.sqlite.entries import SqliteStore
from tests.faults import crowd
from tests.faults.checker import in_database
from tests.faults.ledger import Ledger
from tests.store.sqlite.sample import entry, found, put


def opening(path: Path, number: int) -> Callable[[crowd.Say], object]:
    """Open, store one entry, read it back."""

    def act(say: crowd.Say) -> None:
        store = SqliteStore(path)
        kept = put(store, entry(f"of process {number}", id=f"mem-{number:08}"))
        assert found(store, [kept.id]) == [kept]
        store.close()
        say(b"done\n")

    return act


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    for number in range(options.rounds):
        path = options.folder / f"{number}" / "entries.db"
        path.parent.mkdir()
        children = crowd.together([opening(path, number) for number in range(options.processes)])
        assert all(child.heard == b"done\n" for child in children)
        crowd.together([lambda _, path=path: check(path, options.processes)])
    print(f"{options.rounds} rounds of {options.processes}")


def check(path: Path, processes: int) -> None:
    assert list(in_database(path, Ledger(cut_short=processes))) == []
    store = SqliteStore(path)
    with store.read() as snapshot:
        assert len(snapshot.ids()) == processes
    store.close()


if __name__ == "__main__":
    main()
