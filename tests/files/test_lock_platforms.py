"""remem works where Python has no fcntl, as on Windows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

_WITHOUT_FCNTL = """
import sys
sys.modules["fcntl"] = None  # importing it raises ImportError
import pkgutil
from importlib import import_module
import remem
for found in pkgutil.walk_packages(remem.__path__, "remem."):
    # the MCP library itself imports fcntl on this system, though not on Windows
    if found.name != "remem.__main__" and not found.name.startswith("remem.mcp."):
        import_module(found.name)
from remem import open_workspace
with open_workspace(sys.argv[1], background=False, keywords_only=True) as memory:
    memory.store(category="fact", content="Tea is at four.")
    memory.note("Called Ana.")
with open_workspace(sys.argv[1], background=False, keywords_only=True) as memory:
    print(memory.recall("tea").entries[0].content)
    print(memory.status().progressive.total_entries)
"""


def test_every_module_is_imported_and_a_memory_is_kept_without_fcntl(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_FCNTL, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["Tea is at four.", "1"]


@pytest.mark.skipif(sys.platform == "win32", reason="its flags are those of POSIX")
def test_the_flags_are_those_of_the_system() -> None:
    import fcntl

    from remem.files import locks

    assert (locks.SHARED, locks.EXCLUSIVE) == (fcntl.LOCK_SH, fcntl.LOCK_EX)
    assert (locks.NONBLOCKING, locks.UNLOCK) == (fcntl.LOCK_NB, fcntl.LOCK_UN)
