"""What does a model behind an OpenAI-compatible `/v1/embeddings` make of a text?

That is OpenAI, Ollama, LM Studio, vLLM, llama.cpp, TEI and their like.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from remem.core.language import WELL
from remem.embedders.answers import vectors
from remem.errors import EmbedderError, EmbedderMismatch
from remem.model_server import Server, Service
from remem.ports import Embedding, Floats, ModelIdentity, QueryEmbedding

_SERVICE: Final = Service("/embeddings", "embedder", EmbedderError)
_LONGEST: Final = 8_000  # characters of a text; most servers refuse what is too long for the model


class Endpoint:
    """An embedder on a server.

    Where no `dimension` is given, the first answer tells it, and `identity` asks for one if
    need be. From then on a vector of another dimension is an EmbedderMismatch.
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
        self._server = Server(base_url, _SERVICE, api_key, timeout, pause)
        self._model = model
        self._batch = batch
        self._dimension = dimension
        self._lock = threading.Lock()

    @property
    def identity(self) -> ModelIdentity:
        dimension = self._dimension or self._ask(["dimension"]).shape[1]
        return ModelIdentity(self._model, dimension, "endpoint")

    def reads(self, text: str) -> int:  # noqa: ARG002 - the port's signature
        """Nobody can tell what the model learned; who chose it knows."""
        return WELL

    def knows(self, word: str) -> bool:  # noqa: ARG002 - the port's signature
        return False

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        starts = range(0, len(texts), self._batch)
        return [
            Embedding(row) for start in starts for row in self._ask(texts[start:][: self._batch])
        ]

    def embed_quickly(self, texts: Sequence[str]) -> None:
        """It has no rougher way."""

    def embed_query(self, text: str) -> QueryEmbedding:
        return QueryEmbedding(self._ask([text])[0])

    def close(self) -> None:
        self._server.close()

    def _ask(self, texts: Sequence[str]) -> Floats:
        # Several servers refuse an empty text; a space has no meaning either.
        inputs = [text[:_LONGEST] or " " for text in texts]
        question = {"model": self._model, "input": inputs, "encoding_format": "float"}
        rows = vectors(self._server.post(question), len(texts))
        self._expect(rows.shape[1])
        return rows

    def _expect(self, dimension: int) -> None:
        with self._lock:
            if self._dimension is None:
                self._dimension = dimension
        if dimension != self._dimension:
            raise EmbedderMismatch(
                f"{self._model} gave vectors of dimension {dimension}, not {self._dimension}",
                hint="the model behind the endpoint has changed; name it anew to embed again",
            )
