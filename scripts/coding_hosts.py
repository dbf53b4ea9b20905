"""Test remem with real coding agents: from nothing to a second conversation that knows the first.

Run by `make hosts`, which installs them. Each runs in an empty home, with a scripted model on
loopback (`host_model.py`). The commands that a user types are read from the host's guide, so that
the guide is tested too.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from host_model import Model

GUIDES = Path(__file__).parents[1] / "docs" / "guides" / "hosts"
TIMEOUT_SECONDS = 180
Check = tuple[bool, str]

WISH = "Remember: from now on I always want the release notes in French."
RULE = "Remember: from now on never deploy after lunch."
TEA = "Mara drinks green tea in the morning."


class Agent(ABC):
    """A coding agent in a home folder of its own; subclasses know its files and command line."""

    name: ClassVar[str]
    settings: ClassVar[dict[str, str]]
    """The settings that a person has before remem is connected, by path in the home folder."""
    captures: ClassVar[bool] = True
    """Whether hooks flush the conversation."""
    compaction: ClassVar[list[str] | None] = None
    """The options that compact the last conversation, if the command line has them."""
    strict: ClassVar[bool] = False
    """Whether the host itself checks arguments, so that near-misses do not reach remem."""

    def __init__(self, program: str, home: Path, model: Model) -> None:
        self.program, self.home, self.model = program, home, model
        self.environment = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(home),
            "REMEM_MODELS": str(Path("~/.cache/remem/models").expanduser()),
            "NO_COLOR": "1",
            **self.variables(),
        }
        for path, text in self.settings.items():
            (home / path).parent.mkdir(parents=True, exist_ok=True)
            (home / path).write_text(text.replace("MODEL_URL", model.url))
        self.before = {path: (home / path).read_bytes() for path in self.settings}
        for project in ("atlas", "borealis"):
            (home / "src" / project / ".git").mkdir(parents=True)

    def variables(self) -> dict[str, str]:
        """The environment variables that point the agent at the model."""
        return {}

    @abstractmethod
    def line(self, prompt: str) -> list[str]:
        """The command that starts a conversation with a prompt, and ends it."""

    def follow_guide(self) -> list[str]:
        """Run the commands of the first block of the guide; return those that a user types."""
        text = (GUIDES / f"{self.name}.md").read_text(encoding="utf-8")
        block = re.search(r"```\n(.*?)```", text, re.DOTALL)
        assert block, f"{self.name}.md has no block of commands"
        lines = [line[2:] for line in block[1].splitlines() if line.startswith("$ ")]
        for line in lines:
            if not line.startswith(("pip", self.name.split("-")[0])):
                self.run(["bash", "-c", line], self.home, answer="y\n" * 9)
        return lines

    def remem(self, *arguments: str) -> str:
        program = [sys.executable, "-m", "remem", "--workspace", str(self.home / "agent")]
        return self.run([*program, *arguments], self.home)

    def say(self, prompt: str, project: str = "atlas") -> list[dict[str, Any]]:
        """Have a conversation of one prompt; return what the model received."""
        number = len(self.model.requests)
        self.run(self.line(prompt), self.home / "src" / project)
        return self.model.requests[number:]

    def run(self, command: list[str], folder: Path, answer: str = "") -> str:
        done = subprocess.run(  # noqa: S603 - our own program, and one that make has installed
            command,
            cwd=folder,
            env=self.environment,
            input=answer,
            capture_output=True,
            text=True,
            check=False,
            timeout=TIMEOUT_SECONDS,
        )
        if done.returncode:
            shown = " ".join(command[-2:])
            raise SystemExit(f"{shown} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def recall(self, query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(self.remem("recall", query, "--json"))["entries"]
        return [entry for entry in found if entry["id"].startswith("mem-")]

    def wait_for(self, query: str, text: str) -> list[dict[str, Any]]:
        """What is recalled, as soon as a flush in the background has written it."""
        end = time.monotonic() + 60
        while True:
            found = [entry for entry in self.recall(query) if text in entry["content"]]
            if found or time.monotonic() > end:
                return found
            time.sleep(0.5)


class ClaudeCode(Agent):
    name = "claude-code"
    compaction: ClassVar = ["--continue", "-p", "/compact"]
    settings: ClassVar = {
        ".claude/settings.json": '{\n  "permissions": {"allow": ["Bash(ls:*)"]}\n}\n',
    }

    def variables(self) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": self.model.url,
            "ANTHROPIC_API_KEY": "none",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        }

    def line(self, prompt: str) -> list[str]:
        return [self.program, "-p", prompt]


class Codex(Agent):
    name = "codex"
    settings: ClassVar = {
        ".codex/config.toml": """# mine
