"""Search is up to date with the files: at once by keyword, a little later by vector."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from remem.entries.background import BackgroundTask
from remem.errors import EmbedderError, FileError
from remem.ports.models import Embedding
from tests import limits
from tests.conftest import Opener
from tests.deterministic import Deterministic
from tests.search.refresh.ground import write


class Down(Deterministic):
    """An embedder that fails until `failing` is cleared."""

    failing = True

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        if self.failing:
            raise EmbedderError("the model is down")
        return super().embed(texts)


def eventually(true: Callable[[], bool]) -> None:
    while not true():
        time.sleep(0.01)


def texts(workspace: Workspace, query: str) -> list[str]:
    return [result.snippet for result in workspace.search(query).results]


def passages_without_vector(workspace: Workspace) -> int:
    with workspace.services.passages.read() as reading:
        return reading.vector_state().pending


def test_a_search_finds_a_file_that_was_just_saved(root: Path, opened: Opener) -> None:
    memory = opened()
    write(root, {"memory/a.md": "The greenhouse is cold.\n"})
    assert "greenhouse" in texts(memory, "greenhouse")[0]

    write(root, {"memory/a.md": "The cellar is warm.\n"})

    assert not any("greenhouse" in text for text in texts(memory, "greenhouse"))
    assert "cellar" in texts(memory, "cellar")[0]


def test_a_few_new_passages_have_their_vectors_before_the_search(
    root: Path, opened: Opener
) -> None:
    memory = opened()
    write(root, {"MEMORY.md": "- one\n- two\n"})

    memory.search("one")

    assert passages_without_vector(memory) == 0


def test_a_search_does_not_wait_for_many_missing_vectors(root: Path, opened: Opener) -> None:
    memory = opened()
    write(root, {"MEMORY.md": "".join(f"- statement {n}\n" for n in range(100))})

    memory.search("statement")

    assert passages_without_vector(memory) == 100
    done = memory.refresh(with_vectors=True)
    assert (done.without_vector, passages_without_vector(memory)) == (0, 0)


def test_a_failing_embedder_does_not_delay_keyword_search(root: Path, opened: Opener) -> None:
    embedder = Down()
    memory = opened(embedder=embedder)
    write(root, {"MEMORY.md": "- the greenhouse\n"})

    assert "greenhouse" in texts(memory, "greenhouse")[0]

    assert any("the model is down" in reason for reason in memory.problems)
    assert memory.status().health.passages_without_vector == 1
    embedder.failing = False
    memory.search("greenhouse")
    assert memory.status().health.passages_without_vector == 0
    assert not any("the model is down" in reason for reason in memory.problems)


def test_a_server_reads_new_files_in_the_background(
    root: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.POLL_MIN_PAUSE, 0.02)
    monkeypatch.setattr(limits.POLL_PAUSE_FACTOR, 0)
    memory = opened(background=True)
    write(root, {"memory/a.md": "The greenhouse is cold.\n"})

    def known() -> bool:
        with memory.services.passages.read() as reading:
            return reading.counts() == (1, 1) and reading.vector_state().pending == 0

    eventually(known)
    (root / "memory/a.md").unlink()

    def forgotten() -> bool:
        with memory.services.passages.read() as reading:
            return reading.counts() == (0, 0)

    eventually(forgotten)


def test_files_that_were_not_read_in_time_are_reported(
    root: Path, opened: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits.REFRESH_TIMEOUT, -1)
    memory = opened()
    write(root, {"memory/a.md": "tea\n"})

    found = memory.search("tea")

    assert found.results == ()
    assert found.stale
    monkeypatch.undo()
    assert not memory.search("tea").stale


def test_a_damaged_store_is_rebuilt_before_the_answer(root: Path, opened: Opener) -> None:
    write(root, {f"memory/{n}.md": f"tea number {n} " * 200 for n in range(40)})
    with opened() as memory:
        memory.refresh()
    database = root / ".remem/main/passages.db"
    size = database.stat().st_size
    with database.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xee" * (size - 4096))

    memory = opened()

    assert len(texts(memory, "tea")) == 6
    assert any("read again" in reason for reason in memory.problems)


def test_a_rebuild_reads_every_file_again(root: Path, opened: Opener) -> None:
    write(root, {"memory/a.md": "tea\n"})
    memory = opened()
    memory.refresh()
    with memory.services.passages.read() as reading:
        (before,) = [row for row, _ in reading.of_file("memory/a.md")]

    memory.maintenance.rebuild()

    with memory.services.passages.read() as reading:
        (after,) = [row for row, _ in reading.of_file("memory/a.md")]
    assert after != before
    assert len(texts(memory, "tea")) == 1


def test_the_pauses_grow_with_the_duration_of_a_poll() -> None:
    """A hundred times as long as the poll took: at least a second here."""
    began: list[float] = []
    ended: list[float] = []

    def poll() -> None:
        began.append(time.monotonic())
        time.sleep(0.01)
        ended.append(time.monotonic())

    watching = BackgroundTask(poll, "test", every=0.001)
    watching.start()
    eventually(lambda: len(began) == 2)
    watching.close()

    assert began[1] - ended[0] >= 1.0


def test_a_poller_goes_on_after_an_error_and_keeps_the_last_one() -> None:
    polls = 0
    failing, fixed = threading.Event(), threading.Event()

    def poll() -> None:
        """The third call waits, and is the last that fails."""
        nonlocal polls
        polls += 1
        if polls == 3:
            failing.set()
            fixed.wait()
        if polls <= 3:
            raise FileError("the transcript is gone")

    poller = BackgroundTask(poll, "test", every=0.001)
    poller.start()
    failing.wait()
    assert poller.problem == "the transcript is gone"
    fixed.set()
    while polls < 5:
        time.sleep(0.001)
    poller.close()

    assert poller.problem is None


def test_a_poller_survives_an_unexpected_error_and_reports_it() -> None:
    polls = 0
    failing, fixed = threading.Event(), threading.Event()

    def poll() -> None:
        nonlocal polls
        polls += 1
        if polls == 2:
            failing.set()
            fixed.wait()
        if polls <= 2:
            raise KeyError("a key")

    poller = BackgroundTask(poll, "test", every=0.001)
    poller.start()
    failing.wait()
    assert "KeyError: 'a key'" in (poller.problem or "")
    fixed.set()
    eventually(lambda: polls >= 3)
    poller.close()

    assert poller.problem is None
