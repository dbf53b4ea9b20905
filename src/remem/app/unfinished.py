"""Finish the work of killed processes: flushes, erasures, and copies in shared spaces.

Work that cannot be finished is reported as a problem, and tried again when the scope is next
opened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from remem.entries.lifecycle import ERASURES
from remem.errors import RememError
from remem.learn.flush.state import is_interrupted
from remem.ports.state import Namespace

if TYPE_CHECKING:
    from remem.app.composition import Services


class Unfinished:
    """The interrupted operations of one scope."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._problems: dict[str, str] = {}

    def problems(self) -> list[str]:
        """Return one sentence for each kind of work that could not be finished."""
        return list(self._problems.values())

    def finish_flush(self) -> None:
        """Write the pending changes of an interrupted flush, and the state of flushes."""
        self._try("flush", "", self._flush)

    def finish_erasures(self) -> None:
        """Finish interrupted erasures, unless another process is erasing."""
        meaning = "an erasure was interrupted and cannot be finished yet: "
        self._try("erasure", meaning, self._erasures)

    def finish_shares(self) -> None:
        """Finish interrupted copies to shared spaces, and interrupted withdrawals of copies."""
        if self._services.context.is_main:
            meaning = "a memory was not shared or unshared completely yet: "
            self._try("share", meaning, self._shares)

    def _flush(self) -> None:
        if is_interrupted(self._services.flush_context):
            from remem.learn.flush.flush import write_pending  # rarely needed

            write_pending(self._services.flush_context)

    def _erasures(self) -> None:
        with self._services.store.read() as snapshot:
            interrupted = bool(snapshot.records(ERASURES))
        if interrupted:
            self._services.erasure.finish_interrupted()

    def _shares(self) -> None:
        if not self._services.context.layout.spaces_file.exists():
            return
        from remem.entries.spaces.shares import SHARES  # lazy: most workspaces share nothing

        with self._services.store.read() as snapshot:
            if not snapshot.records(Namespace("share", dict)):
                return
            from remem.entries.spaces.shares import SHARES  # few workspaces share memories

            states = {share.state for share in snapshot.records(SHARES).values()}
        if states - {"shared"}:
            self._services.sharing.finish_interrupted()

    def _try(self, name: str, meaning: str, finish: Callable[[], None]) -> None:
        if not self._services.store.writable:
            return
        self._problems.pop(name, None)
        try:
            finish()
        except RememError as error:
            self._problems[name] = f"{meaning}{error}"
