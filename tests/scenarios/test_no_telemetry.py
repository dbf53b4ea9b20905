"""Nothing reports home: every command and the server run with an empty home folder, which holds
nothing but remem's files afterwards, and none of them opens a connection.

Python code is watched by an audit hook in every process. Native code, such as onnxruntime, is
watched by strace where that is installed; elsewhere only the files that it leaves are checked.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import anyio
import click
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from remem.app.environment import models_folder
from remem.cli.main import remem as every_command

pytestmark = pytest.mark.model

_HOOK = """
import os, sys
_log = os.open(os.environ["WATCHED_CONNECTIONS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
_watched = ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.sendmsg")
def _watch(event, args):
    if event in _watched:
        os.write(_log, f"{event} {args[1:]} by {sys.argv}\\n".encode())
sys.addaudithook(_watch)
"""
_STRACE = ("strace", "-f", "-qq", "--seccomp-bpf", "-e", "trace=connect,sendto,sendmsg")
_INTERNET = ("AF_INET", "AF_INET6")

_FACT = "Zoë lives in Bern."
_SAID = {"hook_event_name": "UserPromptSubmit", "prompt": "where does Zoë live?"}
_COMMANDS: tuple[tuple[str, str], ...] = (
    ("init", ""),
    ("store -c fact 'The gateway runs on atlas.'", ""),
    ("recall 'where is the gateway?'", ""),
    ("search gateway", ""),
    ("get MEMORY.md", ""),
    ("status", ""),
    ("open 'which task is next?'", ""),
    ("flush -", '[{"kind": "task", "text": "Prune the hedge."}]'),
    ("heartbeat", ""),
    ("consolidate", ""),
    ("note 'Called the plumber.'", ""),
    (f"fact record Zoë '{_FACT}'", ""),
    ("audit", ""),
    ("index", ""),
    ("start", ""),
    ("list", ""),
    ("recent", ""),
    ("edit mem-00000000 'Another text.'", ""),
    ("graph", ""),
    ("ingest --subject Zoë --relation knows --object Ada", ""),
    ("spaces create team", ""),
    ("shared-store --space team -c fact 'The gate is blue.'", ""),
    ("shared-recall gate", ""),
    ("proposals", ""),
    ("handle scout --spaces team", ""),
    ("copy --to sqlite", ""),
    ("help", ""),
    ("version", ""),
    ("completion bash", ""),
    ("setup --dry-run", ""),
    ("history mem-00000000", ""),
    ("reinforce mem-00000000", ""),
    ("forget mem-00000000", ""),
    ("erase mem-00000000 --yes", ""),
    ("review", ""),
    ("curate", ""),
    ("refresh --vectors", ""),
    ("rooms map telegram:-100123 kitchen", ""),
    ("rooms rename telegram:-100123 pantry", ""),
    ("export", ""),
    ("import -", '{"category": "fact", "content": "Köln lies on the Rhine."}'),
    ("migrate", ""),
    ("validate", ""),
    ("activate --yes", ""),
    ("rollback", ""),
    ("backup ../kept.tar.gz", ""),
    ("restore --force ../kept.tar.gz", ""),
    ("maintain", ""),
    ("decay", ""),
    ("doctor", ""),
    ("synthesize", ""),
    ("graduate", ""),
    ("rebuild", ""),
    ("token issue --session agent:main:main", ""),
    ("token list", ""),
    ("token revoke --all", ""),
    ("connect claude-code --anyway --yes", ""),
    ("hook prompt", json.dumps(_SAID)),
    ("hook session-start", "{}"),
    ("disconnect claude-code --yes", ""),
    ("uninstall --yes", ""),
    ("models list", ""),
    ("models fetch minilm", ""),  # installed already: it verifies and downloads nothing
    ("bench decay", ""),
    ("serve", ""),  # the input ends at once
    ("demo", ""),
)


@dataclass(frozen=True, slots=True)
class Run:
    """What all the commands left behind."""

    home: Path
    connections: str
    traced: str | None


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("watched")
    home, workspace, hook = folder / "home", folder / "workspace", folder / "hook"
    for made in (home, workspace, hook):
        made.mkdir()
    (hook / "sitecustomize.py").write_text(_HOOK)
    (workspace / "MEMORY.md").write_text("# Garden\n\n- The gateway hums.\n", encoding="utf-8")
    log = folder / "connections.log"
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(hook),
        "WATCHED_CONNECTIONS": str(log),
        "REMEM_MODELS": str(models_folder()),
        "HOME": str(home),
        **{f"XDG_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")},
        "XDG_STATE_HOME": str(home / "state"),
    }
    strace = folder / "strace.log" if shutil.which("strace") else None
    for line, given in _COMMANDS:
        _command(line, given, workspace, environment, strace)
    anyio.run(_served, workspace, environment)
    traced = strace.read_text(errors="replace") if strace and strace.exists() else None
    return Run(home, log.read_text(), traced)


def _command(
    line: str, given: str, workspace: Path, environment: Mapping[str, str], strace: Path | None
) -> None:
    watched = (*_STRACE, "-A", "-o", str(strace)) if strace else ()
    done = subprocess.run(
        [*watched, sys.executable, "-m", "remem", *_words(line)],
        input=given,
        cwd=workspace,
        env=dict(environment),
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Traceback" not in done.stderr, (line, done.stderr)
    assert done.returncode in (0, 1), (line, done.stderr)


def _words(line: str) -> list[str]:
    return shlex.split(line)


async def _served(workspace: Path, environment: Mapping[str, str]) -> None:
    """A real client of a real server, which loads the model for its questions."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "remem", "--workspace", str(workspace), "serve", "--profile", "full"],
        env=dict(environment),
    )
    async with Client(stdio_client(command)) as client:
        for tool in (await client.list_tools()).tools:
            given = {"query": "gateway"} if "query" in tool.input_schema["properties"] else {}
            await client.call_tool(tool.name, given)
        found = await client.call_tool("memory_recall", {"query": "which machine is the door?"})
        assert "keyword only" not in str(found.structured_content)


def test_every_command_is_tried() -> None:
    tried = {_words(line)[0] for line, _ in _COMMANDS}

    assert tried == set(every_command.list_commands(click.Context(every_command)))


@pytest.mark.slow
def test_the_home_folder_holds_nothing_but_files_of_remem(run: Run) -> None:
    found = {
        path.relative_to(run.home).as_posix() for path in run.home.rglob("*") if path.is_file()
    }

    foreign = {path for path in found if not path.startswith(("cache/remem/", "state/remem/"))}
    assert foreign == set()


@pytest.mark.slow
def test_no_python_code_connects_to_anything(run: Run) -> None:
    assert run.connections == ""


@pytest.mark.slow
def test_no_native_code_connects_to_the_internet(run: Run) -> None:
    if run.traced is None:
        pytest.skip("strace is not installed: connections of native code are not watched")
    connecting = [line for line in run.traced.splitlines() if any(k in line for k in _INTERNET)]

    assert connecting == []


def test_a_connection_would_be_noticed(tmp_path: Path) -> None:
    """Both watches see an attempt, so that their silence means something."""
    (tmp_path / "sitecustomize.py").write_text(_HOOK)
    log, strace = tmp_path / "connections.log", tmp_path / "strace.log"
    watched = (*_STRACE, "-o", str(strace)) if shutil.which("strace") else ()
    attempt = "import socket; socket.socket().connect_ex(('127.0.0.1', 9))"
    subprocess.run(
        [*watched, sys.executable, "-c", attempt],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(tmp_path),
            "WATCHED_CONNECTIONS": str(log),
        },
        check=True,
    )

    assert "socket.connect" in log.read_text()
    assert not watched or "AF_INET" in strace.read_text()


def test_loading_a_model_file_leaves_nothing_in_the_cache_folder(tmp_path: Path) -> None:
    """Every path to the model goes through here, that of `remem models fetch` too."""
    program = (
        "from remem.embed.runtime import load_session\n"
        "from remem.errors import EmbedderError\n"
        "try:\n    load_session(b'no model')\n"
        "except EmbedderError as error:\n    print(error)\n"
    )
    environment = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "cannot be loaded" in done.stdout
    assert list(tmp_path.rglob("*")) == []
