"""Which texts cannot wait until a model has read them? Where very many wait, each gets a quick
vector first, and is found by its meaning at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remem.errors import EmbedderError
from remem.maintenance.vectors import Queue, needed, want
from remem.ports import Embedder

MANY: Final = 65
"""Fewer are read before the next answer: nothing need be quicker."""
_AT_ONCE: Final = 2048


@dataclass
class Quickly:
    """Goes through a queue once: it remembers how far it came. `trouble` says why it could not."""

    trouble: str | None = None
    _upto: int = 0

    def __call__(self, queue: Queue, embedders: Sequence[Embedder]) -> int:
        """Quick vectors for what waits and has none at all; returns how many were made."""
        want(queue, *embedders)
        last, made = self._due(queue), 0
        if last is None:
            return 0
        try:
            made = sum(self._fill(queue, each, embedders) for each in embedders)
            self.trouble = None
        except EmbedderError as error:  # the model itself may be whole, and reads on
            self.trouble = f"no quick vectors: {error}"
        self._upto = last
        return made

    def _due(self, queue: Queue) -> int | None:
        """The last row that waits, where many do and not all of them were looked at."""
        with queue.read() as snapshot:
            last = snapshot.last_pending()
            if last < self._upto:  # emptied since, or begun anew
                self._upto = 0
            if last == self._upto or snapshot.pending_count() < MANY:
                return None
        return last

    def _fill(self, queue: Queue, embedder: Embedder, embedders: Sequence[Embedder]) -> int:
        if embedder.embed_quickly([]) is None:
            return 0
        made, last, identity = 0, self._upto, embedder.identity
        while True:
            with queue.read() as snapshot:
                waiting = snapshot.pending(_AT_ONCE, last, identity)
            if not waiting:
                return made
            last = waiting[-1].row
            mine = [
                each
                for each in waiting
                if len(embedders) == 1 or embedder in needed(embedders, each.text)
            ]
            vectors = embedder.embed_quickly([each.text for each in mine]) or []
            pairs = zip(mine, vectors, strict=True)
            queue.save_quickly(identity, [(each.row, each.version, rough) for each, rough in pairs])
            made += len(vectors)
