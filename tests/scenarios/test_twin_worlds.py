"""Twin worlds: two workspaces that differ only in what one session may not know. It takes the
same steps in both, and every byte that it gets to see is the same.

Each bad version of remem below is one that this must notice; until it does, its silence says
nothing. `python -m tests.faults.walls` goes on for as long as one likes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

import remem.app.opening
import remem.app.services.sharing
import remem.app.stores
import remem.disclose.get
import remem.entries.spaces.listing
import remem.search.refresh.reading
from remem.app.services.spaces import SpaceService
from remem.app.tools.declare import Tool, call
from remem.app.tools.table import TOOLS
from remem.errors import NotAllowed
from remem.files.layout import Layout
from remem.files.walking import MemoryFile
from remem.model.scope import MAIN as MAIN_SCOPE
from remem.model.scope import Scope, Session
from remem.store.postgres.address import Address
from tests.conftest import Opener
from tests.postgres import database_url
from tests.scenarios.twin_surfaces import SURFACE_STEPS, play_outside
from tests.scenarios.twin_tools import DARK, fitting
from tests.scenarios.twins import ALPHA, BETA, KEYS, MAIN, NOBODY, PEER, STEPS, Twins, betrayed
from tests.tiers import EVERYTHING, first_quick

pytestmark = pytest.mark.walls

GAMES = int(os.environ.get("REMEM_WALL_EXAMPLES", "14" if EVERYTHING else "5"))
LENGTH = 30
SUBAGENT = "agent:main:subagent:x"
PLAYED = settings(
    max_examples=GAMES,
    stateful_step_count=LENGTH,
    deadline=None,
    derandomize="REMEM_WALL_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("low", [*KEYS, *NOBODY])
def test_a_session_notices_nothing_of_what_others_do(low: str) -> None:
    before = STEPS[low]

    run_state_machine_as_test(partial(Twins, low), settings=PLAYED)

    assert STEPS[low] - before >= 17 * GAMES


@pytest.mark.parametrize(
    "low", [ALPHA, *(pytest.param(key, marks=pytest.mark.slow) for key in (BETA, PEER, SUBAGENT))]
)
def test_a_session_notices_nothing_where_all_scopes_are_in_one_database(
    low: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both worlds are in the same PostgreSQL database, as two workspaces."""
    monkeypatch.setenv("REMEM_STORE", database_url())

    run_state_machine_as_test(partial(Twins, low), settings=settings(PLAYED, max_examples=3))


@pytest.mark.parametrize("low", first_quick([ALPHA, MAIN, PEER, SUBAGENT]))
def test_a_session_notices_nothing_through_commands_or_a_token_server(low: str) -> None:
    play_outside(low, 10, chance=1)

    assert SURFACE_STEPS[low] >= 10


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_of_the_table_is_used_in_the_twin_worlds(opened: Opener, tool: Tool) -> None:
    """With arguments that are made from the table, and that it answers."""
    assert hasattr(Twins, f"use_{tool.name}")
    memory = opened()
    memory.spaces.create("gateway")  # the example of any text
    id_ = memory.store(category="fact", content="The gateway is red.").id

    assert call(tool, memory, fitting(tool, id_))


@pytest.mark.slow  # CI plants the same with scripts/faults.py
@pytest.mark.parametrize("mutant", ["M10", "M11", "M12", "M13"])
def test_the_twin_worlds_catch_a_leak_that_was_planted(mutant: str) -> None:
    command = [sys.executable, "-m", "tests.faults.walls", "-", "--mutant", mutant]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["broken"]


def play_until_caught(low: str) -> None:
    """Without looking for the shortest way to the failure, which takes long."""
    quick = settings(PLAYED, max_examples=600, phases=[Phase.generate], derandomize=True)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(partial(Twins, low), settings=quick)


def test_the_twin_worlds_catch_one_database_for_two_scopes(monkeypatch: pytest.MonkeyPatch) -> None:
    own = Layout.database
    monkeypatch.setattr(Layout, "database", lambda self, _scope: own(self, MAIN_SCOPE))
    monkeypatch.setattr(remem.app.stores, "claim_scope", lambda _store, _scope: None)

    play_until_caught(ALPHA)


