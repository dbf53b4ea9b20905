"""Run hostile graph queries and report what they cost and whether they left the graph.

python scripts/hostile_queries.py [--stored]

The queries run on a graph in memory or, with `--stored`, on that of a workspace, as an agent's do.
Each query has the limit of one second. Time is processor time, so that other programs on the
machine do not count. If strace is installed, the system calls for files, network and processes that
were made between the first and the last query are counted; there should be none. On a stored graph,
those that only name the workspace do not count: each query looks there for changed files.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import process_time
from typing import Any, Final

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from remem import open_workspace  # noqa: E402
from remem.errors import RememError  # noqa: E402
from remem.graph.cypher.limits import Limits  # noqa: E402
from remem.graph.cypher.run import run_query  # noqa: E402
from tests.hostile.queries import hostile_queries  # noqa: E402
from tests.memory_graph import MemoryGraph  # noqa: E402

_BEGIN, _END = "/remem-begin", "/remem-end"
_PREFIX: Final = "remem-hostile-"

RunQuery = Callable[[str, Mapping[str, Any]], object]


def make_graph(nodes: int = 300, edges: int = 1_200) -> MemoryGraph:
    graph = MemoryGraph()
    ids = [
        graph.add_node({"Memory"}, {"name": f"n{n}", "folded": f"n{n}"}).id for n in range(nodes)
    ]
    for n in range(edges):
        graph.connect(ids[n % nodes], "MENTIONS", ids[(7 * n + 3) % nodes], {"record": "x"})
    return graph


@contextmanager
def query_runner(*, stored: bool) -> Iterator[RunQuery]:
    """Yield a function that runs a query on a graph in memory or on that of a new workspace."""
    if not stored:
        graph = make_graph()
        yield lambda query, parameters: run_query(graph, query, parameters)
        return
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as folder:
        root = Path(folder)
        _make_workspace(root)
        with open_workspace(root) as workspace:
            yield lambda query, parameters: workspace.graph.query(query, params=parameters)


def _make_workspace(root: Path) -> None:
    open_workspace(root).close()
    (root / ".remem/config.toml").write_text('embedder = "none"\n')
    with open_workspace(root) as workspace:
        workspace.store_many(
            {"category": "fact", "content": f"[[n{n}]] leads to [[n{(7 * n + 3) % 300}]]"}
            for n in range(300)
        )


def run_all(*, stored: bool) -> int:
    """Run every query; returns 1 if one crashed or ran for too long."""
    limit = Limits().seconds
    queries = list(hostile_queries())
    outcomes: Counter[str] = Counter()
    slowest = (0.0, "")
    with query_runner(stored=stored) as run:
        run("MATCH (n) RETURN n LIMIT 1", {})
        os.access(_BEGIN, os.F_OK)
        for query, parameters in queries:
            start = process_time()
            try:
                run(query, parameters)
                outcomes["answered"] += 1
            except RememError as error:
                outcomes[type(error).__name__] += 1
            except Exception as error:  # noqa: BLE001 - a crash is a result
                outcomes["crashed"] += 1
                print(f"crashed: {query[:80]!r}: {error!r}", file=sys.stderr)
            slowest = max(slowest, (process_time() - start, query))
        os.access(_END, os.F_OK)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    counts = ", ".join(f"{count} {name}" for name, count in outcomes.most_common())
    print(f"{len(queries)} queries: {counts}")
    longest, query = slowest
    print(f"longest: {longest / limit:.2f} of the time limit, {query[:80]!r}")
    print(f"memory of the process: {memory} MB")
    return 1 if outcomes["crashed"] or longest > 1.2 * limit else 0


def traced_calls(*, stored: bool) -> list[str] | None:
    """Return the system calls that left the graph during the queries; None without strace."""
    strace = shutil.which("strace")
    if strace is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        options = ["-f", "-e", "trace=%file,%network,%process", "-o", str(trace)]
        command = [strace, *options, sys.executable, __file__, "--once"]
        command += ["--stored"] if stored else []
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)  # noqa: S603
        lines = trace.read_text(errors="replace").splitlines()
    first = next(number for number, line in enumerate(lines) if _BEGIN in line)
    last = next(number for number, line in enumerate(lines) if _END in line)
    return [line for line in lines[first + 1 : last] if _leaves_the_workspace(line)]


def _leaves_the_workspace(call: str) -> bool:
    """Return whether a system call names a path that is neither in nor above the workspace."""
    if "resumed>" in call:  # its path is in the line that began the call
        return False
    paths = re.findall(r'"([^"]*)"', call)
    above = tempfile.gettempdir()
    return not paths or not all(
        path == "" or above.startswith(path) or path.startswith(f"{above}/{_PREFIX}")
        for path in paths
    )


def main(*, once: bool, stored: bool) -> int:
    failed = run_all(stored=stored)
    if once:
        return failed
    calls = traced_calls(stored=stored)
    if calls is None:
        print("strace is not installed: system calls were not counted")
        return failed
    where = " outside the workspace" if stored else ""
    print(f"{len(calls)} system calls for files, network or processes{where} during the queries")
    for call in calls[:10]:
        print(f"  {call}")
    return failed or bool(calls)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--once", action="store_true", help="run the queries without strace")
    parser.add_argument("--stored", action="store_true", help="query the graph of a workspace")
    options = parser.parse_args()
    sys.exit(main(once=options.once, stored=options.stored))
