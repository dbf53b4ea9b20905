"""A host is described in one table; everything else that lists hosts agrees with it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, get_args

from remem.app.hooks import event
from remem.files.transcripts.records import HostName
from remem.model.host_loading import LOADS_MEMORY_MD
from remem.setup.hosts.json_file import JsonFile
from remem.setup.hosts.recipes import HOSTS, Command
from tests.setup.hosts.test_connect import folders


def hook_lines(value: Any) -> list[str]:
    """The commands of the hooks in an addition to a host's settings."""
    if not isinstance(value, dict):
        return []
    inner = [line for hook in value.get("hooks", ()) for line in hook_lines(hook)]
    return [value["command"], *inner] if value.get("type") == "command" else inner


def test_every_list_of_hosts_agrees_with_the_recipes() -> None:
    assert set(LOADS_MEMORY_MD) == set(HOSTS)
    assert set(event.HOSTS) == set(get_args(HostName)) <= set(HOSTS)


def test_recipes_call_only_events_that_hooks_answer(tmp_path: Path) -> None:
    command = Command("remem", (), tmp_path)
    lines = [
        (host.name, shlex.split(line))
        for host in HOSTS.values()
        for target in host.targets(folders(tmp_path), "user", command)
        if isinstance(target, JsonFile)
        for addition in target.additions
        for line in hook_lines(addition.value)
    ]

    assert {name for name, _ in lines} == {"claude-code", "codex"}
    for name, words in lines:
        assert words[-4] == "hook"
        assert words[-3] in event.EVENTS
        assert words[-2:] == ["--host", name]
