"""§4.2, §4.3: validated before it is activated, rolled back without a trace, nothing lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from remem.app.opening import open_workspace
from remem.app.searching import RecallService
from remem.app.services.start_text import StartService
from remem.app.tools.declare import call
from remem.app.tools.table import tools_of
from remem.app.workspace import Workspace
from remem.errors import NotAllowed
from tests import samples
from tests.conftest import Opener

GROUP = "agent:main:telegram:group:-100123"


def bytes_of(root: Path) -> dict[str, bytes]:
    """Every file of a workspace but those that are remem's own."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".remem" not in path.parts and "domains" not in path.parts
    }


@pytest.mark.slow  # test_whole_path.py does the same without a model
def test_a_realistic_workspace_is_activated_and_rolled_back_with_a_model(root: Path) -> None:
    """Without a model, and on workspaces of every shape: `test_whole_path.py`."""
    samples.grown(root, 20_000, note_count=30)
    before = bytes_of(root)

    with open_workspace(root, background=False) as memory:
        memory.setup.migrate()
        validation = memory.setup.validate()
        assert validation.passed, validation
        assert memory.setup.activate().changed
        start = memory.start()
        assert start.tokens <= 2000
        back = memory.setup.rollback()

    assert (back.changed, back.exact) == (True, True)
    after = bytes_of(root)
    after.pop("memory/INDEX.md", None)
    assert after == before


def test_validating_leaves_no_trace(memory: Workspace, root: Path) -> None:
    (root / "MEMORY.md").write_text("# M\n\n- Mara mends the copper boiler in October\n")
    memory.setup.migrate()
    memory.store(category="fact", content="The gate is painted green.")
    before = list(memory.export())

    assert memory.setup.validate().passed

    assert list(memory.export()) == before
    assert memory.status().progressive.last_recall is None


def test_memory_that_recall_cannot_reach_is_not_activated(
    memory: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A recall that has forgotten everything: check 2 and check 4 see it."""
    (root / "MEMORY.md").write_text("# M\n\n- Mara mends the copper boiler in October\n")
    memory.setup.migrate()
    memory.store(category="fact", content="The gate is painted green.")
    ask = RecallService.recall_unrecorded
    monkeypatch.setattr(
        RecallService, "recall_unrecorded", lambda service, _: ask(service, "nothing at all")
    )

    failed = [check.number for check in memory.setup.validate().checks if not check.passed]

    assert failed == [2, 4]
    with pytest.raises(NotAllowed, match="not ready to be activated"):
        memory.setup.activate()
    assert not (root / "AGENTS.md").exists()


def test_activation_needs_a_migrated_memory_md(memory: Workspace, root: Path) -> None:
    """A host loads the index in place of MEMORY.md: without entries nothing of it would be left."""
    (root / "MEMORY.md").write_text("# M\n\n- Mara mends the copper boiler in October\n")

    failed, loaded = [check for check in memory.setup.validate().checks if not check.passed]
    with pytest.raises(NotAllowed, match=r"nothing of MEMORY\.md"):
        memory.setup.activate()

    assert loaded.summary.startswith("the start text has 0 of 1 statements")
    assert (failed.number, failed.reasons) == (
        3,
        ("no line of MEMORY.md is an entry: run `remem migrate` first",),
    )
    memory.setup.migrate()
    assert memory.setup.activate().changed


def test_activation_shows_what_conversations_no_longer_start_with(
    memory: Workspace, root: Path
) -> None:
    rules = [f"Rule {i}: the {word} is cleaned before dusk" for i, word in enumerate("abcdef")]
    (root / "MEMORY.md").write_text("# Rules\n\n" + "".join(f"- {rule}\n" for rule in rules))
    memory.setup.migrate()
    shown: list[str] = []

    assert memory.setup.validate().no_longer_loaded == ()
    memory.curation.drop("1")  # what the owner drops is no loss
    assert memory.setup.activate(lambda text: bool(shown.append(text))).changed is False

    assert "+## Memory (remem)" in shown[0]
    assert "no longer start with" not in shown[0]


def test_an_index_with_less_than_the_beginning_of_the_files_is_refused(
    memory: Workspace, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "".join(f"- Person {i} repairs machine {i * 7} on floor {i}\n" for i in range(20))
    (root / "MEMORY.md").write_text(f"# People\n\n{lines}")
    (root / "USER.md").write_text("# User\n\n- Mara prefers short answers\n")
    memory.setup.migrate()
    empty = replace(memory.services.start_text.preview(), text="# Memory Index\n")
    monkeypatch.setattr(StartService, "preview", lambda *_: empty)

    validation = memory.setup.validate()

    (failed,) = [check for check in validation.checks if not check.passed]
    assert failed.number == 6
    assert failed.reasons[0].startswith("it says less than the beginning of the files")
    assert validation.no_longer_loaded[0] == "MEMORY.md:3 Person 0 repairs machine 0 on floor 0"
    assert all(line.startswith("MEMORY.md:") for line in validation.no_longer_loaded)
    with pytest.raises(NotAllowed, match="Conversations start with at least as much"):
        memory.setup.activate()


def test_an_empty_template_needs_no_migration(memory: Workspace, root: Path) -> None:
    (root / "MEMORY.md").write_text("# MEMORY.md\n\n_Last updated: 2026-11-02_\n\n- **Name:**\n")

    assert memory.setup.activate().changed


def test_nothing_changes_without_approval(memory: Workspace, root: Path) -> None:
    shown: list[str] = []

    def refuse(diff: str) -> bool:
        shown.append(diff)
        return False

    assert not memory.setup.activate(refuse).changed
    assert "+<!-- remem:begin " in shown[0]
    assert not (root / "AGENTS.md").exists()


def test_after_a_rollback_the_legacy_tools_work(memory: Workspace, root: Path) -> None:
    (root / "MEMORY.md").write_text("# M\n\n- Mara mends the copper boiler in October\n")
    memory.setup.migrate()
    memory.setup.activate()
    memory.setup.rollback()

    search, get = tools_of("legacy")

    assert "copper boiler" in repr(call(search, memory, {"query": "copper boiler"}))
    assert "copper boiler" in repr(call(get, memory, {"path": "MEMORY.md"}))


@pytest.mark.walls
def test_only_the_owner_may_activate_and_only_main(opened: Opener, root: Path) -> None:
    (root / "memory").mkdir(parents=True)
    (root / "memory/group_names.json").write_text('{"telegram:-100123": "garden"}')

    for memory in (opened(trust="agent"), opened(GROUP)):
        with pytest.raises(NotAllowed):
            memory.setup.activate()
        with pytest.raises(NotAllowed):
            memory.setup.rollback()
    with pytest.raises(NotAllowed, match="belong to main"):
        opened(GROUP).setup.validate()
    assert not (root / "AGENTS.md").exists()
