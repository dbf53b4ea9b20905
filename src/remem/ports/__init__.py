"""What remem needs from the outside: stores of entries and of passages, models, a clock."""

from __future__ import annotations

from collections.abc import Callable

from remem.core.passage import FileMark
from remem.ports.entries import (
    Likenesses,
    Projecting,
    Reading,
    Searching,
    Snapshot,
    Store,
    Transaction,
)
from remem.ports.models import (
    Bytes,
    Embedder,
    Embedding,
    Extractor,
    Floats,
    ModelIdentity,
    QueryEmbedding,
    TokenCounter,
)
from remem.ports.passages import (
    PassageReading,
    PassageStore,
)
from remem.ports.records import (
    Counts,
    Dirty,
    Examined,
    Located,
    Matches,
    Pending,
    Projected,
    Tombstone,
    Unseen,
)

__all__ = [
    "Bytes",
    "Clock",
    "Counts",
    "Dirty",
    "Embedder",
    "Embedding",
    "Examined",
    "Extractor",
    "FileMark",
    "Floats",
    "Likenesses",
    "Located",
    "Matches",
    "ModelIdentity",
    "PassageReading",
    "PassageStore",
    "Pending",
    "Projected",
    "Projecting",
    "QueryEmbedding",
    "Reading",
    "Searching",
    "Snapshot",
    "Store",
    "TokenCounter",
    "Tombstone",
    "Transaction",
    "Unseen",
]

Clock = Callable[[], str]
"""The present as UTC, `YYYY-MM-DDTHH:MM:SSZ`."""
