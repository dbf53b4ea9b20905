"""Every test has a home folder of its own; nothing outside it is touched."""

from __future__ import annotations

import os
import pkgutil
import sys
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
from tests import limits, rights
from tests.deterministic import Deterministic
from tests.quick import memory_folder
from tests.tiers import examples

NOW = "2026-11-15T12:00:00Z"
SECRET = "sk-proj-" + "".join(
    Random(3).choices("abcdefghjkmnpqrstuvwxyzABCDEFGHJKMN23456789", k=48)
)

# No test has a time limit: machines are shared, and a slow one is not a wrong one. Nor does
# chance decide: the same examples are drawn each time, unless REMEM_DRAW=1 asks for new ones.
settings.register_profile(
    "remem",
    deadline=None,
    max_examples=examples(100),
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
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "REMEM_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    # A model or a disk that is slow on a busy machine is not one that hangs.
    for limit in limits.PATIENCE:
        monkeypatch.setattr(limit, 300.0)
    if client := sys.modules.get("mcp.client.stdio"):  # kills a server that is slow to end
        monkeypatch.setattr(client, "PROCESS_TERMINATION_TIMEOUT", 300.0)
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
        workspace.services.files.get_for_host(
            f"memory/groups/{folder_name(workspace.scope.name)}.md"
        )
    return workspace


@pytest.fixture
def conversations_allowed(root: Path) -> None:
    """A workspace whose owner lets main's conversations be read, in a zone that is everywhere."""
    (root / ".remem").mkdir(parents=True)
    (root / "memory").mkdir()
    (root / ".remem/config.toml").write_text('timezone = "UTC"\ntranscripts = ["main"]\n')
