"""Find the package indexes that pip and uv are configured to use on this machine."""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from remem.app.environment import environment_or_default
from remem.embed.package_index import PYPI, PackageIndexes

_SECTIONS: Final = ("download", "install", "global")
"""The sections of pip's settings that concern downloads, the most specific first, as for pip."""


def package_index(environment: Mapping[str, str] | None = None) -> PackageIndexes:
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
    extra_of_pip = _first(
        environment.get("PIP_EXTRA_INDEX_URL"),
        *(section.get("extra-index-url") for section in settings),
    )
    extra = (environment.get("UV_INDEX"), environment.get("UV_EXTRA_INDEX_URL"), extra_of_pip)
    urls = [main, *(url for value in extra for url in (value or "").split())]
    return PackageIndexes(
        tuple(dict.fromkeys(map(_without_name, urls))), _certificates(environment, settings)
    )


def _certificates(
    environment: Mapping[str, str], settings: list[Mapping[str, str]]
) -> tuple[str, ...]:
    path = _first(
        environment.get("PIP_CERT"),
        *(section.get("cert") for section in settings),
        environment.get("REQUESTS_CA_BUNDLE"),
    )
    return (str(Path(path).expanduser()),) if path else ()


def _first(*values: str | None) -> str:
    """Return the first value that is set, or ""; an empty value counts as not set."""
    return next((value for value in values if value), "")


def _without_name(url: str) -> str:
    """Return the address of an index; uv also accepts `name=https://…`."""
    name, equals, address = url.partition("=")
    return address if equals and name.replace("-", "").replace("_", "").isalnum() else url


def _pip_settings(environment: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Yield the sections of pip's settings in order of precedence.

    As in pip, a specific section of any file takes precedence over a general one.
    """
    parsed_files = []
    for path in _pip_files(environment, sys.platform):
        settings = configparser.RawConfigParser()
        with suppress(configparser.Error, UnicodeDecodeError):  # pip reports its damaged files
            settings.read(path, encoding="utf-8")
            parsed_files.append(settings)
    for name in _SECTIONS:
        for settings in parsed_files:
            if settings.has_section(name):
                yield {key.replace("_", "-"): value for key, value in settings[name].items()}


def _pip_files(environment: Mapping[str, str], platform: str) -> list[Path]:
    """Return the files in which pip looks for its settings, in order of precedence."""
    configured = environment.get("PIP_CONFIG_FILE")
    if configured == os.devnull:  # tells pip to read no settings
        return []
    name = "pip.ini" if platform == "win32" else "pip.conf"
    home = Path(environment.get("HOME") or "~").expanduser()
    user_folders, machine_folders = _pip_folders(environment, platform, home)
    files = [folder / name for folder in (Path(sys.prefix), *user_folders, *machine_folders)]
    if not configured:
        return files
    path = Path(configured).expanduser()
    if path.exists():  # then pip does not read the user's own files
        files = [folder / name for folder in (Path(sys.prefix), *machine_folders)]
    return [path, *files]


def _pip_folders(
    environment: Mapping[str, str], platform: str, home: Path
) -> tuple[list[Path], list[Path]]:
    """Return the folders of pip's settings for the user, and those for the machine."""
    config = home / ".config" / "pip"
    if platform == "win32":
        roaming = Path(environment.get("APPDATA") or home / "AppData" / "Roaming")
        machine = Path(environment.get("PROGRAMDATA") or "C:/ProgramData")
        return [roaming / "pip", home / "pip"], [machine / "pip"]
    if platform == "darwin":
        library = home / "Library" / "Application Support" / "pip"
        user = library if library.is_dir() else config
        return [user, home / ".pip"], [Path("/Library/Application Support/pip")]
    if environment.get("XDG_CONFIG_HOME"):
        config = Path(environment["XDG_CONFIG_HOME"]) / "pip"
    system_folders = (environment.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(os.pathsep)
    machine_folders = [Path(folder) / "pip" for folder in reversed(system_folders)]
    return [config, home / ".pip"], [Path("/etc"), *machine_folders]
