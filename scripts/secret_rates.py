"""Measures how well secrets are masked: misses and false alarms on the test set.

    python scripts/secret_rates.py [--part open|held|all] [--failures] [--json]
        [--fail-over MISSES,ALARMS]

The test set (tests/data/secrets) was written independently of the rules. Every line is stored in
one temporary workspace by `Workspace.store`, and what the workspace then contains is compared with
the line.

A secret line is a *miss* if a value, any piece of it of 8 characters, or any repetition survives in
content, context or tags, or if the whole value is found in any file of the workspace. A harmless
line is a *false alarm* if one byte of it changed. Lines that an owner explicitly asks to remember
although they resemble a secret (a gate code) are counted separately: masking them is allowed unless
the owner insists.

The rules may be adjusted to the open part; of the held part only ids and kinds are shown.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from tests.samples import secret_corpus
from tests.samples.secret_corpus import Line

GROUPS: dict[str, Callable[[Line], str]] = {
    "kind": lambda line: line.kind,
    "language": lambda line: line.language,
    "part": lambda line: line.part,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one line."""

    line: Line
    stored: tuple[str, ...]
    failed: bool
    """A secret that survives, or a harmless line that is no longer the same."""
    around_changed: bool = False
    """The secret is masked, but so is some of the text around it: reported, never a failure."""


@dataclass(frozen=True, slots=True)
class Rates:
    secrets: list[Outcome]
    harmless: list[Outcome]
    insisted: list[Outcome]

    @property
    def misses(self) -> float:
        return _rate(self.secrets)

    @property
    def alarms(self) -> float:
        return _rate(self.harmless)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=(*secret_corpus.PARTS, "all"), default="all")
    parser.add_argument("--failures", action="store_true", help="list every miss and false alarm")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument(
        "--fail-over",
        type=_limits,
        metavar="MISSES,ALARMS",
        help="exit with 1 if a rate is higher than this, in percent (for example 5,2)",
    )
    options = parser.parse_args()
    rates = measured(options.part, _progress)
    if options.json:
        print(json.dumps(_as_json(rates, options.failures), ensure_ascii=False, indent=2))
    else:
        print("\n".join(_report(rates, options.failures)))
    if options.fail_over:
        misses, alarms = options.fail_over
        sys.exit(1 if rates.misses > misses or rates.alarms > alarms else 0)


def measured(
    part: str = "all", progress: Callable[[int, int], None] | None = None, *, every: int = 1
) -> Rates:
    """Store the lines of the part, or every n-th, and compare what the workspace contains."""
    secrets, harmless = secret_corpus.secrets(part)[::every], secret_corpus.harmless(part)[::every]
    lines = [*secrets, *harmless]
    with tempfile.TemporaryDirectory(prefix="remem-secrets-") as folder:
        root = Path(folder)
        (root / ".remem").mkdir()
        (root / ".remem/config.toml").write_text('embedder = "none"\n', encoding="utf-8")
        stored: dict[str, tuple[str, ...]] = {}
        with open_workspace(root, background=False, environment={}) as memory:
            for done, line in enumerate(lines, 1):
                stored[line.id] = _stored(memory, line)
                if progress:
                    progress(done, len(lines))
        files = b"\0".join(path.read_bytes() for path in root.rglob("*") if path.is_file())
    outcomes = [_outcome(line, stored[line.id], files) for line in lines]
    kept = outcomes[len(secrets) :]
    return Rates(
        outcomes[: len(secrets)],
        [outcome for outcome in kept if not outcome.line.insist],
        [outcome for outcome in kept if outcome.line.insist],
    )


def _stored(memory: Workspace, line: Line) -> tuple[str, ...]:
    """What the workspace contains right after the line was stored, in the order of the fields."""
    receipt = memory.store(
        category="fact", content=line.content, context=line.context, tags=line.tags
    )
    entry = memory.entry(receipt.id)
    # A line that equals an earlier one once both are masked shares its entry and tags.
    return (entry.content, *((entry.context,) if entry.context else ()), *entry.tags)


