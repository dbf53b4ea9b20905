"""Everything derived can be dropped and rebuilt, in every scope."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run

GROUP = "agent:main:telegram:group:-100123"
PEER = "agent:main:telegram:direct:Zoë Müller"


def fill(run: Run) -> None:
    run("rooms", "map", "telegram:-100123", "Küche & Bad")
    run("store", "-c", "fact", "Main knows about tea.")
    run("--session", GROUP, "store", "-c", "fact", "The group knows about cake.")
    run("--session", PEER, "store", "-c", "fact", "Zoë knows about coffee.")


def test_every_scope_is_rebuilt_and_named(run: Run, root: Path) -> None:
    fill(run)
    (root / "memory/INDEX.md").unlink()
    for file in root.glob("memory/**/facts.md"):
        file.unlink()

    result = run("rebuild")

    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "main: rebuilt 1 entry, 1 file",
        "group:Küche & Bad: rebuilt 1 entry, 1 file",
        "peer:telegram:direct:Zoë Müller: rebuilt 1 entry, 1 file",
    ]
    assert (root / "memory/INDEX.md").is_file()
    assert len(list(root.glob("memory/**/facts.md"))) == 3


def test_lost_databases_come_back_from_the_files(run: Run, root: Path) -> None:
    fill(run)
    for database in root.glob(".remem/**/entries.db*"):
        database.unlink()

    result = run("rebuild", "--from-files")

    assert result.exit_code == 0
    assert result.stdout.count("restored 1 entry") == 3
    assert "Main knows about tea." in run("recall", "tea").stdout
    assert "The group knows" in run("--session", GROUP, "export").stdout
    assert "Zoë knows" in run("--session", PEER, "recall", "coffee").stdout


def test_a_broken_scope_does_not_stop_the_others(run: Run, root: Path) -> None:
    fill(run)
    (broken,) = root.glob(".remem/groups/*/entries.db")
    for path in broken.parent.glob("entries.db*"):
        path.write_bytes(b"this was a database once" * 1000)

    result = run("rebuild")

    assert result.exit_code == 1
    assert "remem: group:Küche & Bad: " in result.stderr
    assert "main: rebuilt" in result.stdout
    assert "peer:telegram:direct:Zoë Müller: rebuilt" in result.stdout


def test_a_folder_that_belongs_to_nobody_is_left_alone(run: Run, root: Path) -> None:
    fill(run)
    (root / ".remem/peers/name~0123456789").mkdir()

    result = run("rebuild")

    assert result.exit_code == 1
    assert "name~0123456789 was skipped: its scope is unknown" in result.stderr


def test_only_the_owner_rebuilds(run: Run) -> None:
    fill(run)

    result = run("--session", GROUP, "rebuild")

    assert result.exit_code == 1
    assert "`remem rebuild` works only in the main session" in result.stderr
