"""The memories under comparison: with their defaults, and with their best documented setting.

One whose own model would be a download gets its vectors from the endpoint on loopback, which
serves remem's model.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter, sleep
from typing import Final

from remem.app.environment import models_folder
from scripts.peers.endpoint import NAME
from scripts.peers.speaking import TIMEOUT_SECONDS, NoAnswer, Spoken, strings

AMONG: Final = 10
"""How many answers are asked for."""
_DRIVERS: Final = Path(__file__).parent / "drivers"


@dataclass(frozen=True, slots=True)
class Remem:
    programs: Path
    setting: str = "default"
    name: str = "remem"

    def start(self, home: Path) -> Spoken:
        program = str(self.programs / "remem")
        if not (home / ".remem").exists():
            _run([program, "init", str(home)], home)
        models = "/nowhere" if self.setting == "no model" else str(models_folder())
        command = [program, "--workspace", str(home), "serve"]
        return Spoken(command, {"HOME": str(home), "REMEM_MODELS": models}, home)

    def write(self, line: Spoken, text: str) -> None:
        line.call("memory_store", {"category": "fact", "content": text})

    def settle(self, line: Spoken) -> None:
        """Until each entry has its vector."""
        while self.setting != "no model":
            status = line.call("memory_index_status", {})["structuredContent"]
            if not status["health"]["without_vector"]:
                return
            sleep(0.1)

    def search(self, line: Spoken, question: str) -> object:
        return line.call("memory_recall", {"query": question, "limit": AMONG})


@dataclass(frozen=True, slots=True)
class McpMemoryService:
    programs: Path
    endpoint: str
    setting: str = "default"
    name: str = "mcp-memory-service"

    def start(self, home: Path) -> Spoken:
        settings = {
            "HOME": str(home),
            "MCP_EXTERNAL_EMBEDDING_URL": f"{self.endpoint}/embeddings",
            "MCP_EXTERNAL_EMBEDDING_MODEL": NAME,
            "MCP_MEMORY_BASE_DIR": str(home / "base"),
        }
        return Spoken([str(self.programs / "memory"), "server"], settings, home)

    def write(self, line: Spoken, text: str) -> None:
        """It refuses what is like something it has, without an error, outside a conversation."""
        place = {} if self.setting == "default" else {"conversation_id": "one"}
        answer = line.call("memory_store", {"content": text, **place})
        if "stored successfully" not in " ".join(strings(answer)):
            raise NoAnswer(f"refused: {text}")

    def settle(self, line: Spoken) -> None:
        """It is ready when it has acknowledged."""

    def search(self, line: Spoken, question: str) -> object:
        mode = "semantic" if self.setting == "default" else "hybrid"
        return line.call("memory_search", {"query": question, "limit": AMONG, "mode": mode})


@dataclass(frozen=True, slots=True)
class MemPalace:
    programs: Path
    endpoint: str
    setting: str = "default"
    name: str = "MemPalace"

    def start(self, home: Path) -> Spoken:
        settings = {
            "HOME": str(home),
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": self.endpoint,
            "MEMPALACE_EMBEDDING_API_MODEL": NAME,
        }
        return Spoken([str(self.programs / "mempalace-mcp")], settings, home)

    def write(self, line: Spoken, text: str) -> None:
        where = {"wing": "facts", "room": "all"}
        answer = line.call("mempalace_add_drawer", {**where, "content": text})
        if "drawer_" not in " ".join(strings(answer)):
            raise NoAnswer(f"refused: {text}")

    def settle(self, line: Spoken) -> None:
        """It is ready when it has acknowledged."""

    def search(self, line: Spoken, question: str) -> object:
        most = 250  # characters that it takes
        return line.call("mempalace_search", {"query": question[:most], "limit": AMONG})


@dataclass(frozen=True, slots=True)
class MemSearch:
    """It has no MCP server: a driver calls its Python interface."""

    programs: Path
    endpoint: str
    setting: str = "default"
    name: str = "memsearch"

    def start(self, home: Path) -> Spoken:
        driver = str(_DRIVERS / "memsearch_driver.py")
        command = [str(self.programs / "python"), driver, self.endpoint, NAME]
        return Spoken(command, {"HOME": str(home)}, home)

    def write(self, line: Spoken, text: str) -> None:
        line.call("write", {"text": text})

    def settle(self, line: Spoken) -> None:
        """It is ready when it has acknowledged."""

    def search(self, line: Spoken, question: str) -> object:
        return line.call("search", {"query": question, "limit": AMONG})


@dataclass(frozen=True, slots=True)
class BasicMemory:
    programs: Path
    endpoint: str
    setting: str = "default"
    name: str = "basic-memory"

    def start(self, home: Path) -> Spoken:
        vectors = {
            "SEMANTIC_EMBEDDING_PROVIDER": "litellm",
            "SEMANTIC_EMBEDDING_MODEL": f"openai/{NAME}",
            "SEMANTIC_EMBEDDING_API_BASE": self.endpoint,
            "SEMANTIC_EMBEDDING_API_KEY": "none",
            "SEMANTIC_EMBEDDING_DIMENSIONS": "384",
        }
        settings = {
            "HOME": str(home),
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "BASIC_MEMORY_HOME": str(home / "notes"),
            **{f"BASIC_MEMORY_{name}": value for name, value in vectors.items()},
        }
        driver = str(_DRIVERS / "basic_memory_driver.py")
        return Spoken([str(self.programs / "python"), driver], settings, home)

    def write(self, line: Spoken, text: str) -> None:
        digest = sha256(text.encode()).hexdigest()[:8]  # a title is a file: no two may share one
        title = f"{' '.join(text.split()[:6])} {digest}"
        note = {"title": title, "content": text, "directory": "facts"}
        if "Created note" not in " ".join(strings(line.call("write_note", note))):
            raise NoAnswer(f"refused: {text}")

    def settle(self, line: Spoken) -> None:
        """It is ready when it has acknowledged."""

    def search(self, line: Spoken, question: str) -> object:
        return line.call("search_notes", {"query": question, "page_size": AMONG})


@dataclass(frozen=True, slots=True)
class Qmd:
    """An index over files: the facts are files that somebody wrote, one each."""

    program: Path
    setting: str = "keywords"
    name: str = "QMD"

    def start(self, home: Path) -> Spoken:
        notes = home / "notes"
        if not notes.exists():
            notes.mkdir()
            _run([str(self.program), "collection", "add", str(notes), "--name", "facts"], home)
        return Spoken([str(self.program), "mcp"], {"HOME": str(home)}, home)

    def write(self, line: Spoken, text: str) -> None:
        notes = line.home / "notes"
        (notes / f"{sum(1 for _ in notes.iterdir()):06}.md").write_text(text + "\n")

    def settle(self, line: Spoken) -> None:
        _run([str(self.program), "update"], line.home)

    def search(self, line: Spoken, question: str) -> object:
        searches = [{"type": "lex", "query": question}]
        return line.call("query", {"searches": searches, "limit": AMONG, "rerank": False})


@dataclass(frozen=True, slots=True)
class OpenClaw:
    """The host's own memory engine, asked through its gateway; the facts are files there."""

    program: Path
    endpoint: str = ""
    name: str = "OpenClaw"

    @property
    def setting(self) -> str:
        return "vectors" if self.endpoint else "default"

    def start(self, home: Path) -> Spoken:
        driver = str(_DRIVERS / "openclaw_driver.py")
        vectors = [self.endpoint, NAME] if self.endpoint else []
        command = [sys.executable, driver, str(self.program), str(_free_port()), *vectors]
        settings = {"HOME": str(home), "OPENCLAW_DISABLE_BONJOUR": "1", "NO_COLOR": "1"}
        return Spoken(command, settings, home)

    def write(self, line: Spoken, text: str) -> None:
        line.call("write", {"text": text})

    def settle(self, line: Spoken) -> None:
        """Until the newest file is found: it looks for changes when it is asked."""
        notes = line.home / ".openclaw/workspace/memory"
        newest = max(notes.iterdir()).read_text().strip()
        end = perf_counter() + TIMEOUT_SECONDS
        while newest not in " ".join(strings(self.search(line, newest[:200]))):
            if perf_counter() > end:
                raise NoAnswer(f"the newest file was not found after {TIMEOUT_SECONDS:.0f} s")
            sleep(1)

    def search(self, line: Spoken, question: str) -> object:
        return line.call("search", {"query": question, "limit": AMONG})


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _run(command: Sequence[str], home: Path) -> None:
    done = subprocess.run(  # noqa: S603 - a peer's own program
        command,
        cwd=home,
        env={**os.environ, "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NoAnswer(f"{' '.join(command)}: {done.stderr.strip()[-200:]}")
