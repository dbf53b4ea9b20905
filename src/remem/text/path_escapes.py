"""Printable forms of file names that are not UTF-8, or that not every file system accepts.

Python reads each byte of a name that is not UTF-8 as a lone surrogate, which can be neither printed
nor stored. Such bytes are percent-encoded, as in a URL: `caf%E9.md`. The functions form two inverse
pairs, and a name that is plain UTF-8 keeps its form in answers.
"""

from __future__ import annotations

import re
from typing import Final

_SURROGATE: Final = re.compile("[\udc80-\udcff]")
_SURROGATE_OR_PERCENT: Final = re.compile("[\udc80-\udcff%]")
_ESCAPE: Final = re.compile(b"%([0-9A-F]{2})")
_UNPORTABLE: Final = re.compile(r"[\x00-\x1f\x7f\\:]")


def printable(path: str) -> str:
    """Return a path as answers show it; a path in plain UTF-8 is not changed."""
    return _SURROGATE_OR_PERCENT.sub(_escaped, path) if _SURROGATE.search(path) else path


def from_printable(path: str) -> str | None:
    """Return the path that `printable` changed into this one, or None if there is none."""
    decoded = _unescaped(path)
    return (
        decoded
        if decoded is not None and _SURROGATE.search(decoded) and printable(decoded) == path
        else None
    )


def portable(path: str) -> tuple[str, bool]:
    """Return a path for a backup, in characters that every file system accepts.

    The flag says whether it differs from the path itself. A path that already looks escaped is
    escaped too.
    """
    if not any(_is_unportable(character) for character in path) and _unescaped(path) == path:
        return path, False
    return "".join(
        _escape(character) if _is_unportable(character) or character == "%" else character
        for character in path
    ), True


def portable_twin(path: str) -> str:
    """Return a portable path whose name is escaped as a whole.

    It is for a path that some file systems take for another one, because their names differ only
    in case or Unicode form.
    """
    folder, slash, name = path.rpartition("/")
    escaped = "".join(character if character == "." else _escape(character) for character in name)
    return f"{portable(folder)[0]}{slash}{escaped}"


def from_portable(path: str) -> str | None:
    """Return the path that `portable` or `portable_twin` changed into this one, or None if there
    is none."""
    decoded = _unescaped(path)
    if decoded is None or decoded == path:
        return None
    return decoded if path in (portable(decoded)[0], portable_twin(decoded)) else None


def _is_unportable(character: str) -> bool:
    return bool(_UNPORTABLE.match(character)) or not character.isprintable()


def _escaped(match: re.Match[str]) -> str:
    return _escape(match[0])


def _escape(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))


def _unescaped(path: str) -> str | None:
    """Decode the escapes of a path; None if it has a lone surrogate."""
    try:
        data = path.encode()
    except UnicodeEncodeError:
        return None
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), data).decode(
        "utf-8", "surrogateescape"
    )
