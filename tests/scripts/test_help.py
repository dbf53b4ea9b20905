"""Every script can be started as its documentation shows, from any folder."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = [
    path
    for path in sorted((ROOT / "scripts").glob("*.py"))
    if '__name__ == "__main__"' in path.read_text(encoding="utf-8")
]


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_explains_itself(script: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, script, "--help"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout


def test_scripts_import_only_what_remem_defines() -> None:
    missing = [
        f"{script.name}: {imported.module}.{alias.name}"
        for script in SCRIPTS
        for imported in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(imported, ast.ImportFrom) and (imported.module or "").startswith("remem")
        for alias in imported.names
        if not _is_defined(imported.module or "", alias.name)
    ]

    assert missing == []


def _is_defined(module: str, name: str) -> bool:
    package = import_module(module)
    if hasattr(package, name):
        return True
    return hasattr(package, "__path__") and find_spec(f"{module}.{name}") is not None
