"""A reranker behind a `/rerank` endpoint; slow, lying and broken ones are errors with a reason."""

from __future__ import annotations

import json
from typing import Any

import pytest

from remem.embed.rerank_endpoint import RerankEndpoint
from remem.errors import ConfigError, RerankerError
from tests.embed.loopback import Handler, Respond, serving
from tests.tables import each_row


def by_length(handler: Handler, question: dict[str, Any]) -> None:
    """Score texts by their length, and list the scores from best to worst, as TEI does."""
    scores = [{"index": i, "score": len(text)} for i, text in enumerate(question["texts"])]
    handler.answer(json.dumps(sorted(scores, key=lambda s: -s["score"])).encode())


def saying(body: bytes, status: int = 200) -> Respond:
    return lambda handler, _: handler.answer(body, status)


def silent(handler: Handler, _: dict[str, Any]) -> None:
    handler.loopback.finish.wait()


def address(url: str) -> str:
    return url.removesuffix("/v1")


def test_scores_come_in_the_order_of_the_texts() -> None:
    with serving(by_length) as server:
        reranker = RerankEndpoint(address(server.url), api_key="key")
        assert reranker.scores("which?", ["aa", "a", "", "aaa"]) == [2, 1, 1, 3]
        reranker.close()

    request = server.asked[0]
    assert request["path"] == "/rerank"
    assert (request["query"], request["texts"]) == ("which?", ["aa", "a", " ", "aaa"])
    assert server.headers[0]["Authorization"] == "Bearer key"


@each_row(
    "body",
    [
        b"not json",
        b"{}",
        b"[]",
        b'[{"index": 0, "score": 1}]',
        b'[{"index": 0, "score": 1}, {"index": 0, "score": 2}]',
        b'[{"index": 0, "score": 1}, {"index": 2, "score": 2}]',
        b'[{"index": 0, "score": 1}, {"index": true, "score": 2}]',
        b'[{"index": 0, "score": 1}, {"index": 1, "score": NaN}]',
        b'[{"index": 0, "score": 1}, {"index": 1, "score": "2"}]',
        b'[{"index": 0, "score": 1}, 3]',
        b"[" * 100_000,
    ],
)
def test_a_wrong_answer_is_an_error(body: bytes) -> None:
    with serving(saying(body)) as server, pytest.raises(RerankerError, match="the reranker's"):
        RerankEndpoint(address(server.url)).scores("q", ["a", "b"])


@each_row("status", [400, 413, 500])
def test_a_refusal_is_an_error_with_the_status(status: int) -> None:
    with (
        serving(saying(b"too many texts", status)) as server,
        pytest.raises(RerankerError, match=f"answered {status}"),
    ):
        RerankEndpoint(address(server.url)).scores("q", ["a", "b"])


def test_a_slow_server_is_given_up() -> None:
    with serving(silent) as server, pytest.raises(RerankerError, match="did not answer within"):
        RerankEndpoint(address(server.url), timeout=0.05).scores("q", ["a", "b"])


def test_after_an_error_the_server_is_left_alone_for_a_while() -> None:
    time = [100.0]
    with serving(saying(b"no")) as server:
        reranker = RerankEndpoint(address(server.url), clock=lambda: time[0])
        for _ in range(3):
            with pytest.raises(RerankerError, match="not JSON"):
                reranker.scores("q", ["a", "b"])
        assert len(server.asked) == 1
        time[0] += 31
        with pytest.raises(RerankerError):
            reranker.scores("q", ["a", "b"])
        assert len(server.asked) == 2


def test_an_address_without_a_host_is_refused() -> None:
    with pytest.raises(ConfigError, match="reranker's URL"):
        RerankEndpoint("localhost:8080")
