"""Printable forms of file names that are not UTF-8, or that not every file system accepts.

Python reads each byte of a name that is not UTF-8 as a lone surrogate, which can be neither printed
nor stored. Such bytes are percent-encoded, as in a URL: `caf%E9.md`. A name in plain UTF-8 stays as
it is in answers.
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
    return _SURROGATE_OR_PERCENT.sub(_escape_match, path) if _SURROGATE.search(path) else path


def from_printable(path: str) -> str | None:
    """Return the path that `printable` shows as this text.

    Return None if there is no such path, or if it is the text itself.
    """
    decoded = _unescape(path)
    if decoded is None or not _SURROGATE.search(decoded):
        return None
    return decoded if printable(decoded) == path else None


def portable(path: str) -> tuple[str, bool]:
    """Return a path for a backup in characters that every file system accepts.

    The second value says whether characters were escaped. Percent signs are escaped too if the path
    already looks escaped.
    """
    if not any(_is_unportable(character) for character in path) and _unescape(path) == path:
        return path, False
    return "".join(
        _escape(character) if _is_unportable(character) or character == "%" else character
        for character in path
    ), True


def portable_twin(path: str) -> str:
    """Return a portable path in which every character of the file name is escaped.

    It is used for the second of two files whose names differ only in case or Unicode form, because
    some file systems take such names for the same.
    """
    folder, slash, name = path.rpartition("/")
    escaped = "".join(character if character == "." else _escape(character) for character in name)
    return f"{portable(folder)[0]}{slash}{escaped}"


def from_portable(path: str) -> str | None:
    """Return the path from which `portable` or `portable_twin` made this one, or None."""
    decoded = _unescape(path)
    if decoded is None or decoded == path:
        return None
    return decoded if path in (portable(decoded)[0], portable_twin(decoded)) else None


def _is_unportable(character: str) -> bool:
    return bool(_UNPORTABLE.match(character)) or not character.isprintable()


def _escape_match(match: re.Match[str]) -> str:
    return _escape(match[0])


def _escape(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))


def _unescape(path: str) -> str | None:
    """Decode the escapes of a path; None if it has a lone surrogate."""
    try:
        data = path.encode()
    except UnicodeEncodeError:
        return None
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), data).decode(
        "utf-8", "surrogateescape"
    )
