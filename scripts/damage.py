"""What does one changed byte do to a workspace? Many cases, each in a copy of its own.

    python scripts/damage.py --cases 200 [--seed N]

For each database a byte is changed at a random place; the doctor looks, repairs, and what is there
is compared with what was acknowledged. harmless: nothing differs. healed: found, and everything is
there again. reported: found, and what could not be healed is named. Anything else is a failure,
and the exit status is 1.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.faults.damage import one_case, template  # noqa: E402 - the tests lie beside this folder

GOOD = ("harmless", "healed", "reported")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.cases} cases for each database", flush=True)
    bad = 0
    with tempfile.TemporaryDirectory(prefix="remem-damage-") as place:
        root = Path(place) / "workspace"
        before = template(root)
        for name in ("entries.db", "passages.db"):
            rng = Random(options.seed)  # noqa: S311 - a sample, repeatable by its seed
            counts, started = Counter[str](), time.monotonic()
            for number in range(options.cases):
                case = one_case(root, before, Path(place) / str(number), name, rng)
                counts[case.verdict] += 1
                if case.verdict not in GOOD:
                    bad += 1
                    print(case, flush=True)
            spent = time.monotonic() - started
            told = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
            print(f"{name}: {told} ({spent:.0f} s)", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
