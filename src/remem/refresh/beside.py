"""What goes on while the next files are read? One piece of work, in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Final

_NAME: Final = "remem passages"


class Beside:
    """Does one thing at a time beside its caller, who hears of an error when he next waits. (The
    library's own pools of threads would take longer to load than the thread takes to run.)"""

    def __init__(self) -> None:
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None

    def __enter__(self) -> Beside:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Nothing is left running; the caller's own error comes before that of the work."""
        if kind is None:
            self.wait()
        elif self._thread is not None:
            self._thread.join()

    def begin(self, work: Callable[[], None]) -> None:
        """Begin what is to be done, once all before it is done."""
        self.wait()
        self._thread = threading.Thread(target=self._run, args=[work], name=_NAME)
        self._thread.start()

    def wait(self) -> None:
        if self._thread is not None:
            self._thread.join()
        error, self._thread, self._error = self._error, None, None
        if error is not None:
            raise error

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is handed to the caller, whole
            self._error = error