model = "gpt-5.5"
model_provider = "loop"

[model_providers.loop]  # a server on this machine
name = "loop"
base_url = "MODEL_URL/v1"
wire_api = "responses"
""",
    }

    def line(self, prompt: str) -> list[str]:
        # A person confirms once that the hooks are trusted; nobody can do so here.
        options = ["--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
        return [self.program, "exec", *options, prompt]


class GeminiCli(Agent):
    name = "gemini-cli"
    settings: ClassVar = {
        ".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n',
    }
    captures = False
    strict = True

    def variables(self) -> dict[str, str]:
        return {"GOOGLE_GEMINI_BASE_URL": self.model.url, "GEMINI_API_KEY": "none"}

    def line(self, prompt: str) -> list[str]:
        # A person allows the tools when they are asked; nobody can do so here.
        options = ["--model", "gemini-2.5-flash", "--skip-trust", "--approval-mode", "yolo"]
        return [self.program, *options, "--prompt", prompt]


AGENTS = {agent.name: agent for agent in (ClaudeCode, Codex, GeminiCli)}


def story(agent: Agent) -> Iterator[Check]:
    typed = agent.follow_guide()
    print(f"---  {len(typed)} commands from nothing: {'; '.join(typed)}", flush=True)
    yield from _remembering(agent)
    yield from _knowing(agent)
    yield from _forgetting(agent)
    if agent.compaction is not None:
        yield from _compacting(agent, agent.compaction)
    yield from _leaving(agent)


def _remembering(agent: Agent) -> Iterator[Check]:
    near_miss = {"category": "Preference", "content": TEA, "tags": "tea"}
    exact = {"category": "preference", "content": TEA, "tags": ["tea"]}
    store = exact if agent.strict else near_miss
    if agent.captures:
        agent.say(WISH)
    seen = json.dumps(agent.say(f"CALL memory_store {json.dumps(store)}"))
    yield '\\"stored\\":true' in _plain(seen), "the model stores a memory, and nobody is asked"
    found = agent.wait_for("tea in the morning", TEA)
    yield bool(found), "the memory is in the workspace"
    records = [entry.get("project") for entry in found]
    yield records == ["~/src/atlas"], "the memory records the project"
    if agent.captures:
        # Codex has no end of a conversation, so the start of this one has flushed the first
        learned = agent.wait_for("release notes in French", "French")
        yield bool(learned), "what the user said is learned at the end of the conversation"
        records = [entry.get("project") for entry in learned]
        yield records == ["~/src/atlas"], "what was learned records the project"


def _knowing(agent: Agent) -> Iterator[Check]:
    if agent.captures:
        seen = json.dumps(agent.say("Hello.", "borealis"), ensure_ascii=False)
        yield "# Memory Index" in seen, "a second conversation starts with the index"
        yield TEA in seen, "a second conversation knows what was stored"
        # On a busy machine this hook may run out of time, which costs nothing but the match.
        asked = (
            agent.say("Which tea does Mara drink in the morning?", "borealis") for _ in "12345"
        )
        matched = any("From memory (data" in json.dumps(seen) for seen in asked)
        yield matched, "a prompt gets the memory that matches it"
    budget = 500 if agent.strict else "500"
    query = {"query": "What does Mara drink?", "token_budget": budget}
    seen = _plain(json.dumps(agent.say(f"CALL memory_recall {json.dumps(query)}", "borealis")))
    yield f'\\"content\\":\\"{TEA}' in seen, "the model recalls it"
    yield '\\"project\\":\\"~/src/atlas\\"' in seen, "recall marks what comes from another project"
    items = {"items": [{"kind": "decision", "text": "We ship borealis on Fridays."}]}
    seen = _plain(json.dumps(agent.say(f"CALL memory_flush {json.dumps(items)}", "borealis")))
    yield '\\"written\\":' in seen, "the model flushes a decision"
    yield bool(agent.wait_for("when do we ship borealis", "Fridays")), "the decision is kept"


def _forgetting(agent: Agent) -> Iterator[Check]:
    (tea,) = [entry for entry in agent.recall("tea in the morning") if entry["content"] == TEA]
    agent.say(f"CALL memory_forget {json.dumps({'id': tea['id']})}", "borealis")
    left = [entry for entry in agent.recall("tea in the morning") if entry["content"] == TEA]
    yield left == [], "the model forgets it"


def _compacting(agent: Agent, options: list[str]) -> Iterator[Check]:
    """Compact a conversation that was not flushed at its end, as while it is still running."""
    path = agent.home / ".claude" / "settings.json"
    connected = path.read_bytes()
    settings = json.loads(connected)
    del settings["hooks"]["SessionEnd"]
    path.write_text(json.dumps(settings))
    agent.say(RULE)
    before = [entry for entry in agent.recall("deploy after lunch") if "lunch" in entry["content"]]
    yield before == [], "without the hook of its end a conversation is not flushed"
    number = len(agent.model.requests)
    shown = agent.run([agent.program, *options], agent.home / "src" / "atlas")
    summary = json.dumps(agent.model.requests[number:])
    yield RULE in summary, f"the host compacts the conversation: {shown.strip() or 'no output'}"
    learned = agent.wait_for("deploy after lunch", "lunch")
    yield bool(learned), "before a compaction the conversation is flushed"
    path.write_bytes(connected)


def _leaving(agent: Agent) -> Iterator[Check]:
    agent.remem("disconnect", agent.name, "--yes")
    for path, data in agent.before.items():
        yield (agent.home / path).read_bytes() == data, f"disconnect restores {path} byte for byte"
    seen = json.dumps(agent.say("Hello again."))
    yield "memory_recall" not in seen, "afterwards the host knows nothing of remem"


def _plain(text: str) -> str:
    """JSON in JSON with one level of escapes, however often a host has encoded it."""
    while '\\\\\\"' in text:
        text = text.replace('\\\\\\"', '\\"')
    return text


def _last(requests: list[dict[str, Any]]) -> str:
    """The end of the last conversation, to see what went wrong."""
    last = requests[-1]
    items = last.get("messages") or last.get("input") or last.get("contents") or []
    return "\n".join(json.dumps(item, ensure_ascii=False)[-600:] for item in items[-6:])


def main(name: str, program: str) -> int:
    home = Path(tempfile.mkdtemp(prefix=f"remem-{name}-"))
    try:
        checks = []
        agent = AGENTS[name](program, home, Model())
        for ok, claim in story(agent):
            print(f"{'ok  ' if ok else 'NOT '} {claim}", flush=True)
            checks.append(ok)
            if not ok:
                print(_last(agent.model.requests), file=sys.stderr)
        log = home / "agent" / ".remem" / "main" / "hooks.log"
        if log.exists():
            print(log.read_text(errors="replace")[-2000:], file=sys.stderr)
        return 0 if all(checks) else 1
    finally:
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("name", choices=AGENTS, help="the agent")
    parser.add_argument("program", metavar="PROGRAM", help="path of the agent's program")
    given = parser.parse_args()
    sys.exit(main(given.name, given.program))
