"""Kills of the PostgreSQL server and of its clients: what was acknowledged is there, once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.errors import StoreError
from remem.ports.records import Where
from remem.store.postgres.address import parse_address
from remem.store.postgres.store import PostgresStore
from tests.postgres import PASSWORD, Server, create_database, database_url
from tests.store.sqlite.sample import entry, put

pytestmark = pytest.mark.kill

WRITER = """
import sys
from remem.store.postgres.address import parse_address
from remem.store.postgres.store import PostgresStore
from tests.store.sqlite.sample import entry, put
store = PostgresStore(parse_address(sys.argv[1], sys.argv[2]), "main", "here")
number = 0
while True:
    number += 1
    print(put(store, entry(f"Number {number}.", id=f"mem-k{number:07}")).id, flush=True)
"""


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.remove()


def test_writes_go_on_after_the_server_was_killed_and_none_is_lost_or_doubled(
    server: Server,
) -> None:
    url = create_database(server.url, "killed")
    store = PostgresStore(parse_address(url, "w"), "main", "here")
    acknowledged: list[str] = []
    refused: list[str] = []
    done = threading.Event()

    def write() -> None:
        number = 0
        while not done.is_set():
            number += 1
            try:
                acknowledged.append(put(store, entry(f"Number {number}.")).id)
            except StoreError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for written in (10, 20):
        wait_until(lambda least=written: len(acknowledged) >= least)
        server.kill()
        server.start()
    wait_until(lambda: len(acknowledged) >= 30)
    done.set()
    for thread in threads:
        thread.join()
    with store.read() as snapshot:
        ids = snapshot.ids()
        assert set(acknowledged) <= set(ids)
        assert len(ids) == len(set(ids)) <= len(acknowledged) + len(refused)
        assert [item.id for item in snapshot.select(Where(state="any"))] == ids
    assert not any(PASSWORD in reason for reason in refused)
    store.close()


def wait_until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.05)


def test_without_the_server_files_are_searched_and_the_reason_is_named(
    server: Server, tmp_path: Path
) -> None:
    url = create_database(server.url, "stopped") + "&workspace=x"
    with opened(tmp_path, url) as workspace:
        workspace.store(category="fact", content="The build runs in the cellar.")
    server.kill()
    try:
        with opened(tmp_path, url) as workspace:
            with pytest.raises(StoreError, match="cannot be reached") as caught:
                workspace.store(category="fact", content="Another fact.")
            assert PASSWORD not in str(caught.value)
            assert workspace.search("cellar").results
            degraded = workspace.status().health.degraded
            assert any("cannot be reached" in reason for reason in degraded)
    finally:
        server.start()
    with opened(tmp_path, url) as workspace:
        assert [found.content for found in workspace.entries()] == ["The build runs in the cellar."]


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_client_loses_nothing_it_was_told_and_blocks_nobody(seed: int) -> None:
    name = f"client-{os.getpid()}-{seed}"
    program = subprocess.Popen(
        [sys.executable, "-c", WRITER, database_url(), name], stdout=subprocess.PIPE, text=True
    )
    told = [program.stdout.readline().strip() for _ in range(5 + seed)]
    time.sleep(Random(seed).random() * 0.02)
    os.kill(program.pid, signal.SIGKILL)
    told += program.stdout.read().split()
    program.wait()
    program.stdout.close()
    store = PostgresStore(parse_address(database_url(), name), "main", "here")
    with store.read() as snapshot:
        found = snapshot.ids()
    assert set(told) <= set(found)
    assert len(found) <= len(told) + 1
    put(store, entry("The next one."))  # the lock of the killed client is gone
    store.close()


COPY = "import sys; from remem.cli.main import main; sys.exit(main())"
ENTRIES = 300


@pytest.mark.parametrize("seed", [1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3, 4))])
def test_a_killed_copy_is_finished_by_the_next_one_in_both_directions(
    tmp_path: Path, seed: int
) -> None:
    url = f"{database_url()}&workspace=copy-{os.getpid()}-{seed}"
    with opened(tmp_path, "sqlite") as workspace:
        workspace.store_many(
            {"category": "fact", "content": f"Fact {number} of {number % 7}."}
            for number in range(ENTRIES)
        )
        before = list(workspace.export())

    copy_killed(tmp_path, "sqlite", url, seed, ENTRIES)
    with opened(tmp_path, url) as workspace:
        assert list(workspace.export()) == before
        workspace.store(category="fact", content="Only in PostgreSQL.")
        after = list(workspace.export())

    copy_killed(tmp_path, url, "sqlite", seed, ENTRIES + 1)
    with opened(tmp_path, "sqlite") as workspace:
        assert list(workspace.export()) == after


def opened(folder: Path, store: str) -> Workspace:
    environment = {"REMEM_STORE": store, "HOME": str(folder)}
    return open_workspace(folder, background=False, keywords_only=True, environment=environment)


def copy_killed(folder: Path, source: str, target: str, seed: int, entries: int) -> None:
    """Copy a workspace's entries; the first attempt is killed."""
    environment = {**os.environ, "REMEM_WORKSPACE": str(folder), "REMEM_STORE": source}
    command = [sys.executable, "-c", COPY, "copy", "--to", target]
    killed = subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(0.8 + Random(seed).random())
    killed.kill()
    killed.wait()
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert f"{entries} entries" in again.stdout
    assert PASSWORD not in again.stdout + again.stderr
