"""Measure how long a migration takes, as a ratio to storing every statement without judgement.

A sample workspace is made, with a MEMORY.md of 60 KB and 400 notes. Migrating it is compared with
parsing the same files and storing every statement in them, and with storing only the entries that
migration kept, each in a separate copy. Vectors are left out, because they are made afterwards.

    python scripts/migration_time.py [--notes 400] [--bytes 60000]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.ports.records import Where
from remem.text.statements import statements
from tests.samples.workspaces import grown

_MAX_RATIO = 3.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=400)
    parser.add_argument("--bytes", type=int, default=60_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="remem-migration-") as folder:
        first, second, third = (Path(folder) / name for name in ("migrated", "stored", "kept"))
        for root in (first, second, third):
            grown(root, options.bytes, note_count=options.notes)
            (root / ".remem").mkdir(exist_ok=True)
            (root / ".remem/config.toml").write_text('embedder = "none"\n')
        with open_workspace(first, background=False) as memory:
            migrated = _timed(memory.setup.migrate)
            with memory.services.store.read() as snapshot:
                kept = [entry.content for entry in snapshot.select(Where(state="any"))]
        with open_workspace(second, background=False) as memory:
            stored = _timed(lambda: _store(memory, _statements(second)))
        with open_workspace(third, background=False) as memory:
            stored_kept = _timed(lambda: _store(memory, kept))
    ratio = migrated / stored
    print(f"{options.notes} notes, MEMORY.md of {options.bytes:,} bytes")
    print(f"migration {migrated:.1f} s, parsing and storing {stored:.1f} s, ratio {ratio:.1f}")
    print(
        f"storing only the {len(kept):,} kept entries {stored_kept:.1f} s, "
        f"ratio {migrated / stored_kept:.1f}"
    )
    sys.exit(0 if ratio <= _MAX_RATIO else 1)


def _statements(root: Path) -> list[str]:
    return [
        statement.plain_text.replace("\0", "")
        for path in (root / "MEMORY.md", *sorted((root / "memory").rglob("*.md")))
        for statement in statements(
            path.name, path.read_text(encoding="utf-8", errors="replace"), always_loaded=False
        )
    ]


def _store(memory: Workspace, texts: list[str]) -> None:
    memory.store_many({"category": "fact", "content": text} for text in texts if text.strip())


def _timed(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


if __name__ == "__main__":
    main()
