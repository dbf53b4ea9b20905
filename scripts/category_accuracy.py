"""Measure on labelled lines how often the migration rules choose the right category.

python scripts/category_accuracy.py            a table on stdout
python scripts/category_accuracy.py --json     the same figures as JSON
python scripts/category_accuracy.py --wrong    the lines of the first set that went wrong

The first set may be looked at while rules are written. The held-out set is only measured, so
that its figure shows what to expect of unseen lines.
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
from remem.model.statement import ExtractedStatement, SourceDocument
from tests.samples.labelled import CATEGORIES, Labelled, held_out, labelled

_TODAY = "2026-11-16"


@dataclass(frozen=True, slots=True)
class Judged:
    """A labelled line and the statement that it became part of."""

    line: Labelled
    statement: ExtractedStatement | None

    @property
    def category(self) -> str:
        return self.statement.category if self.statement else "none"

    @property
    def right(self) -> bool:
        return self.category == self.line.category


def judged(lines: Sequence[Labelled]) -> list[Judged]:
    """Every line as the extractor sees it: in a file, under its headings and parents."""
    found: list[Judged] = []
    for (_, path), group in groupby(lines, key=lambda line: (line.language, line.path)):
        inside = list(group)
        text, places = _file(inside)
        extraction = Rules().extract(SourceDocument(path, text, _TODAY, curated=True))
        by_line = {
            line: statement for statement in extraction.statements for line in statement.lines
        }
        found += [Judged(line, by_line.get(at)) for line, at in zip(inside, places, strict=True)]
    return found


def _file(lines: Sequence[Labelled]) -> tuple[str, list[int]]:
    """The Markdown text that the labelled lines come from, and their line numbers."""
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
    """The number of shared headings; the last of the new ones is always written again."""
    same = 0
    while same < min(len(one), len(other) - 1) and one[same] == other[same]:
        same += 1
    return same


def figures(found: Iterable[Judged]) -> dict[str, Any]:
    """Accuracy in all, per category and per language, and the confusions."""
    cases = list(found)
    return {
        "lines": len(cases),
        "accuracy": _share(cases),
        "by_category": {
            name: {"lines": len(of), "recall": _share(of), "precision": _share(given)}
            for name in CATEGORIES
            if (of := [case for case in cases if case.line.category == name])
            and (given := [case for case in cases if case.category == name]) is not None
        },
        "by_language": {
            name: _share([case for case in cases if case.line.language == name])
            for name in sorted({case.line.language for case in cases})
        },
        "confusion": {
            f"{right} as {chosen}": number
            for (right, chosen), number in Counter(
                (case.line.category, case.category) for case in cases if not case.right
            ).most_common()
        },
    }


def _share(found: Sequence[Judged]) -> float:
    return round(sum(case.right for case in found) / len(found), 4) if found else 0.0


def _table(name: str, report: dict[str, Any]) -> Iterator[str]:
    yield f"{name}: {report['accuracy']:.1%} of {report['lines']} lines"
    for category, counts in report["by_category"].items():
        yield (
            f"  {category:<12} {counts['lines']:>4} lines  found {counts['recall']:>6.1%}"
            f"  right when chosen {counts['precision']:>6.1%}"
        )
    yield "  " + ", ".join(f"{key} {value:.1%}" for key, value in report["by_language"].items())
    worst = list(report["confusion"].items())[:6]
    yield "  most often: " + ", ".join(f"{pair} ({number})" for pair, number in worst)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument("--wrong", action="store_true", help="list what went wrong, first set")
    options = parser.parse_args()
    known = judged(labelled())
    if options.wrong:
        for case in known:
            if not case.right:
                where = " › ".join((*case.line.headings, *case.line.parents))
                why = case.statement.why if case.statement else "left"
                print(
                    f"{case.line.category} as {case.category} ({why}): {where} | {case.line.text}"
                )
        return
    report = {"labelled": figures(known), "held_out": figures(judged(held_out()))}
    if options.json:
        print(json.dumps(report, ensure_ascii=False))
        return
    for name, result in report.items():
        print("\n".join(_table(name, result)))


if __name__ == "__main__":
    main()
