"""How does a backup lie on the disk, and how is one opened without trusting it?

A folder, or one tar file, that holds `manifest.json` first and then the files it lists. What is
unpacked is read against the manifest: a name, a size or a hash that differs ends it.

Which names may a backup hold? Plain ones below a workspace, no two of them one file.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import stat
import tarfile
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final, Literal

from remem.errors import FileError, InvalidInput, shown
from remem.files import atomic
from remem.files.disk import explained, sync, sync_folder
from remem.model.fact import FACT_TREES
from remem.text.odd_names import original

TREES: Final = ("memory", *FACT_TREES, ".remem")
"""The folders of a workspace that a backup holds; of its root, the Markdown files."""

_PART: Final = re.compile(r"[^\x00-\x1f\x7f/\\:]{1,255}")
_MOST_PARTS: Final = 32


def check_names(names: Iterable[str]) -> None:
    """InvalidInput for a name that could lead out of the workspace, or onto another."""
    seen: dict[str, str] = {}
    for name in names:
        _check(name)
        folded = unicodedata.normalize("NFC", name).casefold()
        if folded in seen:
            raise InvalidInput(
                f"{shown(name)} and {shown(seen[folded])} could be the same file",
                hint="the backup was not made by remem, or was changed; nothing was restored",
            )
        seen[folded] = name
    for folded, name in seen.items():
        parts = folded.split("/")
        for end in range(1, len(parts)):
            if "/".join(parts[:end]) in seen:
                raise InvalidInput(f"{shown(name)} lies below a file")


def _check(name: str) -> None:
    parts = name.split("/")
    plain = (
        len(parts) <= _MOST_PARTS
        and all(_PART.fullmatch(part) and part not in (".", "..") for part in parts)
        and name.isprintable()
    )
    placed = parts[0] in TREES if len(parts) > 1 else name.endswith(".md")
    if not plain or not placed:
        raise InvalidInput(
            f"{shown(name)} cannot be the name of a file in a backup",
            hint="the backup was not made by remem, or was changed; nothing was restored",
        )


MANIFEST: Final = "manifest.json"
PACKED: Final = (".tar", ".tar.gz", ".tgz")
FORMAT: Final = 1

_PIECE: Final = 1 << 20
_HEAD: Final = 100
_LARGEST_MANIFEST: Final = 64 << 20
_MOST_FILES: Final = 500_000
_LARGEST: Final = 64 << 30
_MOST_RATIO: Final = 1_000
_FREE: Final = 64 << 20
"""So many bytes may come out of an archive however small it is."""


@dataclass(frozen=True, slots=True)
class Listed:
    """One file of a backup; `escaped` if its path in the workspace has characters that not every
    disk can hold, and is given here in a portable form."""

    path: str
    size: int
    sha256: str
    escaped: bool = False

    @property
    def target(self) -> str:
        """Its path in the workspace."""
        return (original(self.path) or self.path) if self.escaped else self.path


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds, and when it was made; `entries` counts them by scope."""

    made_at: str
    files: tuple[Listed, ...]
    entries: dict[str, int]
    left_out: tuple[str, ...] = ()
    format: int = FORMAT


def write_manifest(folder: Path, manifest: Manifest) -> None:
    value = asdict(manifest)
    value["files"] = [_without_default(each) for each in value["files"]]
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    atomic.create(folder / MANIFEST, text.encode())


def _without_default(listed: dict[str, Any]) -> dict[str, Any]:
    """Most names need no escape, and their lines stay as earlier versions wrote them."""
    return {key: value for key, value in listed.items() if key != "escaped" or value}


def pack(folder: Path, target: Path, manifest: Manifest) -> None:
    """A folder as one file, the manifest first; it appears when it is whole."""
    mode: Literal["w", "w:gz"] = "w" if target.suffix == ".tar" else "w:gz"
    fresh = atomic.unused(target.parent, f".{target.name}")
    with explained(target, "written"):
        try:
            descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as out:
                with tarfile.open(fileobj=out, mode=mode) as tar:
                    for name in (MANIFEST, *(file.path for file in manifest.files)):
                        tar.add(folder / name, name, recursive=False)
                out.flush()
                sync(out.fileno())
            atomic.set_aside(fresh, target)
        finally:
            fresh.unlink(missing_ok=True)


def copied(source: Path, target: Path) -> Listed:
    """Copy a file, and say what was copied; the path is the caller's to name."""
    atomic.make_folder(target.parent)
    with atomic.streamed(source) as data:
        return _written(data, target, "", None)


def copied_with_head(source: Path, target: Path, head: Callable[[bytes], bytes]) -> None:
    """Copy a file whose first bytes are to be others."""
    atomic.make_folder(target.parent)
    with atomic.streamed(source) as data:
        first = head(data.read(_HEAD).ljust(_HEAD, b"\0"))
        data.seek(len(first))
        _written(_Joined(first, data), target, "", None)


class _Joined(io.RawIOBase):
    """Some bytes, and then the rest of a file."""

    def __init__(self, first: bytes, rest: IO[bytes]) -> None:
        self._first, self._rest = first, rest

    def read(self, size: int = -1) -> bytes:
        first, self._first = self._first, b""
        return first or self._rest.read(size)


def measured(path: Path) -> Listed:
    """The size and the hash of a file that nobody writes."""
    digest, size = hashlib.sha256(), 0
    with atomic.streamed(path) as data:
        while piece := data.read(_PIECE):
            digest.update(piece)
            size += len(piece)
    return Listed(path.name, size, digest.hexdigest())


