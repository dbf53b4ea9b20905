"""The doctor finds nothing wrong in a healthy memory, whatever was done to it before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from tests.commands import run_command
from tests.conftest import Opener

DONE: dict[str, Callable[[Workspace, str], object]] = {
    "nothing": lambda _memory, _id: None,
    "forgotten": lambda memory, id_: memory.forget(id_),
    "erased": lambda memory, id_: memory.erase(id_),
    "rebuilt": lambda memory, _id: memory.maintenance.rebuild(),
}


@pytest.mark.parametrize("others", [0, 1])
@pytest.mark.parametrize("done", DONE)
def test_the_words_of_an_ordinary_memory_are_in_order(
    opened: Opener, root: Path, done: str, others: int
) -> None:
    """Also where the last entry went, and the full text counts zeros."""
    memory = opened()
    for number in range(others):
        memory.store(category="fact", content=f"Number {number} stays.")
    id_ = memory.store(category="fact", content="Zebra keys hang in the hall.").id
    DONE[done](memory, id_)

    memory.close()

    result = run_command(root, "doctor")

    assert "differs from the entries" not in result.output
    assert "no problems found" in result.output
