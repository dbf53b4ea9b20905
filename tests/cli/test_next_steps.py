"""Every command that changes something ends with the next step, which can be pasted."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import Result

from remem.cli.main import remem
from tests.cli.conftest import Run

READING = frozenset(
    """audit completion export get graph handle help history hook list open recall recent rooms
    search serve shared-recall spaces spaces|list spaces|log spaces|proposals proposals start status
    models models|list token token|list validate version""".split()
)
"""Commands that change nothing as they are usually called, or that no person types."""

ELSEWHERE = frozenset({"activate", "rollback", "copy", "models|fetch", "graduate", "review"})
"""Commands that need proposals, a validated memory, another store or a download."""

CHANGING = {
    "store": ["store 'Mara drinks tea.'"],
    "edit": ["edit ID 'Mara drinks coffee.'"],
    "reinforce": ["reinforce ID"],
    "forget": ["forget ID"],
    "erase": ["erase ID --yes"],
    "curate": ["curate --drop ID"],
    "flush": ["flush ITEMS"],
    "note": ["note 'Mara called.'"],
    "fact": ["fact record Mara 'Mara lives in Bern.' --kind person"],
    "ingest": ["ingest --subject Ann --relation 'works at' --object Acme"],
    "heartbeat": ["heartbeat"],
    "consolidate": ["consolidate"],
    "synthesize": ["synthesize"],
    "setup": ["setup --yes"],
    "init": ["init"],
    "connect": ["connect codex --anyway --yes"],
    "disconnect": ["connect codex --anyway --yes", "disconnect codex --yes"],
    "uninstall": ["connect codex --anyway --yes", "uninstall --yes"],
    "rooms|map": ["rooms map telegram:-100 family"],
    "rooms|rename": ["rooms map telegram:-100 family", "rooms rename telegram:-100 relatives"],
    "migrate": ["migrate"],
    "refresh": ["refresh"],
    "maintain": ["maintain"],
    "decay": ["decay"],
    "doctor": ["doctor --repair"],
    "rebuild": ["rebuild"],
    "backup": ["backup OUTSIDE/backup.zip"],
    "restore": ["backup OUTSIDE/backup.zip", "restore OUTSIDE/backup.zip --force"],
    "import": ["export OUTSIDE/entries.jsonl", "import OUTSIDE/entries.jsonl"],
    "token|issue": ["token issue --session agent:main:main"],
    "token|revoke": ["token issue --session agent:main:main", "token revoke --all"],
    "index|pin": ["index pin 1"],
    "index|drop": ["index drop 1"],
    "index|order": ["index order 2 1"],
    "index": ["index drop 1", "index --undo"],
    "spaces|create": ["spaces create team"],
    "spaces|grant": ["spaces create team", "spaces grant team groups"],
    "spaces|revoke": [
        "spaces create team",
        "spaces grant team groups",
        "spaces revoke team groups",
    ],
    "spaces|delete": ["spaces create team", "spaces delete team --yes"],
    "spaces|share": ["spaces create team", "spaces share ID team"],
    "spaces|unshare": ["spaces create team", "spaces share ID team", "spaces unshare ID team"],
    "shared-store": ["spaces create team", "shared-store --space team -c fact 'Ships on Friday.'"],
}


def leaves(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[str]:
    context = click.Context(group)
    for name in group.list_commands(context):
        if name in ("bench", "demo"):
            continue
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*before, name))
            if not command.invoke_without_command:
                continue
        yield "|".join((*before, name))


def test_every_command_is_listed_here() -> None:
    assert set(leaves(remem)) == READING | ELSEWHERE | CHANGING.keys()


@pytest.fixture
def values(run: Run, root: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A memory of two entries, and what the commands stand for."""
    (root / "MEMORY.md").write_text("# Memory\n\n- Never ship on Fridays.\n", encoding="utf-8")
    stored = run("store", "Mara prefers green tea.", "--json")
    run("store", "Ines wants short answers.")
    outside = tmp_path_factory.mktemp("outside")
    items = outside / "items.json"
    items.write_text('[{"kind": "decision", "text": "We ship on Mondays."}]', encoding="utf-8")
    return {"ID": json.loads(stored.stdout)["id"], "OUTSIDE": str(outside), "ITEMS": str(items)}


def next_steps(result: Result) -> list[str]:
    lines = re.findall(r"^next: (.+?)(?:   .*)?$", result.stderr, re.MULTILINE)
    return [line for line in lines if line.startswith("remem ")]


@pytest.mark.parametrize("name", CHANGING)
def test_a_change_ends_with_the_next_step(run: Run, values: dict[str, str], name: str) -> None:
    for line in CHANGING[name]:
        words = [filled(word, values) for word in shlex.split(line)]
        result = run(*words)
        assert result.exit_code == 0, result.output

    steps = next_steps(result)
    assert steps, result.stderr
    for step in steps:
        assert_is_a_command(step)


def filled(word: str, values: dict[str, str]) -> str:
    return re.sub("|".join(values), lambda name: values[name[0]], word)


def assert_is_a_command(step: str) -> None:
    """Parse a suggestion as the command line would, without running it."""
    words = shlex.split(step)[1:]
    if words[0] == "--workspace":  # after setup, commands find the workspace without it
        words = words[2:]
    command: click.Command = remem
    context = click.Context(remem)
    while words and isinstance(command, click.Group):
        found = command.get_command(context, words[0])
        if found is None:
            break
        command = found
        words.pop(0)
    command.make_context("remem", words, parent=context)
