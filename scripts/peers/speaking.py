"""Talk to a program with one JSON message per line, and time its answers.

A client of our own, small enough to be timed and to have its server killed at any moment. It speaks
MCP over stdio; a peer without an MCP server gets a driver that answers in the same form.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from queue import Empty, Queue
from time import perf_counter
from types import TracebackType
from typing import Any, Final, Self

TIMEOUT_SECONDS: Final = 120.0
"""Seconds that a program may take for one answer before it counts as one that gives none."""

_HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "side-by-side", "version": "1"},
}


class NoAnswer(Exception):
    """The program ended, kept silent, or said that it could not."""


class Spoken:
    """A running program and the line to it."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: Path) -> None:
        self.started = perf_counter()
        self.home = cwd
        self._log = (cwd / "stderr.log").open("ab")
        self.process = subprocess.Popen(  # noqa: S603 - a peer that the owner asked for
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **env},
            cwd=cwd,
            start_new_session=True,
        )
        self._lines: Queue[bytes] = Queue()
        self._listening = threading.Thread(target=self._listen, daemon=True)
        self._listening.start()
        self._last = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.kill()

    def greet(self) -> list[dict[str, Any]]:
        """Initialise as an MCP client does; the tools that the server offers."""
        self.ask("initialize", _HELLO)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools: list[dict[str, Any]] = self.ask("tools/list", {})["tools"]
        return tools

    def call(self, tool: str, arguments: Mapping[str, object]) -> dict[str, Any]:
        result: dict[str, Any] = self.ask(
            "tools/call", {"name": tool, "arguments": dict(arguments)}
        )
        if result.get("isError"):
            raise NoAnswer(f"{tool}: {' '.join(strings(result))[:300]}")
        return result

    def ask(self, method: str, params: Mapping[str, object]) -> Any:
        self._last += 1
        message = {"jsonrpc": "2.0", "id": self._last, "method": method, "params": dict(params)}
        self._send(message)
        deadline = perf_counter() + TIMEOUT_SECONDS
        while True:
            answer = self._next(deadline - perf_counter(), method)
            if answer.get("id") == self._last and "method" not in answer:
                if "error" in answer:
                    raise NoAnswer(f"{method}: {answer['error']}")
                return answer["result"]

    def kill(self) -> None:
        """SIGKILL, the program and whatever it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._listening.join(5)
        for stream in (self.process.stdin, self.process.stdout, self._log):
            assert stream is not None
            with contextlib.suppress(OSError):  # what could not be sent any more
                stream.close()

    def _send(self, message: Mapping[str, object]) -> None:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise NoAnswer(f"the program has ended: {error}") from error

    def _next(self, seconds: float, method: str) -> dict[str, Any]:
        while True:
            try:
                line = self._lines.get(timeout=max(seconds, 0.01))
            except Empty:
                raise NoAnswer(f"{method}: no answer in {TIMEOUT_SECONDS:.0f} s") from None
            if not line:
                raise NoAnswer(f"{method}: the program ended ({self.process.poll()})")
            with contextlib.suppress(ValueError):  # what is no JSON is not for us
                answer = json.loads(line)
                if isinstance(answer, dict):
                    return answer

    def _listen(self) -> None:
        assert self.process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in self.process.stdout:
                self._lines.put(line)
        self._lines.put(b"")


def strings(value: object) -> Iterator[str]:
    """Every text in an answer, in order; a text that is JSON itself is opened."""
    if isinstance(value, str):
        with contextlib.suppress(ValueError):
            if value.lstrip()[:1] in ("{", "["):
                yield from strings(json.loads(value))
                return
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from strings(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from strings(part)
