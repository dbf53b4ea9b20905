"""On what kind of file system does a folder lie? As the kernel calls it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_MOUNTS: Final = Path("/proc/self/mounts")


def kind_of(folder: Path) -> str | None:
    """Such as `ext4` or `nfs4`; None where the system does not tell."""
    try:
        lines = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    place = folder.resolve()
    best: tuple[int, str] | None = None
    for line in lines:
        _, mounted, kind, *_ = line.split(" ")
        at = Path(mounted.replace("\\040", " "))
        if at == place or at in place.parents:
            best = max(best or (0, ""), (len(at.parts), kind))
    return best[1] if best else None
