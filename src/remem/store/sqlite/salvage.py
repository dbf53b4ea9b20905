"""What can still be had of a damaged database? Everything that can be read goes into a new one
beside it; what cannot is healed from its seal, its domain file or its history, or is named.

Nothing here decides whether the new file is good enough: `compare` does, with code of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import apsw

from remem.errors import StoreDamaged
from remem.model.entry import CATEGORIES, Category, Entry, Trust, is_entry_id
from remem.store.sqlite.bookkeeping import NOTES_ON_FILES
from remem.store.sqlite.byte_repair import Refilling, mended
from remem.store.sqlite.checksums import is_sound, vector_seal
from remem.store.sqlite.connection import close, open_for_reading
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.read_corrupt import Garbled, readable_rows
from remem.store.sqlite.rows import COLUMNS, entry_from, entry_of
from remem.store.sqlite.transaction import Transaction
from remem.text.similarity import fingerprint

_WIDTH: Final = len(COLUMNS)
_SEALED: Final = (*COLUMNS, "change", "home", "part", "seal")
_VERSION: Final = ("row", "version", "change", "record", "same", "seal")
_CARRIED: Final = {
    "erased": ("id", "same", "at"),
    "notices": ("seq", "at", "text"),
    "outbox": ("seq", "file"),
    "projected": ("file", "digest", "items"),
    "meta": ("key", "value"),
    "models": ("model", "name", "dimension", "quantisation"),
    "memory_bits": ("stamp", "row", "model", "facets", "bits"),
    "memory_vectors": ("row", "model", "pooled", "tokens", "seal"),
}
Row = tuple[Any, ...]
Home = Callable[[Entry], str]


@dataclass(frozen=True, slots=True)
class Salvaged:
    """What became of the records: ids of those that were damaged, by what healed them.

    `unverified` could be read, and nothing vouches for it: archived, for a person to look at.
    """

    entries: int
    read: bool
    mended: tuple[str, ...] = ()
    from_files: tuple[str, ...] = ()
    from_history: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    lost_versions: tuple[str, ...] = ()
    erased: frozenset[str] = frozenset()
    retouched: frozenset[str] = frozenset()
    spoiled: frozenset[str] = frozenset()

    @property
    def touched(self) -> set[str]:
        """The ids whose words, or those they had, may differ from what the old file says."""
        healed = {*self.mended, *self.from_files, *self.from_history, *self.unverified}
        return {*healed, *self.lost, *self.retouched, *self.spoiled}


@dataclass(slots=True)
class _Found:
    """All that could be read of the old file."""

    entries: dict[int, tuple[Entry, Row]]
    versions: dict[int, list[Row]]
    rest: dict[str, list[Row]]
    mended: list[str]
    from_files: list[str]
    from_history: list[str]
    unverified: list[str]
    lost: list[str]
    lost_versions: list[str]
    retouched: set[int]
    spoiled: set[str]


def salvage(old: Path, new: Path, twins: Mapping[str, Entry], home_of: Home) -> Salvaged:
    """Fill a new database with what an old one, and the domain files, still hold."""
    found = _read(old, twins)
    store = SqliteStore(new)
    try:
        store.write(lambda tx: _fill(_refilling(tx), found, twins, home_of))
    finally:
        store.close()
    known = {entry.id for entry, _ in found.entries.values()}
    erased = {row[0] for row in found.rest.get("erased", ())}
    return Salvaged(
        entries=len(known | set(twins) - erased),
        read=bool(found.entries),
        mended=tuple(found.mended),
        from_files=(*found.from_files, *sorted(set(twins) - known - erased)),
        from_history=tuple(found.from_history),
        unverified=tuple(found.unverified),
        lost=tuple(found.lost),
        lost_versions=tuple(found.lost_versions),
        erased=frozenset(erased),
        spoiled=frozenset(found.spoiled),
        retouched=frozenset(
            entry.id for row, (entry, _) in found.entries.items() if row in found.retouched
        ),
    )


def _read(old: Path, twins: Mapping[str, Entry]) -> _Found:
    found = _Found({}, {}, {}, [], [], [], [], [], [], set(), set())
    if not old.exists():
        return found
    try:
        connection = open_for_reading(old)
    except StoreDamaged:
        return found  # not a single page can be read
    try:
        found.rest = {
            table: [
                tuple(row) for row in readable_rows(connection, table, columns) if _is_text(row)
            ]
            for table, columns in _CARRIED.items()
        }
        for version in _sound_versions(connection, found):
            found.versions.setdefault(version[0], []).append(version)
        for row, *values in readable_rows(connection, "memory_entries", ("row", *_SEALED)):
            _take(row, values, twins, found)
    finally:
        close(connection)
    return found


def _take(row: int, values: list[Any], twins: Mapping[str, Entry], found: _Found) -> None:
    """One entry: as it is, or by whatever heals it."""
    name = _decoded(values[0])
    if _is_text(values) and (values[-1] is None or is_sound(values)):
        found.entries[row] = entry_from(values[:_WIDTH]), tuple(values[_WIDTH:-1])
        return
    found.spoiled.add(name)
    whole = mended(values[:-1], values[-1])
    if whole is not None:
        found.entries[row] = entry_from(whole[:_WIDTH]), tuple(whole[_WIDTH:])
        found.mended.append(whole[0])
        return
    history = found.versions.get(row, [])
    if name in twins:
        entry = replace(twins[name], version=_next_version(history))
        found.entries[row] = entry, ("healed from its domain file", None, None)
        found.from_files.append(name)
    elif history:
        last = history.pop()
        entry = entry_of(last[3])
        found.entries[row] = entry, (f"{last[2]}; a later version was damaged", None, None)
        found.from_history.append(entry.id)
    elif (kept := _as_far_as_it_goes(values)) is not None:
        found.entries[row] = kept, ("could be read, not verified", None, None)
        found.unverified.append(kept.id)
    else:
        found.lost.append(name if is_entry_id(name) else f"row {row}")


def _as_far_as_it_goes(values: Sequence[Any]) -> Entry | None:
    """An entry that has its words and its id, and is kept out of sight until a person looks."""
    known = dict(zip(COLUMNS, values, strict=False))
    id_, content, moment_ = known["id"], known["content"], known["created_at"]
    if not isinstance(id_, str) or not is_entry_id(id_) or not isinstance(content, str):
        return None
    kind, when = known["category"], moment_ if isinstance(moment_, str) else "1970-01-01T00:00:00Z"
    category: Category = kind if kind in CATEGORIES else "fact"
    trust: Trust = "owner" if known["trust"] == "owner" else "untrusted"
    return Entry(id_, category, content, when, when, trust=trust, archived=True)


def _sound_versions(connection: apsw.Connection, found: _Found) -> Iterator[Row]:
    for values in readable_rows(connection, "memory_versions", _VERSION):
        if _is_text(values) and (values[-1] is None or is_sound(values)):
            yield tuple(values)
            continue
        found.retouched.add(values[0])
        if whole := mended(values[:-1], values[-1]):
            yield (*whole, values[-1])
        else:
            found.lost_versions.append(f"version {values[1]} of row {values[0]}")


def _fill(tx: Refilling, found: _Found, twins: Mapping[str, Entry], home_of: Home) -> None:
    for table, rows in found.rest.items():
        tx.carry(table, _CARRIED[table], [row for row in rows if _lasts(table, row)])
    erased = {row[0] for row in found.rest.get("erased", ())}
    known = {entry.id for entry, _ in found.entries.values()}
    for row, (entry, (change, home, part)) in sorted(found.entries.items()):
        tx.put_back(row, entry, change, home or home_of(entry), part)
        tx.keep_versions(found.versions.get(row, ()))
    for id_, entry in twins.items():
        if id_ not in known | erased:
            tx.insert(entry, fingerprint(entry.content), home_of(entry), "restored from its file")
    tx.ask_for_vectors()


def _lasts(table: str, row: Row) -> bool:
    """Not a note that is made anew, nor a vector that is not what the model made."""
    if table == "memory_vectors":
        return all(isinstance(each, bytes | None) for each in row[2:4]) and (
            vector_seal(row[2] or b"", row[3]) == row[4]
        )
    return table != "meta" or not (row[0] == "scope" or str(row[0]).startswith(NOTES_ON_FILES))


def _refilling(tx: object) -> Refilling:
    assert isinstance(tx, Transaction)
    return Refilling(tx._connection)


def _next_version(history: Sequence[Row]) -> int:
    return max((int(each[1]) for each in history), default=0) + 1


def _is_text(values: Sequence[Any]) -> bool:
    """Whether every text could be read as such."""
    return not any(isinstance(value, Garbled) for value in values)


def _decoded(value: Any) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
