"""Is search up to date with the files? If not: read what changed, cut it, store it, forget
what is gone.

Each batch is stored in one durable step with the marks of its files, so that a kill costs no
more than the batch under way. Of several processes one does the work: the others wait for its
lock, which the kernel frees at death, and find it done.

What goes on while the next files are read? One piece of work, in a thread of its own.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Final

from remem.errors import RememError
from remem.files.locks import alone_within
from remem.model.passage import FileMark, Passage
from remem.ports.passages import PassageStore
from remem.search.refresh.reading import Source, Taken

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


_BATCH: Final = 1 << 20
"""So many bytes of text are stored in one step."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Trouble:
    """A file that could not be read, or not all of it."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What a refresh did, and what search knows now. Files that there was no time for are
    `waiting`; what search knows of them is old."""

    read: int
    unchanged: int
    forgotten: int
    files: int
    passages: int
    without_vector: int
    waiting: int
    trouble: tuple[Trouble, ...]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What there is to do; `known` are the marks of what was read before."""

    listed: int
    changed: list[Source]
    vanished: list[str]
    known: dict[str, FileMark]

    @property
    def is_empty(self) -> bool:
        return not self.changed and not self.vanished


@dataclass(slots=True)
class _Done:
    """How far it has come."""

    looked_at: int = 0
    read: int = 0


class Refresh:
    """Keeps the passages of one scope in step with its files."""

    def __init__(
        self, store: PassageStore, sources: Callable[[], Iterable[Source]], lock: Path
    ) -> None:
        self._store = store
        self._sources = sources
        self._lock = lock
        self._one_at_a_time = threading.Lock()
        self._closing = threading.Event()

    def __call__(
        self, progress: Progress = lambda _done, _of: None, *, seconds: float | None = None
    ) -> Refreshed:
        """Bring search up to date, within so many seconds if they are given: no file is begun
        after them, and no longer does it wait for a process that is doing the work."""
        until = None if seconds is None else monotonic() + seconds
        plan = self._plan()
        if plan.is_empty:
            return self._summary(plan, _Done())
        with self._turn(seconds) as mine:
            if not mine:
                return self._summary(plan, _Done())
            plan = self._still(plan)
            done = self._read(plan, until, progress)
            if plan.vanished:
                self._store.forget(plan.vanished)
        return self._summary(plan, done)

    def unread(self, before_ns: int) -> list[str]:
        """Files that were saved before a moment, and that search has not looked at since."""
        plan = self._plan()
        marks = ((source, plan.known.get(source.path), -source.order[1]) for source in plan.changed)
        return [
            each.path
            for each, mark, saved in marks
            if saved < before_ns
            and (mark is None or (mark.mtime_ns, mark.size) != (saved, each.size))
        ]

    def close(self) -> None:
        """Stop after the batch under way; the rest is read the next time."""
        self._closing.set()

    def _still(self, plan: _Plan) -> _Plan:
        """The plan, made anew where somebody has stored anything since."""
        return plan if self._known() == plan.known else self._plan()

    def _known(self) -> dict[str, FileMark]:
        with self._store.read() as reading:
            return reading.files()

    def _plan(self) -> _Plan:
        """Nothing is opened here: how a file looks tells whether it has changed. What is known
        comes first, so that no file is missed that somebody else has read since."""
        known = self._known()
        listed = list(self._sources())
        changed = [source for source in listed if not source.known(known.get(source.path))]
        changed.sort(key=lambda each: each.order)
        return _Plan(len(listed), changed, _vanished(listed, known), known)

    def _read(self, plan: _Plan, until: float | None, progress: Progress) -> _Done:
        """Read, cut and store what changed, a batch at a time: while one is being stored, the
        next is read."""
        done = _Done()
        with Beside() as beside:
            for batch in self._batches(plan, until, done):
                beside.begin(partial(self._keep, batch))
                progress(done.looked_at, len(plan.changed))
        return done

    def _batches(
        self, plan: _Plan, until: float | None, done: _Done
    ) -> Iterator[list[Taken | FileMark | str]]:
        batch: list[Taken | FileMark | str] = []
        size = 0
        for source in plan.changed:
            if self._closing.is_set() or (until is not None and monotonic() > until):
                break
            known = plan.known.get(source.path)
            taken = source.take(known)
            done.looked_at += 1
            done.read += isinstance(taken, Taken)
            if taken is not None and taken == known:
                continue
            batch.append(taken if taken is not None else source.path)
            size += source.size
            if size >= _BATCH:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def _keep(self, batch: Sequence[Taken | FileMark | str]) -> None:
        if changed := [_pair(taken) for taken in batch if isinstance(taken, Taken)]:
            self._store.replace(changed)
        if marks := [file_mark for file_mark in batch if isinstance(file_mark, FileMark)]:
            self._store.remark(marks)
        if gone := [each for each in batch if isinstance(each, str)]:
            self._store.forget(gone)

    def _summary(self, plan: _Plan, done: _Done) -> Refreshed:
        with self._store.read() as reading:
            marks = reading.files()
            files, passages = reading.counts()
            waiting = reading.pending_count()
        return Refreshed(
            read=done.read,
            unchanged=plan.listed - len(plan.changed) + done.looked_at - done.read,
            forgotten=len(plan.vanished),
            files=files,
            passages=passages,
            without_vector=waiting,
            waiting=len(plan.changed) - done.looked_at,
            trouble=troubles(marks.values()),
        )

    @contextmanager
    def _turn(self, seconds: float | None) -> Iterator[bool]:
        """One thread of one process at a time. Where no lock can be made, nothing can be
        written either: the passages are this process's own."""
        patience = -1 if seconds is None else max(0, seconds)
        if not self._one_at_a_time.acquire(timeout=patience):
            yield False
            return
        with ExitStack() as stack:
            stack.callback(self._one_at_a_time.release)
            try:
                mine = stack.enter_context(alone_within(self._lock, seconds))
            except RememError:
                mine = True
            yield mine


def troubles(marks: Iterable[FileMark]) -> tuple[Trouble, ...]:
    return tuple(
        Trouble(mark.path, mark.trouble)
        for mark in sorted(marks, key=lambda mark: mark.path)
        if mark.trouble
    )


def _pair(taken: Taken) -> tuple[FileMark, Sequence[Passage]]:
    return taken.mark, taken.passages


def _vanished(listed: Sequence[Source], known: dict[str, FileMark]) -> list[str]:
    """Files that are there no more. Those in a folder that cannot be listed at present may
    still be there."""
    present = {source.path for source in listed}
    hidden = tuple(f"{source.path}/" for source in listed if source.hides)
    return [path for path in known if path not in present and not path.startswith(hidden)]
