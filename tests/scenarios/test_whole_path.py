"""From the files that people have to a memory that an agent uses, and back byte for byte.

"leads over to structured memory on a path that can be walked back" (the founding design, §3 and
§4), on workspaces of every shape: the files that were there are the same bytes at its end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import pytest

from remem.app.workspace import Workspace
from tests import samples
from tests.conftest import Opener
from tests.tiers import first_quick

Maker = Callable[[Path], Path]
KINDS: dict[str, Maker] = {
    "tidy": lambda root: samples.grown(root, 3_000, note_count=10),
    "chinese": lambda root: samples.chinese(root, 12_000, note_count=20),
    "grown": lambda root: samples.grown(root, 25_000, note_count=40),
    "empty": lambda root: samples.grown(root, 0, note_count=0),
    "japanese": lambda root: samples.japanese(root, 8_000, note_count=15),
    "russian": lambda root: samples.russian(root, 10_000, note_count=15),
    "mixed": lambda root: samples.mixed(root, 8_000, note_count=15),
    "agents": samples.thirty_agents,
}
OURS = ("memory/domains/", "memory/INDEX.md", ".remem/")


@pytest.fixture(params=first_quick(KINDS))
def kind(request: pytest.FixtureRequest, root: Path) -> str:
    KINDS[request.param](root)
    (root / ".remem").mkdir()
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    return str(request.param)


def bytes_of(root: Path) -> dict[str, str]:
    """A digest of each file that is not remem's own."""
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not (name := path.relative_to(root).as_posix()).startswith(OURS)
    }


def found(memory: Workspace, root: Path) -> float:
    """The share of statements that search shows among its first six, asked in their own words."""
    asked = samples.questions(root)[:40]
    hits = sum(
        any(
            hit.path == question.path and hit.start_line <= question.line <= hit.end_line
            for hit in memory.search(question.answer).results
        )
        for question in asked
    )
    return hits / len(asked) if asked else 1.0


def test_the_whole_path_and_back(kind: str, root: Path, opened: Opener) -> None:
    before = bytes_of(root)
    memory = opened(embedder=None)

    assert memory.refresh().files > 0 or kind == "empty"
    assert found(memory, root) >= 0.9
    memory.audit(recommend=True)
    migrated = memory.setup.migrate()
    once = list(memory.export())
    again = memory.setup.migrate()
    assert sum(file.new for file in migrated.files) > 0 or kind == "empty"
    assert [file.new + file.changed for file in again.files] == [0] * len(again.files)
    assert list(memory.export()) == once
    validation = memory.setup.validate()
    assert validation.passed, validation
    memory.setup.activate()
    assert memory.start().tokens <= 2_000
    assert bytes_of(root) != before
    memory.setup.rollback()

    assert bytes_of(root) == before
    memory.close()
    opened(embedder=None).sync()
    assert bytes_of(root) == before


def test_a_nested_agent_has_its_own_memory(root: Path, opened: Opener) -> None:
    samples.thirty_agents(root)
    memory = opened()
    memory.refresh()

    paths = {hit.path for hit in memory.search("agent", max_results=50).results}
    assert not any(path.startswith("agents/") for path in paths)
