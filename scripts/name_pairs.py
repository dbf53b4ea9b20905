"""Precision and recall of the names that remem proposes to merge, by language.

python scripts/name_pairs.py

The pairs in `tests/data/name_pairs.toml` were labelled by somebody who had not seen the rules.
"""

from __future__ import annotations

import argparse
import tomllib
from collections import Counter
from pathlib import Path

from remem.model.same_name import same_name

PAIRS = Path(__file__).parent.parent / "tests" / "data" / "name_pairs.toml"


def counts() -> dict[str, Counter[tuple[bool, bool]]]:
    """Return how often a pair is the same and was proposed, for each language."""
    found: dict[str, Counter[tuple[bool, bool]]] = {}
    for language, text in tomllib.loads(PAIRS.read_text(encoding="utf-8")).items():
        rows = (line.split("|") for line in text.splitlines() if line.strip())
        found[language] = Counter(
            (label.strip() == "same", same_name(one.strip(), other.strip()) is not None)
            for one, other, label in rows
        )
    return found


def rates(count: Counter[tuple[bool, bool]]) -> tuple[float, float]:
    """Return precision and recall."""
    right = count[True, True]
    return right / max(1, right + count[False, True]), right / max(1, right + count[True, False])


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    found = counts()
    found["all"] = sum(found.values(), Counter())
    print(f"{'':12}{'pairs':>6}{'precision':>11}{'recall':>8}")
    for language, count in found.items():
        precision, recall = rates(count)
        print(f"{language:12}{count.total():>6}{precision:>11.0%}{recall:>8.0%}")


if __name__ == "__main__":
    main()
