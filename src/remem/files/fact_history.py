"""What did a file say earlier? Where the workspace lies in a git repository, its commits know.

Only git's plumbing is asked, which runs no hook, pager or filter of the repository.

Which facts were ever seen? A line for each wording, so that one that is rewritten or removed
is not gone without a trace. What holds a secret is not kept.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from remem.files import atomic
from remem.files.disk import explained, make_folder
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.model.fact import Fact
from remem.model.scope import MAIN
from remem.text.similarity import folded_number
from remem.text.words import fold


@dataclass(frozen=True, slots=True)
class SeenFact:
    """A fact as it once stood in a file; `superseded_by` is the id that took its place there."""

    path: str
    id: str
    fact: str
    category: str = ""
    timestamp: str = ""
    source: str = ""
    origin: str = ""
    superseded_by: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.path, self.id, fold(self.fact)

    @property
    def state(self) -> tuple[str, ...]:
        """A fact is seen anew when it is superseded: what took its place is worth knowing."""
        return *self.key, self.superseded_by


def seen_of(fact: Fact) -> SeenFact:
    return SeenFact(
        *(fact.path, fact.id, fact.fact),
        *(fact.category, fact.timestamp, fact.source, fact.origin or "", fact.superseded_by or ""),
    )


def facts_seen(layout: Layout) -> list[SeenFact]:
    """Every wording of the record, the first one first; torn lines say nothing."""
    path = _path(layout)
    if not path.is_file():
        return []
    with explained(path, "read"):
        text = path.read_text(encoding="utf-8", errors="replace")
    return list(_parsed(text))


def record_facts(layout: Layout, facts: Iterable[Fact]) -> int:
    """Add what is new, and what is superseded by now; how many wordings are new."""
    from remem.text.secrets.mask import redact  # hundreds of patterns, which few commands need

    make_folder(_path(layout).parent)
    with alone(_path(layout).with_suffix(".lock")):
        seen = facts_seen(layout)
        known, states = (
            {seen_fact.key for seen_fact in seen},
            {seen_fact.state for seen_fact in seen},
        )
        new = {
            seen_fact.state: seen_fact
            for seen_fact in map(seen_of, facts)
            if seen_fact.state not in states
        }
        kept = [value for value in new.values() if not redact(value.fact).kinds]
        if kept:
            _append(_path(layout), kept)
    return sum(seen_fact.key not in known for seen_fact in kept)


def forget_facts(layout: Layout, wordings: Collection[int]) -> None:
    """Drop these wordings from the record, and half lines, which may hold anything."""
    path = _path(layout)
    if not path.is_file():
        return
    with alone(path.with_suffix(".lock")):
        kept = [
            seen_fact
            for seen_fact in facts_seen(layout)
            if folded_number(seen_fact.fact) not in wordings
        ]
        atomic.renew(path, _lines(kept).encode(errors="backslashreplace"))


def _parsed(text: str) -> Iterator[SeenFact]:
    for line in text.split("\n"):
        with suppress(ValueError, TypeError):
            yield SeenFact(**json.loads(line))


def _append(path: Path, facts: Iterable[SeenFact]) -> None:
    text = _lines(facts)
    with explained(path, "written"):
        torn = path.exists() and not path.read_bytes().endswith(b"\n")
        log = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            data = (("\n" if torn else "") + text).encode(errors="backslashreplace")
            while data:
                data = data[os.write(log, data) :]
            os.fsync(log)
        finally:
            os.close(log)


def _lines(facts: Iterable[SeenFact]) -> str:
    return "".join(json.dumps(asdict(fact), ensure_ascii=False) + "\n" for fact in facts)


def _path(layout: Layout) -> Path:
    return layout.state_folder(MAIN) / "facts-seen.jsonl"


_COMMITS: Final = 100
_PATIENCE: Final = 20.0
_QUIET: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


def earlier_texts(root: Path, path: str) -> Iterator[str]:
    """The texts of the last commits that touched a file, the oldest first; none without git."""
    listed = _git(root, "rev-list", f"--max-count={_COMMITS}", "HEAD", "--", path)
    for commit in reversed((listed or b"").decode("ascii", "replace").split()):
        data = _git(root, "cat-file", "blob", f"{commit}:./{path}")
        if data is not None:
            yield data.decode(errors="replace")


def is_versioned(root: Path) -> bool:
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD") is not None


def _git(root: Path, *words: str) -> bytes | None:
    """What git prints; None where it is missing, refuses, or there is no repository."""
    program = shutil.which("git")
    if program is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - our words, no shell
            [program, *_QUIET, *words],
            cwd=root,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
