"""The table of languages: one row for each way of asking, one column for each setting."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.commands import table
from bench.languages import LanguageRun, Rates
from tests.cli.conftest import Run


def test_an_unknown_language_is_refused_with_those_there_are(run: Run) -> None:
    result = run("bench", "languages", "--language", "xx")

    assert result.exit_code == 1
    assert "there is no sample for 'xx'" in result.stderr
    assert "de, fr" in result.stderr


def test_without_a_model_words_and_stems_are_measured(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REMEM_MODELS", str(tmp_path))

    result = run("bench", "languages", "--language", "mixed")

    assert "| words as they are | stems |" in result.stdout
    assert "| mixed | other forms | 16 | 100 / 100 | 100 / 100 |" in result.stdout
    assert "stems: mixed" in result.stderr


def test_settings_are_compared_side_by_side() -> None:
    runs = [LanguageRun(name, {"de": {"forms": Rates(12, 50, 75)}}) for name in ("one", "other")]

    assert table(runs) == [
        "| language | asked in | n | one | other |",
        "|---|---|---|---|---|",
        "| de | other forms | 12 | 50 / 75 | 50 / 75 |",
    ]
