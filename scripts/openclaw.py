"""Test remem with a real OpenClaw: a gateway on loopback, with a scripted model behind it.

Run by `make hosts`, which installs OpenClaw. The model is a small OpenAI-compatible server here:
it records what it is sent, and answers from a script. Nothing leaves the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

TIMEOUT_SECONDS = 600
_TRIES = 5
"""Seconds for a gateway to start or a turn to end; a shared machine may be slow."""

Request = dict[str, Any]
Reply = dict[str, Any]


class Model:
    """Plays a script: each request gets what `script` makes of it, and is kept."""

    def __init__(self, script: Callable[[Request], Reply]) -> None:
        self.requests: list[Request] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                size = int(self.headers.get("content-length", 0))
                request = json.loads(self.rfile.read(size) or b"{}")
                model.requests.append(request)
                self._stream(script(request))

            def do_GET(self) -> None:
                self._send(b'{"data": [{"id": "script"}]}', "application/json")

            def _stream(self, delta: Reply) -> None:
                done = "tool_calls" if "tool_calls" in delta else "stop"
                chunks = [
                    {"choices": [{"index": 0, "delta": {"role": "assistant", **delta}}]},
                    {"choices": [{"index": 0, "delta": {}, "finish_reason": done}]},
                    {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 9}},
                ]
                shared = {"id": "1", "object": "chat.completion.chunk", "model": "script"}
                lines = [f"data: {json.dumps({**shared, **chunk})}\n\n" for chunk in chunks]
                self._send("".join([*lines, "data: [DONE]\n\n"]).encode(), "text/event-stream")

            def _send(self, data: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def since(self, number: int) -> str:
        """Everything the model was sent from a request on, as one text."""
        return json.dumps(self.requests[number:], ensure_ascii=False)


class Host:
    """One OpenClaw with a home of its own."""

    def __init__(self, program: str, home: Path, model: Model) -> None:
        self.program, self.home, self.model = program, home, model
        self.workspace = home / ".openclaw" / "workspace"
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "OPENCLAW_DISABLE_BONJOUR": "1",
            "NO_COLOR": "1",
        }
        self.port = _free_port()
        self.gateway: subprocess.Popen[bytes] | None = None

    def settle_in(self) -> None:
        """Settings as a person has them before remem comes: comments and all."""
        settings = f"""// a gateway of one's own
{{
  tools: {{ toolSearch: false }},
  gateway: {{ mode: "local", port: {self.port}, bind: "loopback",
    auth: {{ mode: "token", token: "{secrets.token_hex(16)}" }} }},
  models: {{ catalogRefresh: {{ enabled: false }}, providers: {{ loop: {{
    baseUrl: "{self.model.url}", apiKey: "none", api: "openai-completions",
    models: [{{ id: "script", name: "script", contextWindow: 200000, maxTokens: 1000,
      input: ["text"], reasoning: false,
      cost: {{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }} }}], }} }} }},
  agents: {{ defaults: {{ model: {{ primary: "loop/script" }}, skipBootstrap: true,
    workspace: {json.dumps(str(self.workspace))} }} }}, // mine
}}
"""
        self.settings.parent.mkdir(parents=True)
        self.settings.write_text(settings)

    @property
    def settings(self) -> Path:
        return self.home / ".openclaw" / "openclaw.json"

    def remem(self, *arguments: str) -> str:
        command = [sys.executable, "-m", "remem", "--workspace", str(self.workspace), *arguments]
        done = subprocess.run(  # noqa: S603 - our own program
            command, env=self.environment, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    def openclaw(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(  # noqa: S603 - the program that make has installed
            [self.program, *arguments],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )

    @contextmanager
    def running(self) -> Iterator[None]:
        log = (self.home / "gateway.log").open("wb")
        try:
            for _ in range(_TRIES):  # on a busy machine it may give up its own start
                self.gateway = subprocess.Popen(  # noqa: S603
                    [self.program, "gateway", "run", "--port", str(self.port)],
                    env=self.environment,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,  # what starts the gateway may not hand signals on
                )
                if self._wait():
                    break
            else:
                problem = (self.home / "gateway.log").read_text()
                raise SystemExit(f"the gateway did not start:\n{problem}")
            yield
        finally:
            self._stop(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                self.gateway.wait(30)
            self._wait(gone=True)
            self._stop(signal.SIGKILL)
            log.close()

    def _stop(self, how: signal.Signals) -> None:
        """Whoever is left of the gateway's own group of processes."""
        assert self.gateway is not None
        with suppress(ProcessLookupError):
            os.killpg(self.gateway.pid, how)

    def say(self, text: str, session: str = "agent:main:main") -> subprocess.CompletedProcess[str]:
        return self.openclaw("agent", "--session-key", session, "--message", text, "--json")

    def _wait(self, *, gone: bool = False) -> bool:
        """Until the gateway listens, or not any more; return whether it does so in time."""
        assert self.gateway is not None
        end = time.monotonic() + (60 if gone else TIMEOUT_SECONDS)
        while time.monotonic() < end:
            with socket.socket() as probe:
                if (probe.connect_ex(("127.0.0.1", self.port)) != 0) == gone:
                    return True
            if not gone and self.gateway.poll() is not None:
                return False
            time.sleep(0.2)
        return False


