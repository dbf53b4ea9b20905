"""Print how many lines of code each package has, next to its budget.

python scripts/size.py           prints the table
python scripts/size.py --check   fails if a package is over its budget

A budget is raised in the commit that needs it, with a reason in its message (decision 0135).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path
from typing import Final

SOURCE: Final = Path(__file__).resolve().parents[1] / "src/remem"
BUDGETS: Final = {
    "admin": 4_760,
    "app": 9_550,
    "cli": 6_440,
    "disclose": 1_700,
    "embed": 3_030,
    "entries": 9_085,
    "extract": 2_930,
    "files": 8_395,
    "graph": 7_100,
    "learn": 6_300,
    "mcp": 1_000,
    "model": 6_540,
    "ops": 1_640,
    "ports": 1_260,
    "search": 7_320,
    "setup": 4_640,
    "store": 10_200,
    "text": 4_545,
    "(top level)": 1_020,
}


def sizes() -> tuple[Counter[str], Counter[str]]:
    """The lines and the modules of each package."""
    lines: Counter[str] = Counter()
    modules: Counter[str] = Counter()
    for path in SOURCE.rglob("*.py"):
        first, *rest = path.relative_to(SOURCE).parts
        package = first if rest else "(top level)"
        lines[package] += len(path.read_text(encoding="utf-8").splitlines())
        modules[package] += 1
    return lines, modules


def over_budget() -> list[str]:
    """A sentence for each package that is over its budget, or has none."""
    return [
        f"{package} has {count} lines; its budget is {BUDGETS.get(package, 0)}"
        for package, count in sorted(sizes()[0].items())
        if count > BUDGETS.get(package, 0)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="fail if a package is over its budget")
    if parser.parse_args().check:
        sys.exit("\n".join(over_budget()) or None)
    lines, modules = sizes()
    for package, count in lines.most_common():
        budget = BUDGETS.get(package, 0)
        print(f"{package:12} {count:7,} of {budget:6,} lines in {modules[package]:3} modules")
    print(f"{'all':12} {lines.total():7,} of {sum(BUDGETS.values()):6,} lines", end=" ")
    print(f"in {modules.total():3} modules")


if __name__ == "__main__":
    main()
