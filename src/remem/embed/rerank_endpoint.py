"""A reranker behind a `/rerank` endpoint, in the form of Hugging Face's text-embeddings-inference.

A request has a question and texts; the answer has one score per text. An answer with missing,
repeated or invalid scores is an error. After an error, the server is not asked for a while, so that
a broken server does not slow down every question.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, Final

from remem.errors import RerankerError, quoted
from remem.model_client import ModelServer, Service

_SERVICE: Final = Service("/rerank", "reranker", RerankerError, default_path="")
_MAX_CHARACTERS: Final = 4_000
_PAUSE_SECONDS: Final = 30.0
"""For how long a server is not asked after an error."""


def parse_scores(answer: bytes, count: int) -> list[float]:
    """Return one score per text, in the order of the texts."""
    try:
        items: Any = json.loads(answer)
    except (ValueError, RecursionError) as error:
        raise RerankerError(f"the reranker's answer is not JSON: {_excerpt(answer)}") from error
    if not isinstance(items, list) or len(items) != count:
        raise RerankerError(f"the reranker's answer is not {count} scores: {_excerpt(answer)}")
    scores: dict[int, float] = {}
    for item in items:
        if not isinstance(item, dict):
            raise RerankerError(f"the reranker's answer has no score: {quoted(item)}")
        index: Any = item.get("index")
        score: Any = item.get("score")
        if type(index) is not int or not 0 <= index < count or index in scores:
            raise RerankerError(f"the reranker's answer has a wrong index: {quoted(item)}")
        if type(score) not in (int, float) or not isfinite(score):
            raise RerankerError(f"the reranker's answer has a wrong score: {quoted(item)}")
        scores[index] = float(score)
    return [scores[index] for index in range(count)]


def _excerpt(answer: bytes) -> str:
    return quoted(answer[:200].decode(errors="replace"), 100)


class RerankEndpoint:
    """A reranker on a server; `timeout` is in seconds."""

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        timeout: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._server = ModelServer(base_url, _SERVICE, api_key, timeout, 0.1)
        self._clock = clock
        self._problem: str | None = None
        self._paused_until = 0.0

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        if self._problem is not None and self._clock() < self._paused_until:
            raise RerankerError(self._problem)
        request = {
            "query": question[:_MAX_CHARACTERS],
            "texts": [text[:_MAX_CHARACTERS] or " " for text in texts],
            "truncate": True,
        }
        try:
            scores = parse_scores(self._server.post(request), len(texts))
        except RerankerError as error:
            self._problem = str(error.args[0])
            self._paused_until = self._clock() + _PAUSE_SECONDS
            raise
        self._problem = None
        return scores

    def close(self) -> None:
        self._server.close()
