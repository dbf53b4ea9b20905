"""Run the twin worlds for as long as one likes: no session may notice the others.

    python -m tests.faults.walls FOLDER [--steps N] [--outside N] [--seconds T] [--seed S]
                                        [--mutant NAME]

Goes at least so many steps in process and so many through commands and a server, and then on
until the seconds are over. Prints one JSON line: how many steps it were, and what was noticed.
FOLDER is not used: the worlds lie in memory.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import count

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.mutants import apply
from tests.scenarios.twin_surfaces import SURFACE_STEPS, play_outside
from tests.scenarios.twins import KEYS, NOBODY, STEPS, Twins

LOWS = (*KEYS, *NOBODY)
GAMES = 12
LENGTH = 30
OUTSIDE = 10
PLAYED = settings(
    max_examples=GAMES,
    stateful_step_count=LENGTH,
    phases=[Phase.generate],  # without looking for the shortest way to a failure: it takes long
    database=None,
    deadline=None,
    print_blob=False,
    suppress_health_check=list(HealthCheck),
)


@dataclass
class Outcome:
    seed: int
    steps: int = 0
    outside: int = 0
    broken: list[str] = field(default_factory=list)


def play(low: str, chance: int, played: settings = PLAYED) -> None:
    """Some games of a session in process; an AssertionError if it notices anything."""
    run_state_machine_as_test(seed(chance)(partial(Twins, low)), settings=played)


def run(steps: int, outside: int, chance: int, until: float) -> Outcome:
    outcome = Outcome(chance)
    for number in count():
        enough = outcome.steps >= steps and outcome.outside >= outside
        if outcome.broken or (enough and time.monotonic() >= until):
            return outcome
        low, game = LOWS[number % len(LOWS)], chance + number
        try:
            if outcome.steps < steps or enough:
                play(low, game)
            if outcome.outside < outside or (enough and outside):
                play_outside(low, OUTSIDE, game)
        except AssertionError as error:
            told = str(error).splitlines()
            outcome.broken.append(f"{low} noticed something (game {game}): {' '.join(told)[:500]}")
        outcome.steps, outcome.outside = STEPS.total(), SURFACE_STEPS.total()
    raise AssertionError("count() has no end")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--outside", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mutant")
    options = parser.parse_args()
    if options.mutant:
        apply(options.mutant)
    warnings.simplefilter("ignore")
    until = time.monotonic() + options.seconds
    print(json.dumps(asdict(run(options.steps, options.outside, options.seed, until))))


if __name__ == "__main__":
    main()
