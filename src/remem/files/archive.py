"""Write backups, and unpack them without trusting their content.

A backup is a folder, or a tar file that starts with `manifest.json`; the manifest lists all other
files. Everything that is unpacked is checked against the manifest: a name, size or hash that
differs is an error. A name may only lead to places that remem backs up, and no two names may be the
same on file systems that ignore case.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import tarfile
import unicodedata
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Final, Literal

from remem.errors import FileError, InvalidInput, quoted
from remem.files import atomic
from remem.files.disk import file_errors, make_folder, sync, sync_folder
from remem.files.layout import FACT_TREES
from remem.text.path_escapes import from_portable

TREES: Final = ("memory", *FACT_TREES, ".remem")
"""The folders of a workspace that a backup contains, besides the Markdown files in its root."""

_NAME_PART: Final = re.compile(r"[^\x00-\x1f\x7f/\\:]{1,255}")
_MAX_DEPTH: Final = 32
MANIFEST: Final = "manifest.json"
ARCHIVE_SUFFIXES: Final = (".tar", ".tar.gz", ".tgz")
FORMAT: Final = 1
_CHUNK: Final = 1 << 20
_MAX_MANIFEST_BYTES: Final = 64 << 20
_MAX_FILES: Final = 500_000
_MAX_BYTES: Final = 64 << 30
_MAX_RATIO: Final = 1_000
"""The highest plausible ratio of unpacked to packed bytes."""
_ALWAYS_PLAUSIBLE_BYTES: Final = 64 << 20
"""Every archive may unpack to this many bytes, however small it is."""


def folded_name(name: str) -> str:
    """Return a form that is equal for names that some file systems take for the same file."""
    return unicodedata.normalize("NFC", name).casefold()


def check_names(names: Iterable[str]) -> None:
    """Raise InvalidInput for names that lead out of the workspace or could overwrite each other."""
    folded_names: dict[str, str] = {}
    for name in names:
        _check_name(name)
        folded = folded_name(name)
        if folded in folded_names:
            raise InvalidInput(
                f"{quoted(name)} and {quoted(folded_names[folded])} could be the same file",
                hint="remem did not create this backup, or it was changed; nothing was restored",
            )
        folded_names[folded] = name
    for folded, name in folded_names.items():
        parts = folded.split("/")
        for end in range(1, len(parts)):
            if "/".join(parts[:end]) in folded_names:
                raise InvalidInput(f"{quoted(name)} has a file as its parent folder")


def _check_name(name: str) -> None:
    parts = name.split("/")
    is_plain = (
        len(parts) <= _MAX_DEPTH
        and all(_NAME_PART.fullmatch(part) and part not in (".", "..") for part in parts)
        and name.isprintable()
    )
    is_allowed = parts[0] in TREES if len(parts) > 1 else name.endswith(".md")
    if not is_plain or not is_allowed:
        raise InvalidInput(
            f"{quoted(name)} is not allowed as the name of a file in a backup",
            hint="remem did not create this backup, or it was changed; nothing was restored",
        )


@dataclass(frozen=True, slots=True)
class BackupFile:
    """One file of a backup; `path` is its path in the backup.

    If the path in the workspace has characters that not every file system allows, `path` is an
    escaped form of it, and `escaped` is true.
    """

    path: str
    size: int
    sha256: str
    escaped: bool = False

    @property
    def target(self) -> str:
        """The path in the workspace."""
        return (from_portable(self.path) or self.path) if self.escaped else self.path


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of a backup: its files, and the number of entries of each scope.

    `left_out` are files of the workspace that are not in it.
    """

    made_at: str
    files: tuple[BackupFile, ...]
    entries: dict[str, int]
    left_out: tuple[str, ...] = ()
    format: int = FORMAT


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest of a backup into its folder."""
    value = asdict(manifest)
    value["files"] = [_without_default(file) for file in value["files"]]
    text = json.dumps(value, ensure_ascii=False, indent=1) + "\n"
    atomic.create(folder / MANIFEST, text.encode())


def _without_default(file: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a file without `escaped`, if that is false."""
    return {key: value for key, value in file.items() if key != "escaped" or value}


