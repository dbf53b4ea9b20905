"""The same work done by the bare parts, as the limit that remem is compared with."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Final

import apsw
import numpy as np

from remem.ports.models import Embedder, Embedding
from remem.text.words import search_terms

_BATCH: Final = 500


class BareRecall:
    """FTS5 over the same texts, sign bits and half-precision vectors in arrays, the model."""

    def __init__(self, folder: Path, model: Embedder) -> None:
        self._connection = _durable(folder / "bare.db")
        self._connection.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')"
        )
        self._model = model
        self._count = 0
        self._pooled = np.zeros((0, model.identity.dimension), np.float16)
        self._bits = np.zeros((0, model.identity.dimension // 64), np.uint64)

    def add(self, texts: Sequence[str]) -> float:
        """Insert texts in durable batches of some hundred; return texts per second."""
        started = perf_counter()
        for start in range(0, len(texts), _BATCH):
            some = texts[start : start + _BATCH]
            with self._connection:
                self._connection.executemany(
                    "INSERT INTO texts(rowid, text) VALUES (?, ?)",
                    enumerate(some, start=self._count + 1),
                )
            self._count += len(some)
        return len(texts) / (perf_counter() - started)

    def add_vectors(self, vectors: Iterable[Embedding]) -> None:
        pooled = [vector.pooled.astype(np.float16) for vector in vectors]
        self._pooled = np.concatenate([self._pooled, *(array[None] for array in pooled)])
        self._bits = np.packbits(self._pooled > 0, axis=1).view(np.uint64)

    def __call__(self, question: str) -> None:
        match = " OR ".join(f'"{term}"' for term in search_terms(question))
        list(
            self._connection.execute(
                "SELECT rowid, bm25(texts) AS score FROM texts WHERE texts MATCH ? "
                "ORDER BY score LIMIT 100",
                [match],
            )
        )
        query = self._model.embed_query(question).pooled
        sign = np.packbits(query > 0).view(np.uint64)
        distance = np.bitwise_count(self._bits ^ sign).sum(axis=1, dtype=np.int32)
        best = np.argpartition(distance, min(300, len(distance) - 1))[:300]
        np.sort(self._pooled[best].astype(np.float32) @ query)

    def close(self) -> None:
        self._connection.close()


def group_commit(folder: Path, texts: Sequence[str], callers: int) -> float:
    """Rows per second that many threads store durably in one table through one writer."""
    connection = _durable(folder / "rows.db")
    connection.execute("CREATE TABLE rows (row INTEGER PRIMARY KEY, text TEXT NOT NULL)")
    waiting: deque[tuple[str, threading.Lock]] = deque()
    wakes = threading.Condition()
    finished = False

    def write() -> None:
        while True:
            with wakes:
                while not waiting and not finished:
                    wakes.wait()
                group = [waiting.popleft() for _ in range(min(len(waiting), 256))]
            if not group:
                return
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO rows(text) VALUES (?)", [(t,) for t, _ in group])
            connection.execute("COMMIT")
            for _, done in group:
                done.release()

    def store(text: str) -> None:
        done = threading.Lock()
        done.acquire()
        with wakes:
            waiting.append((text, done))
            wakes.notify()
        done.acquire()

    writer = threading.Thread(target=write)
    writer.start()
    rate = rate_of(store, texts, callers)
    with wakes:
        finished = True
        wakes.notify()
    writer.join()
    connection.close()
    return rate


def _durable(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL"):
        list(connection.execute(statement))
    return connection


def rate_of(store: Callable[[str], object], texts: Sequence[str], callers: int) -> float:
    """Texts per second that `callers` threads store, each waiting for its answer."""
    left = iter(texts)
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                text = next(left, None)
            if text is None:
                return
            store(text)

    threads = [threading.Thread(target=work) for _ in range(callers)]
    start = perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(texts) / (perf_counter() - start)
