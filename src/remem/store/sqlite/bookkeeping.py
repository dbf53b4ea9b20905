"""Check the records (`ports/state.py`) and the outbox, and delete what is invalid in them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

import apsw

from remem.errors import counted
from remem.model.domain_routing import INDEX_FILE_KEY
from remem.model.entry import is_entry_id
from remem.ports.state import FILE_STATE, NAMESPACES

_DIGEST: Final = re.compile(r"[0-9a-f]{64}|")
_ITEM_DIGEST: Final = re.compile(r"[0-9a-f]{32}")
_INDEX_LINE: Final = re.compile(r"[\w -]*")
_FILE_KEY: Final = re.compile(r"INDEX|.+:[1-9][0-9]*")
_CONTROL_CHARACTER: Final = re.compile(r"[\x00-\x1f\x7f]")
_RECORDS: Final = "SELECT namespace, key, value FROM records"


def bookkeeping_problems(connection: apsw.Connection) -> Iterator[str]:
    """Yield the problems with the records and the outbox."""
    unreadable = sum(not _is_readable(*row) for row in connection.execute(_RECORDS))
    if unreadable:
        yield f"{counted(unreadable, 'state record is', 'state records are')} unreadable"
    files = [file for (file,) in connection.execute("SELECT file FROM outbox")]
    if any(not _FILE_KEY.fullmatch(str(file)) for file in files):
        yield "the list of files to be written contains an invalid name"


def drop_derived_and_invalid(connection: apsw.Connection) -> None:
    """Delete unreadable and derived records, and invalid items of the outbox.

    Derived records can be made again from the files. The record of what remem last wrote to a file
    is kept, because the file may have been edited since then.
    """
    for namespace, key, value in list(connection.execute(_RECORDS)):
        is_derived = namespace in FILE_STATE and namespace != "written"
        if is_derived or not _is_readable(namespace, key, value):
            connection.execute(
                "DELETE FROM records WHERE namespace = ? AND key = ?", [namespace, key]
            )
    for (file,) in list(connection.execute("SELECT file FROM outbox")):
        if not _FILE_KEY.fullmatch(str(file)):
            connection.execute("DELETE FROM outbox WHERE file = ?", [file])


def _is_readable(namespace: str, key: str, value: str) -> bool:
    try:
        parsed = json.loads(value)
    except ValueError:
        return False
    if namespace == "written":
        return _is_written_file(key, parsed)
    return namespace in NAMESPACES and not _CONTROL_CHARACTER.search(str(key))


def _is_written_file(file: str, parsed: object) -> bool:
    """Return whether a record of what remem last wrote to a file is valid."""
    match parsed:
        case {"digest": str(digest), "items": dict(items)} if _DIGEST.fullmatch(digest):
            pass
        case _:
            return False
    if file == INDEX_FILE_KEY:  # here the items are lines of the index, not entries
        return all(_INDEX_LINE.fullmatch(str(line)) for line in items.values())
    return all(
        is_entry_id(id_) and _ITEM_DIGEST.fullmatch(str(item)) for id_, item in items.items()
    )
