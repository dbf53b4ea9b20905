"""Secrets are masked in everything that a call stores; the owner alone can insist."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp_types import TextContent

from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.app.workspace import Workspace
from remem.errors import NotAllowed
from remem.mcp.server import make_server
from remem.mcp.sessions import SessionHandle
from remem.model.entry import Origin
from tests.commands import run_command
from tests.conftest import Opener, through_the_gate

GATE = "The gate code is 482163."


def files_of(root: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file())


def with_settings(root: Path, *lines: str) -> None:
    (root / ".remem").mkdir(parents=True, exist_ok=True)
    (root / ".remem/config.toml").write_text("\n".join(('embedder = "none"', *lines)) + "\n")


def test_a_secret_of_one_field_is_masked_in_all_and_stands_in_no_file(
    root: Path, memory: Workspace
) -> None:
    receipt = memory.store(
        category="fact",
        content="Guests type sunflower99, twice: sunflower99.",
        context="The wifi password is sunflower99",
        tags=["wifi", "sunflower99"],
        origin=Origin("chat about sunflower99", 3, "Ada sunflower99", "user"),
    )
    entry = memory.entry(receipt.id)

    assert entry.content == "Guests type ***, twice: ***."
    assert entry.tags == ("wifi", "***")
    assert entry.origins == (Origin("chat about ***", 3, "Ada ***", "user"),)
    assert receipt.redacted == ("password",)
    memory.close()
    assert b"sunflower99" not in files_of(root)


def test_the_items_of_a_batch_and_of_a_flush_are_masked_with_their_repetitions(
    root: Path, memory: Workspace
) -> None:
    memory.store_many(
        [{"category": "fact", "content": "The NAS password is plumtree7. Type plumtree7 slowly."}]
    )
    memory.flush(
        [
            {"kind": "fact", "text": "The mail password is hunter22x."},
            {"kind": "context", "text": "Ada typed hunter22x on stage."},
        ]
    )
    memory.close()

    found = files_of(root)
    assert b"plumtree7" not in found
    assert b"hunter22x" not in found


def test_an_answer_that_masked_says_what_and_how_the_owner_can_insist(root: Path) -> None:
    with_settings(root)
    masked = run_command(root, "store", "-c", "fact", GATE)
    kept = run_command(root, "store", "-c", "fact", "--keep", GATE)
    found = run_command(root, "recall", "gate code")

    assert "masked: code" in masked.stdout
    assert "remem store --keep --supersedes mem-" in masked.stdout
    assert "masked" not in kept.stdout
    assert GATE in found.stdout


def test_the_hint_can_be_followed(root: Path) -> None:
    with_settings(root)
    receipt = json.loads(run_command(root, "store", "-c", "fact", GATE, "--json").stdout)
    arguments = receipt["hint"].partition("`remem ")[2].partition(" TEXT`")[0].split()
    done = run_command(root, *arguments, "-c", "fact", GATE)

    assert done.exit_code == 0
    found = json.loads(run_command(root, "recall", "gate code", "--json").stdout)
    assert [entry["content"] for entry in found["entries"]] == [GATE]


def test_an_mcp_client_cannot_insist_whatever_the_settings_say(root: Path) -> None:
    with_settings(root, "keep_codes = true")

    async def story() -> None:
        def open_() -> Workspace:
            return open_workspace(root, "main", trust="agent", background=True)

        async with Client(make_server(SessionHandle(open_), TOOLS)) as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            names = json.dumps(listed["memory_store"].input_schema)
            assert "keep" not in names
            stored = await client.call_tool("memory_store", {"category": "fact", "content": GATE})
            assert stored.structured_content is not None
            assert stored.structured_content["redacted"] == ["code"]
            assert "remem store --keep" in stored.structured_content["hint"]
            for name in ("keep", "keep_secrets"):
                given = {"category": "fact", "content": GATE, name: True}
                refused = await client.call_tool("memory_store", given)
                assert refused.is_error
                assert isinstance(refused.content[0], TextContent)
                assert name in refused.content[0].text

    anyio.run(story)
    assert b"482163" not in files_of(root)


def test_the_setting_keeps_codes_that_the_owner_stores_and_nothing_else(root: Path) -> None:
    with_settings(root, "keep_codes = true")
    run_command(root, "store", "-c", "fact", f"{GATE} The password is hunter22.")
    found = run_command(root, "recall", "gate code").stdout

    assert "482163" in found
    assert "hunter22" not in found


def test_in_a_group_nobody_keeps_a_secret_and_no_hint_speaks_of_it(
    root: Path, opened: Opener
) -> None:
    with_settings(root, "keep_codes = true")
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory/group_names.json").write_text('{"telegram:-100": "garden"}')
    group = through_the_gate(opened("agent:main:telegram:group:-100"))
    with pytest.raises(NotAllowed, match="only in main"):
        group.store(category="fact", content=GATE, keep_secrets=True)

    receipt = group.store(category="fact", content=GATE)

    assert receipt.redacted == ("code",)
    assert receipt.hint is None


def test_a_refusal_to_keep_says_what_to_do(opened: Opener) -> None:
    with pytest.raises(NotAllowed, match="only the owner") as refused:
        opened(trust="agent").store(category="fact", content=GATE, keep_secrets=True)

    assert "remem store --keep" in (refused.value.hint or "")


def test_a_kept_code_survives_an_edit_by_hand_and_a_lost_database(root: Path) -> None:
    with_settings(root)
    run_command(root, "store", "-c", "fact", "--keep", GATE)
    page = root / "memory/domains/facts.md"
    page.write_text(page.read_text().replace("The gate code", "The garden gate code"))
    assert "The garden gate code is 482163." in run_command(root, "recall", "gate").stdout
    for path in (root / ".remem/main").glob("entries.db*"):
        path.unlink()

    run_command(root, "rebuild", "--from-files")

    assert "The garden gate code is 482163." in run_command(root, "recall", "gate").stdout


def test_a_secret_added_by_hand_to_an_entry_with_a_kept_code_is_masked(root: Path) -> None:
    with_settings(root)
    run_command(root, "store", "-c", "fact", "--keep", GATE)
    page = root / "memory/domains/facts.md"
    page.write_text(page.read_text().replace("482163.", "482163. The password is hunter22."))

    found = run_command(root, "recall", "gate").stdout
    assert "482163" in found
    assert "hunter22" not in found


def test_harmless_numbers_are_stored_as_they_are(root: Path) -> None:
    with_settings(root)
    for text in (
        "Her zip code is 94107.",
        "The PIN code of the post office in Delhi is 110001.",
        "Channel C0AB5HERFFT belongs to the garden team.",
        "Commit 3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f fixed the gate.",
    ):
        receipt = json.loads(run_command(root, "store", "-c", "fact", text, "--json").stdout)
        assert receipt["redacted"] == []
        assert text in run_command(root, "recall", receipt["id"]).stdout
