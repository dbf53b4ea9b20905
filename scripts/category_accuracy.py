"""Measure on labelled lines how often the migration rules choose the right category.

python scripts/category_accuracy.py            a table on stdout
python scripts/category_accuracy.py --json     the same figures as JSON
python scripts/category_accuracy.py --wrong    the lines of the first set that went wrong

The first set may be looked at while rules are written. The held-out set is only measured, so
that its figure says what to expect of lines that nobody has seen.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from remem.extract.rules import Rules
from remem.model.statement import Document, Statement
from tests.samples.labelled import CATEGORIES, Labelled, held_out, labelled

_TODAY = "2026-11-16"


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled line and the statement that it became part of."""

    line: Labelled
    statement: Statement | None

    @property
    def category(self) -> str:
        return self.statement.category if self.statement else "none"

    @property
    def right(self) -> bool:
        return self.category == self.line.category


def judged(lines: Sequence[Labelled]) -> list[Judged]:
    """Every line as the extractor sees it: in a file, under its headings and parents."""
    found: list[Judged] = []
    for (_, path), group in groupby(lines, key=lambda each: (each.language, each.path)):
        inside = list(group)
        text, places = _file(inside)
        extraction = Rules().extract(Document(path, text, _TODAY, curated=True))
        by_line = {
            line: statement for statement in extraction.statements for line in statement.lines
        }
        found += [Judged(each, by_line.get(at)) for each, at in zip(inside, places, strict=True)]
    return found


def _file(lines: Sequence[Labelled]) -> tuple[str, list[int]]:
    """The Markdown that the labelled lines were taken from, and the place of each."""
    text: list[str] = []
    places: list[int] = []
    before: tuple[str, ...] = ()
    for line in lines:
        if line.headings != before:
            shared = _shared(before, line.headings)
            for level, title in enumerate(line.headings[shared:], start=shared + 1):
                text += ["", f"{'#' * level} {title}", ""]
            before = line.headings
        text.append(f"{'  ' * len(line.parents)}- {line.text}")
        places.append(len(text))
    return "\n".join(text), places


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many headings both have; at least the last one of the new ones is written again."""
    same = 0
    while same < min(len(one), len(other) - 1) and one[same] == other[same]:
        same += 1
    return same


def figures(found: Iterable[Judged]) -> dict[str, Any]:
    """Accuracy in all, per category and per language, and what was taken for what."""
    every = list(found)
    return {
        "lines": len(every),
        "accuracy": _share(every),
        "by_category": {
            name: {"lines": len(of), "recall": _share(of), "precision": _share(given)}
            for name in CATEGORIES
            if (of := [each for each in every if each.line.category == name])
            and (given := [each for each in every if each.category == name]) is not None
        },
        "by_language": {
            name: _share([each for each in every if each.line.language == name])
            for name in sorted({each.line.language for each in every})
        },
        "confusion": {
            f"{right} as {taken}": number
            for (right, taken), number in Counter(
                (each.line.category, each.category) for each in every if not each.right
            ).most_common()
        },
    }


def _share(found: Sequence[Judged]) -> float:
    return round(sum(each.right for each in found) / len(found), 4) if found else 0.0


def _table(name: str, report: dict[str, Any]) -> Iterator[str]:
    yield f"{name}: {report['accuracy']:.1%} of {report['lines']} lines"
    for category, each in report["by_category"].items():
        yield (
            f"  {category:<12} {each['lines']:>4} lines  found {each['recall']:>6.1%}"
            f"  right when chosen {each['precision']:>6.1%}"
        )
    yield "  " + ", ".join(f"{key} {value:.1%}" for key, value in report["by_language"].items())
    worst = list(report["confusion"].items())[:6]
    yield "  most often: " + ", ".join(f"{pair} ({number})" for pair, number in worst)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--wrong", action="store_true", help="list what went wrong, first set")
    wishes = parser.parse_args()
    known = judged(labelled())
    if wishes.wrong:
        for each in known:
            if not each.right:
                where = " › ".join((*each.line.headings, *each.line.parents))
                why = each.statement.why if each.statement else "left"
                print(
                    f"{each.line.category} as {each.category} ({why}): {where} | {each.line.text}"
                )
        return
    report = {"labelled": figures(known), "held_out": figures(judged(held_out()))}
    if wishes.json:
        print(json.dumps(report, ensure_ascii=False))
        return
    for name, each in report.items():
        print("\n".join(_table(name, each)))


if __name__ == "__main__":
    main()
