"""Write a sample workspace, the same for the same seed.

    python scripts/make_sample.py ROOT [--kind KIND] [--size BYTES] [--notes N] [--seed N]
    python scripts/make_sample.py ROOT --questions

ROOT must be a new or empty folder. `--questions` prints questions about an existing sample, one
JSON object per line, each with the line that answers it.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests import samples  # noqa: E402 - the tests lie beside this folder

LANGUAGES = {
    "grown": samples.grown,
    "chinese": samples.chinese,
    "japanese": samples.japanese,
    "russian": samples.russian,
    "mixed": samples.mixed,
}
KINDS = (*LANGUAGES, "agents", "transcripts")


def make(root: Path, kind: str, size: int | None, notes: int | None, seed: int) -> None:
    """The sample of that kind at `root`; size and notes as that kind has them by default."""
    if kind == "agents":
        samples.thirty_agents(root, seed=seed)
    elif kind == "transcripts":
        samples.transcripts(root, seed=seed)
    else:
        chosen = {"size": size, "note_count": notes}
        given = {name: value for name, value in chosen.items() if value is not None}
        LANGUAGES[kind](root, seed=seed, **given)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("root", type=Path)
    parser.add_argument("--kind", choices=KINDS, default="grown")
    parser.add_argument("--size", type=int, help="bytes of MEMORY.md: 0, 400, 3000, 25000, 60000")
    parser.add_argument("--notes", type=int, help="number of notes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--questions", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.questions:
        for question in samples.questions(asked.root, asked.seed):
            print(json.dumps(asdict(question), ensure_ascii=False))
        return 0
    if asked.root.exists() and (not asked.root.is_dir() or any(asked.root.iterdir())):
        print(f"{asked.root} is not an empty folder; name a new one", file=sys.stderr)
        return 1
    make(asked.root, asked.kind, asked.size, asked.notes, asked.seed)
    files = sum(1 for path in asked.root.rglob("*") if path.is_file())
    print(f"{asked.root}: {files} files, kind {asked.kind}, seed {asked.seed}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
