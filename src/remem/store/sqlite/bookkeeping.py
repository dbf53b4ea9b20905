"""Checks of the state of written files, of the outbox, and of the key-value state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

import apsw

from remem.model.domain_routing import INDEX_FILE_KEY
from remem.model.entry import is_entry_id

FILE_STATE_KEYS: Final = ("writing ", "look of ", "earlier ")
"""Prefixes of the state about written files, all of which can be rebuilt."""

_DIGEST: Final = re.compile(r"[0-9a-f]{64}|")
_ITEM: Final = re.compile(r"[0-9a-f]{32}")
_INDEX_LINE: Final = re.compile(r"[\w -]*")
_FILE_KEY: Final = re.compile(r"INDEX|.+:[1-9][0-9]*")


def bookkeeping_problems(connection: apsw.Connection) -> Iterator[str]:
    """Problems with the state."""
    wrong = [row for row in _projected(connection) if not _is_valid(*row)]
    if wrong:
        yield f"the state of {len(wrong)} written files is unreadable"
    unreadable = [
        key
        for key, value in connection.execute("SELECT key, value FROM meta")
        if not _is_plausible(str(key), str(value))
    ]
    if unreadable:
        yield f"{len(unreadable)} values of the store's state are unreadable"
    keys = [file for (file,) in connection.execute("SELECT file FROM outbox")]
    if any(not _FILE_KEY.fullmatch(str(key)) for key in keys):
        yield "the outbox contains an invalid file name"


def drop_unreadable(connection: apsw.Connection) -> None:
    """Delete unreadable state; all of it can be determined again from files and entries."""
    for file, digest, items in list(_projected(connection)):
        if not _is_valid(file, digest, items):
            connection.execute("DELETE FROM projected WHERE file = ?", [file])
    for key, value in list(connection.execute("SELECT key, value FROM meta")):
        if str(key).startswith(FILE_STATE_KEYS) or not _is_plausible(str(key), str(value)):
            connection.execute("DELETE FROM meta WHERE key = ?", [key])
    for (key,) in list(connection.execute("SELECT file FROM outbox")):
        if not _FILE_KEY.fullmatch(str(key)):
            connection.execute("DELETE FROM outbox WHERE file = ?", [key])


def _projected(connection: apsw.Connection) -> Iterator[tuple[str, str, str]]:
    yield from connection.execute("SELECT file, digest, items FROM projected")


def _is_valid(file: str, digest: str, items: str) -> bool:
    try:
        parsed = json.loads(items)
    except ValueError:
        return False
    if not isinstance(parsed, dict) or not _DIGEST.fullmatch(digest):
        return False
    if file == INDEX_FILE_KEY:  # the lines of the index by their numbers, not entries by their ids
        return all(_INDEX_LINE.fullmatch(str(line)) for line in parsed.values())
    return all(is_entry_id(id_) and _ITEM.fullmatch(str(item)) for id_, item in parsed.items())


def _is_plausible(key: str, value: str) -> bool:
    if not key.startswith(FILE_STATE_KEYS):
        return key.isprintable() and value.isprintable()
    try:
        json.loads(value)
    except ValueError:
        return False
    return True
