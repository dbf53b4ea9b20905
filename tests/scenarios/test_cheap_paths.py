"""Common operations take few steps: snapshots, and modules that a command imports."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from remem.app.workspace import Workspace
from remem.files.locks import exclusive_lock
from tests.conftest import Opener
from tests.deterministic import Deterministic


@contextmanager
def snapshots(memory: Workspace, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Count the snapshots that are opened within the block."""
    opened: Counter[str] = Counter()
    with monkeypatch.context() as patch:
        for store, name in (
            (memory.services.store, "entries"),
            (memory.services.passages, "passages"),
        ):
            real = type(store).read

            def read(self: Any, real: Callable[..., Any] = real, name: str = name) -> Any:
                opened[name] += 1
                return real(self)

            patch.setattr(type(store), "read", read)
        yield opened


@pytest.fixture
def memory(root: Path, opened: Opener) -> Workspace:
    """A memory with an entry and a note, in which nothing is left to be done."""
    note = root / "memory/2026-11-14.md"
    note.parent.mkdir(parents=True)
    note.write_text("- Ines has the key of the shed.\n", encoding="utf-8")
    os.utime(note, (1_700_000_000, 1_700_000_000))
    memory = opened(embedder=Deterministic())
    memory.store(category="fact", content="The herbs by the wall get water in the evening.")
    memory.recall("who has the key?")
    return memory


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that has just changed is read once more; here it counts as settled at once."""
    monkeypatch.setattr("remem.search.refresh.reading.UNSETTLED_NS", -(10**18))


def test_storing_a_sentence_takes_three_transactions_and_two_snapshots(
    memory: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The entry with its outbox; the announced writes of the files; the finished ones."""
    writes: Counter[str] = Counter()
    store = type(memory.services.store)
    real = store.write

    def write(self: Any, operation: Any) -> Any:
        writes["write"] += 1
        return real(self, operation)

    monkeypatch.setattr(store, "write", write)
    with snapshots(memory, monkeypatch) as opened:
        memory.store(category="fact", content="The ladder is in the cellar.")

    assert writes == {"write": 3}
    assert opened == {"entries": 2}
    domains = memory.services.context.layout.memory / "domains"
    assert "ladder" in (domains / "facts.md").read_text("utf-8")


def test_callers_who_wait_for_the_files_together_are_served_by_one_write(
    memory: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = [f"The key of room {number} hangs at hook {number}." for number in range(10)]
    layout = memory.services.context.layout
    files_are_locked = exclusive_lock(layout.state_folder(memory.scope) / "files.lock")

    with (
        snapshots(memory, monkeypatch) as opened,
        ThreadPoolExecutor(len(places)) as callers,
        files_are_locked,
    ):
        for place in places:
            callers.submit(memory.store, category="fact", content=place)
        while opened["entries"] < len(places):  # each has looked whether anything is pending
            sleep(0.01)
        opened.clear()

    assert opened == {"entries": 1}
    facts = (layout.memory / "domains/facts.md").read_text("utf-8")
    assert all(place in facts for place in places)
    assert "[facts] 11 entries" in layout.index_file.read_text("utf-8")


@pytest.mark.parametrize("query", ["who waters the herbs?", "mem-aaaaaaaa", "memory/x.md#L1"])
def test_a_recall_is_computed_on_one_state_of_entries_and_passages(
    memory: Workspace, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    settle(monkeypatch)
    memory.refresh(with_vectors=True)
    memory.recall(query)

    with snapshots(memory, monkeypatch) as opened:
        memory.recall(query)

    assert opened == {"entries": 1, "passages": 1}


def test_a_search_is_computed_on_one_state_of_entries_and_passages(
    memory: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(monkeypatch)
    memory.refresh(with_vectors=True)
    memory.search("key")

    with snapshots(memory, monkeypatch) as opened:
        found = memory.search("who has the key?")

    assert found.results
    assert opened == {"passages": 1, "entries": 1}


def test_what_changed_before_a_recall_is_in_its_answer(
    memory: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is opened again after the changes were read."""
    settle(monkeypatch)
    memory.recall("herbs")
    (root / "memory/2026-11-15.md").write_text("- The ladder is in the cellar.\n", "utf-8")
    domain = root / "memory/domains/facts.md"
    domain.write_text(domain.read_text("utf-8").replace("evening", "morning"), "utf-8")

    answer = memory.recall("where is the ladder, and when do the herbs get water?")

    texts = " ".join(entry.content for entry in answer.entries)
    assert "cellar" in texts
    assert "in the morning" in texts


COUNT_MODULES = """
import atexit, sys
from remem.cli.main import main

def report():
    loaded = [name for name in sys.modules if name.partition(".")[0] == "remem"]
    print(len(loaded), file=sys.stderr)

atexit.register(report)
sys.argv = ["remem", *sys.argv[1:]]
main()
"""


@pytest.mark.parametrize(
    ("command", "limit"), [(["recall", "herbs"], 169), (["index"], 111), (["status"], 138)]
)
def test_a_cold_command_imports_few_modules(
    memory: Workspace, root: Path, command: list[str], limit: int
) -> None:
    """Most of the time of a cold start goes into imports; rare paths are imported when taken."""
    memory.close()

    done = subprocess.run(
        [sys.executable, "-c", COUNT_MODULES, "--workspace", str(root), *command],
        capture_output=True,
        text=True,
        check=True,
    )

    assert int(done.stderr.split()[-1]) <= limit
