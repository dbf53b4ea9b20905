"""Every command is found, explains itself, and ends as it should."""

from __future__ import annotations

import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import remem as package
from remem.app.environment import default_workspace, find_workspace, set_default_workspace
from remem.app.opening import open_workspace
from remem.app.tools.table import TOOLS
from remem.cli.main import remem
from remem.errors import RememError
from tests.cli.conftest import Run
from tests.tables import each_row

Process = Callable[..., subprocess.CompletedProcess[bytes]]


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def test_every_command_explains_itself() -> None:
    for path in commands(remem):
        result = CliRunner().invoke(remem, [*path, "--help"])

        assert result.exit_code == 0, path
        assert f"remem {' '.join(path)}" in result.output


def test_the_list_of_commands_says_what_each_command_says_of_itself() -> None:
    context = click.Context(remem)
    listed = CliRunner().invoke(remem, ["help", "all"]).output

    for name in remem.list_commands(context):
        command = remem.get_command(context, name)
        assert command is not None
        shown = re.search(rf"^  {name} +(.+)$", listed, re.MULTILINE)
        assert shown is not None
        assert shown[1] == command.get_short_help_str(limit=200)


def test_every_tool_is_a_command() -> None:
    assert {tool.command for tool in TOOLS} <= set(remem.list_commands(click.Context(remem)))


def test_the_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(remem, ["--version"])

    assert result.output == f"remem {package.__version__}\n"


def test_help_loads_neither_the_store_nor_the_numbers() -> None:
    code = (
        "import sys; from remem.cli.main import remem\n"
        "try: remem(['--help'])\n"
        "except SystemExit: pass\n"
        "print(sorted({'numpy', 'apsw', 'mcp', 'onnxruntime'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)

    assert done.stdout.splitlines()[-1] == b"[]"


def test_an_error_exits_with_one_and_prints_a_hint_on_stderr(run: Run) -> None:
    result = run("store", "-c", "gossip", "x")

    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[0] == "remem: category 'gossip' is unknown"
    assert result.stderr.splitlines()[1].startswith("hint: use one of: preference")


def test_wrong_usage_exits_with_two(run: Run) -> None:
    assert run("recall", "x", "--token-budget", "many").exit_code == 2
    assert run("recal", "x").exit_code == 2
    assert run("history").exit_code == 2


def test_the_help_lists_eight_commands_and_says_where_the_others_are() -> None:
    shown = CliRunner().invoke(remem, ["--help"]).output
    listed = re.findall(r"^  ([a-z]+) {2,}", shown.partition("Daily commands:")[2], re.MULTILINE)

    assert len(listed) == 8
    assert "`remem help all`" in shown


@each_row("words", [["help"], ["help", "recall"], ["help", "index", "pin"]])
def test_help_is_a_command_too(words: list[str]) -> None:
    shown = CliRunner().invoke(remem, words).output

    assert shown == CliRunner().invoke(remem, [*words[1:], "--help"]).output


def test_version_is_a_command_too() -> None:
    assert CliRunner().invoke(remem, ["version"]).output == f"remem {package.__version__}\n"


@each_row(
    ("typed", "meant"),
    [("recal", "recall"), ("stats", "status"), ("ls", "list"), ("remember", "store")],
)
def test_a_mistyped_command_gets_a_suggestion(typed: str, meant: str) -> None:
    result = CliRunner().invoke(remem, [typed])

    assert result.exit_code == 2
    assert f"Did you mean `remem {meant}`?" in result.stderr


def test_a_mistyped_global_option_after_a_command_gets_a_suggestion() -> None:
    result = CliRunner().invoke(remem, ["recall", "--workspac", "/tmp", "tea"])

    assert result.exit_code == 2
    assert "Did you mean '--workspace'?" in result.stderr


def test_a_mistyped_action_or_category_gets_a_suggestion(run: Run) -> None:
    assert "did you mean list?" in run("fact", "lst").stderr
    assert "did you mean preference?" in run("store", "-c", "preferense", "x").stderr


def test_global_options_work_anywhere(root: Path, tmp_path: Path) -> None:
    def invoke(*words: str) -> str:
        result = CliRunner().invoke(remem, list(words))
        assert result.exit_code == 0, result.output
        return result.stdout

    invoke("init", str(root))
    invoke("store", "-c", "fact", "Tea is at four.", "--workspace", str(root), "--json")

    for words in (
        ("recall", "--workspace", str(root), "tea"),
        ("recall", "tea", f"--workspace={root}", "--session", "main"),
        ("--session=main", "recall", "tea", "--workspace", str(root)),
    ):
        assert "Tea is at four." in invoke(*words)
    assert "Tea is at four." in invoke("index", "--why", "--workspace", str(root))


def test_an_option_of_a_command_with_a_global_name_stays_with_it(run: Run) -> None:
    assert run("token", "issue", "--session", "main").exit_code == 0
    noted = run("note", "--", "--workspace is an option")
    assert noted.exit_code == 0
    assert "--workspace is an option" in run("search", "workspace option").stdout


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("remem sta", ["start", "status"]),
        ("remem store -c pre", ["preference"]),
        ("remem list -p h", ["high"]),
        ("remem index p", ["pin"]),
        ("remem forget mem-", None),
        ("remem list -t t", ["tea"]),
        ("remem help sta", ["start", "status"]),
        ("remem help index p", ["pin"]),
        ("remem help al", ["all"]),
        ("remem models fetch mu", ["multilingual"]),
        ("remem --workspace ho", ["ho"]),
    ],
)
def test_a_shell_completes_commands_values_ids_and_tags(
    run: Run, root: Path, words: str, expected: list[str] | None
) -> None:
    stored = json.loads(run("store", "-c", "fact", "Tea.", "-t", "tea", "--json").stdout)["id"]
    environment = {
        "_REMEM_COMPLETE": "bash_complete",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split()) - 1),
        "REMEM_WORKSPACE": str(root),
    }

    result = CliRunner(env=environment).invoke(remem, prog_name="remem")

    found = [line.partition(",")[2] for line in result.output.splitlines()]
    assert found == ([stored] if expected is None else expected)


