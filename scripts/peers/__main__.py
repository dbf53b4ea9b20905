"""Compare memories: what they find, keep and cost, on the same facts and questions.

    python -m scripts.peers [--data FILE] [--only NAME…] [--facts 500] [--questions 100] [--json F]

Run by `make bench-peers`. Each peer is installed once in an environment of its own (`--place`),
PEER_PYTHON names an interpreter for those that need another. What cannot be installed or does
not answer is listed with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from scripts.peers.catalogue import KINDS, NOTES
from scripts.peers.corpus import Corpus, conversation, errands
from scripts.peers.endpoint import embeddings_endpoint
from scripts.peers.environments import CannotInstall, environment, installed_megabytes
from scripts.peers.measure import Measured, Peer, measured
from scripts.peers.memories import OpenClaw, Qmd
from scripts.peers.report import plot, tables


def main() -> None:
    options = _options()
    corpora = _corpora(options)
    rows: list[Measured] = []
    sizes: dict[str, float] = {}
    missing: dict[str, str] = {}
    with embeddings_endpoint() as endpoint, tempfile.TemporaryDirectory(prefix="peers-") as folder:
        for kind in KINDS:
            if options.only and kind.name not in options.only:
                continue
            _report(f"{kind.name}: installing")
            try:
                programs = environment(options.place / kind.name, kind.packages, kind.able_to)
            except CannotInstall as error:
                missing[kind.name] = f"cannot be installed here: {error}"
                continue
            peers = list(kind.settings(programs, endpoint))
            sizes[peers[0].name] = installed_megabytes(options.place / kind.name)
            rows += _measure_all(peers, corpora, Path(folder))
        for name, peers in _on_node(options, endpoint).items():
            if not options.only or name in options.only:
                rows += _measure_all(peers, corpora, Path(folder))
    print(tables(rows, sizes, {**NOTES, **missing}))
    if options.plots:
        for what in {name for row in rows for name in row.found}:
            name = "".join(letter if letter.isalnum() else "-" for letter in what)
            (options.plots / f"peers-{name}.svg").write_text(plot(rows, what))
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a retrieval set; default: REMEM_BENCH's LoCoMo")
    parser.add_argument("--only", nargs="*", help="these peers alone")
    parser.add_argument("--facts", type=int, default=500)
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--place", type=Path, default=Path(".venv/peers"))
    parser.add_argument("--qmd", type=_program, default=".venv/hosts/node_modules/.bin/qmd")
    parser.add_argument(
        "--openclaw", type=_program, default=".venv/openclaw/node_modules/.bin/openclaw"
    )
    parser.add_argument("--plots", type=Path, help="a folder for SVG plots")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    options = parser.parse_args()
    options.place = options.place.resolve()
    return options


def _corpora(options: argparse.Namespace) -> Sequence[Corpus]:
    found = [errands(options.facts, options.questions)]
    folder = os.environ.get("REMEM_BENCH")
    data = options.data or (Path(folder) / "locomo_dev.jsonl.gz" if folder else None)
    if data:
        found.append(conversation(data, options.questions))
    else:
        _report("no conversation: name one with --data, or its folder with REMEM_BENCH")
    return found


def _on_node(options: argparse.Namespace, endpoint: str) -> dict[str, list[Peer]]:
    """Those that `make hosts` installs, if they are there."""
    found: dict[str, list[Peer]] = {}
    if options.qmd:
        found["qmd"] = [Qmd(options.qmd)]
    if options.openclaw:
        found["openclaw"] = [OpenClaw(options.openclaw), OpenClaw(options.openclaw, endpoint)]
    return found


def _program(place: str) -> Path | None:
    return Path(place).absolute() if Path(place).exists() else None


def _measure_all(
    peers: Sequence[Peer], corpora: Sequence[Corpus], folder: Path
) -> Iterator[Measured]:
    for peer in peers:
        home = Path(tempfile.mkdtemp(dir=folder))
        yield measured(peer, corpora, home, _report)


def _report(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
