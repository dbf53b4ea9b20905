"""Downloads come from the index that pip or uv is configured to use."""

from __future__ import annotations

import os
from pathlib import Path

from remem.app.package_index import package_index
from remem.embed.package_index import PYPI
from tests.tables import each_row

QUIET = {"PIP_CONFIG_FILE": os.devnull}


def test_without_settings_it_is_pypi() -> None:
    assert package_index(QUIET).urls == (PYPI,)


@each_row("name", ["PIP_INDEX_URL", "UV_INDEX_URL", "UV_DEFAULT_INDEX"])
def test_a_variable_names_another_index_in_place_of_pypi(name: str) -> None:
    given = {**QUIET, name: "https://mirror.example/simple"}

    assert package_index(given).urls == ("https://mirror.example/simple",)


def test_further_indexes_are_asked_afterwards() -> None:
    given = {
        **QUIET,
        "UV_INDEX": "inner=https://inner.example/simple?a=b",
        "PIP_EXTRA_INDEX_URL": "https://one.example/simple file:///opt/simple",
    }

    assert package_index(given).urls == (
        PYPI,
        "https://inner.example/simple?a=b",
        "https://one.example/simple",
        "file:///opt/simple",
    )


def test_the_settings_of_pip_are_read(tmp_path: Path) -> None:
    settings = tmp_path / ".config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        "[global]\nindex_url = https://mirror.example/simple\ncert = ~/company.pem\n"
        "[install]\nextra-index-url = https://more.example/simple\n",
        encoding="utf-8",
    )
    environment = {"HOME": str(tmp_path)}

    found = package_index(environment)

    assert found.urls[:2] == ("https://mirror.example/simple", "https://more.example/simple")
    assert found.certificates[0].endswith("/company.pem")


def test_damaged_settings_of_pip_are_passed_over(tmp_path: Path) -> None:
    settings = tmp_path / "pip.conf"
    settings.write_text("index-url https://", encoding="utf-8")
    environment = {"PIP_CONFIG_FILE": str(settings), "PIP_INDEX_URL": "https://m.example/simple"}

    assert package_index(environment).urls[0] == "https://m.example/simple"


def test_an_empty_variable_counts_as_not_set() -> None:
    assert package_index({**QUIET, "PIP_INDEX_URL": "", "PIP_CERT": ""}).urls == (PYPI,)
