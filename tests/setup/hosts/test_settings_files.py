"""Additions to a host's settings can be removed again, and nothing else is touched."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from remem.errors import FileError, NotAllowed
from remem.files.host_folders import HostFolders
from remem.setup.hosts.json_file import JsonFile
from remem.setup.hosts.recipes import HOSTS, Command
from remem.setup.hosts.targets import HostTarget, Unknown, WholeFile
from remem.setup.hosts.toml_file import TomlFile
from remem.text.json_edit import put
from remem.text.jsonc import parse, to_python
from tests.setup.hosts.documents import TOML, empty_files, json_files
from tests.tables import each_row

HOME = Path("/home/mara")
COMMAND = Command("/opt/remem/bin/remem", (), HOME / "agent's own")
OTHER = Command("/opt/remem/bin/remem", (), HOME / "other")
FOLDERS = HostFolders(
    home=HOME,
    project=HOME / "project",
    claude=HOME / ".claude",
    claude_file=HOME / ".claude.json",
    desktop=HOME / ".config/Claude",
    codex=HOME / ".codex",
    openclaw=HOME / ".openclaw",
    openclaw_file=HOME / ".openclaw/openclaw.json",
)


def targets(command: Command = COMMAND) -> list[HostTarget]:
    return [
        target
        for host in HOSTS.values()
        for where in host.places
        for target in host.targets(FOLDERS, where, command)
    ]


JSON_FILES = [target for target in targets() if isinstance(target, JsonFile)]
OPENCLAW = next(file for file in JSON_FILES if file.json5)
SETTINGS = next(file for file in JSON_FILES if file.path.name == "settings.json")
CODEX = next(target for target in targets() if isinstance(target, TomlFile))
SKILL = next(target for target in targets() if isinstance(target, WholeFile))

SHARED = {"mcpServers": {"mine": {"command": "x"}}, "hooks": {"Stop": [{"hooks": []}]}}
all_json = st.one_of(json_files(), json_files(SHARED), empty_files)


def value_of(data: bytes, json5: bool = False) -> object:
    root = parse(data.decode(), json5=json5)
    return to_python(root) if root else {}


@given(st.sampled_from(JSON_FILES), all_json)
def test_settings_mean_the_same_before_and_after(target: JsonFile, data: bytes) -> None:
    after = target.with_additions(data)
    cleared = target.without_additions(after, data)

    assert value_of(cleared or b"", target.json5) == value_of(data, target.json5)


@given(st.sampled_from(JSON_FILES), all_json)
def test_an_addition_is_at_its_path(target: JsonFile, data: bytes) -> None:
    value = value_of(target.with_additions(data), target.json5)

    for addition in target.additions:
        found = value
        for name in addition.path:
            assert isinstance(found, dict)
            found = found[name]
        assert addition.value in found if addition.append else found == addition.value  # type: ignore[operator]


@given(st.sampled_from(JSON_FILES), all_json)
def test_adding_twice_changes_nothing(target: JsonFile, data: bytes) -> None:
    once = target.with_additions(data)

    assert target.with_additions(once) == once


@given(st.sampled_from(JSON_FILES), json_files())
def test_comments_and_other_bytes_stay_in_order(target: JsonFile, data: bytes) -> None:
    """Blanks between two brackets may give way to a line of ours; nothing else does."""
    after = iter(target.with_additions(data))

    assert all(byte in after for byte in b"".join(data.split()))


@given(st.sampled_from(JSON_FILES), json_files(SHARED))
def test_later_edits_stay(target: JsonFile, data: bytes) -> None:
    edited = put(target.with_additions(data).decode(), ["later"], 1, append=False)

    cleared = target.without_additions(edited.encode(), data)

    assert cleared is not None
    assert value_of(cleared, target.json5) == {**value_of(data, target.json5), "later": 1}  # type: ignore[dict-item]


def test_reformatting_the_file_would_be_caught() -> None:
    """The known-bad version: what most set-up programs do to a file."""
    data = b'{"a": 1, // why\n "b": 2}'
    naive = json.dumps({**value_of(data), "mcpServers": {}}).encode()  # type: ignore[dict-item]

    kept = iter(naive)
    assert not all(byte in kept for byte in b"".join(data.split()))


def test_the_formatting_of_a_file_is_kept() -> None:
    data = b'{\r\n\t"a": 1, // last\r\n\t/* end */\r\n}\r\n'

    after = JSON_FILES[0].with_additions(data)

    assert after.startswith(
        b'{\r\n\t"a": 1, // last\r\n\t/* end */\r\n\t"mcpServers": {\r\n\t\t"remem"'
    )
    assert b"\n" not in after.replace(b"\r\n", b"")
    assert JSON_FILES[0].without_additions(after, data) == data


def test_a_hook_that_a_person_added_to_our_group_is_kept() -> None:
    after = value_of(SETTINGS.with_additions(b"{}"))
    own = {"type": "command", "command": "echo mine"}
    after["hooks"]["SessionStart"][0]["hooks"].append(own)  # type: ignore[index]

    cleared = SETTINGS.without_additions(json.dumps(after, indent=2).encode(), b"{}")

    group = {"matcher": "startup|resume|clear|compact", "hooks": [own]}
    assert value_of(cleared or b"") == {"hooks": {"SessionStart": [group]}}


def test_without_a_record_only_our_own_values_are_removed() -> None:
    after = OPENCLAW.with_additions(b"{tools: {deny: ['browser']}}")

    cleared = value_of(OPENCLAW.without_additions(after, Unknown()) or b"", json5=True)

    assert "remem" not in json.dumps(cleared)
    assert cleared["tools"] == {"deny": ["browser", "group:memory"]}  # type: ignore[index]


def test_a_shared_value_that_existed_before_stays() -> None:
    before = b'{"tools": {"deny": ["group:memory"]}}'

    cleared = OPENCLAW.without_additions(OPENCLAW.with_additions(before), before)

    assert value_of(cleared or b"") == {"tools": {"deny": ["group:memory"]}}


def test_enabling_our_hook_does_not_disable_others() -> None:
    """Where OpenClaw loads every hook it finds, the first named one would narrow that."""
    after = value_of(OPENCLAW.with_additions(b"{hooks: {internal: {enabled: true}}}"), json5=True)

    assert after["hooks"] == {"internal": {"enabled": True}}  # type: ignore[index]


@each_row("target", JSON_FILES)
def test_a_foreign_server_with_our_name_is_refused(target: JsonFile) -> None:
    theirs = next(other for other in targets(OTHER) if other.path == target.path).with_additions(
        b""
    )
    if not any(addition.path[-1] == "remem" for addition in target.additions):
        assert value_of(target.with_additions(theirs)) != value_of(theirs)  # both hooks are there
        return

    with pytest.raises(NotAllowed, match="already"):
        target.with_additions(theirs)


def test_an_older_command_of_the_same_workspace_is_updated() -> None:
    older = Command("/old/python", ("-m", "remem"), COMMAND.workspace)
    data = next(target for target in targets(older) if target.path == SETTINGS.path).with_additions(
        b"{}"
    )

    assert value_of(SETTINGS.with_additions(data)) == value_of(SETTINGS.with_additions(b"{}"))


@each_row("data", [b"{", b"[]", b'{"mcpServers": []}', b'{"a": 1,,}', b"\xff{}", b"{a:1}"])
def test_a_broken_file_is_refused(data: bytes) -> None:
    with pytest.raises(FileError, match=r"\.claude\.json") as refused:
        JSON_FILES[0].with_additions(data)

    assert "not changed" in str(refused.value)


def meaning(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


@given(TOML)
def test_a_toml_table_is_added_and_removed(text: str) -> None:
    after = CODEX.with_additions(text.encode())
    document = meaning(after.decode())

    assert document["mcp_servers"]["remem"] == CODEX.values
    assert after.startswith(text.encode())
    assert CODEX.with_additions(after) == after
    cleared = (CODEX.without_additions(after, text.encode()) or b"").decode()
    assert meaning(cleared) == meaning(text)
    assert cleared.rstrip("\r\n") == text.rstrip("\r\n")


def test_later_additions_to_toml_stay() -> None:
    after = (
        CODEX.with_additions(b"a = 1\n")
        + b"# my note\n\n[mcp_servers.remem.env]\nX = 1\n\n[later]\nb = 2\n"
    )

    cleared = CODEX.without_additions(after, b"a = 1\n")

    assert cleared == b"a = 1\n# my note\n\n[later]\nb = 2\n"


@each_row(
    "data",
    [
        b"a = 1" + b"0" * 5000,
        b"a = " + b"[" * 5000,
        b"a = ",
        b"[a\n",
        b'mcp_servers = "x"',
        b"a = 1\na = 2",
        b"\xff",
        b"mcp_servers = {}",
    ],
)
def test_broken_or_unsupported_toml_is_refused(data: bytes) -> None:
    with pytest.raises(FileError, match=r"config\.toml"):
        CODEX.with_additions(data)


def test_a_foreign_file_is_never_replaced() -> None:
    with pytest.raises(NotAllowed, match="not write it"):
        SKILL.with_additions(b"# my own skill\n")

    assert SKILL.without_additions(b"# my own skill\n", None) == b"# my own skill\n"


def test_our_own_file_is_updated_and_removed() -> None:
    older = b"<!-- written by `remem connect` --> older words"

    assert SKILL.with_additions(older) == SKILL.content
    assert SKILL.without_additions(older, Unknown()) is None
