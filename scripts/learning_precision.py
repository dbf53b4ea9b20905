"""Measure on labelled lines how good learning from notes and conversations is.

    python scripts/learning_precision.py list WORKSPACE… --bench FOLDER --out ITEMS --key KEY
    python scripts/learning_precision.py score ITEMS LABELS KEY
    python scripts/learning_precision.py conversations --bench FOLDER --out SAMPLE.jsonl

`list` writes what remem learns as entries from the notes of the workspaces and from conversations,
shuffled together with lines that it leaves: `id`, `text`, `file kind` and `context`, separated by
tabs. The context is the heading of a line, or the turn of a conversation. The reader who labels
them sees neither which were taken nor why; that is in KEY. `score` reads labels (`id`, then `y`,
`n` or `?`) and prints precision and recall with 95 % intervals.

`conversations` writes only what is learned from conversations, as JSON Lines with `id`, `text` and
`context`, which is the whole turn: a sample for a blind reader, without any verdict.

FOLDER has conversations as JSON Lines (`*_dev.jsonl.gz`). Workspaces and conversations are not
part of this project, and neither are the lists.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

from remem.extract.conversation import learn
from remem.extract.rules import Rules
from remem.files.layout import Layout
from remem.model.authorship.turn import foreign_lines
from remem.model.entry import PATH_SEPARATOR
from remem.model.lesson import Utterance
from remem.model.statement import ExtractedStatement, SourceDocument, keep_grounded
from remem.setup.migrate.sources import files_to_migrate, read_sources
from remem.text.note_dates import iso_date_in_name

_TODAY = "2026-11-18"
_MAX_TEXT = 400
_SEED = 20261118
_MAX_TURN = 2_000


@dataclass(frozen=True, slots=True)
class Line:
    """A line that may be learned; `group` says how it was treated and where it is from."""

    text: str
    kind: str
    heading: str
    group: str
    workspace: str


def lines_of_notes(root: Path) -> Iterator[Line]:
    """All statements in the notes of a workspace, as migration and heartbeat read them."""
    for source in read_sources(files_to_migrate(Layout(root), []), []):
        if source.is_curated:
            continue
        foreign = foreign_lines(source.text)
        for statement in (
            Rules().extract(SourceDocument(source.path, source.text, _TODAY)).statements
        ):
            taken = statement.noise is None and foreign.keys().isdisjoint(statement.lines)
            kind = "daily note" if iso_date_in_name(source.path) else "topic file"
            group = f"{kind}, {'taken' if taken else _why_left(statement)}"
            yield Line(statement.content, kind, _heading(statement), group, root.name)


def _why_left(statement: ExtractedStatement) -> str:
    return "offered" if statement.likely else "left"


def _heading(statement: ExtractedStatement) -> str:
    context = (statement.context or "").split("\n")[0]
    return PATH_SEPARATOR.join(context.split(PATH_SEPARATOR)[1:][-2:])


def lines_of_conversations(file: Path) -> Iterator[Line]:
    """What is learned without review from the turns of people, and the other short turns."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for conversation in map(json.loads, lines):
            for turn in conversation["turns"]:
                if turn["role"] != "assistant" and len(turn["text"]) <= _MAX_TURN:
                    yield from _lines_of_turn(turn, file.name.split("_")[0])


def _lines_of_turn(turn: dict[str, str], name: str) -> Iterator[Line]:
    text = " ".join(turn["text"].split())
    utterance = Utterance("user", text, "talk", 1, multiline=turn["text"])
    lessons = keep_grounded(learn([utterance]), [utterance]).lessons
    for lesson in lessons:
        yield Line(lesson.text, "conversation", text, "conversation, taken", name)
    if not lessons:
        yield Line(text, "conversation", text, "conversation, left", name)


def write_conversations(args: argparse.Namespace) -> None:
    """Write a sample of what is learned, evenly over the data sets, with the turn of each."""
    draw = random.Random(args.seed)
    files = sorted(args.bench.glob("*_dev.jsonl.gz"))
    chosen: list[tuple[str, str]] = []
    for number, file in enumerate(files):
        share = (args.size - len(chosen)) // (len(files) - number)
        found = sorted(set(_learned_with_turns(file)))
        chosen += draw.sample(found, min(share, len(found)))
    draw.shuffle(chosen)
    rows = [
        json.dumps({"id": number, "text": text, "context": turn}, ensure_ascii=False)
        for number, (text, turn) in enumerate(chosen, 1)
    ]
    args.out.write_text("\n".join(rows) + "\n", encoding="utf-8")
    print(f"{len(rows)} extractions")


