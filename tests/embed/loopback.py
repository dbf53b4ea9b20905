"""A local model server whose answers a test decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.deterministic import Deterministic

Respond = Callable[["Handler", dict[str, Any]], None]


@dataclass
class Loopback:
    """Where the server listens, and what it was asked."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    finish: threading.Event = field(default_factory=threading.Event)


class Handler(BaseHTTPRequestHandler):
    """Hands each request to `respond`; `loopback.finish` ends what is slow on purpose."""

    respond: Respond
    loopback: Loopback

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        question = json.loads(body)
        self.loopback.asked.append({"path": self.path, **question})
        self.loopback.headers.append(dict(self.headers.items()))
        type(self).respond(self, question)

    def answer(self, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Tests are quiet."""


def listed(vectors: Sequence[Sequence[float]]) -> bytes:
    """An answer of the protocol, last vector first: only `index` tells which is whose."""
    data = [{"index": place, "embedding": list(map(float, v))} for place, v in enumerate(vectors)]
    return json.dumps({"object": "list", "data": data[::-1]}).encode()


def honest(handler: Handler, question: dict[str, Any]) -> None:
    """Answer with the vectors of the deterministic embedder."""
    embedded = Deterministic().embed(question["input"])
    handler.answer(listed([embedding.pooled.tolist() for embedding in embedded]))


class Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that hangs up on a slow server is what some tests are about."""


@contextmanager
def serving(respond: Respond = honest) -> Iterator[Loopback]:
    loopback = Loopback("")
    own = type("Own", (Handler,), {"respond": staticmethod(respond), "loopback": loopback})
    server = Quiet(("127.0.0.1", 0), own)
    loopback.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield loopback
    finally:
        loopback.finish.set()
        server.shutdown()
        server.server_close()
        thread.join()
