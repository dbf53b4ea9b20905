"""The twin worlds from outside: real commands, and a real server that tells chats by tokens.

One client of that server speaks for everybody. It mixes up its conversations as it likes, and
each call sees what its token allows.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from remem.app.tools.declare import Tool
from remem.cli.main import remem
from remem.files.session_tokens import SessionTokens
from tests.scenarios.twin_tools import UNSHARED, calls, with_word
from tests.scenarios.twin_world import World, same
from tests.scenarios.twins import FIRST_FLUSH, KEYS, MAIN, betrayed, new_canary

LAST = "$last"
"""Stands for the id of the entry that was stored last."""

SURFACE_STEPS: Counter[str] = Counter()
_PLAIN = ("index", "start", "status", "audit", "export", "refresh")
_FORGED = "rmt_" + "0" * 32


@dataclass(frozen=True)
class Step:
    """What is done next: by a command or over MCP, by the low session or by another one."""

    surface: str
    tool: Tool
    given: Mapping[str, Any]
    command: str
    other: str


def steps() -> st.SearchStrategy[Step]:
    return st.builds(
        lambda surface, called, command, other: Step(surface, *called, command, other),  # type: ignore[call-arg]
        st.sampled_from(["mcp", "command", "plain command", "other", "mixed", "come in"]),
        calls(["mem-00000000", LAST]),
        st.sampled_from(_PLAIN),
        st.sampled_from(KEYS),
    )


def play_outside(low: str, number: int, chance: int) -> None:
    """So many steps of a session; an AssertionError if it notices anything of the others."""

    @seed(chance)
    @settings(
        max_examples=2,  # the first is the simplest: the same step over and over
        phases=[Phase.generate],
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(plan=st.lists(steps(), min_size=number, max_size=number))
    def play(plan: list[Step]) -> None:
        if len({step.surface for step in plan}) > 1:
            _Game(low).play(plan)

    play()


class _Game:
    def __init__(self, low: str) -> None:
        self.low = low
        self.worlds = tuple(Outside(low, number) for number in range(2))
        self.canaries: list[str] = []
        self.last = "mem-00000000"
        if low == MAIN:
            for world in self.worlds:
                world.called("memory_flush", world.tokens[low], {"items": FIRST_FLUSH})

    def play(self, plan: list[Step]) -> None:
        try:
            for number, step in enumerate(plan):
                self.take(step, number)
                SURFACE_STEPS[self.low] += 1
            for world in self.worlds:
                errors = world.leave()
                assert "Traceback" not in errors, errors
                assert not any(token in errors for token in world.tokens.values())
                assert not any(betrayed(errors, canary) for canary in self.canaries)
        finally:
            for world in self.worlds:
                world.close()

    def take(self, step: Step, number: int) -> None:
        if step.surface in ("other", "mixed") and step.other != self.low:
            self.others_act(step)
        if step.surface == "other":
            return
        seen = [world.masked(self.asked(world, step, number)) for world in self.worlds]
        same(*seen)
        assert not any(betrayed(seen[0], canary) for canary in self.canaries)
        files = [world.own_files() for world in self.worlds]
        same(*files)
        for world in self.worlds:
            world.minutes += 5
            world.tell_the_time()

    def asked(self, world: Outside, step: Step, number: int) -> str:
        given = json.loads(json.dumps(step.given).replace(LAST, self.last))
        if step.surface == "plain command":
            return world.command(self.low, number, [step.command])
        if step.surface == "command":
            line, said = typed(step.tool, given)
            return world.command(self.low, number, line, said)
        if step.surface == "come in":
            gate = {"path": "memory/groups/alpha.md"}
            return world.called("memory_get", world.tokens[self.low], gate)
        answer = world.called(step.tool.name, world.tokens[self.low], given)
        if '\\"stored\\": true' in answer or '"stored": true' in answer:
            self.last = json.loads(answer)["result"]["structuredContent"]["id"]
        return answer

    def others_act(self, step: Step) -> None:
        """In one world only, over the same server; then a token that nobody has."""
        world = self.worlds[0]
        if step.tool not in UNSHARED:
            return
        self.canaries.append(new_canary(len(self.canaries)))
        secret = with_word(step.given, self.canaries[-1])
        world.called(step.tool.name, world.tokens[step.other], secret)
        refused = world.called(step.tool.name, _FORGED, secret)
        assert "session_token is missing or not valid here" in refused


class Outside(World):
    """A world that is reached only through the programs."""

    def __init__(self, low: str, number: int) -> None:
        super().__init__(low)
        self.clock = self.root.with_name(f"{self.root.name}.clock")
        self.tell_the_time()
        (self.root / ".remem").mkdir(exist_ok=True)
        (self.root / ".remem/config.toml").write_text('embedder = "none"\n', encoding="utf-8")
        issued = SessionTokens(self.layout)
        self.tokens = {key: issued.issue(key, key).token for key in {*KEYS, low}}
        self.asked = 0
        self.server = subprocess.Popen(
            self._program("server", "serve", "--tokens", "--profile", "full"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._say("initialize", _GREETING)

    def tell_the_time(self) -> None:
        self.clock.write_text(self.now(), encoding="utf-8")

    def command(self, key: str, number: int, line: list[str], said: str = "") -> str:
        """Everything that a command says, and how it ends."""
        done = subprocess.run(
            self._program(f"command {number}", "--session", key, *line),
            input=said.encode(),
            capture_output=True,
            check=False,
        )
        return f"{done.returncode}\n{done.stdout.decode()}\n{done.stderr.decode()}"

    def called(self, tool: str, token: str, given: Mapping[str, Any]) -> str:
        """The whole message with which the server answers."""
        arguments = {**given, "session_token": token}
        return self._say("tools/call", {"name": tool, "arguments": arguments})

    def leave(self) -> str:
        """End the server; what it has said on stderr."""
        _, errors = self.server.communicate()
        return errors.decode()

    def close(self) -> None:
        if self.server.poll() is None:
            self.server.kill()
            self.server.communicate()
        super().close()
        shutil.rmtree(self.root)
        self.clock.unlink()

    def _say(self, method: str, params: Mapping[str, Any]) -> str:
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.asked += 1
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        self.server.stdin.write(json.dumps(request).encode() + b"\n")
        self.server.stdin.flush()
        return self.server.stdout.readline().decode()

    def _program(self, numbers: str, *line: str) -> list[str]:
        program = [sys.executable, "-m", "tests.scenarios.twin_program", str(self.clock), numbers]
        return [*program, "--workspace", str(self.root), *line]


def typed(tool: Tool, given: Mapping[str, Any]) -> tuple[list[str], str]:
    """A call as a person would type it, and what he would pipe in."""
    command, said = remem.get_command(click.Context(remem), tool.command), ""
    assert command is not None
    options, positional = ["--json"], list[str]()
    for param in command.params:
        value = given.get(param.name or "")
        if value is None or value is False:
            continue
        if value is True:
            options.append(param.opts[-1])
        elif param.param_type_name == "argument":
            said = "" if isinstance(value, str) else json.dumps(value)
            positional = ["--", "-" if said else value]
        else:
            for one in value if isinstance(value, list) else [value]:
                options += [param.opts[-1], str(one)]
    return [command.name or "", *options, *positional], said


_GREETING = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "twins", "version": "1"},
}
