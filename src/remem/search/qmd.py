"""Keep the index of a QMD installation in step with brain/areas.

QMD is an external search tool for Markdown files that some hosts use. It finds only what it has
indexed. So the state of brain/areas is compared with the state that QMD last read, and its commands
are run with the settings and cache folders that OpenClaw uses for it. A failure of QMD affects
nothing else; the reason is saved and reported until QMD succeeds.
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
from stat import S_ISLNK
from time import monotonic
from typing import Final

from remem.config import Config
from remem.entries.background import BackgroundTask
from remem.errors import RememError, quoted
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock_within
from remem.model.scope import MAIN

_POLL_SECONDS: Final = 0.2
_MAX_OUTPUT: Final = 300

Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Qmd:
    """A QMD installation: its command and environment."""

    command: str
    environment: Mapping[str, str] = field(repr=False)
    timeout: float = 60.0
    """Seconds that one command may take."""


@dataclass(frozen=True, slots=True)
class QmdState:
    """The state of QMD's index.

    `ran` says whether QMD was run just now, `problem` why its index is out of date; `seen` is the
    fingerprint of brain/areas when QMD last read it.
    """

    ran: bool = False
    problem: str | None = None
    seen: str = ""


def configured_qmd(config: Config, environment: Mapping[str, str]) -> Qmd | None:
    """Return the configured installation, with the folders that OpenClaw uses for it."""
    if not config.qmd:
        return None
    home = config.openclaw_home or environment.get("OPENCLAW_STATE_DIR") or "~/.openclaw"
    state = str(Path(home).expanduser())
    folders = {
        "STATE_DIR": state,
        "XDG_CONFIG_HOME": f"{state}/agents/main/qmd/xdg-config",
        "XDG_CACHE_HOME": f"{state}/agents/main/qmd/xdg-cache",
    }
    return Qmd(str(Path(config.qmd).expanduser()), {**environment, **folders}, config.qmd_timeout)


def update_qmd(layout: Layout, qmd: Qmd, stop: Stop = lambda: False) -> QmdState:
    """Run QMD if brain/areas has changed since its last run.

    `stop` is polled while QMD runs; if it returns true, QMD is killed, and runs again at the next
    update.
    """
    make_folder(layout.state_folder(MAIN))
    with exclusive_lock_within(layout.state_folder(MAIN) / "qmd.lock", 0) as acquired:
        if not acquired:
            return QmdState(problem="qmd: another process is running it")
        current, saved = _fingerprint(layout), _load_state(layout)
        if current == saved.seen and saved.problem is None:
            return saved
        problem = _run_step(layout, qmd, "update", stop)
        problem = problem or _run_step(layout, qmd, "embed", stop)
        if stop():
            return saved
        state = QmdState(ran=True, problem=problem, seen=saved.seen if problem else current)
        _save_state(layout, state)
        return state


def why_qmd_is_outdated(layout: Layout) -> str | None:
    """Return why QMD's index is out of date, or None if it is not."""
    saved = _load_state(layout)
    if saved.problem:
        return saved.problem
    if _fingerprint(layout) != saved.seen:
        return "qmd: brain/areas has changed since QMD last read it (hint: run `remem synthesize`)"
    return None


def _run_step(layout: Layout, qmd: Qmd, step: str, stop: Stop) -> str | None:
    """Run one command of QMD until it ends or `stop` returns true; return why it failed, or None.

    It runs in its own process group, so that its children can be killed with it.
    """
    import subprocess  # lazy: few workspaces use QMD

    line = f"{qmd.command} {step}"
    try:
        process = subprocess.Popen(  # noqa: S603 - the owner's own command, and no shell
            [qmd.command, step],
            cwd=layout.root,
            env=dict(qmd.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return f"qmd: `{line}` could not be started: {quoted(str(error), _MAX_OUTPUT)}"
    deadline = monotonic() + qmd.timeout
    with process:
        while True:
            try:
                stdout, stderr = process.communicate(timeout=_POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if stop() or monotonic() > deadline:
                    os.killpg(process.pid, signal.SIGKILL)
                    return f"qmd: `{line}` did not finish within {qmd.timeout:g} s and was stopped"
            except BaseException:
                os.killpg(process.pid, signal.SIGKILL)
                raise
    if not process.returncode:
        return None
    output = " ".join((stderr or stdout).split())[-_MAX_OUTPUT:]
    return f"qmd: `{line}` failed ({process.returncode}): {output or 'no output'}"


def _fingerprint(layout: Layout) -> str:
    """Hash the names, sizes and modification times of the files in brain/areas."""
    digest = blake2b(digest_size=12)
    folder = layout.root / "brain" / "areas"
    for parent, subfolders, names in os.walk(folder):
        subfolders.sort()
        for name in sorted(names):
            path = Path(parent) / name
            if name.startswith("."):
                continue
            try:
                status = path.lstat()
            except FileNotFoundError:  # removed since the folder was listed
                continue
            if S_ISLNK(status.st_mode):
                continue
            details = (path.relative_to(folder).as_posix(), status.st_size, status.st_mtime_ns)
            digest.update(repr(details).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def _load_state(layout: Layout) -> QmdState:
    try:
        data = atomic.read(_state_file(layout))
        saved = json.loads(data) if data else {}
        return QmdState(ran=False, problem=saved.get("problem"), seen=str(saved.get("seen", "")))
    except (RememError, ValueError, AttributeError) as error:
        return QmdState(problem=f"qmd: {_state_file(layout).name} cannot be read: {error}")


def _save_state(layout: Layout, state: QmdState) -> None:
    """Replace the saved state; if the process is killed in between, QMD just runs again."""
    atomic.remove(_state_file(layout))
    atomic.create(_state_file(layout), json.dumps(asdict(state)).encode())


def _state_file(layout: Layout) -> Path:
    return layout.state_folder(MAIN) / "qmd.json"


class QmdUpdater:
    """Runs QMD after changes, in the background if `background` is set."""

    def __init__(self, layout: Layout, qmd: Qmd, *, background: bool) -> None:
        self._layout, self._qmd = layout, qmd
        self._closing = threading.Event()
        self._task = BackgroundTask(self._work, "remem qmd") if background else None

    def on_change(self) -> str | None:
        """Update QMD after a change to brain/areas; return why it is out of date, if known."""
        if self._task is not None:
            self._task.wake()
            return None
        return update_qmd(self._layout, self._qmd).problem

    def problems(self) -> list[str]:
        reason = why_qmd_is_outdated(self._layout)
        return [reason] if reason else []

    def close(self) -> None:
        """Stop; QMD reads the remaining changes the next time."""
        self._closing.set()
        if self._task is not None:
            self._task.close()

    def _work(self) -> bool:
        update_qmd(self._layout, self._qmd, self._closing.is_set)
        return False
