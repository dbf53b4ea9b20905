"""An embedding endpoint on loopback, for peers whose own model would be a download.

It serves the model that remem itself uses, in the form of OpenAI's embeddings, so that a
difference between two memories is not one between two models.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from remem.app.environment import models_folder
from remem.embed.minilm import MiniLM

NAME = "all-MiniLM-L6-v2"


@contextmanager
def embeddings_endpoint() -> Iterator[str]:
    """Serves while the block runs; yields the base address, which ends in /v1."""
    model = MiniLM(models_folder() / "minilm")
    turn = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
            with turn:
                self._send(_answer(model, texts))

        def do_GET(self) -> None:
            self._send({"object": "list", "data": [{"id": NAME, "object": "model"}]})

        def _send(self, value: dict[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            """Silent: its lines would stand between ours."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        model.close()


def _answer(model: MiniLM, texts: Sequence[str]) -> dict[str, Any]:
    vectors = [embedding.pooled for embedding in model.embed(texts)]
    return {
        "object": "list",
        "model": NAME,
        "data": [
            {"object": "embedding", "index": n, "embedding": [float(x) for x in vector]}
            for n, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }
