"""Hosts are connected and disconnected with edits, races and kills in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from remem.errors import FileError, NotAllowed
from remem.files.host_folders import HostFolders, HostHomes, folders_of
from remem.files.layout import Layout
from remem.setup.hosts import connect as hosts_connect
from remem.setup.hosts.connect import connect, disconnect
from remem.setup.hosts.recipes import HOSTS, Command, Where
from remem.setup.hosts.targets import HostTarget
from tests.setup.hosts.documents import TOML, empty_files, json_files
from tests.setup.kills import STRIDES, killed_at
from tests.tables import each_row

CLAUDE = b'{\r\n\t"numStartups": 3, // mine\r\n}\r\n'
SETTINGS = b'{"permissions": {"allow": ["Bash(ls:*)"]}}'
CODEX = b'# mine\nmodel = "o3"\n\n[mcp_servers.x]\ncommand = "y"'
OPENCLAW = b"// gateway\n{gateway: {port: 1,}, tools: {deny: ['browser'],},}\n"
FILES = {
    "claude-code": {".claude.json": CLAUDE, ".claude/settings.json": SETTINGS},
    "claude-desktop": {".config/Claude/claude_desktop_config.json": b"{}"},
    "cursor": {".cursor/mcp.json": b'{"mcpServers": {}}\n'},
    "gemini-cli": {".gemini/settings.json": b'{"theme": "GitHub"}\n'},
    "codex": {".codex/config.toml": CODEX, ".codex/hooks.json": b'{ "hooks": { } }'},
    "openclaw": {".openclaw/openclaw.json": OPENCLAW},
}


def folders(home: Path) -> HostFolders:
    places = HostHomes(openclaw=home / ".openclaw", claude=home / ".claude", codex=home / ".codex")
    found = folders_of(places, home / "project", {}, "linux")
    return replace(
        found, home=home, claude_file=home / ".claude.json", desktop=home / ".config/Claude"
    )


def targets(home: Path, host: str, where: tuple[Where, ...] | None = None) -> list[HostTarget]:
    command = Command("/opt/bin/remem", (), home / "agent")
    places = where or HOSTS[host].places
    return [
        target for place in places for target in HOSTS[host].targets(folders(home), place, command)
    ]


def tree(home: Path) -> dict[str, bytes | None]:
    """Every file with its bytes and every folder, but for remem's own."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in sorted(home.rglob("*"))
        if "agent" not in path.relative_to(home).parts[:1]
    }


def lived_in(home: Path, host: str) -> Layout:
    """A home in which the host has its settings."""
    for name, data in FILES[host].items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(data)
    layout = Layout(home / "agent")
    (layout.root / ".remem").mkdir(parents=True)
    return layout


@each_row("host", list(HOSTS))
@each_row("used", [True, False], ids=["with settings", "with none"])
def test_connecting_and_disconnecting_leaves_a_home_as_it_was(
    tmp_path: Path, host: str, used: bool
) -> None:
    layout = lived_in(tmp_path, host) if used else Layout(tmp_path / "agent")
    before = tree(tmp_path)

    done = connect(layout, host, targets(tmp_path, host))
    between = tree(tmp_path)
    undone = disconnect(layout, host, targets(tmp_path, host))

    assert done is not None
    assert undone is not None
    assert all(change.changed for change in done)
    assert between != before
    assert all(change.exact for change in undone)
    assert tree(tmp_path) == before


def test_file_permissions_are_kept(tmp_path: Path) -> None:
    layout = lived_in(tmp_path, "claude-code")
    (tmp_path / ".claude.json").chmod(0o640)

    connect(layout, "claude-code", targets(tmp_path, "claude-code"))

    assert (tmp_path / ".claude.json").stat().st_mode & 0o777 == 0o640


@settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.one_of(json_files(), empty_files))
def test_any_settings_come_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    home = tmp_path_factory.mktemp("home")
    layout = Layout(home / "agent")
    (home / ".claude.json").write_bytes(data)

    connect(layout, "claude-code", targets(home, "claude-code"))
    disconnect(layout, "claude-code", targets(home, "claude-code"))

    assert (home / ".claude.json").read_bytes() == data


@settings(
    max_examples=10,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(TOML)
def test_any_toml_comes_back_byte_for_byte(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    home = tmp_path_factory.mktemp("home")
    layout, data = Layout(home / "agent"), text.encode()
    (home / ".codex").mkdir()
    (home / ".codex/config.toml").write_bytes(data)

    connect(layout, "codex", targets(home, "codex"))
    disconnect(layout, "codex", targets(home, "codex"))

    assert (home / ".codex/config.toml").read_bytes() == data
    assert [path.name for path in (home / ".codex").iterdir()] == ["config.toml"]


def test_nothing_is_written_without_approval(tmp_path: Path) -> None:
    layout = lived_in(tmp_path, "codex")
    before, shown = tree(tmp_path), list[str]()

    def no(diff: str) -> bool:
        shown.append(diff)
        return False

    assert connect(layout, "codex", targets(tmp_path, "codex"), no) is None

    assert tree(tmp_path) == before
    assert "+[mcp_servers.remem]" in shown[0]
    assert f"--- {tmp_path / '.codex/config.toml'}" in shown[0]


def test_a_broken_file_leaves_all_files_unchanged(tmp_path: Path) -> None:
    layout = lived_in(tmp_path, "claude-code")
    (tmp_path / ".claude/settings.json").write_bytes(b'{\n "hooks": }')
    before = tree(tmp_path)

    with pytest.raises(FileError, match=r"settings\.json is not JSON: .* line 2, column 11"):
        connect(layout, "claude-code", targets(tmp_path, "claude-code"))

    assert tree(tmp_path) == before


def test_connecting_twice_changes_nothing(tmp_path: Path) -> None:
    layout = lived_in(tmp_path, "claude-code")
    before = tree(tmp_path)
    connect(layout, "claude-code", targets(tmp_path, "claude-code"))
    once = tree(tmp_path)

    again = connect(layout, "claude-code", targets(tmp_path, "claude-code"))

    assert again is not None
    assert not any(change.changed for change in again)
    assert tree(tmp_path) == once
    disconnect(layout, "claude-code", targets(tmp_path, "claude-code"))
    assert tree(tmp_path) == before


def test_reconnecting_keeps_the_original_bytes(tmp_path: Path) -> None:
    layout = lived_in(tmp_path, "cursor")
    before = tree(tmp_path)
    connect(layout, "cursor", targets(tmp_path, "cursor"))
    newer = Command("/elsewhere/remem", (), tmp_path / "agent")
    fresh = HOSTS["cursor"].targets(folders(tmp_path), "user", newer)

    connect(layout, "cursor", fresh)

    assert b"/elsewhere/remem" in (tmp_path / ".cursor/mcp.json").read_bytes()
    disconnect(layout, "cursor", targets(tmp_path, "cursor"))
    assert tree(tmp_path) == before


@each_row("host", list(HOSTS))
def test_later_edits_are_kept(tmp_path: Path, host: str) -> None:
    layout = lived_in(tmp_path, host)
    connect(layout, host, targets(tmp_path, host))
    first = tmp_path / next(iter(FILES[host]))
    comment = b"\n# later\n" if first.suffix == ".toml" else b"\n// later\n"
    first.write_bytes(first.read_bytes() + comment)

    undone = disconnect(layout, host, targets(tmp_path, host))

    assert undone is not None
    assert not undone[0].exact
    assert b"later" in first.read_bytes()
    assert b"remem" not in b"".join(data or b"" for data in tree(tmp_path).values())


def test_disconnecting_works_without_the_record(tmp_path: Path) -> None:
    layout = lived_in(tmp_path, "codex")
    connect(layout, "codex", targets(tmp_path, "codex"))
    for path in (layout.root / ".remem/main/hosts/codex").iterdir():
        path.unlink()

    disconnect(layout, "codex", targets(tmp_path, "codex"))

    assert b"remem" not in b"".join(data or b"" for data in tree(tmp_path).values())


def test_a_link_to_settings_stays_a_link(tmp_path: Path) -> None:
    layout = lived_in(tmp_path, "cursor")
    kept = tmp_path / "dotfiles/mcp.json"
    kept.parent.mkdir()
    (tmp_path / ".cursor/mcp.json").rename(kept)
    (tmp_path / ".cursor/mcp.json").symlink_to(kept)

    connect(layout, "cursor", targets(tmp_path, "cursor"))

    assert (tmp_path / ".cursor/mcp.json").is_symlink()
    assert b"remem" in kept.read_bytes()
    disconnect(layout, "cursor", targets(tmp_path, "cursor"))
    assert kept.read_bytes() == FILES["cursor"][".cursor/mcp.json"]


def test_two_workspaces_do_not_replace_each_other(tmp_path: Path) -> None:
    layout = lived_in(tmp_path, "cursor")
    connect(layout, "cursor", targets(tmp_path, "cursor"))
    other = Command("/opt/bin/remem", (), tmp_path / "other")
    theirs = HOSTS["cursor"].targets(folders(tmp_path), "user", other)

    with pytest.raises(NotAllowed, match="already"):
        connect(Layout(tmp_path / "other"), "cursor", theirs)
    disconnect(Layout(tmp_path / "other"), "cursor", theirs)

    assert b"remem" in (tmp_path / ".cursor/mcp.json").read_bytes()


def test_a_concurrent_save_of_the_host_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host saves between our reading and our writing: its bytes are what we go on from."""
    layout = lived_in(tmp_path, "claude-code")
    path = tmp_path / ".claude.json"
    rewrite = hosts_connect.rewrite_in_place  # type: ignore[attr-defined]

    def raced(where: Path, change: Callable[[bytes | None], bytes | None]) -> bytes | None:
        def late(latest: bytes | None) -> bytes | None:
            wanted = change(latest)
            if where == path and latest == CLAUDE:
                path.write_bytes(b'{"numStartups": 4}')
            return wanted

        return rewrite(where, late)

    monkeypatch.setattr(hosts_connect, "rewrite_in_place", raced)
    connect(layout, "claude-code", targets(tmp_path, "claude-code"))

    assert b'"numStartups": 4' in path.read_bytes()
    assert b'"remem"' in path.read_bytes()
    disconnect(layout, "claude-code", targets(tmp_path, "claude-code"))
    assert path.read_bytes() == b'{"numStartups": 4}'


@pytest.mark.kill
@pytest.mark.parametrize("step", ["connect", "disconnect"])
@pytest.mark.parametrize("stride", STRIDES)
def test_a_kill_at_any_call_can_be_undone(tmp_path: Path, stride: int, step: str) -> None:
    for number in count(1, stride):
        home = tmp_path / str(number)
        layout = lived_in(home, "codex")
        before, ours = tree(home), targets(home, "codex", ("user",))
        job: Callable[[], object] = partial(connect, layout, "codex", ours)
        if step == "disconnect":
            job()
            job = partial(disconnect, layout, "codex", ours)
        died = killed_at(number, job, after=number % 3 == 0)
        config = (home / ".codex/config.toml").read_bytes()
        assert config in (CODEX, ours[0].with_additions(CODEX))

        if number % 2:  # half of the people go on instead of going back
            connect(layout, "codex", ours)
            assert b"remem" in (home / ".codex/config.toml").read_bytes()
        disconnect(layout, "codex", ours)

        assert {name: data for name, data in tree(home).items() if data is not None} == {
            name: data for name, data in before.items() if data is not None
        }, number
        if not died:
            break

    assert number > 20
