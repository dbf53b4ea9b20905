"""`remem setup` goes from nothing, or from existing notes, to a connected agent."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from remem import open_workspace
from remem.cli.main import remem

Setup = Callable[..., Result]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, with an empty folder in it to work in."""
    folder = tmp_path / "home"
    (folder / "work").mkdir(parents=True)
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCLAW_STATE_DIR", "REMEM_WORKSPACE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.chdir(folder / "work")
    return folder


@pytest.fixture
def setup(home: Path) -> Setup:
    def command(*arguments: str, given: str | None = None) -> Result:
        return CliRunner().invoke(remem, ["setup", "--no-model", *arguments], input=given)

    return command


def write_notes(folder: Path) -> None:
    (folder / "memory").mkdir(parents=True, exist_ok=True)
    (folder / "MEMORY.md").write_text(
        "# Memory\n\n- David prefers short answers in the morning.\n"
        "- Never send mail without asking David first.\n",
        encoding="utf-8",
    )
    (folder / "memory/2026-11-17.md").write_text("# Notes\n\n- Called Ana.\n", encoding="utf-8")


def test_an_empty_machine_gets_a_workspace_and_a_first_memory(home: Path, setup: Setup) -> None:
    result = setup("--yes", "--remember", "I prefer short answers.")

    assert result.exit_code == 0, result.output
    assert (home / "agent/.remem/config.toml").is_file()
    assert "(preference): I prefer short answers." in result.stdout
    assert 'recall "prefer short answers"' in result.stdout
    assert result.stdout.splitlines()[-1].endswith("preference  I prefer short answers.")
    assert "no agent was found" in result.stderr


def test_after_setup_commands_find_the_memory_from_any_folder(home: Path, setup: Setup) -> None:
    result = setup("--yes", "--remember", "I prefer short answers.")

    assert "`remem` uses ~/agent" in result.stdout
    assert '$ remem recall "prefer short answers"' in result.stdout
    assert "I prefer short answers." in CliRunner().invoke(remem, ["recall", "answers"]).stdout