def script(request: Request) -> Reply:
    """Call the tool that a message names, `CALL tool {arguments}`; otherwise answer "done"."""
    messages = request.get("messages", [])
    roles = [message["role"] for message in messages]
    answered = max((i for i, role in enumerate(roles) if role == "assistant"), default=-1)
    text = json.dumps(
        [message.get("content") for message in messages[answered + 1 :]], ensure_ascii=False
    )
    asked = re.search(r"CALL (\w+) (\{.*?\})", text.replace('\\"', '"'))
    if "tool" in roles[answered + 1 :] or not asked:
        return {"content": "done"}
    names = [tool["function"]["name"] for tool in request.get("tools", [])]
    name = next((name for name in names if name.endswith(asked[1])), asked[1])
    arguments = json.loads(asked[2])
    token = re.search(r"rmt_\w+", json.dumps(request["messages"], ensure_ascii=False))
    if token:
        arguments["session_token"] = token[0]
    call = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": "call1", "type": "function", "function": call}]}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


MAIN = "agent:main:main"
GROUP = "agent:main:telegram:group:-100123"
STRANGE = "agent:main:telegram:group:-100999"
MEMORY = "# Memory\n\n- The wedding venue is the **Black Canyon Inn** near the river\n"
AGENTS = "# Agents\n\nBe kind.\n"
GATE = "# kitchen\n\nHard rule: recipes only.\n\n- what is on -> attention.md\n"

Check = tuple[bool | None, str]
"""Whether it holds, and what; None for what could not be run."""


def story(host: Host) -> Iterator[Check]:
    """Connect OpenClaw, talk, disconnect, and check what the model has seen."""
    host.settle_in()
    original = host.settings.read_bytes()
    yield from _connecting(host)
    before = host.settings.read_bytes()
    with host.running():
        yield from _talking(host)
        yield from _ending(host)
    yield (
        host.settings.read_bytes() == before,
        "the gateway leaves its settings as connect wrote them",
    )
    yield from _leaving(host, original)


def _connecting(host: Host) -> Iterator[Check]:
    root = host.workspace
    (root / "memory" / "groups").mkdir(parents=True)
    (root / "MEMORY.md").write_text(MEMORY)
    (root / "AGENTS.md").write_text(AGENTS)
    (root / "memory" / "groups" / "kitchen.md").write_text(GATE)
    host.remem("init")
    host.remem("rooms", "map", "telegram:-100123", "kitchen")
    host.remem("store", "-c", "instruction", "-p", "critical", "Never send mail unasked.")
    host.remem("connect", "openclaw", "--yes")
    valid = host.openclaw("config", "validate")
    yield valid.returncode == 0, "OpenClaw finds its settings valid after connect"
    kept = host.settings.read_text()
    yield "// a gateway of one's own" in kept and "// mine" in kept, "comments are kept"


