"""The search that remem replaces, rebuilt from its published behaviour, so that
each test of a defect is seen to fail on it.

All words joined by AND in a `unicode61` table; a rescue that drops numbers and short words and
stops at six; age multiplied into the score and the threshold applied after that; no look at
who is asking; no places kept for files; a model that fails takes the keywords along.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from math import exp, log
from pathlib import Path

import apsw

_STOP = frozenset("a an the is are was what where who when did do we our of in on to for".split())
_DATED = re.compile(r"(\d{4}-\d\d-\d\d)")


@dataclass(frozen=True)
class Piece:
    path: str
    line: int
    text: str
    source: str = "memory"


@dataclass
class Incumbent:
    """The workspace as any session finds it."""

    root: Path
    today: date
    transcripts: list[Piece] = field(default_factory=list)
    model: Callable[[str], object] | None = None
    _failed: str | None = None

    def search(self, _session: str, query: str, most: int = 6, least: float = 0.35) -> list[str]:
        """The lines that are found, best first; an error where it calls itself unavailable."""
        if self._failed:
            raise RuntimeError(self._failed)  # replayed without searching
        if self.model is not None:
            try:
                self.model(query)
            except Exception as error:
                self._failed = f"Memory search is unavailable due to an embedding error: {error}"
                raise RuntimeError(self._failed) from error
        pieces = [*self._pieces(), *self.transcripts]
        raw = _match(pieces, re.findall(r"\w+", query))
        if len(raw) < 200:  # as many candidates as it asks for
            for term in _rescued(query)[:6]:
                for at, score in _match(pieces, [term]).items():
                    raw[at] = max(score, raw.get(at, 0.0))
        boosted = {at: _boosted(score, pieces[at].text, query) for at, score in raw.items()}
        scored = {at: score * self._decay(pieces[at].path) for at, score in boosted.items()}
        passing = {at: score for at, score in scored.items() if score >= least}
        shown = passing or {at: score for at, score in scored.items() if score >= 0}
        order = sorted(shown, key=lambda at: (-round(shown[at], 3), at))
        return [pieces[at].text for at in order][:most]

    def get(self, _session: str, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def _pieces(self) -> list[Piece]:
        files = [self.root / "MEMORY.md", *sorted((self.root / "memory").rglob("*.md"))]
        return [
            Piece(path.relative_to(self.root).as_posix(), number, line)
            for path in files
            if path.exists()
            for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1)
            if line.strip()
        ]

    def _decay(self, path: str) -> float:
        match = _DATED.search(path)
        age = (self.today - date.fromisoformat(match[1])).days if match else 0
        return exp(-log(2) / 30 * age)


def _match(pieces: list[Piece], terms: list[str]) -> dict[int, float]:
    """The places of pieces that hold every term, with r/(1+r) of their rank."""
    if not terms:
        return {}
    table = apsw.Connection(":memory:")
    table.execute("CREATE VIRTUAL TABLE t USING fts5(text, tokenize='unicode61')")
    table.executemany("INSERT INTO t VALUES (?)", [(piece.text,) for piece in pieces])
    wanted = " AND ".join(f'"{term}"' for term in terms)
    rows = table.execute("SELECT rowid, -bm25(t) FROM t WHERE t MATCH ?", (wanted,))
    found = {row - 1: max(rank, 0) / (1 + max(rank, 0)) for row, rank in rows}
    table.close()
    return found


def _boosted(score: float, text: str, query: str) -> float:
    """More for each word of the question, and for a long text."""
    asked = set(re.findall(r"\w+", query.lower()))
    overlap = len(asked & set(re.findall(r"\w+", text.lower()))) / len(asked)
    return min(1.0, score + 0.45 * overlap + min(len(text) / 160, 0.18))


def _rescued(query: str) -> list[str]:
    words = [word for word in re.findall(r"\w+", query) if word.lower() not in _STOP]
    return [word for word in words if not word.isdigit() and (len(word) > 2 or not word.isascii())]