def test_an_option_without_its_value_is_completed_too() -> None:
    environment = {
        "_REMEM_COMPLETE": "bash_complete",
        "COMP_WORDS": "remem --workspace ",
        "COMP_CWORD": "2",
    }

    result = CliRunner(env=environment).invoke(remem, prog_name="remem")

    assert result.output == "dir,\n"


@each_row("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell: str) -> None:
    result = CliRunner().invoke(remem, ["completion", shell])

    assert "_REMEM_COMPLETE" in result.output


def test_a_session_without_memory_gets_the_reason(run: Run) -> None:
    result = run("--session", "agent:main:telegram:group:-1", "status")

    assert result.exit_code == 1
    assert "this room has no unique name" in result.stderr


def test_a_missing_workspace_is_an_error_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    result = CliRunner().invoke(remem, ["status"])

    assert result.exit_code == 1
    assert "is not in a remem workspace" in result.stderr
    assert "hint: `remem setup` makes one" in result.stderr


def test_words_need_no_quotes(run: Run) -> None:
    run("store", "Never", "deploy", "on", "Mondays")

    assert "    Never deploy on Mondays" in run("recall", "when", "to", "deploy").stdout


def test_a_text_may_begin_with_a_dash(run: Run) -> None:
    run("store", "-5 degrees is the limit.", "-c", "fact", "--tag", "-a freezer-")

    assert "-5 degrees is the limit.  #-a freezer-" in run("list").stdout
    assert "-5 degrees" in run("recall", "-5 degrees is what?").stdout
    assert "Write `--` before a text" in run("recall", "-5").stderr


@each_row("option", ["--workspace", "--session"])
def test_a_global_option_without_its_value_is_named(option: str) -> None:
    result = CliRunner().invoke(remem, ["recall", "hello", option])

    assert result.exit_code == 2
    assert f"Option '{option}' requires an argument" in result.stderr


def test_categories_may_be_capitalised(run: Run) -> None:
    run("store", "-c", "Preference", "Ana likes tea.")

    assert "Ana likes tea." in run("list", "-c", "Preference").stdout


@each_row("width", [40, 80])
def test_help_fits_the_terminal(width: int) -> None:
    line = [sys.executable, "-m", "remem", "connect", "--help"]
    environment = {**os.environ, "COLUMNS": str(width)}
    done = subprocess.run(line, capture_output=True, check=True, text=True, env=environment)

    lines = done.stdout.splitlines()
    assert "HOST" in "".join(lines[:2])
    wide = [line for line in lines if len(line) > width]
    assert [line for line in wide if not line.startswith(("  remem ", "  --"))] == []


def test_a_workspace_has_one_spelling_whatever_dots_lead_to_it(root: Path) -> None:
    """Its walls, and the folders that hosts name after it, are compared by that spelling."""
    other = root.parent / "other"
    other.mkdir()

    assert find_workspace(other / ".." / root.name) == root


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("~nobody-by-this-name/x", "the home folder in .* is unknown"),
        ("/tmp/" + "a" * 300, "cannot be inspected: File name too long"),
        ("/tmp/w\udcff", "is not valid UTF-8"),
        ("/tmp/w\0", "is not valid UTF-8"),
    ],
)
def test_a_path_that_cannot_be_a_workspace_is_refused(path: str, reason: str) -> None:
    with pytest.raises(RememError, match=reason):
        find_workspace(path)


def test_a_default_workspace_may_have_a_space_at_the_end_of_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    workspace = tmp_path / "agent "
    (workspace / ".remem").mkdir(parents=True)

    set_default_workspace(workspace)

    assert default_workspace() == workspace


