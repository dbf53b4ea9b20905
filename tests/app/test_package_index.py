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


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@each_row(
    ("files", "index"),
    [
        (("pip", ".pip"), "https://.pip.example"),  # ~/pip is a folder of Windows
        ((".pip", ".config/pip"), "https://.config/pip.example"),
        ((".config/pip", "etc/pip"), "https://.config/pip.example"),
    ],
)
def test_files_have_the_precedence_that_they_have_for_pip(
    tmp_path: Path, files: tuple[str, ...], index: str
) -> None:
    home = tmp_path / "+".join(files).replace("/", "_")
    for folder in files:
        write(home / folder / "pip.conf", f"[global]\nindex-url = https://{folder}.example\n")
    environment = {
        "HOME": str(home),
        "XDG_CONFIG_DIRS": str(home / "etc"),
        "PIP_EXTRA_INDEX_URL": "",
    }

    assert package_index(environment).urls[0] == index


def test_a_specific_section_of_any_file_takes_precedence(tmp_path: Path) -> None:
    write(tmp_path / ".config/pip/pip.conf", "[global]\nindex-url = https://general.example\n")
    write(tmp_path / ".pip/pip.conf", "[download]\nindex-url = https://specific.example\n")

    assert package_index({"HOME": str(tmp_path)}).urls[0] == "https://specific.example"


def test_a_configured_file_replaces_those_of_the_user(tmp_path: Path) -> None:
    write(tmp_path / ".config/pip/pip.conf", "[global]\nextra-index-url = https://own.example\n")
    other = write(tmp_path / "other.conf", "[global]\nindex-url = https://other.example\n")
    environment = {"HOME": str(tmp_path), "PIP_CONFIG_FILE": str(other)}

    urls = package_index(environment).urls
    assert urls[0] == "https://other.example"
    assert "https://own.example" not in urls
    missing = {**environment, "PIP_CONFIG_FILE": str(tmp_path / "missing.conf")}
    assert "https://own.example" in package_index(missing).urls


def test_a_variable_replaces_the_further_indexes_of_the_settings(tmp_path: Path) -> None:
    write(tmp_path / ".config/pip/pip.conf", "[global]\nextra-index-url = https://own.example\n")
    environment = {"HOME": str(tmp_path), "PIP_EXTRA_INDEX_URL": "https://one.example"}

    assert package_index(environment).urls[1:] == ("https://one.example",)


def test_damaged_settings_of_pip_are_passed_over(tmp_path: Path) -> None:
    settings = tmp_path / "pip.conf"
    settings.write_text("index-url https://", encoding="utf-8")
    environment = {"PIP_CONFIG_FILE": str(settings), "PIP_INDEX_URL": "https://m.example/simple"}

    assert package_index(environment).urls[0] == "https://m.example/simple"


def test_an_empty_variable_counts_as_not_set() -> None:
    assert package_index({**QUIET, "PIP_INDEX_URL": "", "PIP_CERT": ""}).urls == (PYPI,)
