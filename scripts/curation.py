"""Let an agent curate real workspaces, and measure what its verdicts did to their indexes.

    python scripts/curation.py prepare --data PREPARED --out FOLDER NAME…
    python scripts/curation.py agent FOLDER/NAME [VERDICTS.json] [--token-budget N]
    python scripts/curation.py accept FOLDER/NAME…
    REMEM_REAL=REAL python scripts/curation.py score --data PREPARED FOLDER/NAME…

`prepare` copies prepared workspaces and migrates the copies. `agent` prints what `memory_curate`
answers an agent: the next items or, with verdicts, their outcomes. It adds the tokens of both to
FOLDER/NAME.tokens. `accept` accepts what the agent proposed, as the owner. `score` compares the
index with the one without verdicts, in a temporary copy. REAL is the folder with the scorer and its
labels, which are not part of this project; only figures are printed.
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
from remem.search.answer.answer import answer_text


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
                    memory.curation.undo()
                except InvalidInput:
                    return memory.index().text


def prepare(args: argparse.Namespace) -> None:
    for name in args.names:
        copy = shutil.copytree(args.data / name, args.out / name, symlinks=True)
        with open_workspace(copy, background=False) as memory:
            memory.setup.migrate()
        print(copy)


def agent(args: argparse.Namespace) -> None:
    given = args.verdicts.read_text("utf-8") if args.verdicts else ""
    verdicts = json.loads(given) if given else []
    with open_workspace(args.workspace, trust="agent", background=False) as memory:
        answer = answer_text(memory.curate(verdicts, token_budget=args.token_budget))
        spent = memory.services.resources.counter.count(answer + given)
    print(answer)
    with args.workspace.with_suffix(".tokens").open("a", encoding="utf-8") as log:
        log.write(f"{spent}\n")


def accept(args: argparse.Namespace) -> None:
    for workspace in args.workspaces:
        with open_workspace(workspace, background=False) as memory:
            done = memory.curation.accept()
        print(f"{workspace.name}: {len(done.applied)} applied, {len(done.refused)} refused")


def score(args: argparse.Namespace) -> None:
    real = Path(os.environ["REMEM_REAL"])
    scorer = load_scorer(real)
    totals: dict[str, dict[str, int]] = {"before": {}, "after": {}}
    spent = 0
    for workspace in args.workspaces:
        label = json.loads((real / "labels" / f"{workspace.name}.json").read_text("utf-8"))
        files = scorer.Files(args.data / workspace.name)
        with open_workspace(workspace, background=False) as memory:
            after = memory.index().text
            answers = len(
                [one for one in memory.curation.verdicts().verdicts if one.state == "applied"]
            )
        log = workspace.with_suffix(".tokens")
        tokens = sum(map(int, log.read_text("utf-8").split())) if log.exists() else 0
        spent += tokens
        print(f"{workspace.name}: {answers} verdicts, {tokens:,} tokens")
        for name, text in (("before", index_without_verdicts(workspace)), ("after", after)):
            figures = scorer.index_part(files, label, text)
            print_figures(name, figures)
            for key in ("must_items", "must_present", "lines", "noise"):
                totals[name][key] = totals[name].get(key, 0) + figures[key]
    print(f"all workspaces, {spent:,} tokens")
    for name, figures in totals.items():
        print_figures(name, figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    preparing = commands.add_parser("prepare", help="copy and migrate prepared workspaces")
    preparing.add_argument("names", nargs="+")
    preparing.add_argument("--data", type=Path, required=True)
    preparing.add_argument("--out", type=Path, required=True)
    preparing.set_defaults(run=prepare)
    curating = commands.add_parser("agent", help="print the next items, or give verdicts")
    curating.add_argument("workspace", type=Path)
    curating.add_argument("verdicts", type=Path, nargs="?")
    curating.add_argument("--token-budget", type=int, default=8_000)
    curating.set_defaults(run=agent)
    accepting = commands.add_parser("accept", help="accept all proposals, as the owner")
    accepting.add_argument("workspaces", nargs="+", type=Path)
    accepting.set_defaults(run=accept)
    scoring = commands.add_parser("score", help="print must-know and noise, before and after")
    scoring.add_argument("workspaces", nargs="+", type=Path)
    scoring.add_argument("--data", type=Path, required=True)
    scoring.set_defaults(run=score)
    args = parser.parse_args()
    args.run(args)


def print_figures(name: str, figures: dict[str, int]) -> None:
    present, items = figures["must_present"], figures["must_items"]
    noise, lines = figures["noise"], figures["lines"]
    print(
        f"  {name:7} must-know {present} of {items} ({present / items:.0%})"
        f"   noise {noise} of {lines} lines ({noise / max(1, lines):.0%})"
    )


if __name__ == "__main__":
    main()
