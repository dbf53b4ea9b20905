"""Measure remem on real people's workspaces, which are not part of this repository.

REMEM_REAL=FOLDER python scripts/real_workspaces.py WORKSPACES [--parts search …]

FOLDER holds the scorer, `score.py`, and its labels; WORKSPACES the prepared workspaces. The scorer
copies each of them, runs `remem init`, `migrate` and `index` on the copy, and prints figures only.
Further arguments are passed on to it; without `--parts` it measures the index. With the part
`migrate`, the figures of MEMORY.md and USER.md alone follow. `--halves` prints the index of every
second workspace and of the others: a change that helps only one half fits single workspaces.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

_USAGE = (
    "usage: REMEM_REAL=FOLDER python scripts/real_workspaces.py WORKSPACES "
    "[--parts search …] [--halves]"
)


def main(arguments: Sequence[str]) -> int:
    """The scorer's exit code, or 2 with the reason why it was not run."""
    if "--help" in arguments:
        print(_USAGE)
        return 0
    given = os.environ.get("REMEM_REAL")
    if not given:
        return _refused("REMEM_REAL does not name the folder of the scorer")
    scorer = Path(given) / "score.py"
    if not scorer.is_file():
        return _refused(f"REMEM_REAL names {given}, which has no score.py")
    if not arguments or not Path(arguments[0]).is_dir():
        return _refused(f"{arguments[0] if arguments else 'WORKSPACES'} is not a folder")
    data, *rest = (argument for argument in arguments if argument != "--halves")
    parts = [] if "--parts" in rest else ["--parts", "index"]
    remem = Path(sys.executable).with_name("remem")
    with TemporaryDirectory() as folder:
        details, figures = Path(folder, "details.json"), Path(folder, "figures.json")
        command = [sys.executable, scorer, "--remem", remem, "--data", data, *parts, *rest]
        command += ["--details", details]
        if "--halves" in arguments and "--json" not in rest:
            command += ["--json", figures]
        done = subprocess.run(command, check=False)  # noqa: S603 - the scorer that the caller named
        if details.is_file():
            _show_curated(json.loads(details.read_text(encoding="utf-8"))["migration"])
        if figures.is_file():
            _show_halves(json.loads(figures.read_text(encoding="utf-8"))["workspaces"])
    return done.returncode


def _show_curated(lines: Sequence[dict[str, object]]) -> None:
    """Print the figures of the labelled lines in MEMORY.md and USER.md."""
    curated = [line for line in lines if line["curated"]]
    durable = [line["right"] for line in curated if line["category"] != "none"]
    worthless = [line["taken"] for line in curated if line["category"] == "none"]
    for name, values in (
        ("category right, MEMORY.md and USER.md", durable),
        ("'none' lines that became entries, there", worthless),
    ):
        if values:
            print(f"  {name:<42}{len(values):>4}   {sum(map(bool, values)) / len(values):5.2f}")


def _show_halves(workspaces: dict[str, dict[str, dict[str, int]]]) -> None:
    """Print the figures of the index for every second workspace, and for the others."""
    measured = [one["index"] for _, one in sorted(workspaces.items()) if "index" in one]
    for name, half in (("first, third …", measured[::2]), ("second, fourth …", measured[1::2])):
        if half:
            must = sum(one["must_present"] for one in half), sum(one["must_items"] for one in half)
            noise = sum(one["noise"] for one in half) / max(1, sum(one["lines"] for one in half))
            print(f"  index, {name:<20} must-know {must[0]} of {must[1]}   noise {noise:.2f}")


def _refused(reason: str) -> int:
    print(f"{reason}\n{_USAGE}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
