"""Measure what verdicts did to the indexes of curated workspaces.

    REMEM_REAL=FOLDER python scripts/curation.py --data PREPARED WORKSPACE…

Each WORKSPACE is a migrated copy of one of the prepared workspaces, with the same name, whose index
was curated with `remem curate` or `memory_curate` and accepted. For comparison, all verdicts are
undone in a temporary copy. REMEM_REAL names the folder with the scorer and its labels, which are
not part of this project. Only figures are printed.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from remem import open_workspace
from remem.errors import InvalidInput


def load_scorer(folder: Path) -> Any:
    spec = importlib.util.spec_from_file_location("score", folder / "score.py")
    if spec is None or spec.loader is None:
        raise SystemExit(f"{folder} has no score.py")
    scorer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(scorer)
    return scorer


def index_without_verdicts(workspace: Path) -> str:
    """The index as it would be if nobody had judged it."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(workspace, Path(folder, workspace.name), symlinks=True)
        with open_workspace(copy, background=False) as memory:
            while True:
                try:
                    memory.undo_verdict()
                except InvalidInput:
                    return memory.index().text


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("workspaces", nargs="+", type=Path)
    parser.add_argument("--data", type=Path, required=True)
    args = parser.parse_args()
    real = Path(os.environ["REMEM_REAL"])
    scorer = load_scorer(real)
    totals: dict[str, dict[str, int]] = {"before": {}, "after": {}}
    for workspace in args.workspaces:
        label = json.loads((real / "labels" / f"{workspace.name}.json").read_text("utf-8"))
        files = scorer.Files(args.data / workspace.name)
        with open_workspace(workspace, background=False) as memory:
            after = memory.index().text
            answers = len([one for one in memory.verdicts().verdicts if one.state == "applied"])
        print(f"{workspace.name}: {answers} verdicts")
        for name, text in (("before", index_without_verdicts(workspace)), ("after", after)):
            figures = scorer.index_part(files, label, text)
            print_figures(name, figures)
            for key in ("must_items", "must_present", "lines", "noise"):
                totals[name][key] = totals[name].get(key, 0) + figures[key]
    print("all workspaces")
    for name, figures in totals.items():
        print_figures(name, figures)


def print_figures(name: str, figures: dict[str, int]) -> None:
    present, items = figures["must_present"], figures["must_items"]
    noise, lines = figures["noise"], figures["lines"]
    print(
        f"  {name:7} must-know {present} of {items} ({present / items:.0%})"
        f"   noise {noise} of {lines} lines ({noise / max(1, lines):.0%})"
    )


if __name__ == "__main__":
    main()
