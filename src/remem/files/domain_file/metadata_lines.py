"""The lines of metadata at the end of a domain file, with repeated values written once.

    @3fk2 {"context": "MEMORY.md › Home", "created": "2026-11-15T22:17:13Z", "from": ["MEMORY.md"]}
    mem-3kx7t9qa:12 8mw2p4tz:13 @3fk2 {"context": "› Kitchen"}
    mem-p0v6s2jd {"created": "2026-11-16T08:02:40Z", "priority": "high"}

A record gives values to one or more entries. It may refer to a line of shared values; its own
values come first, and a context that begins with `›` continues the shared one. `from` are the
files that the entries come from, and the numbers after an id the positions in them. A line of
shared values is named after its content, so that two versions of a file can be joined.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from remem.fast_dataclass import dataclass
from remem.files.domain_file.metadata import (
    Meta,
    decode_values,
    encode_values,
    meta_from,
    plain_values,
)
from remem.model.entry import ALPHABET, ENTRY_ID, PATH_SEPARATOR

_PREFIX: Final = "mem-"
_SHORT_ID: Final = ENTRY_ID.pattern.removeprefix(_PREFIX)
_POSITIONS: Final = r"(?::-?[0-9]{1,18}(?:,-?[0-9]{1,18})*)?"
_IDS: Final = rf"{ENTRY_ID.pattern}{_POSITIONS}(?:[ \t]+{_SHORT_ID}{_POSITIONS})*"
_NAME: Final = r"@[0-9a-z]{4}"
_RECORD: Final = re.compile(rf"(?P<ids>{_IDS})(?:[ \t]+(?P<name>{_NAME}))?[ \t]*(?P<json>\{{.*)")
_SHARED: Final = re.compile(rf"(?P<name>{_NAME})[ \t]+(?P<json>\{{.*)")
RECORD_START: Final = rf"{_IDS}(?:[ \t]+{_NAME})?[ \t]*\{{|{_NAME}[ \t]+\{{"
"""A pattern for the start of such a line."""
_FROM: Final = "from"
_CONTINUED: Final = PATH_SEPARATOR.lstrip()
_NAME_LENGTH: Final = len("@3fk2")
_SHARED_KEYS: Final = ("source", "trust", _FROM)
_HEADINGS_SHARED: Final = 2
"""A context begins with a file and its title; entries of the same file share these."""


@dataclass(frozen=True, slots=True)
class SharedValues:
    """A line of shared values."""

    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Record:
    """The values of some entries, by their ids, with the positions of each."""

    ids: Mapping[str, tuple[int, ...]]
    shared: str | None
    values: Mapping[str, Any]

    def metas(self, shared: Mapping[str, Any] | None) -> dict[str, Meta]:
        """Return the metadata of each entry; ValueError if they cannot be used."""
        if self.shared is not None and shared is None:
            raise ValueError(f"the line {self.shared} is missing")
        values = {**(shared or {}), **self.values}
        start, rest = (shared or {}).get("context"), self.values.get("context")
        if isinstance(start, str) and isinstance(rest, str) and rest.startswith(_CONTINUED):
            values["context"] = f"{start} {rest}"
        files = values.pop(_FROM, [])
        return {
            id_: meta_from(values | _origins(files, positions))
            for id_, positions in self.ids.items()
        }


def _origins(files: Any, positions: Sequence[int]) -> dict[str, Any]:
    if not positions and not files:
        return {}
    if not isinstance(files, list) or len(files) != len(positions):
        raise ValueError(f"it has {len(positions)} positions in the files {files!r}")
    places = zip(files, positions, strict=True)
    return {"origins": [{"source": file, "position": position} for file, position in places]}


def read_line(line: str) -> Record | SharedValues | None:
    """Return the record or the shared values on a line; None if it has neither.

    ValueError if the line is malformed, or incomplete because an editor wrapped it.
    """
    if match := _SHARED.fullmatch(line):
        return SharedValues(match["name"], decode_values(match["json"]))
    match = _RECORD.fullmatch(line)
    if match is None:
        return None
    return Record(_ids_in(match["ids"]), match["name"], decode_values(match["json"]))


def first_id(line: str) -> str | None:
    """Return the id that a line begins with, if it may be a record."""
    match = re.match(RECORD_START, line)
    return match[0][: len(_PREFIX) + 8] if match and match[0].startswith(_PREFIX) else None


def _ids_in(text: str) -> dict[str, tuple[int, ...]]:
    ids: dict[str, tuple[int, ...]] = {}
    for word in text.split():
        id_, _, numbers = word.removeprefix(_PREFIX).partition(":")
        positions = tuple(int(number) for number in numbers.split(",")) if numbers else ()
        ids[f"{_PREFIX}{id_}"] = positions
    return ids


@dataclass(frozen=True, slots=True)
class _Values:
    """The values of one entry: the values that it may share with others, and its own."""

    word: str
    shareable: Mapping[str, Any]
    rest: Mapping[str, Any]


def write_lines(metas: Mapping[str, Meta]) -> list[str]:
    """Return the lines with the metadata of some entries, sorted by id, shared values first."""
    groups: dict[str, list[_Values]] = defaultdict(list)
    shared: dict[str, str] = {}
    records: list[str] = []
    for id_, meta in sorted(metas.items()):
        if meta.created is None:  # nothing is known about it, so it must not share a time
            records.append(record_line(id_, meta))
            continue
        values = _split(id_, meta)
        groups[encode_values(values.shareable)].append(values)
    for members in groups.values():
        line, ids = _group_lines(members)
        if line is not None and shared.setdefault(line[:_NAME_LENGTH], line) != line:
            ids = [_alone([member]) for member in members]  # another line has its name
        records += ids
    return [*sorted(shared.values()), *sorted(records)]


def record_line(id_: str, meta: Meta) -> str:
    """Return the line with the metadata of one entry, without anything shared."""
    return f"{id_} {encode_values(plain_values(meta, spaced=True))}"


def _split(id_: str, meta: Meta) -> _Values:
    values = plain_values(meta, spaced=True)
    word = id_
    if meta.origins and all(isinstance(place, str) for place in values["origins"]):
        del values["origins"]
        values[_FROM] = [origin.source for origin in meta.origins]
        word = f"{id_}:{','.join(str(origin.position) for origin in meta.origins)}"
    start, rest = _split_context(values.pop("context", None))
    shareable: dict[str, Any] = {key: values.pop(key) for key in _SHARED_KEYS if key in values}
    if start is not None:
        shareable["context"] = start
    if rest is not None:
        values["context"] = rest
    return _Values(word, shareable, values)


def _split_context(context: str | None) -> tuple[str | None, str | None]:
    """Return a context without its last headings, and those headings as a continuation."""
    parts = (context or "").split(PATH_SEPARATOR)
    start, rest = parts[:_HEADINGS_SHARED], parts[_HEADINGS_SHARED:]
    if not rest:
        return context, None
    return PATH_SEPARATOR.join(start), f"{_CONTINUED}{PATH_SEPARATOR.join(rest)}"


def _group_lines(members: Sequence[_Values]) -> tuple[str | None, list[str]]:
    """Return the line of values that some entries share, if they need one, and their records."""
    times = Counter(member.rest["created"] for member in members)
    time = min(times, key=lambda text: (-times[text], text))
    by_values: dict[str, list[_Values]] = defaultdict(list)
    for member in members:
        own = {
            key: value for key, value in member.rest.items() if (key, value) != ("created", time)
        }
        by_values[encode_values(own)].append(member)
    alone = [_alone(same) for same in by_values.values()]
    text = encode_values({**members[0].shareable, "created": time})
    name = _name(text)
    records = [f"{_words(same)} {name} {values}" for values, same in by_values.items()]
    shorter = sum(map(len, [name, text, *records])) < sum(map(len, alone))
    return (f"{name} {text}", records) if shorter else (None, alone)


def _alone(members: Sequence[_Values]) -> str:
    """Return the record of entries with equal values that refers to no other line."""
    shareable, rest = members[0].shareable, members[0].rest
    whole = {**shareable, **rest}
    if "context" in shareable and "context" in rest:
        whole["context"] = f"{shareable['context']} {rest['context']}"
    return f"{_words(members)} {encode_values(whole)}"


def _words(members: Iterable[_Values]) -> str:
    """Return the ids of a record; only the first is written in full."""
    first, *others = (member.word for member in members)
    return " ".join([first, *(word.removeprefix(_PREFIX) for word in others)])


def _name(text: str) -> str:
    bits = int.from_bytes(blake2b(text.encode(), digest_size=3).digest(), "big")
    return "@" + "".join(ALPHABET[bits >> shift & 31] for shift in (15, 10, 5, 0))
