"""What remem needs from the outside: stores of entries and of passages, models, a clock."""

from __future__ import annotations

from collections.abc import Callable

from remem.model.passage import FileMark
from remem.ports.entries import (
    Coming,
    Deferred,
    Fading,
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
    Chat,
    Embedder,
    Embedding,
    Extractor,
    Floats,
    ModelIdentity,
    QueryEmbedding,
    TokenCounter,
    named_together,
)
from remem.ports.passages import PassageReading, PassageStore
from remem.ports.records import (
    Beside,
    Counts,
    Dirty,
    Examined,
    Located,
    Matches,
    Occurrences,
    Pending,
    Place,
    Progress,
    Projected,
    Shortfall,
    Stated,
    Tombstone,
    Unseen,
)

__all__ = [
    "Beside",
    "Bytes",
    "Chat",
    "Clock",
    "Coming",
    "Counts",
    "Deferred",
    "Dirty",
    "Embedder",
    "Embedding",
    "Examined",
    "Extractor",
    "Fading",
    "FileMark",
    "Floats",
    "Likenesses",
    "Located",
    "Matches",
    "ModelIdentity",
    "Occurrences",
    "PassageReading",
    "PassageStore",
    "Pending",
    "Place",
    "Progress",
    "Projected",
    "Projecting",
    "QueryEmbedding",
    "Reading",
    "Searching",
    "Shortfall",
    "Snapshot",
    "Stated",
    "Store",
    "TokenCounter",
    "Tombstone",
    "Transaction",
    "Unseen",
    "named_together",
]

Clock = Callable[[], str]
"""The present as UTC, `YYYY-MM-DDTHH:MM:SSZ`."""