def test_without_a_current_folder_a_workspace_has_to_be_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with pytest.raises(RememError, match="the current folder cannot be found"):
        find_workspace(None, {})


@pytest.mark.parametrize(
    ("redirection", "code", "said"),
    [
        ("<&-", 1, "content is empty"),
        (">&-", 0, ""),
        (">/dev/full", 1, "remem: No space left on device"),
    ],
)
def test_a_closed_or_full_stream_causes_no_traceback(
    root: Path, redirection: str, code: int, said: str
) -> None:
    words = ["store"] if redirection == "<&-" else ["status"]
    line = [sys.executable, "-m", "remem", "--workspace", str(root), *words]
    done = subprocess.run(
        ["/bin/sh", "-c", f'exec "$@" {redirection}', "sh", *line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )

    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert said in done.stderr


def test_a_problem_is_one_line_on_stderr(run: Run, root: Path) -> None:
    run("store", "-c", "fact", "Tea is at four.")
    (root / "memory/domains/facts.md").write_bytes(b"\xff")
    result = run("store", "-c", "fact", "Tea is at five.", "--json")

    assert result.stderr.startswith("remem: warning: ")
    assert "is not UTF-8" in result.stderr
    assert result.stdout.count("\n") == 1


def test_a_reader_that_leaves_early_causes_no_error_message(run: Run, root: Path) -> None:
    lines = "".join(f'{{"category":"fact","content":"Fact {i} {"x" * 500}"}}\n' for i in range(500))
    assert run("import", "-", input=lines).exit_code == 0
    export = [sys.executable, "-m", "remem", "--workspace", str(root), "export"]

    with subprocess.Popen(export, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read().decode()

    assert [line for line in errors.splitlines() if "warning: keyword only" not in line] == []


def _unread(pipe: int) -> int:
    """The number of unread bytes in a pipe."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def _hear_control_c() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_control_c_prints_nothing(root: Path) -> None:
    line = [sys.executable, "-m", "remem", "--workspace", str(root), "store", "-c", "fact", "-"]
    pipe = subprocess.PIPE
    with subprocess.Popen(  # a background shell may have set SIGINT to be ignored
        line,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        preexec_fn=_hear_control_c,  # noqa: PLW1509
    ) as waiting:
        assert waiting.stdin is not None
        waiting.stdin.write(b"Tea is")
        waiting.stdin.flush()
        while waiting.poll() is None and _unread(waiting.stdin.fileno()):
            time.sleep(0.01)
        waiting.send_signal(signal.SIGINT)
        waiting.wait()
        assert waiting.stdout is not None
        assert waiting.stderr is not None
        assert (waiting.stdout.read(), waiting.stderr.read()) == (b"", b"")

    assert waiting.returncode == 130


# Libraries that a command must not load, and how many modules of remem it may load: every one of
# them costs each start its time.
_HEAVY = "mcp httpx2 concurrent.futures secrets onnxruntime remem.extract.llm remem.search.qmd"
_NEEDLESS = {
    "recall": f"{_HEAVY} numpy remem.embed.fetch remem.disclose.start remem.search.refresh.cutting",
    "refresh": f"{_HEAVY} numpy remem.search.recall remem.disclose.start",
    "store": f"{_HEAVY} numpy remem.search.recall remem.disclose.start",
    "serve": "numpy apsw onnxruntime remem.app.opening remem.app.workspace remem.search.recall",
}
_MAX_MODULES = {"recall": 140, "refresh": 116, "store": 168, "serve": 109}
_RUN = """
import sys
from remem.cli.main import remem
try: remem(["--workspace", *sys.argv[1:]])
except SystemExit: pass
"""
_LIST = """
from remem.app.tools.table import tools_of
from remem.cli.commands import server
from remem.mcp.server import listed_tool
for tool in tools_of("core"): listed_tool(tool)
"""


@pytest.mark.parametrize(
    ("command", "code", "line"),
    [
        ("recall", _RUN, ["recall", "--json", "tea"]),
        ("refresh", _RUN, ["refresh", "--json"]),
        ("store", _RUN, ["store", "-c", "fact", "Ada drinks tea at four.", "--json"]),
        ("serve", _LIST, []),
    ],
)
def test_a_command_loads_what_it_needs(
    root: Path, command: str, code: str, line: list[str]
) -> None:
    environment = {"REMEM_MODELS": str(root)}
    with open_workspace(root, background=False, environment=environment) as memory:
        memory.store(category="fact", content="Ada drinks tea.")
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys\nprint(*sys.modules)", str(root), *line],
        capture_output=True,
        check=True,
        text=True,
        env={**os.environ, **environment},
    )
    loaded = set(done.stdout.splitlines()[-1].split())

    assert f"remem.{'mcp.server' if command == 'serve' else 'app.opening'}" in loaded
    assert len([name for name in loaded if name.startswith("remem")]) <= _MAX_MODULES[command]
    assert set(_NEEDLESS[command].split()) & loaded == set()
