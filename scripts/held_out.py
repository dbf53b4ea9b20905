"""How far do the figures flatter? Conversations ranked by weights that were chosen without them.

REMEM_BENCH=FOLDER python scripts/held_out.py FILE… [--first N] [--keyword-only] [--notes]
                                          [--merge] [--leave-out CATEGORY] [--cache FOLDER]

The data (JSON Lines, not part of this project) is what `remem bench retrieval` reads. Of each
file a table: the weights as they are, those chosen without the conversation, and what each
signal's weight would be multiplied by, with how much that varies between the parts.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from bench.held_out import measure
from bench.retrieval import Task
from bench.subjects import Models, Setting
from bench.vector_cache import CachedVectors
from remem.app.environment import choose_embedders
from remem.config import Config


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--first", type=int, help="so many conversations of each")
    parser.add_argument("--keyword-only", action="store_true", help="without a model")
    parser.add_argument("--notes", action="store_true", help="who said a turn is not known")
    parser.add_argument("--merge", action="store_true", help="all conversations in one memory")
    parser.add_argument("--leave-out", action="append", default=[], metavar="CATEGORY")
    parser.add_argument("--cache", metavar="FOLDER", help="keep vectors here for the next run")
    options = parser.parse_args()
    folder = Path(os.environ.get("REMEM_BENCH", "."))
    setting = Setting(keyword_only=options.keyword_only, notes=options.notes)
    models = None if options.keyword_only else _models(options.cache)
    left_out = frozenset(options.leave_out)
    for name in options.files:
        task = Task(folder / name, setting, options.merge, None, options.first, left_out)
        found = measure(task, models, lambda what, *_: print(what, file=sys.stderr))
        print("\n".join(table(found)))


def _models(cache: str | None) -> Models:
    models = choose_embedders(Config())[0]
    if not models:
        sys.exit("there is no model here: `remem models fetch minilm`, or --keyword-only")
    return [CachedVectors(model, Path(cache)) for model in models] if cache else models


def table(found: dict[str, Any]) -> list[str]:
    """The figures of one file, as a reader of Markdown wants them."""
    names = list(found["table"])
    rows = {"the weights as they are": found["table"], "chosen without it": found["held_out"]}
    return [
        f"{found['data']}: {found['questions']} questions in {found['folds']} parts",
        "",
        "| weights | " + " | ".join(names) + " |",
        "|---|" + "--:|" * len(names),
        *(
            f"| {row} | " + " | ".join(f"{figures[name]:.1f}" for name in names) + " |"
            for row, figures in rows.items()
        ),
        "| difference | " + " | ".join(_difference(found["difference"][n]) for n in names) + " |",
        "",
        "each weight times: "
        + ", ".join(
            f"{signal} {each['mean']:.2f} ± {each['sd']:.2f}"
            for signal, each in found["factors"].items()
        ),
    ]


def _difference(each: dict[str, Any]) -> str:
    low, high = each["ci95"]
    return f"{each['mean']:+.1f} [{low:.1f}, {high:.1f}]"


if __name__ == "__main__":
    main()
