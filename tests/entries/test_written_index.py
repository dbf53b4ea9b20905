"""The index is read from its file as long as the file is what would be made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.entries.index import make_index
from remem.model.entry import CATEGORIES, PRIORITIES, Category, Priority
from tests.conftest import Opener


@pytest.fixture
def memory(opened: Opener) -> Workspace:
    memory = opened()
    memory.store(category="preference", content="Mara drinks green tea.", priority="critical")
    memory.store(category="project", content="The greenhouse gets a new roof.")
    memory.store(category="person", content="Ines has the key of the shed.")
    return memory


def tea(memory: Workspace) -> str:
    return next(line.entry for line in memory.index().lines if "tea" in line.text)


def forbid_making(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(*_arguments: object) -> None:
        raise AssertionError("the index was made")

    monkeypatch.setattr("remem.entries.index.make_index", make)


def test_an_unchanged_index_is_not_made_again(
    memory: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = memory.index()
    forbid_making(monkeypatch)

    read = memory.services.entries.index_text()

    assert (read.text, read.tokens) == (made.text, made.tokens)


def edit_index_file(memory: Workspace) -> None:
    path = memory.services.context.layout.index_file
    path.write_text(path.read_text("utf-8").replace("green tea", "black tea"), "utf-8")


def edit_domain_file(memory: Workspace) -> None:
    path = memory.services.context.layout.memory / "domains" / "preferences.md"
    path.write_text(path.read_text("utf-8").replace("green tea", "mint tea"), "utf-8")


def remove_index_file(memory: Workspace) -> None:
    memory.services.context.layout.index_file.unlink()


CHANGES: dict[str, Callable[[Workspace], object]] = {
    "store": lambda memory: memory.store(category="instruction", content="Never call before 9."),
    "forget": lambda memory: memory.forget(tea(memory)),
    "erase": lambda memory: memory.erase(tea(memory)),
    "edit": lambda memory: memory.edit(tea(memory), content="Mara drinks coffee."),
    "pin": lambda memory: memory.curation.pin(tea(memory), text="Tea, not coffee."),
    "drop": lambda memory: memory.curation.drop("1"),
    "order": lambda memory: memory.curation.order("2", "1"),
    "undo": lambda memory: (memory.curation.drop("1"), memory.curation.undo()),
    "edited index": edit_index_file,
    "edited domain file": edit_domain_file,
    "removed index": remove_index_file,
    "rebuild": lambda memory: memory.maintenance.rebuild(),
}


@pytest.mark.parametrize("name", CHANGES)
def test_after_a_change_it_is_what_would_be_made(memory: Workspace, name: str) -> None:
    memory.services.entries.index_text()

    CHANGES[name](memory)

    read = memory.services.entries.index_text().text
    assert read == memory.index().text


def test_another_budget_makes_another_index(memory: Workspace, opened: Opener, root: Path) -> None:
    for number in range(60):
        memory.store(category="preference", content=f"Guest {number} prefers room {number} again.")
    large = memory.services.entries.index_text()
    memory.close()
    with (root / ".remem/config.toml").open("a", encoding="utf-8") as config:
        config.write("index_tokens = 300\n")

    reopened = opened()
    small = reopened.services.entries.index_text()

    assert small.tokens <= 300 < large.tokens
    assert small.text == reopened.index().text


def test_an_index_of_another_version_is_written_again(
    memory: Workspace, opened: Opener, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.close()
    path = root / "memory/INDEX.md"
    monkeypatch.setattr("remem.entries.written_index.__version__", "9.9")

    reopened = opened()
    reopened.services.start()
    forbid_making(monkeypatch)

    assert reopened.services.entries.index_text().text == path.read_text("utf-8")


Step = tuple[str, Category, Priority, int]
steps = st.lists(
    st.tuples(
        st.sampled_from(["store", "store", "store", "forget", "edit", "pin", "reinforce"]),
        st.sampled_from(CATEGORIES),
        st.sampled_from(PRIORITIES),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=8,
)


def take(memory: Workspace, step: Step) -> None:
    """Store one of a few texts, or change one of those that are stored."""
    name, category, priority, number = step
    stored = [entry.id for entry in memory.entries()]
    if name == "store" or not stored:
        text = f"Guest {number} wants room {number} at {number} o'clock."
        memory.store(category=category, content=text, priority=priority, tags=["channel"][number:])
        return
    id_ = stored[number % len(stored)]
    changes: dict[str, Callable[[], object]] = {
        "forget": lambda: memory.forget(id_),
        "edit": lambda: memory.edit(id_, content=f"Guest {number} wants no room at all."),
        "pin": lambda: memory.curation.pin(id_),
        "reinforce": lambda: memory.reinforce(id_),
    }
    changes[name]()


@settings(max_examples=40)
@given(steps)
def test_after_any_changes_the_file_is_what_would_be_made_from_scratch(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    root = tmp_path_factory.mktemp("workspace")
    with open_workspace(root, keywords_only=True, background=False) as memory:
        services = memory.services
        for step in steps:
            take(memory, step)
            with services.store.read() as snapshot:
                budget = services.context.config.index_tokens
                made = make_index(snapshot, services.deps.counter, budget)
            assert services.context.layout.index_file.read_text("utf-8") == made.text