def test_the_twin_worlds_catch_one_scope_id_for_two_scopes_in_postgresql(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = Address.scope_id
    monkeypatch.setenv("REMEM_STORE", database_url())
    monkeypatch.setattr(Address, "scope_id", lambda self, scope: own(self, scope and "main"))
    monkeypatch.setattr(remem.app.stores, "claim_scope", lambda _store, _scope: None)

    play_until_caught(ALPHA)


def test_the_twin_worlds_catch_one_folder_of_files_for_two_scopes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = Layout.domains
    monkeypatch.setattr(Layout, "domains", lambda self, _scope: own(self, MAIN_SCOPE))

    play_until_caught(BETA)


@pytest.mark.slow
def test_the_twin_worlds_catch_one_index_of_files_for_two_scopes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = Layout.passages
    monkeypatch.setattr(Layout, "passages", lambda self, _scope: own(self, MAIN_SCOPE))

    play_until_caught(MAIN)


@pytest.mark.slow
def test_the_twin_worlds_catch_a_refresh_that_reads_everybodys_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = remem.search.refresh.reading.memory_files  # type: ignore[attr-defined]

    def everybodys(layout: Layout, scope: Scope, *rest: Any) -> Iterator[MemoryFile]:
        yield from own(layout, scope, *rest)
        yield from own(layout, MAIN_SCOPE if scope != MAIN_SCOPE else Scope("group", "alpha"))

    monkeypatch.setattr(remem.search.refresh.reading, "memory_files", everybodys)

    play_until_caught(BETA)
    play_until_caught(MAIN)


@pytest.mark.slow
def test_the_twin_worlds_catch_a_gate_that_looks_at_the_path_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = remem.disclose.get.resolve_path  # type: ignore[attr-defined]
    owner = Session("main", "main", "agent:main:main", MAIN_SCOPE, None)
    monkeypatch.setattr(
        remem.disclose.get, "resolve_path", lambda _session, *rest: own(owner, *rest)
    )

    play_until_caught(PEER)


def visit_spaces(low: str) -> None:
    """A short game that is about spaces alone; random ones find the same, but take minutes."""
    game = Twins(low)
    try:
        game.others_use_a_space(text="the gateway", grantee="agent:research")
        game.look_into_spaces(query="gateway", spaces=None)
        game.store_in_a_space(text="the gateway", space=DARK)
        game.a_space_of_everybody_is_deleted_again(text="the gateway")
        game.look_into_spaces(query="gateway", spaces=[DARK])
        game.store_in_a_space(text="the gateway", space=DARK)
        game.nothing_leaks()
    finally:
        game.teardown()


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
@pytest.mark.parametrize("low", [PEER, SUBAGENT])
def test_a_session_notices_nothing_of_a_space_that_is_denied_or_was_deleted(
    low: str, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if store == "postgres":
        monkeypatch.setenv("REMEM_STORE", database_url())

    visit_spaces(low)


def test_the_twin_worlds_catch_a_space_that_everybody_may_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        remem.entries.spaces.listing,
        "permitted_spaces",
        lambda _session, grants: {grant.space: "read" for grant in grants.spaces},
    )

    with pytest.raises(AssertionError):
        visit_spaces(SUBAGENT)


def test_the_twin_worlds_catch_an_error_that_knows_the_names_of_spaces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = SpaceService.require_level

    def telling(self: SpaceService, space: str, level: Any) -> Any:
        if space in self.space_list.read().listed:
            raise NotAllowed(f"{space} is not yours")
        return own(self, space, level)

    monkeypatch.setattr(SpaceService, "require_level", telling)

    with pytest.raises(AssertionError):
        visit_spaces(PEER)


def test_the_twin_worlds_catch_a_deletion_that_leaves_the_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(remem.app.services.sharing, "remove_space_files", lambda *_: ())

    with pytest.raises(AssertionError):
        visit_spaces(PEER)


def test_a_canary_is_seen_in_any_dress() -> None:
    canary = "qwertzuiopasdfghjkly"

    assert betrayed(f"it says {canary}", canary)
    assert betrayed(canary.upper(), canary)
    assert betrayed("ｑｗｅｒｔｚｕｉｏｐａｓｄｆ", canary)
    assert all(betrayed(b64encode(b"!" * n + canary.encode()).decode(), canary) for n in range(9))
    assert not betrayed("qwertz and uiopas are parts that say too little", canary)
