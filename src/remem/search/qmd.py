"""When does QMD read again? At once where somebody waits for it, in the background of a server.

Does another search over the same files keep up? QMD is told when brain/areas has changed.

QMD finds only what it was told to read again. So what stands in brain/areas is compared with
what it last read; its commands run where its host keeps its settings and its cache. If they
fail, nothing of remem does: the reason is kept, and told until they succeed.
"""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Final

from remem.config import Config
from remem.entries.sync import Background
from remem.errors import RememError, shown
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import alone_within
from remem.model.scope import MAIN

if TYPE_CHECKING:
    import subprocess


_STEPS: Final = (("update",), ("embed",))
_GLANCE: Final = 0.2
_TOLD: Final = 300

Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Qmd:
    """A QMD installation: its command, and the environment in which it works."""

    command: str
    environment: Mapping[str, str] = field(repr=False)
    patience: float = 60.0
    """So many seconds one of its commands may take."""


@dataclass(frozen=True, slots=True)
class Followed:
    """How far QMD has come. `ran` says that it was started just now; `trouble` why it does not
    know what brain/areas says; `seen` is the state of brain/areas that it last read."""

    ran: bool = False
    trouble: str | None = None
    seen: str = ""


def configured_qmd(config: Config, environment: Mapping[str, str]) -> Qmd | None:
    """The installation that the settings name, in the folders that its host gives it."""
    if not config.qmd:
        return None
    home = config.openclaw_home or environment.get("OPENCLAW_STATE_DIR") or "~/.openclaw"
    state = str(Path(home).expanduser())
    own = {
        "STATE_DIR": state,
        "XDG_CONFIG_HOME": f"{state}/agents/main/qmd/xdg-config",
        "XDG_CACHE_HOME": f"{state}/agents/main/qmd/xdg-cache",
    }
    return Qmd(str(Path(config.qmd).expanduser()), {**environment, **own}, config.qmd_timeout)


def follow(layout: Layout, qmd: Qmd, stop: Stop = lambda: False) -> Followed:
    """Let QMD read brain/areas again, if it has changed since QMD last did.

    `stop` is asked while QMD works; if it says so, QMD is ended, and reads another time.
    """
    atomic.make_folder(layout.state_folder(MAIN))
    with alone_within(layout.state_folder(MAIN) / "qmd.lock", 0) as mine:
        if not mine:
            return Followed(trouble="qmd: it is reading for another process just now")
        now, before = _areas(layout), _known(layout)
        if now == before.seen and before.trouble is None:
            return before
        try:
            trouble = _run(layout, qmd, stop)
        except _Stopped:
            return before
        done = Followed(True, trouble, before.seen if trouble else now)
        _keep(layout, done)
        return done


def behind(layout: Layout) -> str | None:
    """Why QMD does not know what brain/areas says; None if it does."""
    known = _known(layout)
    if known.trouble:
        return known.trouble
    if _areas(layout) != known.seen:
        return "qmd: brain/areas has changed since it was last read (hint: `remem synthesize`)"
    return None


def _run(layout: Layout, qmd: Qmd, stop: Stop) -> str | None:
    import subprocess  # late: few workspaces have QMD beside them

    for step in _STEPS:
        line = f"{qmd.command} {' '.join(step)}"
        try:
            _call(layout, qmd, step, stop)
        except subprocess.TimeoutExpired:
            return f"qmd: `{line}` was not done after {qmd.patience:g} s, and was ended"
        except subprocess.CalledProcessError as error:
            said = " ".join((error.stderr or error.stdout or "").split())[-_TOLD:]
            return f"qmd: `{line}` ended with {error.returncode}: {said or 'no reason given'}"
        except (OSError, ValueError) as error:
            return f"qmd: `{line}` cannot be started: {shown(str(error), _TOLD)}"
    return None


def _call(layout: Layout, qmd: Qmd, step: tuple[str, ...], stop: Stop) -> None:
    """Run one command to its end, in a group of its own: what it starts ends with it."""
    import subprocess  # late: few workspaces have QMD beside them

    line = [qmd.command, *step]
    with subprocess.Popen(  # noqa: S603 - the owner's own command, and no shell
        line,
        cwd=layout.root,
        env=dict(qmd.environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            said, complained = _waited(process, qmd, stop)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, line, said, complained)


def _waited(process: subprocess.Popen[str], qmd: Qmd, stop: Stop) -> tuple[str, str]:
    from subprocess import TimeoutExpired

    deadline = monotonic() + qmd.patience
    while True:
        try:
            return process.communicate(timeout=_GLANCE)
        except TimeoutExpired:
            if stop():
                raise _Stopped from None
            if monotonic() > deadline:
                raise


class _Stopped(Exception):
    """Nobody waits for QMD any more."""


def _areas(layout: Layout) -> str:
    """What stands in brain/areas, as one number: names, sizes and times of its files."""
    seen = blake2b(digest_size=12)
    folder = layout.root / "brain" / "areas"
    for place, below, names in os.walk(folder):
        below.sort()
        for name in sorted(names):
            path = Path(place) / name
            if name.startswith(".") or path.is_symlink():
                continue
            status = path.stat()
            told = (path.relative_to(folder).as_posix(), status.st_size, status.st_mtime_ns)
            seen.update(repr(told).encode("utf-8", "surrogateescape"))
    return seen.hexdigest()


def _known(layout: Layout) -> Followed:
    try:
        data = atomic.read(_file(layout))
        told = json.loads(data) if data else {}
        return Followed(False, told.get("trouble"), str(told.get("seen", "")))
    except (RememError, ValueError, AttributeError) as error:
        return Followed(trouble=f"qmd: {_file(layout).name} cannot be read: {error}")


def _keep(layout: Layout, done: Followed) -> None:
    """Should a kill come in between, nothing is known, and QMD reads once more than needed."""
    atomic.remove(_file(layout))
    atomic.create(_file(layout), json.dumps(asdict(done)).encode())


def _file(layout: Layout) -> Path:
    return layout.state_folder(MAIN) / "qmd.json"


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
