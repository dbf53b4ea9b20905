"""What is the limit? The same work done by the bare parts, with nothing around them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

import apsw
import numpy as np

from remem.core.words import search_terms
from remem.ports import Embedder, Embedding


class BareRecall:
    """FTS5 over the same texts, sign bits and half-precision vectors in arrays, the model."""

    def __init__(
        self, folder: Path, texts: Sequence[str], vectors: Sequence[Embedding], model: Embedder
    ) -> None:
        self._connection = apsw.Connection(str(folder / "bare.db"))
        self._connection.execute(
            "CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')"
        )
        with self._connection:
            self._connection.executemany(
                "INSERT INTO texts(rowid, text) VALUES (?, ?)", enumerate(texts, start=1)
            )
        self._pooled = np.stack([each.pooled for each in vectors]).astype(np.float16)
        self._bits = np.packbits(self._pooled > 0, axis=1).view(np.uint64)
        self._model = model

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
    """Rows a second that many threads get durably into one table through one writer."""
    connection = apsw.Connection(str(folder / "rows.db"))
    for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL"):
        list(connection.execute(statement))
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


def rate_of(store: Callable[[str], object], texts: Sequence[str], callers: int) -> float:
    """How many texts a second `callers` threads get stored, each waiting for its answer."""
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