def test_the_folder_that_one_is_in_comes_before_the_default(
    home: Path, setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    setup("--yes", "--remember", "I prefer short answers.")
    CliRunner().invoke(remem, ["init", str(home / "other")])
    (home / "other/notes").mkdir()
    monkeypatch.chdir(home / "other/notes")

    assert "short answers" not in CliRunner().invoke(remem, ["recall", "answers"]).stdout


def test_the_last_setup_names_the_default_and_a_removed_one_is_not_used(
    home: Path, setup: Setup
) -> None:
    setup("--yes")

    result = setup("--yes", str(home / "second"))

    assert "uses ~/second instead of ~/agent" in result.stdout
    shutil.rmtree(home / "second/.remem")
    after = CliRunner().invoke(remem, ["list"])
    assert after.exit_code == 1
    assert "hint: `remem setup` makes one" in after.stderr


def test_the_categories_add_up_to_the_statements(home: Path, setup: Setup) -> None:
    lines = ["# Memory", "", "- Mara is a dentist in Ghent, and", "  works from home on Fridays."]
    (home / "work/MEMORY.md").write_text("\n".join([*lines, "- Never call before noon.", ""]))

    result = setup("--yes")

    examples = re.findall(r"^  \w+ {2,}(\w+)|^  instruction (\w+)", result.stdout, re.MULTILINE)
    assert ["".join(words) for words in examples][:2] == ["Mara", "Never"]
    assert not re.search(r"^  \w+ +works from home", result.stdout, re.MULTILINE)
    counts = next(line for line in result.stdout.splitlines() if line.endswith("for example:"))
    assert "to store: 2 statements" in result.stdout
    assert sum(map(int, re.findall(r"\d+", counts))) == 2


def test_notes_in_the_current_folder_make_it_the_workspace(home: Path, setup: Setup) -> None:
    write_notes(home / "work")
    before = (home / "work/MEMORY.md").read_bytes()

    result = setup("--yes")

    assert "~/work: will be the workspace, with MEMORY.md, 1 note" in result.stdout
    assert "to store: 2 statements from MEMORY.md" in result.stdout
    assert "migrated: 2 statements" in result.stdout
    assert (home / "work/MEMORY.md").read_bytes() == before


def test_the_workspace_of_openclaw_is_found(home: Path, setup: Setup) -> None:
    write_notes(home / ".openclaw/workspace")

    assert "~/.openclaw/workspace: will be the workspace" in setup("--dry-run").stdout


def test_hosts_are_connected_and_their_own_files_are_searched(home: Path, setup: Setup) -> None:
    own = home / ".claude/projects/-work/memory"
    own.mkdir(parents=True)
    (own / "MEMORY.md").write_text("- Tests run with nox.\n", encoding="utf-8")
    (home / ".gemini").mkdir()
    (home / ".gemini/GEMINI.md").write_text("Answer in French.\n", encoding="utf-8")

    result = setup("--yes", "--remember", "I prefer short answers.")

    assert "agents: Claude Code" in result.stdout
    assert "remem" in json.loads((home / ".claude.json").read_text())["mcpServers"]
    assert "searched too: ~/.claude/projects/-work/memory" in result.stdout
    assert "next: Claude Code: start a new conversation" in result.stderr
    assert result.stderr.count("disconnect claude-code") == 1
    target = ["--workspace", str(home / "agent")]
    for words, found in (("nox", "Tests run with nox."), ("French", "Answer in French.")):
        assert found in CliRunner().invoke(remem, ["recall", words, *target]).stdout


def write_own_memory_of_claude_code(home: Path) -> Path:
    """Write what Claude Code remembers about the project ~/shop; return the folder."""
    (home / "shop/.git").mkdir(parents=True)
    project = home / ".claude/projects" / str(home / "shop").replace("/", "-").replace("_", "-")
    own = project / "memory"
    own.mkdir(parents=True)
    record = {"type": "user", "cwd": str(home / "shop")}
    (project / "1f2e.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    (own / "MEMORY.md").write_text(
        "- [Mara](mara.md): who she is\n- Tests run with nox.\n", encoding="utf-8"
    )
    (own / "mara.md").write_text(
        "---\nname: Mara\ntype: user\n---\n\nMara is a backend developer, new to React.\n",
        encoding="utf-8",
    )
    (own / "rules.md").write_text(
        "---\nname: Rules\ntype: feedback\n---\n\nNever mock the database in tests.\n",
        encoding="utf-8",
    )
    return own


def test_the_own_memory_of_claude_code_becomes_entries_of_its_project(
    home: Path, setup: Setup
) -> None:
    own = write_own_memory_of_claude_code(home)
    before = {file: file.read_bytes() for file in own.iterdir()}

    result = setup("--yes")

    assert f"to store: 3 statements from ~/{own.relative_to(home)}/MEMORY.md" in result.stdout
    assert "migrated: 3 statements" in result.stdout
    with open_workspace(home / "agent") as memory:
        entries = {entry.content: entry for entry in memory.entries()}
    rule = entries["Never mock the database in tests."]
    assert (rule.category, rule.trust, rule.tags) == ("instruction", "agent", ("project:~/shop",))
    assert entries["Tests run with nox."].tags == ("project:~/shop",)
    assert entries["Mara is a backend developer, new to React."].tags == ()
    assert len(entries) == 3, "the line that names mara.md only announces that file"
    assert {file: file.read_bytes() for file in own.iterdir()} == before


def test_own_memory_of_agents_is_previewed_and_may_be_declined(home: Path, setup: Setup) -> None:
    write_own_memory_of_claude_code(home)

    previewed, declined = setup("--dry-run"), setup(given="y\ny\nn\n")

    assert "turn statements of Claude Code's own memory into entries" in previewed.stdout
    assert "Turn these lines into entries?" in declined.stderr
    assert "`remem migrate` does it later" in declined.stderr
    with open_workspace(home / "agent") as memory:
        assert memory.entries() == []
        assert memory.setup.migrate().changes == 3


def test_own_memory_of_agents_is_not_migrated_unless_search_reads_it(
    home: Path, setup: Setup
) -> None:
    setup("--yes")
    write_own_memory_of_claude_code(home)

    with open_workspace(home / "agent") as memory:
        assert memory.setup.migrate().changes == 0


def test_a_second_setup_adds_what_agents_have_remembered_since(home: Path, setup: Setup) -> None:
    (home / ".gemini").mkdir()
    (home / ".gemini/GEMINI.md").write_text("Answer in French.\n", encoding="utf-8")
    setup("--yes")
    write_own_memory_of_claude_code(home)

    result = setup("--yes")

    assert "searched too: ~/.claude" in result.stdout
    assert "migrated: 3 statements" in result.stdout
    target = ["--workspace", str(home / "agent")]
    assert "French" in CliRunner().invoke(remem, ["recall", "French", *target]).stdout


def test_a_dry_run_does_not_offer_what_is_done_already(home: Path, setup: Setup) -> None:
    write_notes(home / "work")
    (home / ".claude").mkdir()
    setup("--yes")

    assert "would" not in setup("--dry-run").stdout
    (home / "work/USER.md").write_text("- I am allergic to nuts.\n", encoding="utf-8")
    assert "to store: 1 statement from USER.md" in setup("--dry-run").stdout


def test_a_folder_of_notes_is_searched_if_setup_runs_there(home: Path, setup: Setup) -> None:
    (home / "work/travel.md").write_text("- My passport expires in March 2028.\n")
    (home / "work/health").mkdir()
    (home / "work/health/doctors.md").write_text("- Dr. Meyer is closed on Fridays.\n")

    result = setup("--yes")

    assert "also found: ~/work (2 notes)" in result.stdout
    target = ["--workspace", str(home / "agent")]
    for words in ("passport", "Meyer"):
        assert words in CliRunner().invoke(remem, ["recall", words, *target]).stdout


@pytest.mark.parametrize("names", [("README.md", "docs.md", *(f"{n}.py" for n in range(3))), ()])
def test_a_folder_of_code_is_not_taken_for_notes(
    home: Path, setup: Setup, names: tuple[str, ...]
) -> None:
    for name in names:
        (home / "work" / name).write_text("text\n", encoding="utf-8")

    assert "also found" not in setup("--dry-run").stdout


def test_settings_of_the_owner_are_not_overwritten(home: Path, setup: Setup) -> None:
    (home / "agent/.remem").mkdir(parents=True)
    config = home / "agent/.remem/config.toml"
    config.write_text('extra_paths = ["~/notes"]\n', encoding="utf-8")
    (home / ".gemini").mkdir()
    (home / ".gemini/GEMINI.md").write_text("Answer in French.\n", encoding="utf-8")

    result = setup("--yes")

    assert config.read_text(encoding="utf-8") == 'extra_paths = ["~/notes"]\n'
    assert "GEMINI.md" in result.stderr


def test_a_dry_run_changes_nothing(home: Path, setup: Setup) -> None:
    write_notes(home / "work")
    before = sorted(home.rglob("*"))

    result = setup("--dry-run")

    assert result.exit_code == 0
    assert "  would turn statements of MEMORY.md, 1 note into entries" in result.stdout
    assert "nothing was changed" in result.stderr
    assert sorted(home.rglob("*")) == before


def test_every_step_is_asked_for(home: Path, setup: Setup) -> None:
    (home / ".claude").mkdir()
    write_notes(home / "work")

    refused = setup(given="n\n")
    assert refused.exit_code == 1
    assert "hint: `remem setup --yes` does it without asking" in refused.stderr
    assert not (home / "work/.remem").exists()

    partly = setup(given="y\ny\nn\n")
    assert "migrated: 2 statements" in partly.stdout
    assert "Claude Code: nothing was changed" in partly.stderr
    assert not (home / ".claude.json").exists()


def test_enter_at_every_question_connects_the_agents(home: Path, setup: Setup) -> None:
    (home / ".claude").mkdir()
    write_notes(home / "work")

    done = setup(given="\n" * 9)

    assert "migrated: 2 statements" in done.stdout
    assert "connected: Claude Code" in done.stdout
    assert done.output.index("Connect Claude Code?") < done.output.index("without asking you")
    assert "remem" in (home / ".claude.json").read_text()
    assert "mcp__remem" not in (home / ".claude/settings.json").read_text()


def test_an_empty_memory_asks_for_a_first_statement(home: Path, setup: Setup) -> None:
    result = setup(given="y\nI prefer short answers.\n")

    assert "(preference): I prefer short answers." in result.stdout


def test_repeating_it_changes_nothing(home: Path, setup: Setup) -> None:
    (home / ".claude").mkdir()
    write_notes(home / "work")
    setup("--yes")
    settings = (home / ".claude.json").read_bytes()

    again = setup("--yes")

    assert "Claude Code is connected already" in again.stdout
    assert "migrated" not in again.stdout
    assert (home / ".claude.json").read_bytes() == settings


def test_a_yes_is_not_stored_as_the_first_memory(home: Path, setup: Setup) -> None:
    done = setup(given="y\n" * 9)

    assert "stored mem-" not in done.output


@pytest.mark.parametrize(
    ("line", "model"),
    [
        ("The gate at the back of the garden is red.", "minilm"),
        ("Das Tor hinter dem Garten ist rot und wird nicht gestrichen.", "multilingual"),
        ("花园后面的门是红色的，以后再刷。", "multilingual"),
    ],
)
def test_the_model_that_reads_the_notes_is_downloaded(
    home: Path, monkeypatch: pytest.MonkeyPatch, line: str, model: str
) -> None:
    fetched: list[str] = []

    def fetch(name: str) -> Path:
        fetched.append(name)
        return home / "models" / name

    monkeypatch.setattr("remem.cli.commands.setup.fetch_model", fetch)
    monkeypatch.setenv("REMEM_MODELS", str(home / "models"))
    lines = "".join(f"- {line} ({number})\n" for number in range(12))
    (home / "work/MEMORY.md").write_text(f"# Memory\n\n{lines}", encoding="utf-8")

    result = CliRunner().invoke(remem, ["setup", "--yes", "--no-hosts"])

    assert result.exit_code == 0, result.output
    assert fetched == [model]


def test_without_a_memory_the_first_recall_answers_from_the_files_of_an_agent(
    home: Path, setup: Setup
) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/AGENTS.md").write_text("# Rules\n\n- We always deploy from the main branch.\n")

    shown = setup("--yes", "--no-hosts").stdout

    assert '$ remem recall "always deploy main branch"' in shown
    assert "We always deploy from the main branch." in shown.split("a first recall:")[1]


def test_files_that_recall_searches_already_are_not_found_again(home: Path, setup: Setup) -> None:
    (home / ".codex").mkdir()
    (home / ".codex/AGENTS.md").write_text("- Reply briefly.\n", encoding="utf-8")

    first, again = setup("--yes", "--no-hosts"), setup("--yes", "--no-hosts")

    assert "also found: ~/.codex/AGENTS.md" in first.stdout
    assert "also found" not in again.stdout
