"""What connecting Claude Code offers: permissions for the tools, its own memory, plain JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from remem.files.layout import Layout
from remem.setup.hosts.connect import connect, disconnect
from remem.setup.hosts.recipes import ALLOW_TOOLS, HOSTS, OWN_MEMORY_OFF, Command
from tests.setup.hosts.test_connect import folders

CLAUDE = HOSTS["claude-code"]
OFFERS = (ALLOW_TOOLS, OWN_MEMORY_OFF)


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    file = folders(tmp_path).claude / "settings.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    return file


def offered(tmp_path: Path) -> list[str]:
    place = folders(tmp_path)
    return [offer.name for offer in CLAUDE.offers if offer.applies(place, "user")]


def connect_with(tmp_path: Path, accepted: tuple[str, ...]) -> None:
    command = Command("remem", (), tmp_path / "agent")
    files = CLAUDE.files(folders(tmp_path), "user", command, accepted)
    connect(Layout(tmp_path / "agent"), "claude-code", files)


def disconnect_it(tmp_path: Path) -> None:
    command = Command("remem", (), tmp_path / "agent")
    files = CLAUDE.files(folders(tmp_path), "user", command, OFFERS)
    disconnect(Layout(tmp_path / "agent"), "claude-code", files)


def test_both_are_offered_and_made_only_if_accepted(tmp_path: Path, settings: Path) -> None:
    assert offered(tmp_path) == [ALLOW_TOOLS, OWN_MEMORY_OFF]

    connect_with(tmp_path, ())
    assert "mcp__remem" not in settings.read_text()
    connect_with(tmp_path, OFFERS)
    written = json.loads(settings.read_text())
    assert written["permissions"] == {"allow": ["mcp__remem"]}
    assert written["autoMemoryEnabled"] is False
    assert offered(tmp_path) == []


@pytest.mark.parametrize(
    "before",
    [b'{"model": "opus"}\n', b'{"permissions": {"allow": ["Bash(ls)"], "deny": []}}', None],
)
def test_disconnecting_restores_the_settings_byte_for_byte(
    tmp_path: Path, settings: Path, before: bytes | None
) -> None:
    if before is not None:
        settings.write_bytes(before)

    connect_with(tmp_path, OFFERS)
    disconnect_it(tmp_path)

    assert (settings.read_bytes() if settings.exists() else None) == before


def test_from_edited_settings_only_what_was_added_is_removed(
    tmp_path: Path, settings: Path
) -> None:
    settings.write_text('{"permissions": {"allow": ["Bash(ls)"]}}')
    connect_with(tmp_path, OFFERS)
    edited = json.loads(settings.read_text()) | {"model": "opus"}
    settings.write_text(json.dumps(edited))

    disconnect_it(tmp_path)

    expected = {"permissions": {"allow": ["Bash(ls)"]}, "model": "opus"}
    assert json.loads(settings.read_text()) == expected


def test_what_the_owner_had_chosen_is_not_offered_and_stays(tmp_path: Path, settings: Path) -> None:
    own = {"autoMemoryEnabled": False, "permissions": {"allow": ["mcp__remem"]}}
    settings.write_text(json.dumps(own))
    assert offered(tmp_path) == []

    connect_with(tmp_path, OFFERS)
    settings.write_text(json.dumps(json.loads(settings.read_text()) | {"model": "opus"}))
    disconnect_it(tmp_path)

    assert json.loads(settings.read_text()) == own | {"model": "opus"}


def test_an_own_memory_that_was_switched_on_is_left_on(tmp_path: Path, settings: Path) -> None:
    settings.write_text('{"autoMemoryEnabled": true}')

    assert offered(tmp_path) == [ALLOW_TOOLS]


@pytest.mark.parametrize("text", ['{"a": 1} // mine', '{"a": 1,}'])
def test_what_claude_code_rejects_is_a_problem(tmp_path: Path, settings: Path, text: str) -> None:
    settings.write_text(text)
    (problem,) = CLAUDE.problems(folders(tmp_path), "user")
    assert "Claude Code rejects" in problem

    settings.write_text('{"a": 1}')
    assert CLAUDE.problems(folders(tmp_path), "user") == []
