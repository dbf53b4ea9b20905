"""The measurement on real workspaces says what is missing, and runs the scorer that it is given."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts/real_workspaces.py"
SCORER = "import sys; print(' '.join(sys.argv[1:])); raise SystemExit(3)\n"


def run(real: Path | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    known = {name: value for name, value in os.environ.items() if name != "REMEM_REAL"}
    given = known if real is None else {**known, "REMEM_REAL": str(real)}
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], env=given, capture_output=True, text=True, check=False
    )


@pytest.fixture
def real(tmp_path: Path) -> Path:
    (tmp_path / "score.py").write_text(SCORER)
    return tmp_path


def test_it_says_what_is_missing(real: Path, tmp_path: Path) -> None:
    for result, reason in (
        (run(None, str(tmp_path)), "REMEM_REAL does not name the folder of the scorer"),
        (run(tmp_path / "none", str(tmp_path)), "which has no score.py"),
        (run(real), "WORKSPACES is not a folder"),
        (run(real, str(tmp_path / "none")), "none is not a folder"),
    ):
        assert result.returncode == 2
        assert reason in result.stderr
        assert "usage: REMEM_REAL=FOLDER" in result.stderr


def test_the_scorer_is_asked_about_the_index_by_default(real: Path) -> None:
    plain, other = run(real, str(real)), run(real, str(real), "--parts", "search", "--only", "r01")

    assert plain.returncode == other.returncode == 3
    assert f"--data {real} --parts index --details " in plain.stdout
    assert f"--data {real} --parts search --only r01 --details " in other.stdout


def test_the_figures_of_the_curated_files_follow(real: Path) -> None:
    lines = [
        {"curated": True, "category": "fact", "right": True, "taken": True},
        {"curated": True, "category": "fact", "right": False, "taken": False},
        {"curated": True, "category": "none", "right": False, "taken": True},
        {"curated": False, "category": "none", "right": False, "taken": False},
    ]
    (real / "score.py").write_text(
        f"import json, sys\nopen(sys.argv[-1], 'w').write(json.dumps({{'migration': {lines!r}}}))\n"
    )

    done = run(real, str(real), "--parts", "migrate")

    shown = [line.split()[-2:] for line in done.stdout.splitlines()]
    assert shown == [["2", "0.50"], ["1", "1.00"]]


def test_halves_are_every_second_workspace_and_the_others(real: Path) -> None:
    index = {"must_present": 8, "must_items": 10, "noise": 1, "lines": 4}
    figures = {f"r0{n}": {"index": index} for n in range(1, 4)}
    (real / "score.py").write_text(
        "import json, sys\nout = open(sys.argv[sys.argv.index('--json') + 1], 'w')\n"
        f"out.write(json.dumps({{'workspaces': {figures!r}}}))\n"
    )

    shown = run(real, str(real), "--halves").stdout

    assert "must-know 16 of 20   noise 0.25" in shown
    assert "must-know 8 of 10   noise 0.25" in shown
