"""Earlier versions of facts: a log of every wording that remem has read, and the commits in git.

The log has a line for every wording, so that a rewritten or removed fact leaves a trace. Facts that
contain a secret are not recorded. Only plumbing commands of git are used, because they do not run
hooks, pagers or filters of the repository.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.logs import JsonLog
from remem.model.fact import Fact
from remem.model.scope import MAIN
from remem.text.similarity import folded_hash
from remem.text.words import fold

_MAX_COMMITS: Final = 100
_TIMEOUT_SECONDS: Final = 20.0
_NO_HOOKS: Final = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")


@dataclass(frozen=True, slots=True)
class SeenFact:
    """A wording of a fact that remem has read in a file.

    `superseded_by` is the id of the fact that replaced it.
    """

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
        """The values that identify a wording."""
        return self.path, self.id, fold(self.fact)

    @property
    def state(self) -> tuple[str, ...]:
        """The values that identify a line of the log.

        They include `superseded_by`, because a wording is logged again when it is superseded.
        """
        return *self.key, self.superseded_by


def seen_fact_of(fact: Fact) -> SeenFact:
    """Return the current wording of a fact."""
    return SeenFact(
        *(fact.path, fact.id, fact.fact),
        *(fact.category, fact.timestamp, fact.source, fact.origin or "", fact.superseded_by or ""),
    )


def seen_facts(layout: Layout) -> list[SeenFact]:
    """Return every wording in the log, oldest first."""
    facts = []
    for value in _log(layout).read():
        with suppress(TypeError):
            facts.append(SeenFact(**value))
    return facts


def record_facts(layout: Layout, facts: Iterable[Fact]) -> int:
    """Log new wordings and newly superseded facts; return the number of new wordings."""
    from remem.text.secrets.mask import redact  # compiles hundreds of patterns

    log = _log(layout)
    make_folder(log.path.parent)
    with exclusive_lock(log.path.with_suffix(".lock")):
        seen = seen_facts(layout)
        keys, states = {fact.key for fact in seen}, {fact.state for fact in seen}
        unseen = {fact.state: fact for fact in map(seen_fact_of, facts) if fact.state not in states}
        new = [fact for fact in unseen.values() if not redact(fact.fact).kinds]
        if new:
            log.append(map(asdict, new))
    return sum(fact.key not in keys for fact in new)


def forget_facts(layout: Layout, wordings: Collection[int]) -> None:
    """Remove from the log all wordings with these hashes, and any incomplete lines."""
    log = _log(layout)
    if not log.path.is_file():
        return
    with exclusive_lock(log.path.with_suffix(".lock")):
        remaining = [fact for fact in seen_facts(layout) if folded_hash(fact.fact) not in wordings]
        log.replace(map(asdict, remaining))


def _log(layout: Layout) -> JsonLog:
    return JsonLog(layout.state_folder(MAIN) / "facts-seen.jsonl")


def earlier_texts(root: Path, path: str) -> Iterator[str]:
    """Yield a file's text in the last commits that changed it, oldest first.

    Without a git repository, there is none.
    """
    commits = _git(root, "rev-list", f"--max-count={_MAX_COMMITS}", "HEAD", "--", path)
    for commit in reversed((commits or b"").decode("ascii", "replace").split()):
        data = _git(root, "cat-file", "blob", f"{commit}:./{path}")
        if data is not None:
            yield data.decode(errors="replace")


def is_versioned(root: Path) -> bool:
    """Return whether the workspace is in a git repository that has a commit."""
    return _git(root, "rev-parse", "--verify", "--quiet", "HEAD") is not None


def _git(root: Path, *arguments: str) -> bytes | None:
    """Return the output of a git command; None if it fails or there is no git or repository."""
    program = shutil.which("git")
    if program is None:
        return None
    try:
        result = subprocess.run(  # noqa: S603 - fixed arguments, no shell
            [program, *_NO_HOOKS, *arguments],
            cwd=root,
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return result.stdout if result.returncode == 0 else None
