"""Every test has a home folder of its own; nothing outside it is touched."""

from __future__ import annotations

import os
import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, settings

import remem
from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.model.scope import folder_name
from tests import rights
from tests.deterministic import Deterministic
from tests.quick import memory_folder

NOW = "2026-11-15T12:00:00Z"
SECRET = "sk-proj-" + "".join(
    Random(3).choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJKMN23456789", k=48)
)

# No test has a time limit: machines are shared, and a slow one is not a wrong one. Nor does
# chance decide: the same examples are drawn each time, unless REMEM_DRAW=1 asks for new ones.
settings.register_profile(
    "remem",
    deadline=None,
    derandomize=os.environ.get("REMEM_DRAW") != "1",
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("remem")

# Waiting for a disk proves nothing either: the folders of the tests are in memory where the machine
# has enough of it. Only the tests of faults use the disk, see `tests/faults/conftest.py`.
if folder_in_memory := memory_folder():
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", folder_in_memory)


def pytest_collection_finish() -> None:
    """Hypothesis takes examples from the constants of every module that is loaded by then. Which
    tests share a process is a matter of speed, so what any of them loads is loaded now."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return
    for module in pkgutil.walk_packages(remem.__path__, "remem."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary home; the models of the real one stay within reach."""
    folder = tmp_path_factory.mktemp("home")
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    monkeypatch.setenv("REMEM_MODELS", os.environ.get("REMEM_MODELS", f"{cache}/remem/models"))
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("REMEM_WORKSPACE", raising=False)
    # A model that a busy machine is slow to load is not one that hangs.
    monkeypatch.setattr("remem.search.passages.search.MODEL_TIMEOUT_SECONDS", 120.0)
    return folder


@pytest.fixture
def modes_hold() -> Iterator[None]:
    """What a file's mode forbids is forbidden, to root too."""
    if not rights.can_be_given_up():
        pytest.skip("root passes over modes here, and cannot give that up")
    with rights.of_an_owner():
        yield


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


Opener = Callable[..., Workspace]


@pytest.fixture
def opened(root: Path) -> Iterator[Opener]:
    """Opens the workspace at `root`: quiet clock, seeded ids, an embedder without a model."""
    random = Random(7)
    open_ones: list[Workspace] = []

    def open_it(session: str = "main", **options: object) -> Workspace:
        settings: dict[str, object] = {
            "background": False,
            "clock": lambda: NOW,
            "random_bytes": random.randbytes,
            "embedder": Deterministic(),
            **options,
        }
        workspace = open_workspace(root, session, **settings)  # type: ignore[arg-type]
        open_ones.append(workspace)
        return workspace

    yield open_it
    for one in open_ones:
        one.close()


@pytest.fixture
def memory(opened: Opener) -> Workspace:
    return opened()


def through_the_gate(workspace: Workspace) -> Workspace:
    """A group's memory whose gate has been read, or looked for, in this conversation."""
    if workspace.scope.kind == "group":
        workspace.get(f"memory/groups/{folder_name(workspace.scope.name)}.md")
    return workspace


@pytest.fixture
def conversations_allowed(root: Path) -> None:
    """A workspace whose owner lets main's conversations be read, in a zone that is everywhere."""
    (root / ".remem").mkdir(parents=True)
    (root / "memory").mkdir()
    (root / ".remem/config.toml").write_text('timezone = "UTC"\ntranscripts = ["main"]\n')