def pack(folder: Path, target: Path, manifest: Manifest) -> None:
    """Pack a folder into a tar file that begins with the manifest.

    There is no file at `target` before it is complete.
    """
    mode: Literal["w", "w:gz"] = "w" if target.suffix == ".tar" else "w:gz"
    temporary = atomic.unused_path(target.parent, f".{target.name}")
    with file_errors(target, "written"):
        try:
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as out:
                with tarfile.open(fileobj=out, mode=mode) as tar:
                    for name in (MANIFEST, *(file.path for file in manifest.files)):
                        tar.add(folder / name, name, recursive=False)
                out.flush()
                sync(out.fileno())
            atomic.set_aside(temporary, target)
        finally:
            temporary.unlink(missing_ok=True)


def copy_file(source: Path, target: Path) -> BackupFile:
    """Copy a file, and return its size and hash, with an empty path."""
    make_folder(target.parent)
    with atomic.open_stream(source) as data:
        return _copy_stream(data, target, "", None)


def measure_file(path: Path) -> BackupFile:
    """Return the name, size and hash of a file that nobody is writing."""
    digest, size = hashlib.sha256(), 0
    with atomic.open_stream(path) as data:
        while chunk := data.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return BackupFile(path.name, size, digest.hexdigest())


def unpack(source: Path, folder: Path) -> Manifest:
    """Unpack a backup into a new folder, checking every file against the manifest."""
    with file_errors(source, "read"):
        if source.is_dir():
            return _unpack_folder(source, folder)
        return _unpack_tar(source, folder)


def _unpack_folder(source: Path, folder: Path) -> Manifest:
    data = atomic.read(source / MANIFEST, limit=_MAX_MANIFEST_BYTES)
    if data is None:
        raise _not_a_backup(source)
    manifest = _parse_manifest(data)
    names = set(_names_below(source))
    _require_same(names - {MANIFEST}, manifest)
    for file in manifest.files:
        with atomic.open_stream(source / file.path) as content:
            _unpack_file(content, folder, file)
    return manifest


def _names_below(source: Path) -> Iterator[str]:
    for folder_path, folders, names in os.walk(source):
        for name in (*folders, *names):
            path = Path(folder_path) / name
            mode = path.lstat().st_mode
            if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
                raise InvalidInput(f"{quoted(str(path))} is neither a regular file nor a folder")
        yield from ((Path(folder_path) / name).relative_to(source).as_posix() for name in names)


def _unpack_tar(source: Path, folder: Path) -> Manifest:
    manifest: Manifest | None = None
    files: dict[str, BackupFile] = {}
    with _open_tar(source) as tar:
        for member in tar:
            if not member.isreg():
                raise InvalidInput(f"{quoted(member.name)} in {source} is not a regular file")
            content = tar.extractfile(member)
            assert content is not None
            if manifest is None:
                if member.name != MANIFEST or member.size > _MAX_MANIFEST_BYTES:
                    raise _not_a_backup(source)
                manifest = _parse_manifest(content.read(_MAX_MANIFEST_BYTES + 1))
                _require_plausible(manifest, source)
                files = {file.path: file for file in manifest.files}
                continue
            listed = files.pop(member.name, None)
            if listed is None or listed.size != member.size:
                raise InvalidInput(f"{quoted(member.name)} does not match the manifest")
            _unpack_file(content, folder, listed)
    if manifest is None:
        raise _not_a_backup(source)
    if files:
        raise InvalidInput(f"{quoted(min(files))} is missing from {source}")
    return manifest


