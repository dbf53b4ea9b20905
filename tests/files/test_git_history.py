"""Earlier texts come from git where there is one, and its repository runs nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from remem.files.fact_history import earlier_texts, is_versioned

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")


def git(root: Path, *words: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", *name, *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def versioned(tmp_path: Path) -> Path:
    """A workspace in a folder of a repository."""
    root = tmp_path / "repository" / "agent"
    root.mkdir(parents=True)
    git(root.parent, "init", "-q")
    for text in ("one", "two", "three"):
        (root / "items.json").write_text(text)
        git(root, "add", "items.json")
        git(root, "commit", "-q", "-m", text)
    return root


def test_the_oldest_comes_first(versioned: Path) -> None:
    assert is_versioned(versioned)
    assert list(earlier_texts(versioned, "items.json")) == ["one", "two", "three"]
    assert list(earlier_texts(versioned, "nothing.json")) == []


def test_without_a_repository_there_is_nothing(tmp_path: Path) -> None:
    assert not is_versioned(tmp_path)
    assert list(earlier_texts(tmp_path, "items.json")) == []


def test_a_repository_cannot_have_its_own_programs_run(versioned: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n")
    program.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "gpg.program", "diff.external", "core.sshCommand"):
        git(versioned, "config", key, str(program))
    git(versioned, "config", "log.showSignature", "true")
    git(versioned, "config", "filter.own.smudge", str(program))
    (versioned / ".gitattributes").write_text("*.json filter=own diff=own\n")
    ran.unlink(missing_ok=True)  # git itself, called by the lines above, may have run it

    assert len(list(earlier_texts(versioned, "items.json"))) == 3

    assert not ran.exists()
