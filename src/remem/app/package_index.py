"""Find the package indexes that pip and uv are configured to use on this machine."""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from remem.app.environment import environment_or_default
from remem.embed.package_index import PYPI, PackageIndex

_SECTIONS: Final = ("download", "install", "global")
"""The sections of pip's settings that concern downloads, the most specific first."""


def package_index(environment: Mapping[str, str] | None = None) -> PackageIndex:
    """Return the indexes from uv's variables, then pip's variables, then pip's settings.

    A configured index replaces pypi.org, which may not be reachable from this machine.
    """
    environment = environment_or_default(environment)
    settings = list(_pip_settings(environment))
    main = _first(
        environment.get("UV_DEFAULT_INDEX"),
        environment.get("UV_INDEX_URL"),
        environment.get("PIP_INDEX_URL"),
        *(section.get("index-url") for section in settings),
        PYPI,
    )
    extra = (
        environment.get("UV_INDEX"),
        environment.get("UV_EXTRA_INDEX_URL"),
        environment.get("PIP_EXTRA_INDEX_URL"),
        *(section.get("extra-index-url") for section in settings),
    )
    urls = [main, *(url for value in extra for url in (value or "").split())]
    return PackageIndex(
        tuple(dict.fromkeys(map(_without_name, urls))), _certificates(environment, settings)
    )


def _certificates(
    environment: Mapping[str, str], settings: list[Mapping[str, str]]
) -> tuple[str, ...]:
    given = _first(
        environment.get("PIP_CERT"),
        *(section.get("cert") for section in settings),
        environment.get("REQUESTS_CA_BUNDLE"),
    )
    return (str(Path(given).expanduser()),) if given else ()


def _first(*values: str | None) -> str:
    """Return the first value that is set; a variable that is set to nothing counts as not set."""
    return next((value for value in values if value), "")


def _without_name(url: str) -> str:
    """Return the address of an index; uv also accepts `name=https://…`."""
    name, equals, address = url.partition("=")
    return address if equals and name.replace("-", "").replace("_", "").isalnum() else url


def _pip_settings(environment: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Yield the sections of pip's settings, the most specific first."""
    for path in _pip_files(environment):
        settings = configparser.RawConfigParser()
        try:
            settings.read(path, encoding="utf-8")
        except (configparser.Error, UnicodeDecodeError):
            continue  # pip reports what is wrong with its own files
        for name in _SECTIONS:
            if settings.has_section(name):
                yield {key.replace("_", "-"): value for key, value in settings[name].items()}


def _pip_files(environment: Mapping[str, str]) -> list[Path]:
    """Return the files in which pip looks for its settings, in order of precedence."""
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    home = Path(environment.get("HOME") or "~").expanduser()
    config = Path(environment.get("XDG_CONFIG_HOME") or home / ".config")
    places = [
        Path(sys.prefix),
        config / "pip",
        home / "Library" / "Application Support" / "pip",
        Path(environment.get("APPDATA") or home) / "pip",
        home / ".pip",
        Path("/etc/xdg/pip"),
        Path("/etc"),
        Path("/Library/Application Support/pip"),
        Path(environment.get("PROGRAMDATA") or "/etc") / "pip",
    ]
    given = environment.get("PIP_CONFIG_FILE")
    if given == os.devnull:  # tells pip to read no settings
        return []
    return [*([Path(given).expanduser()] if given else []), *(place / name for place in places)]
