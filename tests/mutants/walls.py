"""Leaks between scopes, each planted in this process by one function.

The holes are those of a store that keeps all scopes together and filters what it shows: the
words that are shown are the session's own, and yet they tell of others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import apsw
import numpy as np

from remem.admin.status import Status
from remem.app.context import Resources
from remem.app.workspace import Workspace
from remem.ports.records import TermStatistics
from remem.store.sqlite import full_text, vectors

_FEW = 1
"""How many neighbours a careless search asks for before it looks whose they are."""


def one_full_text_table() -> None:
    """The words of all scopes in one table: what others say decides how rare a word is."""
    own = full_text.count_terms

    def shared(
        connection: apsw.Connection, terms: Sequence[str], ids: Mapping[int, str], **how: bool
    ) -> TermStatistics:
        told = own(connection, terms, ids, **how)
        everywhere = [
            (own(scope, terms, {1: ""}, **how).entries_with_term, _entries(scope))
            for scope in _all(connection)
        ]
        entries_with_term = tuple(map(sum, zip(*(counts for counts, _ in everywhere), strict=True)))
        return replace(
            told,
            entries_with_term=entries_with_term,
            total_entries=sum(count for _, count in everywhere),
        )

    full_text.count_terms = shared


def a_total_over_all_scopes() -> None:
    """The status counts what everybody has stored."""
    own = Workspace.status

    def counting_everybody(workspace: Workspace) -> Status:
        told = own(workspace)
        files = workspace.services.context.layout.memory.rglob("domains/*.md")
        everything = sum(file.read_text(encoding="utf-8").count("^mem-") for file in files)
        return replace(told, progressive=replace(told.progressive, total_entries=everything))

    Workspace.status = counting_everybody  # type: ignore[method-assign]


def one_sequence_of_ids() -> None:
    """All scopes of a workspace draw from one sequence: a gap tells that somebody else drew."""
    sequences: dict[Path, Random] = {}
    own = Workspace.__init__

    def drawing(workspace: Workspace, resources: Resources) -> None:
        sequence = sequences.setdefault(resources.context.layout.root, Random(1))
        own(workspace, replace(resources, random_bytes=sequence.randbytes))

    Workspace.__init__ = drawing  # type: ignore[method-assign]


def nearest_first_then_scope() -> None:
    """The few nearest of all scopes, and of those the session's own: others crowd it out."""
    own = vectors.nearest

    def crowded(
        connection: apsw.Connection, bits: Any, query: Any, admitted: Callable[..., Any], limit: int
    ) -> list[tuple[int, float]]:
        found = own(connection, bits, query, admitted, limit)
        others = sorted((_cosines(connection, query)), reverse=True)
        least = others[_FEW - 1] if len(others) >= _FEW else -1.0
        return [(row, cosine) for row, cosine in found if cosine >= least - 1e-3]

    vectors.nearest = crowded


def _entries(connection: apsw.Connection) -> int:
    return int(next(iter(connection.execute("SELECT count(*) FROM memory_fts")))[0])


def _cosines(connection: apsw.Connection, query: Any) -> Iterator[float]:
    for scope in _all(connection):
        for (pooled,) in scope.execute("SELECT pooled FROM memory_vectors"):
            vector = np.frombuffer(pooled, np.float16).astype(np.float32)
            if len(vector) == len(query):
                yield float(vector @ query)


def _all(connection: apsw.Connection) -> Iterator[apsw.Connection]:
    """The entries of every scope of the workspace that a connection belongs to."""
    state = next(parent for parent in Path(connection.filename).parents if parent.name == ".remem")
    for path in sorted(state.rglob("entries.db")):
        opened = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        try:
            yield opened
        finally:
            opened.close()
