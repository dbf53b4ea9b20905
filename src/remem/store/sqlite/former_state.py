"""Convert state that schemas up to 10 stored to records, to migrate and salvage such databases.

In these schemas, the table `meta` had JSON or text under keys, and two other tables had the written
files and the notices.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, Final

Record = tuple[str, str, str]
"""Namespace, key and JSON value of a record."""

_RECORD_OF_TEXT: Final = {
    "last_store": ("activity", "store"),
    "last_recall": ("activity", "recall"),
    "last_flush": ("activity", "flush"),
    "last_flush_reason": ("activity", "flush reason"),
    "last_expiry": ("activity", "expiry"),
    "last_decay": ("activity", "decay"),
    "scope": ("scope", ""),
    "decay_notice": ("decay notice", ""),
    "flush told": ("flush file", ""),
}
_NAMESPACE_OF_KEY: Final = {
    "recovery": "recovery",
    "decay_watch": "arrivals",
    "migrated": "migrated files",
}
_NAMESPACE_OF_PREFIX: Final = {
    "verdict ": "verdict",
    "writing ": "planned",
    "look of ": "signature",
    "earlier ": "earlier",
    "fact waiting ": "held fact",
    "review intent ": "intent",
    "cited ": "cited",
    "flushed ": "conversation",
    "lesson ": "lesson",
    "flush change ": "flush change",
    "page:": "page",
    "migrated:": "migrated",
}
_CHANGES: Final[dict[str, tuple[str, str]]] = {
    "add": ("AddBullet", "id file text title section"),
    "note": (
        "AddDayBlock",
        "id file text day:title heading:section time:status conversation:trigger",
    ),
    "task": ("SetTask", "id file text title section status replaces history day lesson"),
    "refer": ("AddReference", "id file target:text title section"),
    "route": ("AddRoute", "id file target:text trigger tier convention:section"),
    "fact": (
        "RecordFact",
        "id file text entity:title kind:tier category:section origin:trigger day",
    ),
    "retract": ("RetractFact", "id file text origin:trigger"),
}
"""The class of each kind of pending change, and its fields, followed by their former names if
these differ."""


def former_records(key: str, value: str) -> list[Record] | None:
    """Return the records in a row of `meta`; None if its key is unknown or its value unreadable."""
    try:
        return list(_records(key, value))
    except (ValueError, TypeError, LookupError, AttributeError):
        return None


def former_files(rows: Iterable[tuple[str, str, str]]) -> Iterator[Record]:
    """Yield the records in rows of the table of written files: file, digest and items."""
    for file, digest, items in rows:
        try:
            yield "written", str(file), _dump({"digest": digest, "items": json.loads(items)})
        except ValueError:
            continue


def former_notices(rows: Iterable[tuple[int, str, str]]) -> Iterator[Record]:
    """Yield the records in rows of the table of notices: number, time and text."""
    for number, at, text in rows:
        yield "notice", f"{number:08}", _dump({"at": at, "text": text})


def _records(key: str, value: str) -> Iterator[Record]:
    if not value:
        return
    if key in _RECORD_OF_TEXT:
        yield (*_RECORD_OF_TEXT[key], _dump(value))
    elif key.startswith("declined:"):
        yield "declined", key.removeprefix("declined:"), _dump(value)
    elif key.startswith("open part "):
        part, number = map(int, value.split())
        yield "open part", key.removeprefix("open part "), _dump([part, number])
    elif key in ("migration", "migration running"):
        kind = "running" if key.endswith("running") else "last"
        yield "migration", kind, _dump(_migration(json.loads(value)))
    elif key == "unfinished erasures":
        for erasure in json.loads(value):
            yield "erasure", erasure["id"], _dump(erasure)
    elif key == "consolidations":
        for run in json.loads(value):
            run["entries"] = run.pop("deeds")
            yield "consolidation", f"{run['number']:08}", _dump(run)
    else:
        yield from _plain_record(key, value)


def _plain_record(key: str, value: str) -> Iterator[Record]:
    """Yield the record of a value that was JSON; nothing for null, the value of a removed key."""
    if key in _NAMESPACE_OF_KEY:
        namespace, record_key = _NAMESPACE_OF_KEY[key], ""
    else:
        [prefix] = (prefix for prefix in _NAMESPACE_OF_PREFIX if key.startswith(prefix))
        namespace, record_key = _NAMESPACE_OF_PREFIX[prefix], key.removeprefix(prefix)
    parsed = json.loads(value)
    if namespace == "verdict":
        parsed["number"] = int(record_key)
    elif namespace == "flush change":
        parsed = _change(parsed)
    elif namespace == "migrated":
        parsed = [_migrated_line(values) for values in parsed]
    if parsed is not None:
        yield namespace, record_key, _dump(parsed)


def _change(row: dict[str, str]) -> dict[str, str]:
    kind, names = _CHANGES[row["do"]]
    fields = (name.partition(":") for name in names.split())
    return {"type": kind, **{new: row.get(old or new, "") for new, _, old in fields}}


def _migrated_line(values: list[Any]) -> dict[str, Any]:
    return dict(zip(("line", "text_hash", "id"), values, strict=True))


def _migration(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a migration; its rows and files were JSON texts within JSON."""
    rows = {
        path: [_migrated_line(values) for values in json.loads(text)]
        for path, text in record["rows"].items()
    }
    return {**record, "rows": rows, "files": json.loads(record["files"] or "[]")}


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
