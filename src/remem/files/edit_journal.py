"""How is a recommendation carried out, and taken back? Never at the price of a person's bytes.

Before MEMORY.md is touched, its bytes and the intent lie safe in a journal. The new file comes
in by one exchange; the old one is kept. A kill leaves either state whole, and both can be
told from the file alone: it has the bytes of before, or of after.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from remem.errors import FileError, InvalidInput
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.model.scope import Scope
from remem.text.line_edits import difference, taken_back

_DIGITS: Final = 6
Back = Literal["restored", "merged", "already"]


@dataclass(frozen=True, slots=True)
class Change:
    """New bytes for a file, and those that it had when they were made."""

    path: str
    description: str
    before: bytes
    after: bytes

    @property
    def diff(self) -> str:
        return difference(self.before, self.after, self.path)


@dataclass(frozen=True, slots=True)
class _Record:
    path: str
    description: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Undone:
    """What was taken back. `merged`: with the edits that a person has made since;
    `already`: the file had its earlier bytes, because of a kill or by hand."""

    path: str
    description: str
    how: Back


@dataclass(frozen=True, slots=True)
class Journal:
    """The changes that were made to one scope's files, each with the bytes from before.

    `command` is the one that makes and undoes them; each command takes back its own.
    """

    layout: Layout
    scope: Scope
    command: str = "audit"

    def apply(self, change: Change) -> Path:
        """Carry out a change; returns where the earlier bytes are kept."""
        path = self.layout.root / change.path
        with self._alone():
            if atomic.read(path) != change.before:
                raise self._edited(change.path)
            number = max(self._numbers("*"), default=0) + 1
            kept = self._file(number, "before")
            atomic.create(kept, change.before)
            atomic.create(self._file(number, "after"), change.after)
            record = _Record(
                change.path,
                change.description,
                atomic.digest(change.before),
                atomic.digest(change.after),
            )
            atomic.create(self._file(number, "json"), json.dumps(asdict(record)).encode())
            self._put(path, change.before, change.after)
        return kept

    def undo(self) -> Undone:
        """Take the last change back; the edits that a person has made since then stay."""
        with self._alone():
            number = self._last()
            record = self._record(number)
            before, after = self._kept(number, "before"), self._kept(number, "after")
            path = self.layout.root / record.path
            now = atomic.read(path)
            if now is None:
                raise FileError(
                    f"{record.path} is gone",
                    hint=f"its earlier bytes are in {self._name(number, 'before')}",
                )
            back = taken_back(before, after, now)
            if now == before or (back is None and taken_back(after, before, now) is not None):
                how: Back = "already"
            else:
                if back is None:
                    back = taken_back(before, after, now, beside=True)
                if back is None:
                    raise FileError(
                        f"{record.path} was edited where it was changed; nothing was undone",
                        hint=f"the earlier bytes are in {self._name(number, 'before')}",
                    )
                self._put(path, now, back)
                how = "restored" if back == before else "merged"
            atomic.create(self._file(number, "undone"), b"")
        return Undone(record.path, record.description, how)

    def forget(self, clean: Callable[[bytes], bytes]) -> None:
        """Take words out of what is kept; what can be undone still can, without them."""
        if not self._folder.is_dir():
            return
        with self._alone():
            for path in sorted(self._folder.glob("*.*")):
                data = None if path.suffix == ".json" else atomic.read(path)
                if data and (text := clean(data)) != data:
                    atomic.renew(path, text)
            for number in sorted(self._numbers("json")):
                self._describe_anew(number, clean)

    def _describe_anew(self, number: int, clean: Callable[[bytes], bytes]) -> None:
        old = self._record(number)
        new = _Record(
            old.path,
            clean(old.description.encode()).decode() or "a change whose words were erased",
            atomic.digest(self._kept(number, "before")),
            atomic.digest(self._kept(number, "after")),
        )
        if new != old:
            atomic.renew(self._file(number, "json"), json.dumps(asdict(new)).encode())

    def _put(self, path: Path, expected: bytes, new: bytes) -> None:
        """Exchange the file; whoever saves in that very moment wins."""
        done = self._swap(path, expected, new)
        if done.outcome == "displaced" and done.found is not None:
            self._swap(path, new, done.found)
        if done.outcome != "swapped":
            raise self._edited(path.name)

    def _swap(self, path: Path, expected: bytes, new: bytes) -> atomic.Swapped:
        return atomic.swap(
            path,
            new,
            expected=atomic.digest(expected),
            keep=atomic.unused(self._folder, f"{path.name}.kept"),
            conflict=atomic.unused(self.layout.conflicts(self.scope), path.name),
        )

    def _last(self) -> int:
        """The latest change that was not taken back."""
        open_ = [n for n in self._numbers("json") if not self._file(n, "undone").exists()]
        if not open_:
            raise InvalidInput(
                "there is nothing to undo", hint=f"`remem {self.command} --apply` changes"
            )
        return max(open_)

    def _numbers(self, kind: str) -> Iterator[int]:
        """A change counts from the moment that its record, the last of its files, is written."""
        for path in self._folder.glob(f"*.{kind}"):
            if path.stem.isdigit():
                yield int(path.stem)

    def _tidy(self) -> None:
        """What a kill has left beside a file: a copy of bytes that the journal has can go,
        anything else is kept where a person finds it."""
        records = [self._record(number) for number in self._numbers("json")]
        known = {each for record in records for each in (record.before, record.after)}
        names = tuple({f".{Path(record.path).name}." for record in records})
        for stray in atomic.strays(self.layout.root):
            if names and stray.name.startswith(names):
                data = atomic.read(stray)
                if data is None or (digest := atomic.digest(data)) not in known:
                    keep = atomic.unused(self.layout.conflicts(self.scope), stray.name.lstrip("."))
                    atomic.set_aside(stray, keep)
                else:
                    atomic.settle(stray, digest)

    def _record(self, number: int) -> _Record:
        try:
            return _Record(**json.loads(self._kept(number, "json")))
        except (ValueError, TypeError) as error:
            raise FileError(f"{self._name(number, 'json')} is damaged: {error}") from error

    def _kept(self, number: int, kind: str) -> bytes:
        data = atomic.read(self._file(number, kind))
        if data is None:
            raise FileError(f"{self._name(number, kind)} is gone, so nothing can be undone")
        return data

    @property
    def _folder(self) -> Path:
        return self.layout.state_folder(self.scope) / self.command

    def _file(self, number: int, kind: str) -> Path:
        return self._folder / f"{number:0{_DIGITS}}.{kind}"

    def _name(self, number: int, kind: str) -> str:
        return self._file(number, kind).relative_to(self.layout.root).as_posix()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        atomic.make_folder(self._folder)
        with alone(self._folder / "lock"):
            self._tidy()
            yield

    def _edited(self, name: str) -> FileError:
        return FileError(
            f"{name} was edited meanwhile; nothing was changed",
            hint=f"run `remem {self.command}` again",
        )
