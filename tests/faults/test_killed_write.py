"""A write is killed at each of its steps; what is found afterwards must be whole."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

STEPS = """
import sys
from itertools import count
from pathlib import Path
from remem.files import atomic as files; from remem.files import disk as renames
from remem.files.atomic import create
from tests.faults.dying import is_killed_at_call

OLD, NEW, THEIRS = b"old words", b"new words", b"their words"

def save_in_the_last_moment(path):
    theirs = path.with_name("editor")
    theirs.write_bytes(THEIRS)
    theirs.rename(path)

def exchange_after_a_save(one, other):
    save_in_the_last_moment(other)
    renames.exchange(one, other)

def swap(path, slip):
    if slip:
        files.exchange = exchange_after_a_save
    keep, conflict = (path.parents[1] / "state" / name for name in ("keep", "conflict"))
    files.swap(path, NEW, expected=files.digest(OLD), keep=keep, conflict=conflict)

def write_in_place(path, slip):
    path.write_bytes(NEW)

def replace_blindly(path, slip):
    fresh = path.with_name("fresh")
    fresh.write_bytes(NEW)
    save_in_the_last_moment(path)
    fresh.rename(path)

def held(root):
    return [path.read_bytes() for path in root.rglob("*") if path.is_file()]

root, kind, write = Path(sys.argv[1]), sys.argv[2], globals()[sys.argv[3]]
for step in count(1):
    path = root / str(step) / "domains" / "facts.md"
    if kind == "create":
        killed = is_killed_at_call(step, lambda: write(path, NEW))
        assert not path.exists() or path.read_bytes() == NEW
        if not killed:
            assert path.exists()
    else:
        slip = kind == "slip"
        files.create(path, OLD)
        killed = is_killed_at_call(step, lambda: write(path, slip))
        now = path.read_bytes()
        assert now in (OLD, NEW, THEIRS)
        assert now == OLD or not slip or THEIRS in held(path.parents[1])
        strays = files.temporary_files(path.parent)
        assert len(strays) <= 1
        assert OLD in held(path.parents[1]) or slip
        if not killed:
            assert now == NEW and not strays
    if not killed:
        break
print(step - 1)
"""


def swept(folder: Path, kind: str, write: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", STEPS, str(folder), kind, write]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.kill
@pytest.mark.parametrize(
    ("kind", "write"),
    [
        ("swap", "swap"),
        pytest.param("create", "create", marks=pytest.mark.slow),
        pytest.param("slip", "swap", marks=pytest.mark.slow),
    ],
)
def test_a_write_that_is_killed_anywhere_leaves_whole_files(
    tmp_path: Path, kind: str, write: str
) -> None:
    result = swept(tmp_path, kind, write)

    assert result.returncode == 0, result.stderr
    assert int(result.stdout) > 50


@pytest.mark.kill
@pytest.mark.parametrize(
    ("kind", "write"), [("swap", "write_in_place"), ("slip", "replace_blindly")]
)
def test_the_sweep_catches_a_write_that_can_lose_bytes(
    tmp_path: Path, kind: str, write: str
) -> None:
    result = swept(tmp_path, kind, write)

    assert result.returncode == 1
    assert "AssertionError" in result.stderr
