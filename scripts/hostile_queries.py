"""Run hostile graph queries and report what they cost and whether they left the graph.

python scripts/hostile_queries.py

Each query has the limit of one second. Time is processor time, so that other programs on the
machine do not count. If strace is installed, the system calls for files, network and processes that
were made between the first and the last query are counted; there should be none.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from time import process_time

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from remem.errors import RememError  # noqa: E402
from remem.graph.cypher.limits import Limits  # noqa: E402
from remem.graph.cypher.run import run_query  # noqa: E402
from remem.graph.memory_graph import MemoryGraph  # noqa: E402
from tests.hostile.queries import hostile_queries  # noqa: E402

_BEGIN, _END = "/remem-begin", "/remem-end"


def make_graph(nodes: int = 300, edges: int = 1_200) -> MemoryGraph:
    graph = MemoryGraph()
    ids = [
        graph.add_node({"Memory"}, {"name": f"n{n}", "folded": f"n{n}"}).id for n in range(nodes)
    ]
    for n in range(edges):
        graph.connect(ids[n % nodes], "MENTIONS", ids[(7 * n + 3) % nodes], {"record": "x"})
    return graph


def run_all() -> int:
    """Run every query; returns 1 if one crashed or ran for too long."""
    graph, limit = make_graph(), Limits().seconds
    run_query(graph, "MATCH (n) RETURN n LIMIT 1")
    queries = list(hostile_queries())
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    os.access(_BEGIN, os.F_OK)
    for query, parameters in queries:
        start = process_time()
        try:
            run_query(graph, query, parameters)
            outcomes["answered"] += 1
        except RememError as error:
            outcomes[type(error).__name__] += 1
        except Exception as error:  # noqa: BLE001 - a crash is a result
            outcomes["crashed"] += 1
            print(f"crashed: {query[:80]!r}: {error!r}", file=sys.stderr)
        slowest = max(slowest, process_time() - start)
    os.access(_END, os.F_OK)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    counts = ", ".join(f"{count} {name}" for name, count in outcomes.most_common())
    print(f"{len(queries)} queries: {counts}")
    print(f"longest: {slowest / limit:.2f} of the time limit; memory of the process: {memory} MB")
    return 1 if outcomes["crashed"] or slowest > 1.2 * limit else 0


def traced_calls() -> int | None:
    """Return the number of system calls during the queries; None if strace is missing."""
    strace = shutil.which("strace")
    if strace is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        kinds = "trace=%file,%network,%process"
        command = [strace, "-f", "-e", kinds, "-o", str(trace), sys.executable, __file__, "--once"]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)  # noqa: S603
        lines = trace.read_text(errors="replace").splitlines()
    first = next(number for number, line in enumerate(lines) if _BEGIN in line)
    last = next(number for number, line in enumerate(lines) if _END in line)
    return last - first - 1


def main(*, once: bool) -> int:
    failed = run_all()
    if once:
        return failed
    calls = traced_calls()
    if calls is None:
        print("strace is not installed: system calls were not counted")
        return failed
    print(f"{calls} system calls for files, network or processes during the queries")
    return failed or bool(calls)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--once", action="store_true", help="run the queries without strace")
    sys.exit(main(once=parser.parse_args().once))
