"""Count what the graphs of real workspaces contain, and how much of it is noise.

    python scripts/graph_content.py count WORKSPACE…
    python scripts/graph_content.py sample WORKSPACE… --out EDGES [--size 120] [--seed 1]
    python scripts/graph_content.py score EDGES LABELS

The workspaces are those of people after `remem init` and `remem migrate`; copies, because the graph
is stored in them. `sample` writes random relationships as lines of `id`, type, start and end,
separated by tabs, for somebody to label: `id`, then `y` if it is true and says something about a
named thing or a memory that is worth finding, and `n` if it is noise. `score` prints the share of
noise by type. Neither workspaces nor lists are part of this project.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from math import sqrt
from pathlib import Path

from remem import open_workspace

_ALL = (
    "MATCH (a)-[r]->(b) RETURN type(r), labels(a), a.name, coalesce(a.text, ''), "
    "labels(b), b.name, coalesce(b.text, '')"
)
_NODES = "MATCH (n) RETURN labels(n)"
_MAX_TEXT = 300


def relationships(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the type of each relationship and its two ends."""
    for type_, labels, name, text, other_labels, other, other_text in _rows(folder, _ALL):
        yield type_, _shown(labels, text or name), _shown(other_labels, other_text or other)


def counts(folders: Sequence[Path]) -> tuple[Counter[str], Counter[str]]:
    """Return how many nodes have each label, and how many relationships each type."""
    labels: Counter[str] = Counter()
    types: Counter[str] = Counter()
    for folder in folders:
        labels.update(label for (names,) in _rows(folder, _NODES) for label in names)
        types.update(type_ for type_, *_ in relationships(folder))
    return labels, types


def _rows(folder: Path, query: str) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    with open_workspace(folder, keywords_only=True, background=False) as memory:
        while page := memory.graph.query(
            f"{query} SKIP {len(rows)} LIMIT 500", token_budget=100_000
        ).rows:
            rows += page
    return rows


def _shown(labels: Sequence[str], text: str) -> str:
    return f"({':'.join(sorted(labels))}) {' '.join(text.split())[:_MAX_TEXT]}"


def sample(folders: Sequence[Path], size: int, seed: int) -> list[tuple[str, str, str]]:
    found = [edge for folder in folders for edge in relationships(folder)]
    return random.Random(seed).sample(found, min(size, len(found)))


def score(edges: Path, labels: Path) -> list[str]:
    """Return a line with the share of noise for each type, and for all of them."""
    types = dict(line.split("\t")[:2] for line in edges.read_text().splitlines())
    verdicts = dict(line.split()[:2] for line in labels.read_text().splitlines() if line.strip())
    by_type: dict[str, list[bool]] = {}
    for id_, verdict in verdicts.items():
        for name in (types[id_], "all"):
            by_type.setdefault(name, []).append(verdict == "n")
    return [
        f"{name:14} {len(noise):>4}  noise {_share(noise)}"
        for name, noise in sorted(by_type.items(), key=lambda item: -len(item[1]))
    ]


def _share(noise: Sequence[bool]) -> str:
    """Return a share with its 95 % interval (Wilson)."""
    size, part = len(noise), sum(noise) / len(noise)
    middle = (part + 1.92 / size) / (1 + 3.84 / size)
    reach = 1.96 * sqrt(part * (1 - part) / size + 0.96 / size**2) / (1 + 3.84 / size)
    return f"{part:.0%} [{max(0, middle - reach):.0%}, {min(1, middle + reach):.0%}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("count", "sample", "score"))
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--size", type=int, default=120)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if given.action == "score":
        print("\n".join(score(*given.paths)))
    elif given.action == "sample":
        edges = enumerate(sample(given.paths, given.size, given.seed), 1)
        lines = ("\t".join((f"e{number}", *edge)) for number, edge in edges)
        given.out.write_text("".join(f"{line}\n" for line in lines))
    else:
        for counted in counts(given.paths):
            print(", ".join(f"{name} {number}" for name, number in counted.most_common()))


if __name__ == "__main__":
    main()
