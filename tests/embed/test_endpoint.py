import json
import socket
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from remem.embed.endpoint import Endpoint
from remem.errors import ConfigError, EmbedderError, EmbedderMismatch
from tests.deterministic import Deterministic
from tests.embed.loopback import Handler, Respond, honest, listed, serving
from tests.tables import each_row

KEY = "sk-secret-0123456789"


def fails_first(times: int, respond: Respond) -> Respond:
    """Breaks the first answers in its own way, then is honest."""
    left = [times]

    def handle(handler: Handler, question: dict[str, Any]) -> None:
        if left[0] > 0:
            left[0] -= 1
            respond(handler, question)
        else:
            honest(handler, question)

    return handle


def unavailable(handler: Handler, _: dict[str, Any]) -> None:
    handler.answer(b'{"error": {"message": "model is loading"}}', 503)


def hang_up(handler: Handler, _: dict[str, Any]) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)


def silent(handler: Handler, _: dict[str, Any]) -> None:
    handler.loopback.finish.wait()


def trickle(handler: Handler, _: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    while not handler.loopback.finish.wait(0.02):
        handler.wfile.write(b" ")


def asked(respond: Respond = honest, texts: tuple[str, ...] = ("tea",), **options: Any) -> int:
    """Embed against a server; how many requests it saw."""
    with serving(respond) as server:
        try:
            Endpoint(server.url, "m", **{"timeout": 120, "pause": 0, **options}).embed(texts)
        finally:
            count = len(server.asked)
    return count


def failure(respond: Respond, **options: Any) -> str:
    with pytest.raises(EmbedderError) as error:
        asked(respond, **options)
    return str(error.value)


def test_the_request_follows_the_protocol() -> None:
    with serving() as server:
        Endpoint(server.url, "all-minilm", api_key=KEY).embed(["tea", ""])

        assert server.asked == [
            {
                "path": "/v1/embeddings",
                "model": "all-minilm",
                "input": ["tea", " "],
                "encoding_format": "float",
            }
        ]
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


def test_without_a_key_none_is_sent_and_a_bare_host_means_v1() -> None:
    with serving() as server:
        Endpoint(server.url.removesuffix("/v1"), "m").embed(["tea"])

        assert "Authorization" not in server.headers[0]
        assert server.asked[0]["path"] == "/v1/embeddings"


def test_many_texts_go_in_batches_and_keep_their_order() -> None:
    texts = [f"text number {n}" for n in range(10)]
    with serving() as server:
        made = Endpoint(server.url, "m", batch=4).embed(texts)

        assert [len(request["input"]) for request in server.asked] == [4, 4, 2]
    for ours, own in zip(made, Deterministic().embed(texts), strict=True):
        assert ours.pooled == pytest.approx(own.pooled, abs=1e-6)
        assert ours.tokens is None


def test_the_dimension_is_learned_and_then_enforced() -> None:
    def grows(handler: Handler, question: dict[str, Any]) -> None:
        count = len(handler.loopback.asked)
        handler.answer(listed([[1.0] * (2 + count) for _ in question["input"]]))

    with serving(grows) as server:
        endpoint = Endpoint(server.url, "m")

        assert endpoint.identity.dimension == 3
        with pytest.raises(EmbedderMismatch, match="dimension 4, not 3"):
            endpoint.embed(["tea"])


def test_a_given_dimension_is_enforced_from_the_first_answer() -> None:
    with pytest.raises(EmbedderMismatch, match="dimension 64, not 384"):
        asked(dimension=384)


def test_the_identity_of_a_known_dimension_needs_no_request() -> None:
    endpoint = Endpoint("http://127.0.0.1:9/v1", "all-minilm", dimension=384)

    assert str(endpoint.identity) == "all-minilm/384/endpoint"


@each_row("respond", [unavailable, hang_up])
def test_a_temporary_failure_is_retried_once(respond: Respond) -> None:
    assert asked(fails_first(1, respond)) == 2


@each_row(("respond", "cause"), [(unavailable, "503.*model is loading"), (hang_up, "disconnected")])
def test_a_lasting_failure_is_not_retried_twice(respond: Respond, cause: str) -> None:
    with serving(respond) as server:
        with pytest.raises(EmbedderError, match=cause):
            Endpoint(server.url, "m", pause=0).embed(["tea"])

        assert len(server.asked) == 2


@each_row("status", [301, 400, 401, 404, 429])
def test_a_refusal_is_not_retried(status: int) -> None:
    with serving(lambda handler, _: handler.answer(b"no such model", status)) as server:
        with pytest.raises(EmbedderError, match=f"{status}.*no such model"):
            Endpoint(server.url, "m").embed(["tea"])

        assert len(server.asked) == 1


@each_row("respond", [silent, trickle])
def test_a_slow_server_times_out(respond: Respond) -> None:
    assert "within 0.3 s" in failure(respond, timeout=0.3)


def test_an_unreachable_server_is_an_error_with_its_address() -> None:
    with socket.socket() as taken:  # nobody else gets this port, and nobody listens there
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        missing = f"127.0.0.1:{port}/v1/embeddings cannot be reached"

        with pytest.raises(EmbedderError, match=missing):
            Endpoint(f"http://127.0.0.1:{port}", "m", pause=0).embed_query("tea")


def test_an_invalid_answer_is_an_error() -> None:
    assert "2 vectors" in failure(lambda handler, _: handler.answer(listed([[1.0], [1.0]])))
    assert "not finite" in failure(
        lambda handler, _: handler.answer(b'{"data": [{"index": 0, "embedding": [NaN]}]}')
    )
    assert "zero" in failure(lambda handler, _: handler.answer(listed([[0.0, 0.0]])))


def test_an_endless_answer_is_cut_off() -> None:
    def endless(handler: Handler, _: dict[str, Any]) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not handler.loopback.finish.is_set():
            handler.wfile.write(bytes(1 << 20))

    assert "bytes" in failure(endless, timeout=600)


@each_row(
    "respond",
    [
        lambda handler, _: handler.answer(f"wrong key {KEY}".encode(), 401),
        lambda handler, _: handler.answer(json.dumps({"error": KEY}).encode(), 500),
        hang_up,
    ],
)
def test_the_key_is_in_no_error(respond: Respond) -> None:
    with serving(respond) as server:
        address = server.url.replace("http://", "http://somebody:password@")
        endpoint = Endpoint(address, "m", api_key=KEY, pause=0)
        with pytest.raises(EmbedderError) as error:
            endpoint.embed(["tea"])

    for text in (str(error.value), repr(error.value), repr(endpoint)):
        assert KEY not in text
        assert "password" not in text


@each_row("key", ["two words", "line\nbreak", "schlüssel"])
def test_a_key_that_fits_no_header_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(ConfigError) as error:
        Endpoint("http://localhost", "m", api_key=key)

    assert key not in str(error.value)


@each_row("url", ["", "localhost:11434", "file:///etc/passwd", "http://", "http://[::1"])
def test_an_invalid_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        Endpoint(url, "m")


def test_only_the_beginning_of_a_long_text_is_sent() -> None:
    with serving() as server:
        Endpoint(server.url, "m").embed(["tea " * 1_000_000])

        assert len(server.asked[0]["input"][0]) == 8_000


def test_a_closed_endpoint_refuses() -> None:
    with serving() as server:
        endpoint = Endpoint(server.url, "m")
        assert np.linalg.norm(endpoint.embed_query("tea").pooled) == pytest.approx(1)
        endpoint.close()
        endpoint.close()

        with pytest.raises(EmbedderError, match="closed"):
            endpoint.embed_query("tea")


def test_httpx_is_imported_with_the_first_text() -> None:
    code = (
        "import sys; from remem.embed.endpoint import Endpoint;"
        "Endpoint('http://localhost', 'm'); print('httpx2' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"
