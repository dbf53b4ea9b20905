"""Change one byte of a workspace, in many cases, each in its own copy, and check the result.

    python scripts/damage.py --cases 200 [--log-cases 100] [--seed N]

In each database a byte is changed at a random position; the doctor checks and repairs it, and the
result is compared with what was acknowledged. harmless: nothing differs. healed: found, and
everything is restored. reported: found, and what could not be restored is listed. Anything else is
a failure, and the exit status is 1.

The logs of a killed process (`-wal`, `-shm`) are deleted, truncated, zeroed or have a bit flipped:
after a kill with everything in the log, with half of it checkpointed, and with acknowledged
memories that are not in a domain file yet. What was acknowledged must be there under its id, or
be reported as missing.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

# The tests are in a sibling folder.
from tests.faults import log_damage  # noqa: E402
from tests.faults.damage import Case, one_case, template  # noqa: E402

GOOD = ("harmless", "healed", "reported")
KILLS: dict[str, dict[str, int]] = {
    "all in the log": {},
    "half checkpointed": {"checkpoints": 12},
    "some in no file": {"unwritten": 4},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--log-cases", type=int, default=100)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    options = parser.parse_args()
    print(
        f"seed {options.seed}, {options.cases} cases for each database, "
        f"{options.log_cases} for each log",
        flush=True,
    )
    bad = 0
    with tempfile.TemporaryDirectory(prefix="remem-damage-") as place:
        root = Path(place) / "workspace"
        before = template(root)
        for name in ("entries.db", "passages.db"):
            rng = Random(options.seed)
            cases = (
                one_case(root, before, Path(place) / str(number), name, rng)
                for number in range(options.cases)
            )
            bad += tally(name, cases)
        for summary, killed in KILLS.items():
            logged = Path(place) / "killed" / summary.replace(" ", "-")
            acknowledged = log_damage.killed(logged, **killed)
            for name in log_damage.FILES:
                rng = Random(options.seed)
                bad += tally(
                    f"{name}, {summary}",
                    (
                        log_damage.one_case(logged, acknowledged, Path(place) / str(n), name, rng)
                        for n in range(options.log_cases)
                    ),
                )
    sys.exit(1 if bad else 0)


def tally(name: str, cases: Iterable[Case | log_damage.Case]) -> int:
    """Print how often each verdict fell; the number of failures."""
    counts, bad, started = Counter[str](), 0, time.monotonic()
    for case in cases:
        counts[case.verdict] += 1
        if case.verdict not in GOOD:
            bad += 1
            print(case, flush=True)
    summary = ", ".join(f"{count} {verdict}" for verdict, count in counts.most_common())
    print(f"{name}: {summary} ({time.monotonic() - started:.0f} s)", flush=True)
    return bad


if __name__ == "__main__":
    main()
