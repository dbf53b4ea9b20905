"""No room is left: the write is refused by name, what was stored is safe, and later it goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from remem.errors import DiskFull
from remem.ports.records import Where
from remem.store.sqlite.entries import SqliteStore
from tests.faults.vfs import Disk, failing
from tests.store.sqlite.sample import entry, found, put

pytestmark = pytest.mark.disk

LIMITED = """
import resource, signal, sys
from pathlib import Path
from remem.errors import DiskFull
from remem.ports.records import Where
from remem.store.sqlite.entries import SqliteStore
from tests.store.sqlite.sample import entry, found, put

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SqliteStore(Path(sys.argv[1]))
kept = [put(store, entry("before"))]
refused = 0
for size in range(0, 200_000, int(sys.argv[2])):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    try:
        kept.append(put(store, entry(f"with room for {size} bytes")))
    except DiskFull:
        refused += 1
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    assert found(store, [stored.id for stored in kept]) == kept
    kept.append(put(store, entry(f"after {size}")))
store.close()
with SqliteStore(Path(sys.argv[1])).read() as snapshot:
    assert snapshot.select(Where(state="any")) == kept
print(refused, len(kept))
"""


def test_a_full_disk_is_named_and_costs_nothing(tmp_path: Path) -> None:
    disk = Disk(error=apsw.FullError, for_good=True)
    with failing(disk) as vfs:
        store = SqliteStore(tmp_path / "entries.db", vfs=vfs)
        kept = put(store, entry("before"))
        disk.at = disk.count + 1
        for _ in range(3):
            with pytest.raises(DiskFull, match="nothing was written"):
                put(store, entry("too much"))
        disk.repair()

        assert found(store, [kept.id]) == [kept]
        after = put(store, entry("after"))
        store.close()

    with SqliteStore(tmp_path / "entries.db").read() as snapshot:
        assert snapshot.select(Where(state="any")) == [kept, after]


def test_a_limit_on_file_sizes_stops_a_write_anywhere_and_nothing_breaks(tmp_path: Path) -> None:
    """True short writes, at many places; a file may not grow beyond so many bytes."""
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "entries.db"), "4011"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)

    assert result.returncode == 0, result.stderr
    refused, kept = map(int, result.stdout.split())
    assert refused > 5
    assert kept > 50
