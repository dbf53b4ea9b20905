"""How a server is started from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run


def test_a_profile_that_does_not_exist_is_refused_before_anything_is_served(run: Run) -> None:
    result = run("serve", "--profile", "fuller")

    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == "remem: unknown profile 'fuller'"
    assert "use one of: legacy, core, full" in result.stderr


@pytest.mark.parametrize(
    "line",
    [
        ("serve", "--tokens", "--session", "main"),
        ("--session", "agent:a:main", "serve", "--tokens"),
    ],
)
def test_a_server_asks_for_tokens_or_has_a_session(run: Run, line: tuple[str, ...]) -> None:
    result = run(*line)

    assert result.exit_code == 1
    assert "--tokens and --session cannot be combined" in result.stderr


def test_a_server_refuses_a_mistyped_path(run: Run, tmp_path: Path) -> None:
    mistyped = tmp_path / "agnt"

    result = run("serve", "--workspace", str(mistyped))

    assert result.exit_code == 1
    assert f"{mistyped} is not a remem workspace" in result.stderr
    assert not mistyped.exists()