@contextmanager
def _open_tar(source: Path) -> Iterator[tarfile.TarFile]:
    try:
        with atomic.open_stream(source) as data, tarfile.open(fileobj=data, mode="r|*") as tar:
            yield tar
    except (tarfile.TarError, EOFError, OSError, zlib.error) as error:
        raise InvalidInput(f"{source} cannot be unpacked: {error}") from error


def _require_plausible(manifest: Manifest, source: Path) -> None:
    """Raise InvalidInput if an archive would unpack to far more bytes than it has."""
    total = sum(file.size for file in manifest.files)
    if total > _ALWAYS_PLAUSIBLE_BYTES and total > _MAX_RATIO * source.stat().st_size:
        raise InvalidInput(
            f"{source} claims to unpack to {total:,} bytes, which is not plausible for its size"
        )


def _parse_manifest(data: bytes) -> Manifest:
    try:
        value = json.loads(data)
        files = tuple(_parse_file(file) for file in value["files"])
        manifest = Manifest(
            str(value["made_at"]),
            files,
            {str(scope): int(count) for scope, count in value["entries"].items()},
            tuple(map(str, value["left_out"])),
            int(value["format"]),
        )
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InvalidInput(f"{MANIFEST} is not the manifest of a backup: {error}") from error
    if manifest.format != FORMAT:
        raise InvalidInput(
            f"the backup has format {manifest.format}; this version of remem reads format {FORMAT}",
            hint="upgrade remem",
        )
    if len(files) > _MAX_FILES or sum(file.size for file in files) > _MAX_BYTES:
        total = sum(file.size for file in files)
        raise InvalidInput(
            f"the backup is too large: it lists {total:,} bytes in {len(files):,} files; at most "
            f"{_MAX_BYTES:,} bytes in {_MAX_FILES:,} files can be restored"
        )
    check_names(file.path for file in files)
    for file in files:
        if file.escaped and (from_portable(file.path) is None or "\0" in file.target):
            raise InvalidInput(
                f"the manifest marks {quoted(file.path)} as escaped, but it cannot be unescaped"
            )
    return manifest


def _parse_file(value: Mapping[str, Any]) -> BackupFile:
    size = value["size"]
    if type(size) is not int or size < 0:
        raise ValueError(f"{quoted(size)} is not a file size")
    escaped = value.get("escaped", False) is True
    return BackupFile(str(value["path"]), size, str(value["sha256"]), escaped)


def _require_same(names: set[str], manifest: Manifest) -> None:
    paths = {file.path for file in manifest.files}
    if extra := names - paths:
        raise InvalidInput(f"{quoted(min(extra))} is not in the manifest")
    if missing := paths - names:
        raise InvalidInput(f"{quoted(min(missing))} is missing from the backup")


def _unpack_file(content: IO[bytes], folder: Path, manifest_file: BackupFile) -> None:
    target = folder / manifest_file.target
    make_folder(target.parent)
    written = _copy_stream(content, target, manifest_file.path, manifest_file.size)
    if (written.size, written.sha256) != (manifest_file.size, manifest_file.sha256):
        raise InvalidInput(
            f"{quoted(manifest_file.path)} has changed since the backup was made",
            hint="the backup is damaged; nothing was restored",
        )


def _copy_stream(content: IO[bytes], target: Path, name: str, max_size: int | None) -> BackupFile:
    """Copy a file while counting and hashing its bytes; more than `max_size` bytes are an error."""
    digest, size = hashlib.sha256(), 0
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        while chunk := content.read(_CHUNK) or b"":
            size += len(chunk)
            if max_size is not None and size > max_size:
                raise InvalidInput(f"{quoted(name)} is longer than the manifest says")
            digest.update(chunk)
            out.write(chunk)
        out.flush()
        sync(out.fileno())
    sync_folder(target.parent)
    return BackupFile(name, size, digest.hexdigest())


def _not_a_backup(source: Path) -> FileError:
    return FileError(
        f"{source} is not a backup: it does not start with {MANIFEST}",
        hint="name a file or folder created by `remem backup`",
    )
