"""Finish the work of killed processes: flushes, erasures, and changes to shared spaces.

Work that cannot be finished is reported as a problem, and tried again when the scope is next
opened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from remem.errors import RememError
from remem.ports.state import ACTIVITY, Namespace

if TYPE_CHECKING:
    from remem.app.composition import Services


class InterruptedWork:
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
        message = "an erasure was interrupted and cannot be finished yet: "
        self._try("erasure", message, self._erasures)

    def finish_shares(self) -> None:
        """Finish interrupted copies to shared spaces, withdrawals of copies, and deletions."""
        if self._services.context.is_main:
            message = "a change to a shared space was interrupted and cannot be finished yet: "
            self._try("share", message, self._shares)

    def _flush(self) -> None:
        if self._never_flushed():
            return
        from remem.learn.flush.state import is_interrupted  # not loaded before the first flush

        if is_interrupted(self._services.flush_context):
            from remem.learn.flush.flush import write_pending  # rarely needed

            write_pending(self._services.flush_context)

    def _never_flushed(self) -> bool:
        """Return whether this scope was never flushed and, in main, there are no groups."""
        context = self._services.context
        if context.is_main and context.layout.folders_of_kind("group")[1].is_dir():
            return False
        with self._services.store.read() as snapshot:
            if snapshot.records(Namespace("flush change", dict)):
                return False
            return snapshot.record(ACTIVITY, "flush") is None

    def _erasures(self) -> None:
        with self._services.store.read() as snapshot:
            interrupted = bool(snapshot.records(Namespace("erasure", dict)))
        if interrupted:
            self._services.erasure.finish_interrupted()

    def _shares(self) -> None:
        context = self._services.context
        if not context.may_have_spaces:
            return
        with self._services.store.read() as snapshot:
            shares: Namespace[dict[str, Any]] = Namespace("share", dict[str, Any])
            states = [share.get("state") for share in snapshot.records(shares).values()]
        if any(state != "shared" for state in states) or self._has_deleted_spaces():
            self._services.sharing.finish_interrupted()

    def _has_deleted_spaces(self) -> bool:
        layout = self._services.context.layout
        if not layout.folders_of_kind("shared")[0].is_dir():
            return False
        from remem.entries.spaces.listing import deleted_spaces  # few workspaces have spaces
        from remem.files.spaces import has_space_files

        deleted = deleted_spaces(self._services.context.space_list())
        return any(has_space_files(layout, name) for name in deleted)

    def _try(self, name: str, message: str, finish: Callable[[], None]) -> None:
        """Call `finish` if the store is writable; an error becomes a problem after `message`."""
        if not self._services.store.writable:
            return
        self._problems.pop(name, None)
        try:
            finish()
        except RememError as error:
            self._problems[name] = f"{message}{error}"
