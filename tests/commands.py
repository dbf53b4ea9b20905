"""The command line, run in this process; `test_parity.py` proves that real ones do the same."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from remem.cli.main import remem


def run_command(root: Path, *arguments: str, given: str | bytes | None = None) -> Result:
    """Run `remem` on a workspace; `given` is what is piped into it."""
    line = ["--workspace", str(root), *arguments]
    return CliRunner().invoke(remem, line, input=given, catch_exceptions=False)


def output_of(root: Path, *arguments: str, given: str | bytes | None = None) -> str:
    """What a command that succeeds prints."""
    done = run_command(root, *arguments, given=given)
    assert done.exit_code == 0, done.output
    return done.stdout
