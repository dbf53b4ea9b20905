"""What development and CI install is pinned and hashed, and fits what the package asks for."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCK = (ROOT / "requirements/dev.lock").read_text()


def wanted() -> list[Requirement]:
    groups = [*PROJECT["project"]["dependencies"], *PROJECT["dependency-groups"]["dev"]]
    return [Requirement(group) for group in groups]


def locked() -> dict[str, list[str]]:
    """The pinned releases of each package; some have one per version of Python."""
    found: dict[str, list[str]] = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==([^ \\]+)", LOCK, re.MULTILINE):
        found.setdefault(name.lower().replace("_", "-"), []).append(version)
    return found


def test_every_dependency_is_locked_to_a_release_that_the_package_admits() -> None:
    for requirement in wanted():
        versions = locked()[requirement.name.lower().replace("_", "-")]
        assert all(version in requirement.specifier for version in versions), requirement


def test_every_release_has_hashes_and_no_place_to_load_it_from() -> None:
    entries = re.split(r"\n(?=[A-Za-z0-9])", LOCK)
    assert all("--hash=sha256:" in entry for entry in entries if "==" in entry)
    assert "://" not in LOCK
    assert "--index-url" not in LOCK
    assert "--find-links" not in LOCK


def test_no_release_is_admitted_that_the_check_at_run_time_refuses() -> None:
    (apsw,) = [package for package in wanted() if package.name == "apsw"]

    assert Version("3.52.0.0") not in apsw.specifier
    assert Version("3.51.2.0") not in apsw.specifier
    assert Version("3.51.3.0") in apsw.specifier
    assert Version("3.53.0.0") in apsw.specifier
