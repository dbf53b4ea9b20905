"""Many processes at once, forked from one that has imported everything.

The parent never opens a database and has no threads of its own, so a child is as good as a
new process, and comes within milliseconds instead of half a second.
"""

from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field

Say = Callable[[bytes], object]


@dataclass
class Child:
    """A process that runs one function; `heard` is what it has said so far."""

    pid: int
    pipe: int
    heard: bytes = field(default=b"")

    def listen(self) -> bool:
        """Wait until it says more; False when it can say no more."""
        more = os.read(self.pipe, 1 << 16)
        self.heard += more
        return bool(more)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def end(self) -> int:
        """Hear it out and bury it; the exit status, or minus the signal."""
        while self.listen():
            pass
        os.close(self.pipe)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def start(act: Callable[[Say], object]) -> Child:
    """A child that runs the function, which speaks through its argument."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return Child(pid, reading)
    status = 1
    try:
        os.close(reading)
        act(lambda line: os.write(writing, line))
        status = 0
    except BaseException:  # noqa: BLE001 - a child must not run on into the parent's code
        traceback.print_exc()
    finally:
        os._exit(status)


def together(acts: list[Callable[[Say], object]]) -> list[Child]:
    """Children that begin at the same moment; all have ended when this returns."""
    gate, opener = os.pipe()

    def waiting(act: Callable[[Say], object]) -> Callable[[Say], object]:
        def run(say: Say) -> object:
            os.close(opener)
            os.read(gate, 1)
            return act(say)

        return run

    children = [start(waiting(act)) for act in acts]
    os.close(opener)
    for child in children:
        status = child.end()
        assert status == 0, f"{child.pid} ended with {status}: {child.heard.decode()}"
    os.close(gate)
    return children
