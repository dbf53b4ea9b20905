"""When does QMD read again? At once where somebody waits for it, in the background of a server."""

from __future__ import annotations

import threading

from remem.maintenance.background import Background
from remem.maintenance.qmd import Qmd, behind, follow
from remem.notes.layout import Layout


class Following:
    """QMD beside one memory. Nothing that it does, or fails to do, keeps a write waiting."""

    def __init__(self, layout: Layout, qmd: Qmd, *, background: bool) -> None:
        self._layout, self._qmd = layout, qmd
        self._closing = threading.Event()
        self._later = Background(self._work, "remem qmd") if background else None

    def changed(self) -> str | None:
        """To be called when brain/areas has changed; why QMD does not know it, if that is known."""
        if self._later is not None:
            self._later.poke()
            return None
        return follow(self._layout, self._qmd).trouble

    def trouble(self) -> list[str]:
        reason = behind(self._layout)
        return [reason] if reason else []

    def close(self) -> None:
        """What QMD has not read by now, it reads the next time."""
        self._closing.set()
        if self._later is not None:
            self._later.close()

    def _work(self) -> bool:
        follow(self._layout, self._qmd, self._closing.is_set)
        return False
