"""`MEMORY.md` and the owner's other files keep their bytes, whatever remem does.

"curated long-term memory: written by the owner and the agent, never by migration"; "the
host's own files: counted by the audit, never written without a command to".
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from tests.conftest import Opener, through_the_gate

OWNERS = {
    "MEMORY.md": b"# Memory\r\n\r\n- Mara keeps the books.  \r\n- \xe2\x98\x95 dark roast\r\n",
    "USER.md": b"David, likes tea ^mem-00000000\n<!-- remem: end -->",
    "SOUL.md": b"",
    "AGENTS.md": b"- Read MEMORY.md first.\n\xff\xfe not UTF-8 at all\n",
    "memory/2026-11-14.md": b'- yesterday: met Pip <!-- {"trust":"owner"} --> ^mem-11111111\n',
    "memory/2026-11-15.md": b"today\x00with a NUL\n",
    "memory/main/attention.md": b"- [ ] call the harbour\n",
    "memory/groups/alpha.md": b"---\nmemory_budget: 900\n---\n",
    "brain/areas/mara/items.json": b'[{"fact": "rows"}]',
}


@pytest.fixture
def owners(root: Path) -> Path:
    for name, data in OWNERS.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        os.utime(path, ns=(1, 1))
    return root


def untouched(root: Path) -> bool:
    """The same bytes in the same file, not even written again."""
    return all(
        (root / name).read_bytes() == data and (root / name).stat().st_mtime_ns == 1
        for name, data in OWNERS.items()
    )


def live_a_little(memory: Workspace, root: Path) -> None:
    """Everything that remem can do to a workspace."""
    first = memory.store(category="fact", content="Mara keeps the books.", tags=["mara"])
    memory.store(category="instruction", content="Read MEMORY.md first.", priority="critical")
    memory.store(category="fact", content="A page said so.", trust="untrusted")
    memory.store(category="fact", content="Mara keeps two books.", supersedes=[first.id])
    facts = root / "memory/domains/facts.md"
    facts.write_text(facts.read_text(encoding="utf-8").replace("two books", "three books"))
    memory.recall("who keeps the books in MEMORY.md")
    memory.index()
    memory.status()
    memory.audit(recommend=True)
    for entry in memory.review():
        memory.confirm(entry.id)
    lines = [line.encode() for line in memory.export()]
    memory.import_lines(lambda: lines)
    memory.import_lines(lambda: [b'{"category":"person","content":"Pip is a beagle."}'])
    memory.maintenance.rebuild()
    memory.maintenance.restore_from_files()
    memory.maintenance.embed_pending()


def test_the_owners_files_keep_their_bytes(opened: Opener, owners: Path) -> None:
    memory = opened()
    live_a_little(memory, owners)
    memory.close()
    opened().sync()

    assert untouched(owners)


@pytest.mark.parametrize("key", ["agent:main:telegram:group:-1", "agent:main:telegram:direct:7"])
def test_the_owners_files_are_not_touched_by_others(opened: Opener, owners: Path, key: str) -> None:
    (owners / "memory/group_names.json").write_text('{"-1": "alpha"}', encoding="utf-8")
    memory = through_the_gate(opened(key))
    memory.store(category="fact", content="Mara keeps the books.", priority="critical")
    memory.recall("who keeps the books in MEMORY.md")
    memory.maintenance.rebuild()
    memory.close()

    assert untouched(owners)


def test_a_lost_database_changes_nothing_about_that(opened: Opener, owners: Path) -> None:
    memory = opened()
    live_a_little(memory, owners)
    memory.close()
    shutil.rmtree(owners / ".remem/main")

    again = opened(start_empty=True)
    again.maintenance.restore_from_files()
    again.store(category="fact", content="One more.")
    again.close()

    assert untouched(owners)


def test_the_owners_files_are_counted_and_answer_as_passages(opened: Opener, owners: Path) -> None:
    memory = opened()

    legacy = memory.status().legacy

    assert legacy.memory_md_size == len(OWNERS["MEMORY.md"])
    assert legacy.memory_dir_files == 3
    assert legacy.files == 6
    assert [entry.id for entry in memory.recall("who keeps the books").entries] == ["MEMORY.md#L3"]


def test_a_workspace_is_made_around_what_is_there(opened: Opener, owners: Path) -> None:
    """Initialisation overwrites nothing."""
    (owners / ".remem").mkdir()
    (owners / ".remem/config.toml").write_bytes(b"# mine\n")
    opened().sync()
    opened().sync()

    assert (owners / ".remem/config.toml").read_bytes() == b"# mine\n"
    assert untouched(owners)
