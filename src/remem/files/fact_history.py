"""Which facts were ever seen? A line for each wording, so that one that is rewritten or removed
is not gone without a trace. What holds a secret is not kept."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from remem.core.fact import Fact
from remem.core.likeness import wording
from remem.core.scope import MAIN
from remem.core.words import fold
from remem.notes import files
from remem.notes.disk import explained, make_folder
from remem.notes.layout import Layout
from remem.notes.locks import alone


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
    from remem.core.secrets import redact  # hundreds of patterns, which few commands need

    make_folder(_path(layout).parent)
    with alone(_path(layout).with_suffix(".lock")):
        seen = facts_seen(layout)
        known, states = {each.key for each in seen}, {each.state for each in seen}
        new = {each.state: each for each in map(seen_of, facts) if each.state not in states}
        kept = [each for each in new.values() if not redact(each.fact).kinds]
        if kept:
            _append(_path(layout), kept)
    return sum(each.key not in known for each in kept)


def forget_facts(layout: Layout, wordings: Collection[int]) -> None:
    """Drop these wordings from the record, and half lines, which may hold anything."""
    path = _path(layout)
    if not path.is_file():
        return
    with alone(path.with_suffix(".lock")):
        kept = [each for each in facts_seen(layout) if wording(each.fact) not in wordings]
        files.renew(path, _lines(kept).encode(errors="backslashreplace"))


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
    return "".join(json.dumps(asdict(each), ensure_ascii=False) + "\n" for each in facts)


def _path(layout: Layout) -> Path:
    return layout.state_folder(MAIN) / "facts-seen.jsonl"
