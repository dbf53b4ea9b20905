"""Claude Code and Codex call remem: every event, with the fields that each of them sends."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from remem.app.hooks.answer import answer_from_files
from remem.app.hooks.event import read_event
from remem.app.hooks.flushing import pending_flushes
from remem.app.opening import open_workspace
from remem.files.layout import Layout
from remem.files.logs import last_failures
from remem.model.scope import MAIN
from tests.app.hooks.conftest import Call, payload, told
from tests.tables import each_row

HOSTS = ["claude-code", "codex"]


@pytest.fixture
def remembered(call: Call, root: Path) -> Path:
    with open_workspace(root, background=False) as memory:
        memory.store(category="preference", content="David drinks his coffee black.")
        memory.store(
            category="instruction", content="Never send mail unasked.", priority="critical"
        )
    return root


@pytest.fixture
def said(tmp_path: Path) -> dict[str, Any]:
    """What both hosts send with every event."""
    transcript = tmp_path / "session.jsonl"
    transcript.write_text('{"type": "user"}\n')
    return {
        "session_id": "0a1b",
        "transcript_path": str(transcript),
        "cwd": str(tmp_path),
        "permission_mode": "default",
    }


@pytest.mark.parametrize(("host", "source"), [*zip(HOSTS, ["startup", "compact"], strict=True)])
def test_every_start_gives_the_index(
    process: Call, remembered: Path, said: dict[str, Any], host: str, source: str
) -> None:
    event = {**said, "hook_event_name": "SessionStart", "source": source}

    text = told(process("session-start", event, "--host", host), "SessionStart")

    assert text.startswith("# Memory Index")
    assert "Never send mail unasked." in text


@pytest.mark.parametrize("host", HOSTS)
def test_a_prompt_brings_what_matches_it_and_nothing_else(
    call: Call, remembered: Path, said: dict[str, Any], host: str
) -> None:
    asked = {**said, "prompt": "Does David take milk in his coffee?"}
    other = {**said, "prompt": "Please rename the variable in the second loop."}

    text = told(call("prompt", asked, "--host", host), "UserPromptSubmit")

    assert "coffee black" in text
    assert "mail" not in text
    assert payload(call("prompt", other, "--host", host)) is None


def test_half_a_character_in_a_prompt_costs_no_match(call: Call, remembered: Path) -> None:
    """Nor does the log hear a word of the conversation."""
    cut = b'{"prompt": "\\ud83d How does David drink his coffee?"}'

    assert "coffee black" in told(call("prompt", cut), "UserPromptSubmit")
    assert not (remembered / ".remem/main/hooks.log").exists()


def test_one_word_in_common_is_no_match(call: Call, remembered: Path) -> None:
    assert payload(call("prompt", {"prompt": "Write an app that sells coffee online"})) is None


@pytest.mark.parametrize(
    ("host", "event"), [("codex", "pre-compact"), ("claude-code", "session-end"), ("codex", "stop")]
)
def test_an_end_prints_nothing_and_notes_what_is_due_once(
    call: Call, root: Path, said: dict[str, Any], host: str, event: str
) -> None:
    for _ in range(2):
        assert payload(call(event, said, "--host", host)) is None

    assert noted(root, said) <= 1


def noted(root: Path, said: dict[str, Any]) -> int:
    """How many notes there are of this place; a flush that is done takes its note away."""
    found = [due for _, due in pending_flushes(Layout(root), MAIN)]
    assert all(due.transcript == said["transcript_path"] for due in found)
    return len({(due.conversation, due.position) for due in found}) if found else 0


def test_a_turn_that_ends_is_noted_but_not_flushed(
    call: Call, root: Path, said: dict[str, Any]
) -> None:
    """`stop` comes after every turn: it only notes how far the conversation has come."""
    call("stop", said, "--host", "codex")
    with open(said["transcript_path"], "a") as transcript:
        transcript.write("more\n")
    call("stop", said, "--host", "codex")

    positions = sorted(due.position for _, due in pending_flushes(Layout(root), MAIN))
    assert positions == [17, 22]


@pytest.mark.parametrize("prompt", ["/remem and thanks", " /remem", "/remem\nand thanks"])
def test_the_word_remem_asks_for_a_flush(process: Call, said: dict[str, Any], prompt: str) -> None:
    text = told(process("prompt", {**said, "prompt": prompt}), "UserPromptSubmit")

    assert "written down" in text or "write this conversation down" in text


def test_a_sub_agent_gets_nothing(call: Call, remembered: Path, said: dict[str, Any]) -> None:
    event = {**said, "agent_id": "helper-1", "agent_type": "Explore"}

    assert payload(call("session-start", event)) is None
    assert payload(call("prompt", {**event, "prompt": "David coffee black"})) is None


@each_row(
    "data",
    [b" ", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"prompt": {}}'],
    ids=["nothing", "cut short", "a list", "no text", "too deep", "odd"],
)
def test_broken_input_stops_nobody(call: Call, data: bytes) -> None:
    done = call("prompt", data)

    assert done.returncode == 0
    assert done.stdout == b""
    assert done.stderr == b""


def test_odd_fields_are_no_reason_to_fail(call: Call, remembered: Path) -> None:
    odd = {"session_id": 7, "transcript_path": None, "source": [], "prompt": None, "cwd": "\0"}

    assert "Never send mail" in told(call("session-start", odd), "SessionStart")


def test_a_failure_stands_in_the_log_without_anybodys_words(call: Call, root: Path) -> None:
    call("prompt", b'{"prompt": "my secret plan')

    failure = last_failures(Layout(root))[-1]
    assert (failure.event, failure.host) == ("prompt", "claude-code")
    assert "not JSON" in failure.reason
    assert "secret plan" not in failure.reason


def test_a_failure_that_cannot_be_logged_goes_to_stderr(process: Call, root: Path) -> None:
    (root / ".remem/main").write_text("a file where a folder should be")

    done = process("prompt", b'{"prompt": "my secret plan')

    assert (done.returncode, done.stdout) == (0, b"")
    assert b"not JSON" in done.stderr
    assert b"secret plan" not in done.stderr


def test_a_workspace_that_is_gone_is_no_error_for_the_host(tmp_path: Path) -> None:
    line = [sys.executable, "-m", "remem", "--workspace", str(tmp_path / "none")]
    for event in ("session-start", "prompt", "pre-compact", "session-end", "bootstrap"):
        done = subprocess.run(
            [*line, "hook", event], input=b'{"prompt": "x"}', capture_output=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert not (tmp_path / "none").exists()


def test_hooks_do_not_write_another_index(call: Call, remembered: Path) -> None:
    with open_workspace(remembered, background=False) as memory:
        for number in range(120):
            place = f"{number} Ocean Street, beyond the old lighthouse"
            memory.store(category="person", content=f"Person number {number} lives at {place}.")
    index = remembered / "memory/INDEX.md"
    before = index.read_bytes(), index.stat().st_mtime_ns

    text = told(call("session-start"), "SessionStart")
    call("prompt", {"prompt": "who lives beyond the lighthouse?"})

    assert (index.read_bytes(), index.stat().st_mtime_ns) == before
    assert text.startswith(before[0].decode().rstrip("\n"))


def test_a_database_that_somebody_holds_leaves_the_index_file(call: Call, remembered: Path) -> None:
    import apsw

    with open_workspace(remembered, background=False) as memory:
        memory.sync()
    holder = apsw.Connection(str(remembered / ".remem/main/entries.db"))
    holder.execute("BEGIN EXCLUSIVE")
    try:
        done = call("session-start", {})
    finally:
        holder.close()

    assert told(done, "SessionStart").startswith("# Memory Index")


@pytest.mark.parametrize(
    ("event", "expected"),
    [("session-start", "# Memory Index"), ("prompt", "memory_recall searches it")],
)
def test_an_agent_is_told_that_its_memory_was_not_read(
    remembered: Path, event: str, expected: str
) -> None:
    with open_workspace(remembered, background=False) as memory:
        memory.sync()
    said = read_event(event, "claude-code", b'{"prompt": "who drinks coffee?"}')

    text = answer_from_files(Layout(remembered), said, "took longer than 5 seconds")

    assert "reading the memory took longer than 5 seconds." in text
    assert expected in text


def test_a_host_that_never_ends_its_input_is_not_waited_for(call: Call, root: Path) -> None:
    line = [sys.executable, "-m", "remem", "--workspace", str(root), "hook", "pre-compact"]
    host = subprocess.Popen(
        [*line, "--within", "1"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        assert host.wait() == 0
        assert host.stdout is not None
        assert host.stdout.read() == b""
    finally:
        for stream in (host.stdin, host.stdout, host.stderr):
            if stream is not None:
                stream.close()


def test_a_damaged_database_still_gives_the_last_index(call: Call, remembered: Path) -> None:
    for path in (remembered / ".remem/main").glob("entries.db*"):
        path.write_bytes(b"not a database" * 500)

    done = call("session-start", {})

    assert done.returncode == 0
    assert done.stderr == b""


@pytest.mark.slow
def test_what_a_hook_costs_is_a_small_multiple_of_a_bare_interpreter(
    process: Call, remembered: Path
) -> None:
    """In processor time, so that a busy machine does not judge; the bare start is the unit."""
    bare = _cost(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    noting = _cost(lambda: process("pre-compact", {"session_id": "x"}))
    starting = _cost(lambda: process("session-start", {}))

    assert noting < 20 * bare
    assert starting < 60 * bare


def _cost(act: Any) -> float:
    """The cheapest of three, in seconds of processor time."""

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    costs = []
    for _ in range(3):
        before = spent()
        act()
        costs.append(spent() - before)
    return min(costs)


def test_the_current_folder_cannot_take_our_place(root: Path, tmp_path: Path, call: Call) -> None:
    """A project may hold a file `click.py`: the command that connect writes is deaf to it."""
    from remem.setup.hosts.recipes import this_command

    (tmp_path / "click.py").write_text("raise SystemExit(3)\n")
    command = this_command(root)

    done = subprocess.run(
        [command.program, *command.arguments("hook", "pre-compact")],
        input=json.dumps({}).encode(),
        capture_output=True,
        check=False,
        cwd=tmp_path,
        env={"PATH": os.defpath, "HOME": str(tmp_path)},
    )

    assert (done.returncode, done.stderr) == (0, b"")
