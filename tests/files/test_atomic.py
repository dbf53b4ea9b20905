import errno
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from remem.errors import DiskFull, FileError, RememError
from remem.files import atomic, disk
from remem.files.atomic import SwapResult, create, digest, read, swap
from tests.faults.renames import wrap_rename
from tests.tables import each_row

OLD, NEW = b"the old words\n", b"the new words, and more of them\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory" / "domains" / "facts.md"
    assert create(path, OLD)
    return path


def swapped(path: Path, data: bytes = NEW, *, expected: bytes = OLD) -> SwapResult:
    keep, conflict = aside(path)
    return swap(path, data, expected=digest(expected), keep=keep, conflict=conflict)


def aside(path: Path) -> tuple[Path, Path]:
    state = path.parents[2] / ".remem" / "main"
    return state / "aside" / "facts.md.1", state / "conflicts" / "facts.md.1"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_missing_file_has_no_bytes(tmp_path: Path) -> None:
    assert read(tmp_path / "no" / "file") is None


def test_a_new_file_is_private_and_so_is_its_folder(path: Path) -> None:
    assert read(path) == OLD
    assert mode(path) == 0o600
    assert mode(path.parent) == 0o700


def test_nothing_is_created_over_anything(path: Path, tmp_path: Path) -> None:
    dangling = tmp_path / "link"
    dangling.symlink_to(tmp_path / "nowhere")

    assert not create(path, NEW)
    assert not create(dangling, NEW)
    assert not create(path.parent, NEW)

    assert read(path) == OLD
    assert not (tmp_path / "nowhere").exists()
    assert atomic.temporary_files(path.parent) == atomic.temporary_files(tmp_path) == ()


def test_a_swap_brings_in_the_new_file_and_keeps_the_old_one(path: Path) -> None:
    assert swapped(path) == SwapResult("swapped", OLD, aside(path)[0])
    assert read(path) == NEW
    assert read(aside(path)[0]) == OLD
    assert sorted(file.name for file in path.parent.iterdir()) == ["facts.md"]


def test_a_file_that_changed_is_left_alone(path: Path) -> None:
    path.write_bytes(b"their words\n")

    assert swapped(path) == SwapResult("changed", b"their words\n")
    assert read(path) == b"their words\n"
    assert atomic.temporary_files(path.parent) == ()


def test_a_file_that_was_deleted_stays_deleted(path: Path) -> None:
    path.unlink()

    assert swapped(path) == SwapResult("gone")
    assert not path.exists()