def unpack(source: Path, folder: Path) -> Manifest:
    """Put the files of a backup into a new folder, every one as its manifest says."""
    with explained(source, "read"):
        if source.is_dir():
            return _from_folder(source, folder)
        return _from_tar(source, folder)


def _from_folder(source: Path, folder: Path) -> Manifest:
    data = atomic.read(source / MANIFEST, limit=_LARGEST_MANIFEST)
    if data is None:
        raise _no_backup(source)
    manifest = _parsed(data)
    found = set(_names_below(source))
    _require_same(found - {MANIFEST}, manifest)
    for file in manifest.files:
        with atomic.streamed(source / file.path) as content:
            _put(content, folder, file)
    return manifest


def _names_below(source: Path) -> Iterator[str]:
    for place, folders, names in os.walk(source):
        for name in (*folders, *names):
            path = Path(place) / name
            mode = path.lstat().st_mode
            if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
                raise InvalidInput(f"{shown(str(path))} is neither a file nor a folder")
        yield from ((Path(place) / name).relative_to(source).as_posix() for name in names)


def _from_tar(source: Path, folder: Path) -> Manifest:
    manifest: Manifest | None = None
    wanted: dict[str, Listed] = {}
    with _opened(source) as tar:
        for member in tar:
            if not member.isreg():
                raise InvalidInput(f"{shown(member.name)} in {source} is not a regular file")
            content = tar.extractfile(member)
            assert content is not None
            if manifest is None:
                if member.name != MANIFEST or member.size > _LARGEST_MANIFEST:
                    raise _no_backup(source)
                manifest = _parsed(content.read(_LARGEST_MANIFEST + 1))
                _require_plausible(manifest, source)
                wanted = {file.path: file for file in manifest.files}
                continue
            listed = wanted.pop(member.name, None)
            if listed is None or listed.size != member.size:
                raise InvalidInput(f"{shown(member.name)} is not what the manifest lists")
            _put(content, folder, listed)
    if manifest is None:
        raise _no_backup(source)
    if wanted:
        raise InvalidInput(f"{shown(min(wanted))} is missing from {source}")
    return manifest


@contextmanager
def _opened(source: Path) -> Iterator[tarfile.TarFile]:
    try:
        with atomic.streamed(source) as data, tarfile.open(fileobj=data, mode="r|*") as tar:
            yield tar
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise InvalidInput(f"{source} cannot be unpacked: {error}") from error


def _require_plausible(manifest: Manifest, source: Path) -> None:
    """An archive of a few bytes does not hold a disk."""
    total = sum(file.size for file in manifest.files)
    if total > _FREE and total > _MOST_RATIO * source.stat().st_size:
        raise InvalidInput(f"{source} would grow to {total:,} bytes, more than it can hold")


def _parsed(data: bytes) -> Manifest:
    try:
        value = json.loads(data)
        listed = tuple(_listed(each) for each in value["files"])
        manifest = Manifest(
            str(value["made_at"]),
            listed,
            {str(key): int(each) for key, each in value["entries"].items()},
            tuple(map(str, value["left_out"])),
            int(value["format"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"{MANIFEST} is not that of a backup: {error}") from error
    if manifest.format != FORMAT:
        raise InvalidInput(
            f"the backup has format {manifest.format}; this remem reads format {FORMAT}",
            hint="upgrade remem",
        )
    if len(listed) > _MOST_FILES or sum(each.size for each in listed) > _LARGEST:
        raise InvalidInput("the backup is larger than any that remem restores")
    check_names(each.path for each in listed)
    for each in listed:
        if each.escaped and (original(each.path) is None or "\0" in each.target):
            raise InvalidInput(f"{shown(each.path)} is not the escaped form of a file name")
    return manifest


def _listed(value: Mapping[str, Any]) -> Listed:
    size = value["size"]
    if type(size) is not int or size < 0:
        raise ValueError(f"a size cannot be {shown(size)}")
    escaped = value.get("escaped", False) is True
    return Listed(str(value["path"]), size, str(value["sha256"]), escaped)


def _require_same(found: set[str], manifest: Manifest) -> None:
    listed = {file.path for file in manifest.files}
    if extra := found - listed:
        raise InvalidInput(f"{shown(min(extra))} is not in the manifest")
    if missing := listed - found:
        raise InvalidInput(f"{shown(min(missing))} is missing from the backup")


def _put(content: IO[bytes], folder: Path, listed: Listed) -> None:
    target = folder / listed.target
    atomic.make_folder(target.parent)
    got = _written(content, target, listed.path, listed.size)
    if (got.size, got.sha256) != (listed.size, listed.sha256):
        raise InvalidInput(
            f"{shown(listed.path)} is not as it was when the backup was made",
            hint="the backup is damaged; nothing was restored",
        )


def _written(
    content: IO[bytes] | io.RawIOBase, target: Path, name: str, most: int | None
) -> Listed:
    """Copy, count and hash; more than `most` bytes are a lie."""
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        while piece := content.read(_PIECE) or b"":
            size += len(piece)
            if most is not None and size > most:
                raise InvalidInput(f"{shown(name)} is longer than the manifest says")
            digest.update(piece)
            out.write(piece)
        out.flush()
        sync(out.fileno())
    sync_folder(target.parent)
    return Listed(name, size, digest.hexdigest())


def _no_backup(source: Path) -> FileError:
    return FileError(
        f"{source} is no backup: it does not begin with {MANIFEST}",
        hint="name a file or folder that `remem backup` made",
    )
