"""An embedder behind an OpenAI-compatible `/v1/embeddings` endpoint.

OpenAI, Ollama, LM Studio, vLLM, llama.cpp, TEI and others offer one. Each answer must have one
vector per text; all vectors must have the same dimension, and be finite and not zero.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from remem.errors import EmbedderError, EmbedderMismatch, quoted
from remem.model_client import ModelServer, Service
from remem.ports.models import Embedding, Floats, ModelIdentity, QueryEmbedding
from remem.text.language import FULL_SUPPORT

_SERVICE: Final = Service("/embeddings", "embedder", EmbedderError)
_MAX_CHARACTERS: Final = 8_000  # most servers refuse texts that are too long for the model


def parse_vectors(answer: bytes, count: int) -> Floats:
    """Return one unit vector per text, in the order of the texts."""
    rows = _sort_by_index(_items(answer), count)
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or 0 in lengths:
        raise EmbedderError(f"the vectors have different dimensions: {sorted(lengths)}")
    try:
        # A number too large for float32 becomes infinite, which is rejected below.
        with np.errstate(over="ignore"):
            matrix = np.array(rows, np.float64).astype(np.float32)
    except OverflowError as error:
        raise EmbedderError("a vector contains a number that is too large") from error
    norms = np.linalg.norm(matrix.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise EmbedderError("a vector contains a number that is not finite")
    if not (norms > 0).all():
        raise EmbedderError("a vector contains only zeros")
    unit: Floats = (matrix / norms).astype(np.float32)
    return unit


def _items(answer: bytes) -> list[Any]:
    try:
        items = json.loads(answer)["data"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise EmbedderError(f"the answer is not a list of vectors: {_excerpt(answer)}") from error
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise EmbedderError(f"the answer is not a list of vectors: {_excerpt(answer)}")
    return items


def _sort_by_index(items: list[dict[str, Any]], count: int) -> list[list[float]]:
    """Return the vectors sorted by `index`, or in the order of the answer if there is no index."""
    indices = [item.get("index", position) for position, item in enumerate(items)]
    if len(items) != count or sorted(map(repr, indices)) != sorted(map(repr, range(count))):
        raise EmbedderError(
            f"the answer to {count} texts has {len(items)} vectors, with indices {quoted(indices)}"
        )
    rows: list[list[float]] = [[]] * count
    for index, item in zip(indices, items, strict=True):
        row = item.get("embedding")
        if not isinstance(row, list) or not all(type(x) in (int, float) for x in row):
            raise EmbedderError(f"a vector is not a list of numbers: {quoted(row)}")
        rows[index] = row
    return rows


def _excerpt(answer: bytes) -> str:
    return quoted(answer[:200].decode(errors="replace"), 100)


class Endpoint:
    """An embedder on a server.

    Without a `dimension`, the first answer determines it, for which `identity` sends a request if
    necessary. Afterwards, vectors of another dimension raise EmbedderMismatch.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        *,
        api_key: str | None = None,
        dimension: int | None = None,
        batch: int = 64,
        timeout: float = 30.0,
        pause: float = 0.5,
    ) -> None:
        self._server = ModelServer(base_url, _SERVICE, api_key, timeout, pause)
        self._model = model
        self._batch = batch
        self._dimension = dimension
        self._lock = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        dimension = self._dimension or self._request(["dimension"]).shape[1]
        return ModelIdentity(self._model, dimension, "endpoint")

    def language_support(self, text: str) -> int:  # noqa: ARG002 - the port's signature
        """Assume that the model supports the language, since the user chose it."""
        return FULL_SUPPORT

    def knows(self, word: str) -> bool:  # noqa: ARG002 - the port's signature
        return False

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        starts = range(0, len(texts), self._batch)
        return [
            Embedding(row)
            for start in starts
            for row in self._request(texts[start:][: self._batch])
        ]

    def embed_quickly(self, texts: Sequence[str]) -> None:
        """Return None: an endpoint has no quick vectors."""

    def embed_query(self, text: str) -> QueryEmbedding:
        return QueryEmbedding(self._request([text])[0])

    def close(self) -> None:
        self._server.close()

    def _request(self, texts: Sequence[str]) -> Floats:
        # Several servers refuse an empty text, so a space is sent instead.
        inputs = [text[:_MAX_CHARACTERS] or " " for text in texts]
        request = {"model": self._model, "input": inputs, "encoding_format": "float"}
        rows = parse_vectors(self._server.post(request), len(texts))
        self._check_dimension(rows.shape[1])
        return rows

    def _check_dimension(self, dimension: int) -> None:
        with self._lock:
            if self._dimension is None:
                self._dimension = dimension
        if dimension != self._dimension:
            raise EmbedderMismatch(
                f"{self._model} returned vectors of dimension {dimension}, not {self._dimension}",
                hint="the model behind the endpoint has changed; set its new name in the settings",
            )
