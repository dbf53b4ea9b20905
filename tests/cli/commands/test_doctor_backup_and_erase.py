"""The owner's commands over a whole workspace, and over one memory for good."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

GROUP = "agent:main:telegram:group:-100123"


@pytest.fixture
def id_(run: Run) -> str:
    run("rooms", "map", "telegram:-100123", "kitchen")
    run("--session", GROUP, "store", "-c", "fact", "The oven is hot.")
    said = run("store", "-c", "fact", "The gate opens at nine.", "--json").stdout
    return str(json.loads(said)["id"])


def test_the_doctor_reports_a_healthy_workspace_as_such(run: Run, id_: str) -> None:
    result = run("doctor")

    assert result.exit_code == 0
    assert result.stdout == "no problems found\n"
    assert json.loads(run("doctor", "--json").stdout) == {
        "findings": [],
        "repairs": [],
        "remaining": [],
    }


def test_the_doctor_says_what_is_wrong_what_it_means_and_how_to_repair_it(
    run: Run, root: Path, id_: str
) -> None:
    (broken,) = root.glob(".remem/groups/*/entries.db")
    broken.write_bytes(b"this was a database once\n" * 400)

    looked = run("doctor")
    repaired = run("doctor", "--repair")

    assert looked.exit_code == 1
    assert looked.stdout.startswith("damage  group:kitchen: .remem/groups/kitchen/entries.db: ")
    assert "means: " in looked.stdout
    assert "repair: `remem doctor --repair`" in looked.stdout
    assert repaired.exit_code == 0
    assert "done  group:kitchen: a new database with 1 entry was put in place" in repaired.stdout
    assert "The oven is hot." in run("--session", GROUP, "export").stdout


def test_a_workspace_is_backed_up_and_restored(
    run: Run, root: Path, tmp_path: Path, id_: str
) -> None:
    kept = tmp_path / "kept.tar.gz"
    assert run("backup", str(kept)).stdout.startswith("2 entries and ")
    run("store", "-c", "fact", "Said later.")

    refused = run("restore", str(kept))
    restored = run("restore", str(kept), "--force")

    assert refused.exit_code == 1
    assert "is not empty" in refused.stderr
    assert restored.exit_code == 0
    assert "2 entries and " in restored.stdout
    assert ".before-restore." in restored.stderr
    assert "nothing found" in run("recall", "said later", "-c", "fact").stdout or (
        "Said later." not in run("recall", "later").stdout
    )
    assert "The gate opens at nine." in run("recall", "gate").stdout


def test_forgetting_archives(run: Run, id_: str) -> None:
    result = run("forget", id_)

    assert result.exit_code == 0
    assert result.stdout == f"archived {id_}, version 2\n"
    assert "nine" not in run("recall", "gate").stdout
    assert "nine" in run("recall", id_, "--include-archived").stdout


def test_a_fact_is_erased_by_its_id(run: Run, root: Path) -> None:
    said = "Mara waters the garden."
    assert run("fact", "record", "Mara", said).exit_code == 0
    refused = run("erase", "mara-001", input="n\n")
    assert refused.exit_code == 1
    assert said in refused.stderr
    assert said in (root / "brain/areas/mara/items.json").read_text()

    (root / "MEMORY.md").write_text(f"- {said}\n")
    (same,) = json.loads(run("store", "-c", "person", said, "--json").stdout)["id"].split()
    result = run("erase", "mara-001", "--entity", "Mara", "--yes")

    assert result.exit_code == 0
    assert result.stdout == "erased mara-001\n"
    assert "its text is also in MEMORY.md, which is your own file" in result.stderr
    assert f"{same} says or said the same thing" in result.stderr
    assert said not in (root / "brain/areas/mara/items.json").read_text()
    assert run("erase", "mara-001", "--yes").stdout == "mara-001 was erased before\n"
    assert "the owner has erased this text" in run("fact", "record", "Mara", said).stderr


def test_a_database_that_was_kept_aside_is_named_as_a_place_that_may_have_the_words(
    run: Run, root: Path, id_: str
) -> None:
    (root / ".remem/main/damaged-passages").mkdir()

    shown = run("erase", id_, "--yes").stderr

    assert "its text may be in .remem/main/damaged-passages" in shown
    assert "also stand" not in shown


def test_erasing_asks_first_and_says_what_it_did(run: Run, root: Path, id_: str) -> None:
    refused = run("erase", id_, input="n\n")
    assert refused.exit_code == 1
    assert "The gate opens at nine." in refused.stderr

    (root / "MEMORY.md").write_text("- The gate opens at nine.\n")
    result = run("erase", id_, "--yes")

    assert result.exit_code == 0
    assert result.stdout == f"erased {id_}\n"
    assert "its text is also in MEMORY.md, which is your own file" in result.stderr
    assert json.loads(run("erase", id_, "--yes", "--json").stdout)["erased"] is False
    assert "not stored: the owner has erased this text" in (
        run("store", "-c", "fact", "The gate opens at nine.").stdout
    )


@pytest.mark.parametrize(
    "command", [("doctor",), ("backup", "/tmp/nowhere/x"), ("restore", "/tmp")]
)
def test_commands_for_the_whole_workspace_work_only_in_main(
    run: Run, id_: str, command: tuple[str, ...]
) -> None:
    result = run("--session", GROUP, *command)

    assert result.exit_code == 1
    assert "works only in the main session" in result.stderr


@pytest.mark.parametrize("given", [[], ["--yes"], ["--json"]])
def test_an_id_that_nothing_has_is_refused_before_anything_is_shown_or_asked(
    run: Run, id_: str, given: list[str]
) -> None:
    result = run("erase", "mem-0pene1ne", *given, input="y\n")

    assert result.exit_code == 1
    assert "no entry or fact has the id 'mem-0pene1ne'" in result.stderr
    assert "gate" not in result.output
    assert "permanently?" not in result.output
    assert run("erase", "The gate opens", input="y\n").exit_code == 1


def test_a_fact_that_another_entity_has_is_refused_before_anything_is_asked(run: Run) -> None:
    run("fact", "record", "Mara", "Mara waters the garden.")
    run("fact", "record", "Nils", "Nils sweeps the yard.")

    result = run("erase", "mara-001", "--entity", "Nils", input="y\n")

    assert result.exit_code == 1
    assert "'Nils' has no fact 'mara-001'" in result.stderr
    assert "permanently?" not in result.output


def test_what_erasing_shows_cannot_command_the_terminal(run: Run) -> None:
    said = "A page \x1b[2J said so."
    stored = run("store", "-c", "fact", "--trust", "untrusted", said, "--json")

    result = run("erase", json.loads(stored.stdout)["id"], input="n\n")

    assert "A page \\x1b[2J said so." in result.stderr


def test_recalling_an_unknown_id_says_that_it_is_unknown(run: Run, id_: str) -> None:
    unknown = run("recall", "mem-0pene1ne").stdout
    mixed = run("recall", f"{id_} mem-0pene1ne").stdout

    assert "nothing found" in unknown
    assert "note: no entry here has this id" in unknown
    assert "The gate opens at nine." in mixed
    assert "note: no entry here has the id mem-0pene1ne" in mixed
