"""Printable forms of file names that are not UTF-8, or that not every disk can hold.

Python reads each byte of a name that is no UTF-8 as half of a surrogate pair, which can be neither
printed nor stored. Such bytes are written as in an address: `caf%E9.md`. Both functions of a pair
are inverse to each other, and a name that is plain UTF-8 keeps its form in answers.
"""

from __future__ import annotations

import re
from typing import Final

_ODD: Final = re.compile("[\udc80-\udcff]")
_ODD_OR_PERCENT: Final = re.compile("[\udc80-\udcff%]")
_ESCAPE: Final = re.compile(b"%([0-9A-F]{2})")
_UNFIT: Final = re.compile(r"[\x00-\x1f\x7f\\:]")


def printable(path: str) -> str:
    """What answers call a file; a path of plain UTF-8 stays as it is."""
    return _ODD_OR_PERCENT.sub(_escaped, path) if _ODD.search(path) else path


def actual(path: str) -> str | None:
    """The path that `printable` made this of; None if it made it of nothing but itself."""
    found = _unescaped(path)
    return found if found is not None and _ODD.search(found) and printable(found) == path else None


def portable(path: str) -> tuple[str, bool]:
    """A path for a backup, in characters that every disk and reader can hold, and whether it
    differs from the path itself. One that looks as if it were escaped is escaped, too."""
    if not any(_is_unfit(each) for each in path) and _unescaped(path) == path:
        return path, False
    return "".join(_escape(each) if _is_unfit(each) or each == "%" else each for each in path), True


def original(path: str) -> str | None:
    """The path that `portable` has changed into this; None if it never does."""
    found = _unescaped(path)
    return found if found is not None and portable(found) == (path, True) else None


def _is_unfit(character: str) -> bool:
    return bool(_UNFIT.match(character)) or not character.isprintable()


def _escaped(match: re.Match[str]) -> str:
    return _escape(match[0])


def _escape(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogateescape"))


def _unescaped(path: str) -> str | None:
    """The path with its escapes read as bytes; None if it holds half of a character."""
    try:
        data = path.encode()
    except UnicodeEncodeError:
        return None
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 16)]), data).decode(
        "utf-8", "surrogateescape"
    )