def _learned_with_turns(file: Path) -> Iterator[tuple[str, str]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for conversation in map(json.loads, lines):
            for turn in conversation["turns"]:
                if turn["role"] != "assistant" and len(turn["text"]) <= _MAX_TURN:
                    for line in _lines_of_turn(turn, file.name):
                        if line.group.endswith("taken"):
                            yield line.text, " ".join(turn["text"].split())


def sample(lines: Iterable[Line], sizes: dict[str, int], draw: random.Random) -> list[Line]:
    """At most so many different lines of each group, drawn evenly over the workspaces."""
    groups: dict[str, dict[str, list[Line]]] = {}
    for line in {" ".join(line.text.split()): line for line in lines}.values():
        groups.setdefault(line.group, {}).setdefault(line.workspace, []).append(line)
    chosen: list[Line] = []
    for group, by_workspace in groups.items():
        size = sizes[group.rpartition(", ")[2]]
        size = min(size, sizes["conversations"]) if group.startswith("conversation") else size
        pools = [draw.sample(pool, len(pool)) for pool in by_workspace.values()]
        for at in range(max(map(len, pools))):
            chosen += [pool[at] for pool in pools if at < len(pool)][: max(0, size)]
            size -= sum(at < len(pool) for pool in pools)
    draw.shuffle(chosen)
    return chosen


def write_lists(args: argparse.Namespace) -> None:
    lines = [line for root in args.workspaces for line in lines_of_notes(root)]
    if args.bench:
        for file in sorted(args.bench.glob("*_dev.jsonl.gz")):
            lines += lines_of_conversations(file)
    totals = Counter(line.group for line in lines)
    sizes = {"taken": args.taken, "offered": args.left, "left": args.left}
    sizes["conversations"] = args.conversations
    chosen = sample(lines, sizes, random.Random(_SEED))
    rows = [
        f"{number}\t{_cell(line.text)}\t{line.kind}\t{_cell(line.heading)}"
        for number, line in enumerate(chosen, 1)
    ]
    args.out.write_text("\n".join(rows) + "\n", encoding="utf-8")
    groups = {number: line.group for number, line in enumerate(chosen, 1)}
    args.key.write_text(json.dumps({"groups": groups, "totals": totals}), encoding="utf-8")
    for group, count in sorted(Counter(groups.values()).items()):
        print(f"{group:24} {count:5} of {totals[group]:6}")


def _cell(text: str) -> str:
    return " ".join(text.split())[:_MAX_TEXT]


def score(args: argparse.Namespace) -> None:
    key = json.loads(args.key.read_text(encoding="utf-8"))
    labels = dict(_labels(args.labels))
    totals: dict[str, int] = key["totals"]
    by_group: dict[str, list[str]] = {}
    for number, group in key["groups"].items():
        if number in labels:
            by_group.setdefault(group, []).append(labels[number])
    taken = [(group, found) for group, found in sorted(by_group.items()) if group.endswith("taken")]
    for group, found in [*taken, ("all, taken", [one for _, some in taken for one in some])]:
        _print_share(f"precision, {group.split(',')[0]}", found)
    for group, found in sorted(by_group.items()):
        if not group.endswith("taken"):
            _print_share(f"lasting among {group}", found)
    for kind in ("daily note", "topic file", "conversation"):
        lasting = {
            group: totals[group] * sum(label == "y" for label in found) / len(found)
            for group, found in by_group.items()
            if group.startswith(kind)
        }
        if total := sum(lasting.values()):
            share = lasting.get(f"{kind}, taken", 0.0) / total
            print(f"recall, {kind}: {share:.0%} of an estimated {total:,.0f} lasting lines")


def _labels(path: Path) -> Iterator[tuple[str, str]]:
    for row in path.read_text(encoding="utf-8").splitlines():
        number, label, *_ = row.split("\t")
        yield number, label.strip().lower()[:1]


def _print_share(name: str, found: Sequence[str]) -> None:
    right, doubtful = found.count("y"), found.count("?")
    low, high = interval(right, len(found))
    doubt = f", {doubtful} doubtful" if doubtful else ""
    print(
        f"{name}: {right} of {len(found)}{doubt} = {right / len(found):.1%} [{low:.1%}, {high:.1%}]"
    )


def interval(right: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share."""
    z = 1.96
    middle = (right + z * z / 2) / (total + z * z)
    spread = z * sqrt(right * (total - right) / total + z * z / 4) / (total + z * z)
    return middle - spread, middle + spread


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    listing = commands.add_parser("list", help="write a list to label, and its key")
    listing.add_argument("workspaces", nargs="+", type=Path)
    listing.add_argument("--bench", type=Path)
    listing.add_argument("--out", type=Path, required=True)
    listing.add_argument("--key", type=Path, required=True)
    listing.add_argument("--taken", type=int, default=10_000)
    listing.add_argument("--left", type=int, default=30)
    listing.add_argument("--conversations", type=int, default=150)
    listing.set_defaults(run=write_lists)
    scoring = commands.add_parser("score", help="print precision and recall of labels")
    scoring.add_argument("items", type=Path)
    scoring.add_argument("labels", type=Path)
    scoring.add_argument("key", type=Path)
    scoring.set_defaults(run=score)
    talks = commands.add_parser("conversations", help="write what is learned, for a blind reader")
    talks.add_argument("--bench", type=Path, required=True)
    talks.add_argument("--out", type=Path, required=True)
    talks.add_argument("--size", type=int, default=160)
    talks.add_argument("--seed", type=int, default=_SEED)
    talks.set_defaults(run=write_conversations)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