def _talking(host: Host) -> Iterator[Check]:
    seen = _say(host, "hello", MAIN)
    yield "**Black Canyon Inn**" in seen, "before activation MEMORY.md is loaded as usual"
    host.remem("migrate")
    host.remem("activate", "--yes")
    seen = _say(host, "hello again", MAIN)
    yield "**Black Canyon Inn**" not in seen, "after activation the text of MEMORY.md is not loaded"
    yield "Never send mail unasked." in seen, "the index is in its place"
    yield "is the Black Canyon Inn near" in seen, "the index has the statement of MEMORY.md"
    yield (host.workspace / "MEMORY.md").read_text() == MEMORY, "the file itself is untouched"
    seen = _say(host, "and again", MAIN)
    yield seen.count("# Memory Index") == 1, "the index is there once in every turn"
    tools = {tool["function"]["name"] for tool in host.model.requests[-1].get("tools", [])}
    yield not tools & {"memory_search", "memory_get"}, "the host's own ungated tools are denied"
    if any(name.startswith("remem__") for name in tools):
        call = 'CALL memory_recall {"query": "may I send mail?"}'
        yield (
            "Never send mail" in _say(host, call, MAIN, answers=True),
            "main recalls with its token",
        )
    else:
        yield None, "recall through the gateway: the server offers no tools yet"
    seen = _say(host, "what is on?", GROUP)
    yield "recipes only" in seen, "a group begins with its gate"
    yield (
        "Never send mail" not in seen and "Black Canyon" not in seen,
        "a group sees nothing of main",
    )
    if any(name.startswith("remem__") for name in tools):
        answer = _say(host, call, GROUP, answers=True)
        yield '"role"' in answer and "not valid here" not in answer, "its own token is accepted"
        yield "Never send mail" not in answer, "the token of a group does not open main"
    seen = _say(host, "hello", STRANGE)
    yield "rooms map" in seen, "an unmapped room gets the command that maps it"
    yield (
        "recipes only" not in seen and "Never send mail" not in seen,
        "an unmapped room gets nothing else",
    )


def _ending(host: Host) -> Iterator[Check]:
    before = _due_flushes(host)
    host.openclaw("sessions", "compact", MAIN)
    yield _due_flushes(host) > before, "before a compaction a flush becomes due"
    before = _due_flushes(host)
    host.say("/new", MAIN)
    yield _due_flushes(host) > before, "at the end of a conversation a flush becomes due"


def _leaving(host: Host, original: bytes) -> Iterator[Check]:
    host.remem("rollback")
    with host.running():
        seen = _say(host, "hello", MAIN)
    yield "**Black Canyon Inn**" in seen, "after rollback MEMORY.md is loaded again"
    host.remem("uninstall", "--yes")
    left = [path for path in (host.home / ".openclaw").rglob("*") if path.parent.name == "remem"]
    yield left == [], "after uninstall no file of remem's is left in OpenClaw's folder"
    yield (
        host.settings.read_bytes() == original,
        "after uninstall its settings are unchanged",
    )
    yield (
        (host.workspace / "AGENTS.md").read_text() == AGENTS,
        "after uninstall AGENTS.md is unchanged",
    )


def _say(host: Host, text: str, session: str, *, answers: bool = False) -> str:
    """What the model received in one turn; with `answers` only the answers of tools."""
    number = len(host.model.requests)
    done = host.say(text, session)
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
    if not answers:
        return host.model.since(number)
    messages = [
        message for request in host.model.requests[number:] for message in request["messages"]
    ]
    return json.dumps(
        [message for message in messages if message["role"] == "tool"], ensure_ascii=False
    )


def _due_flushes(host: Host) -> int:
    """The number of due flushes of main."""
    return len(list((host.workspace / ".remem" / "main" / "due").glob("*.json")))


def main(program: str) -> int:
    with tempfile.TemporaryDirectory(
        prefix="remem-openclaw-", ignore_cleanup_errors=True
    ) as folder:
        host = Host(program, Path(folder), Model(script))
        checks = []
        for ok, claim in story(host):
            print(f"{'--- ' if ok is None else 'ok  ' if ok else 'NOT '} {claim}", flush=True)
            checks.append(ok)
        if False in checks:
            log = Path(folder) / "gateway.log"
            sys.stderr.write(log.read_text(errors="replace")[-4000:] if log.exists() else "")
    return 1 if False in checks else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", metavar="OPENCLAW", help="path of the openclaw program")
    sys.exit(main(parser.parse_args().program))
