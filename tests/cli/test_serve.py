"""How a server is started from the command line."""

from __future__ import annotations

from tests.cli.conftest import Run


def test_a_profile_that_does_not_exist_is_refused_before_anything_is_served(run: Run) -> None:
    result = run("serve", "--profile", "fuller")

    assert result.exit_code == 1
    assert result.stderr.splitlines()[0] == "remem: profile 'fuller' is not offered"
    assert "use one of: legacy, core, full" in result.stderr