def _outcome(line: Line, stored: tuple[str, ...], files: bytes) -> Outcome:
    if not line.values:
        return Outcome(line, stored, failed=any(text not in stored for text in line.texts))
    in_files = any(
        len(value.text) > secret_corpus.PIECE and value.text.encode() in files
        for value in line.values
    )
    failed = bool(line.survivors(stored)) or in_files
    said = "\0".join(stored)
    return Outcome(line, stored, failed, any(text.strip() not in said for text in line.around))


def _rate(outcomes: Iterable[Outcome]) -> float:
    """Failures in percent."""
    failed = [outcome.failed for outcome in outcomes]
    return 100 * sum(failed) / len(failed) if failed else 0.0


def _report(rates: Rates, failures: bool) -> Iterable[str]:
    for title, outcomes in _titled(rates).items():
        yield f"{title}: {_share(outcomes)}"
    changed = sum(secret.around_changed for secret in rates.secrets)
    yield f"secret lines with other text masked too: {changed} of {len(rates.secrets)}"
    for name, group in GROUPS.items():
        misses, alarms = _grouped(rates.secrets, group), _grouped(rates.harmless, group)
        yield f"\n| {name} | misses | false alarms |\n|---|--:|--:|"
        for key in sorted(misses.keys() | alarms.keys()):
            yield f"| {key} | {_share(misses.get(key, []))} | {_share(alarms.get(key, []))} |"
    if failures:
        for title, outcomes in _titled(rates).items():
            yield f"\n{title}:"
            yield from (_shown(outcome) for outcome in outcomes if outcome.failed)


def _titled(rates: Rates) -> dict[str, list[Outcome]]:
    return {
        "misses": rates.secrets,
        "false alarms": rates.harmless,
        "insist lines masked": rates.insisted,
    }


def _grouped(outcomes: Iterable[Outcome], group: Callable[[Line], str]) -> dict[str, list[Outcome]]:
    groups: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[group(outcome.line)].append(outcome)
    return groups


def _share(outcomes: list[Outcome]) -> str:
    if not outcomes:
        return "–"
    failed = sum(outcome.failed for outcome in outcomes)
    return f"{failed} of {len(outcomes)} ({_rate(outcomes):.1f} %)"


def _shown(outcome: Outcome) -> str:
    line = outcome.line
    if line.part == "held":
        return f"  {line.id} ({line.kind}, held)"
    fields = " | ".join(map(repr, outcome.stored))
    return f"  {line.id} ({line.kind}): {' | '.join(map(repr, line.texts))}\n    stored: {fields}"


def _as_json(rates: Rates, failures: bool) -> dict[str, Any]:
    found: dict[str, Any] = {
        title: {
            "failed": sum(outcome.failed for outcome in outcomes),
            "of": len(outcomes),
            "percent": round(_rate(outcomes), 2),
            "by": {name: _counts(outcomes, group) for name, group in GROUPS.items()},
        }
        for title, outcomes in _titled(rates).items()
    }
    found["secret lines with other text masked too"] = sum(
        secret.around_changed for secret in rates.secrets
    )
    if failures:
        for title, outcomes in _titled(rates).items():
            found[title]["failures"] = [_detail(outcome) for outcome in outcomes if outcome.failed]
    return found


def _counts(outcomes: Iterable[Outcome], group: Callable[[Line], str]) -> dict[str, dict[str, int]]:
    return {
        key: {"failed": sum(member.failed for member in members), "of": len(members)}
        for key, members in sorted(_grouped(outcomes, group).items())
    }


def _detail(outcome: Outcome) -> dict[str, Any]:
    line = outcome.line
    detail: dict[str, Any] = {"id": line.id, "kind": line.kind, "part": line.part}
    if line.part == "open":
        detail |= {"texts": line.texts, "stored": outcome.stored}
    return detail


def _limits(text: str) -> tuple[float, float]:
    try:
        misses, alarms = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not MISSES,ALARMS: give two percentages, for example 5,2"
        ) from None
    return misses, alarms


def _progress(done: int, total: int) -> None:
    if done % 100 == 0 or done == total:
        print(f"{time.strftime('%H:%M:%S')} stored {done} of {total}", file=sys.stderr)


if __name__ == "__main__":
    main()