def during_the_exchange(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    def exchange(one: Path, other: Path) -> None:
        monkeypatch.undo()
        act()
        disk.exchange(one, other)

    monkeypatch.setattr(atomic, "exchange", exchange)


def test_a_save_in_the_last_moment_comes_out_and_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = path.with_name("editor")
    theirs.write_bytes(b"their words\n")
    during_the_exchange(monkeypatch, lambda: theirs.replace(path))

    assert swapped(path) == SwapResult("displaced", b"their words\n", aside(path)[1])
    assert read(path) == NEW
    assert read(aside(path)[1]) == b"their words\n"


def test_a_file_that_is_deleted_in_the_last_moment_stays_deleted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    during_the_exchange(monkeypatch, path.unlink)

    assert swapped(path) == SwapResult("gone")
    assert list(path.parent.iterdir()) == []


def test_a_link_that_appears_in_the_last_moment_is_put_back(
    path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    private = tmp_path / "private"
    private.write_bytes(OLD)

    def link() -> None:
        path.unlink()
        path.symlink_to(private)

    during_the_exchange(monkeypatch, link)

    with pytest.raises(FileError, match="symbolic link"):
        swapped(path)
    assert path.readlink() == private
    assert [file.name for file in path.parent.iterdir()] == ["facts.md"]


def test_a_save_into_the_replaced_file_is_noticed(path: Path) -> None:
    with path.open("r+b") as editor:
        kept = swapped(path).kept
        assert kept is not None
        editor.write(b"late")

    assert atomic.remove_if_unchanged(kept, digest(OLD)) == b"late" + OLD[4:]
    assert kept.exists()


def test_a_kept_file_that_nobody_touched_is_removed(path: Path) -> None:
    kept = swapped(path).kept
    assert kept is not None

    assert atomic.remove_if_unchanged(kept, digest(OLD)) is None
    assert not kept.exists()
    assert atomic.remove_if_unchanged(kept, digest(OLD)) is None


def test_mode_and_owner_stay(path: Path) -> None:
    path.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    before = path.stat()

    swapped(path)

    after = path.stat()
    assert after.st_ino != before.st_ino
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )


def test_links_are_not_followed(path: Path, tmp_path: Path) -> None:
    link = path.with_name("link.md")
    link.symlink_to(path)

    for act in (read, swapped):
        with pytest.raises(FileError, match="symbolic link"):
            act(link)
    assert read(path) == OLD


@each_row("make", [os.mkfifo, os.mkdir])
def test_only_regular_files_are_read(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "thing")

    with pytest.raises(FileError, match=r"regular file|Is a directory"):
        read(tmp_path / "thing")


def test_a_hard_link_is_refused_outside_main(path: Path) -> None:
    os.link(path, path.with_name("other.md"))

    assert read(path) == OLD
    with pytest.raises(FileError, match="hard-linked"):
        read(path, single_link=True)


def test_a_file_that_is_too_large_is_refused_by_its_size(path: Path) -> None:
    assert read(path, limit=len(OLD)) == OLD
    with pytest.raises(FileError, match=rf"facts\.md is larger than {len(OLD) - 1} bytes"):
        read(path, limit=len(OLD) - 1)


def test_a_file_that_is_not_utf_8_is_named(path: Path) -> None:
    assert atomic.decode_text("memória".encode(), path) == "memória"
    with pytest.raises(FileError, match=r"facts\.md is not UTF-8 at byte 3"):
        atomic.decode_text("mem\xf3ria".encode("latin-1"), path)


def test_a_file_is_set_aside_under_a_free_name_only(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "conflicts" / "facts.md"
    atomic.set_aside(path, target)
    assert (read(path), read(target)) == (None, OLD)

    create(path, NEW)
    with pytest.raises(FileError, match="cannot be moved: File exists"):
        atomic.set_aside(path, target)
    assert (read(path), read(target)) == (NEW, OLD)
    assert atomic.unused_path(tmp_path, "facts.md") != atomic.unused_path(tmp_path, "facts.md")


def without_renames(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that can neither exchange two files nor refuse to replace one."""

    def refuse(source: Path, target: Path) -> None:
        raise disk.Unsupported

    monkeypatch.setattr(atomic, "exchange", refuse)
    monkeypatch.setattr(disk, "rename_exclusive", refuse)


def test_the_fallback_is_reported_as_not_atomic(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_renames(monkeypatch)

    assert not create(path, NEW)
    assert create(path.with_name("people.md"), OLD)
    assert swapped(path) == SwapResult("swapped", OLD, aside(path)[0])
    assert (read(path), read(aside(path)[0])) == (NEW, OLD)
    assert sorted(file.name for file in path.parent.iterdir()) == ["facts.md", "people.md"]


def test_the_fallback_notices_a_save_before_it_replaces(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_renames(monkeypatch)
    link = os.link

    def save_and_link(source: Path, target: Path, **more: bool) -> None:
        path.write_bytes(b"their words\n")
        link(source, target, **more)

    monkeypatch.setattr(os, "link", save_and_link)

    assert swapped(path) == SwapResult("changed", b"their words\n")
    assert read(path) == b"their words\n"
    assert not aside(path)[0].exists()


def test_a_file_system_without_hard_links_gives_a_clear_error(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_renames(monkeypatch)

    def refuse(source: Path, target: Path, **more: bool) -> None:
        raise PermissionError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)

    with pytest.raises(FileError, match="cannot be hard-linked"):
        swapped(path)
    assert read(path) == OLD
    assert atomic.temporary_files(path.parent) == ()


@pytest.mark.parametrize("best", [True, False])
def test_a_kept_file_is_never_replaced(
    path: Path, monkeypatch: pytest.MonkeyPatch, best: bool
) -> None:
    if not best:
        without_renames(monkeypatch)
    keep = aside(path)[0]
    create(keep, b"kept before")

    with pytest.raises(FileError, match="File exists"):
        swapped(path)
    assert (read(path), read(keep)) == (OLD, b"kept before")
    assert atomic.temporary_files(path.parent) == ()


CALLS = ["open", "write", "fsync", "fchmod", "link", "mkdir", "rename"]


@contextmanager
def failing_at(number: int, monkeypatch: pytest.MonkeyPatch, error: int) -> Iterator[list[str]]:
    """The system refuses the call with this number, and only that one."""
    made: list[str] = []

    def counted(name: str, call: Callable[..., object]) -> Callable[..., object]:
        def run(*args: object, **more: object) -> object:
            made.append(name)
            if len(made) == number:
                raise OSError(error, os.strerror(error))
            return call(*args, **more)

        return run

    with monkeypatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, counted(name, getattr(os, name)))
        wrap_rename(patch, partial(counted, "renameat2"))
        yield made


@pytest.mark.sweep
@pytest.mark.parametrize("best", [True, False])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EMFILE])
def test_an_error_at_any_call_leaves_the_old_bytes_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int, best: bool
) -> None:
    if not best:
        without_renames(monkeypatch)
    for number in count(1):
        path = tmp_path / str(number) / "memory" / "domains" / "facts.md"
        assert create(path, OLD)
        with failing_at(number, monkeypatch, error) as made:
            try:
                outcome = swapped(path)
            except RememError as caught:
                refused: RememError | None = caught
            else:
                refused = None
        if refused is None:
            break
        assert isinstance(refused, DiskFull) == (error == errno.ENOSPC)
        assert "facts.md" in str(refused) or ".remem" in str(refused)
        # The second-best way cannot be undone: then the old file lies where it is kept.
        held = read(path), read(aside(path)[0])
        assert held == (OLD, None) or (not best and held == (NEW, OLD)), made
        assert [file.name for file in path.parent.iterdir()] == ["facts.md"], made

    assert number > 12
    assert outcome.outcome == "swapped"
    assert set(made) >= {"open", "write", "fsync", "fchmod", "mkdir"}


@pytest.mark.sweep
def test_an_error_at_any_call_leaves_no_half_created_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in count(1):
        path = tmp_path / str(number) / "memory" / "facts.md"
        with failing_at(number, monkeypatch, errno.EIO):
            try:
                done = create(path, NEW)
            except FileError:
                done = False
        assert not path.exists() or read(path) == NEW
        assert atomic.temporary_files(path.parent) == ()
        if done:
            break

    assert number > 8


def in_a_process_of_its_own(script: str, *arguments: object) -> str:
    command = [sys.executable, "-c", script, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


EACH_BYTE = """
import resource, sys
from pathlib import Path
from remem.errors import DiskFull
from remem.files import atomic as files

root = Path(sys.argv[1])
old, new = b"old words\\n" * 3, b"new words\\n" * 20
most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
for k in range(len(new) + 2):
    path, keep, conflict = (root / str(k) / name for name in ("facts.md", "keep", "conflict"))
    files.create(path, old)
    resource.setrlimit(resource.RLIMIT_FSIZE, (k, most))
    try:
        files.swap(path, new, expected=files.digest(old), keep=keep, conflict=conflict)
        made = files.create(path.with_name("people.md"), new)
        full = False
    except DiskFull:
        full = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    there = sorted(file.name for file in path.parent.iterdir())
    assert full == (k < len(new)), k
    assert files.read(path) == (old if full else new), k
    assert there == (["facts.md"] if full else ["facts.md", "keep", "people.md"]), there
    print(k)
"""


@pytest.mark.disk
def test_a_disk_that_is_full_at_any_byte_leaves_old_or_new_bytes(tmp_path: Path) -> None:
    printed = in_a_process_of_its_own(EACH_BYTE, tmp_path)

    assert printed.split() == [str(k) for k in range(202)]


UNPRIVILEGED = """
import ctypes, os, sys  # ctypes is loaded while it can be read
from pathlib import Path
from remem.errors import FileError; from remem.errors import StoreReadOnly
from remem.files import atomic as files

os.chdir(sys.argv[1])
if os.geteuid() == 0:
    os.chown(".", 65534, 65534)
    os.setuid(65534)
path, keep = Path("folder/facts.md"), Path("state/keep")
files.create(path, b"old")
files.make_folder(keep.parent)
os.chmod("folder", 0o500)

def refused(error, act):
    try:
        act()
    except error as caught:
        print(type(caught).__name__, caught)
    else:
        sys.exit(f"nothing was refused before {error}")

expected = files.digest(b"old")
refused(StoreReadOnly, lambda: files.create(path.with_name("people.md"), b"new"))
refused(StoreReadOnly, lambda: files.create(path.parent / "sub" / "people.md", b"new"))
refused(StoreReadOnly, lambda: files.swap(
    path, b"new", expected=expected, keep=keep, conflict=Path("state/conflict")))
assert files.read(path) == b"old"
assert os.listdir("folder") == ["facts.md"] and os.listdir("state") == []
path.chmod(0)
refused(FileError, lambda: files.read(path))
os.chmod("folder", 0o700)
"""


@pytest.mark.disk
def test_what_may_not_be_written_or_read_is_named(tmp_path: Path) -> None:
    printed = in_a_process_of_its_own(UNPRIVILEGED, tmp_path).splitlines()

    assert [line.split()[0] for line in printed] == ["StoreReadOnly"] * 3 + ["FileError"]
    assert "folder/people.md cannot be written: Permission denied (hint: " in printed[0]
    assert "folder/facts.md cannot be read: Permission denied" in printed[3]


def test_a_write_that_takes_only_a_part_is_an_error(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for taken in (0, 1, len(NEW) - 1):
        calls: list[int] = []

        def short(
            descriptor: int, data: bytes, taken: int = taken, calls: list[int] = calls
        ) -> int:
            calls.append(descriptor)
            return taken

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", short)
            with pytest.raises(DiskFull, match=re.escape(str(path))):
                swapped(path)
        assert len(calls) == 1
        assert read(path) == OLD
        assert atomic.temporary_files(path.parent) == ()


def test_a_file_of_remems_own_is_replaced_whole_or_not_at_all(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", refuse)
        with pytest.raises(DiskFull):
            atomic.replace_file(path, b"new")
    assert path.read_bytes() == before
    atomic.replace_file(path, b"new")

    assert path.read_bytes() == b"new"
    assert atomic.temporary_files(path.parent) == ()
