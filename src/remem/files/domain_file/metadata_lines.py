"""The lines of metadata at the end of a domain file, with repeated values written once.

    @3fk2 {"context": "MEMORY.md › Home", "created": "2026-11-15T22:17:13Z", "from": ["MEMORY.md"]}
    mem-3kx7t9qa:12 8mw2p4tz:13 @3fk2 {"context": "› Kitchen"}
    mem-p0v6s2jd {"created": "2026-11-16T08:02:40Z", "priority": "high"}

A line of metadata has the values of one or more entries. It may refer to a line of shared values
(`@3fk2`), which apply where the line has no values of its own; a context that begins with `›`
continues the shared one. `from` are the files that the entries come from, and the numbers after an
id are the positions in them. A line of shared values is named after its content, so that two
versions of a file can be joined.
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
from remem.model.entry import ENTRY_ID, ID_PREFIX, PATH_SEPARATOR
from remem.text.base32 import to_base32

_ID_WITHOUT_PREFIX: Final = ENTRY_ID.pattern.removeprefix(ID_PREFIX)
_POSITIONS: Final = r"(?::-?[0-9]{1,18}(?:,-?[0-9]{1,18})*)?"
_IDS: Final = rf"{ENTRY_ID.pattern}{_POSITIONS}(?:[ \t]+{_ID_WITHOUT_PREFIX}{_POSITIONS})*"
_NAME: Final = r"@[0-9a-z]{4}"
_METADATA: Final = re.compile(rf"(?P<ids>{_IDS})(?:[ \t]+(?P<name>{_NAME}))?[ \t]*(?P<json>\{{.*)")
_SHARED: Final = re.compile(rf"(?P<name>{_NAME})[ \t]+(?P<json>\{{.*)")
METADATA_LINE_START: Final = rf"{_IDS}(?:[ \t]+{_NAME})?[ \t]*\{{|{_NAME}[ \t]+\{{"
"""A pattern for the start of a line of metadata or of shared values."""
_FROM: Final = "from"
_CONTINUED: Final = PATH_SEPARATOR.lstrip()
_NAME_LENGTH: Final = len("@3fk2")
_SHARED_KEYS: Final = ("source", "trust", _FROM)
_SHARED_CONTEXT_PARTS: Final = 2
"""The first two parts of a context are a file and its title, which many entries share."""


@dataclass(frozen=True, slots=True)
class SharedValues:
    """A line of shared values."""

    name: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MetadataLine:
    """The values of some entries, whose ids are given with the positions that they come from.

    `shared` is the name of a line of shared values.
    """

    ids: Mapping[str, tuple[int, ...]]
    shared: str | None
    values: Mapping[str, Any]

    def metas(self, shared: Mapping[str, Any] | None) -> dict[str, Meta]:
        """Return the metadata of each entry; ValueError if they cannot be used."""
        if self.shared is not None and shared is None:
            raise ValueError(f"the line {self.shared} is missing")
        values = {**(shared or {}), **self.values}
        shared_context, own = (shared or {}).get("context"), self.values.get("context")
        if isinstance(shared_context, str) and isinstance(own, str) and own.startswith(_CONTINUED):
            values["context"] = f"{shared_context} {own}"
        files = values.pop(_FROM, [])
        return {
            id_: meta_from(values | _origins(files, positions))
            for id_, positions in self.ids.items()
        }


def _origins(files: Any, positions: Sequence[int]) -> dict[str, Any]:
    if not positions and not files:
        return {}
    if not isinstance(files, list) or len(files) != len(positions):
        raise ValueError(f"{len(positions)} positions do not match the files {files!r}")
    places = zip(files, positions, strict=True)
    return {"origins": [{"source": file, "position": position} for file, position in places]}


def read_line(line: str) -> MetadataLine | SharedValues | None:
    """Return the content of a line; None if it is neither metadata nor shared values.

    Raise ValueError if the line is malformed, or incomplete because an editor has wrapped it.
    """
    if match := _SHARED.fullmatch(line):
        return SharedValues(match["name"], decode_values(match["json"]))
    match = _METADATA.fullmatch(line)
    if match is None:
        return None
    return MetadataLine(_ids_in(match["ids"]), match["name"], decode_values(match["json"]))


def first_id(line: str) -> str | None:
    """Return the id that a line of metadata begins with; None for any other line."""
    id_ = ENTRY_ID.match(line)
    return id_[0] if id_ and re.match(METADATA_LINE_START, line) else None


def _ids_in(text: str) -> dict[str, tuple[int, ...]]:
    ids: dict[str, tuple[int, ...]] = {}
    for word in text.split():
        id_, _, numbers = word.removeprefix(ID_PREFIX).partition(":")
        positions = tuple(int(number) for number in numbers.split(",")) if numbers else ()
        ids[f"{ID_PREFIX}{id_}"] = positions
    return ids


@dataclass(frozen=True, slots=True)
class _EntryValues:
    """The values of one entry: those that it may share with others, and the rest.

    `id_and_positions` is how a line of metadata begins.
    """

    id_and_positions: str
    shareable: Mapping[str, Any]
    rest: Mapping[str, Any]


def write_lines(metas: Mapping[str, Meta]) -> list[str]:
    """Return the lines of metadata of some entries.

    Lines of shared values come first, then the others; both are sorted.
    """
    groups: dict[str, list[_EntryValues]] = defaultdict(list)
    shared_lines: dict[str, str] = {}
    lines: list[str] = []
    for id_, meta in sorted(metas.items()):
        if meta.created is None:  # nothing is known about it, so it must not share a time
            lines.append(line_of_entry(id_, meta))
            continue
        values = _split(id_, meta)
        groups[encode_values(values.shareable)].append(values)
    for members in groups.values():
        shared_line, member_lines = _group_lines(members)
        if shared_line is not None:
            name = shared_line[:_NAME_LENGTH]
            if shared_lines.setdefault(name, shared_line) != shared_line:  # the name is taken
                member_lines = [_complete_line([member]) for member in members]
        lines += member_lines
    return [*sorted(shared_lines.values()), *sorted(lines)]


def line_of_entry(id_: str, meta: Meta) -> str:
    """Return a line with all metadata of one entry."""
    return f"{id_} {encode_values(plain_values(meta, spaced=True))}"


def _split(id_: str, meta: Meta) -> _EntryValues:
    """Split the values of an entry into those that it may share, and the rest."""
    values = plain_values(meta, spaced=True)
    id_and_positions = id_
    if meta.origins and all(isinstance(place, str) for place in values["origins"]):
        del values["origins"]
        values[_FROM] = [origin.source for origin in meta.origins]
        id_and_positions = f"{id_}:{','.join(str(origin.position) for origin in meta.origins)}"
    context_start, context_rest = _split_context(values.pop("context", None))
    shareable: dict[str, Any] = {key: values.pop(key) for key in _SHARED_KEYS if key in values}
    if context_start is not None:
        shareable["context"] = context_start
    if context_rest is not None:
        values["context"] = context_rest
    return _EntryValues(id_and_positions, shareable, values)


def _split_context(context: str | None) -> tuple[str | None, str | None]:
    """Return a context without its last headings, and those headings as a continuation."""
    parts = (context or "").split(PATH_SEPARATOR)
    start, rest = parts[:_SHARED_CONTEXT_PARTS], parts[_SHARED_CONTEXT_PARTS:]
    if not rest:
        return context, None
    return PATH_SEPARATOR.join(start), f"{_CONTINUED}{PATH_SEPARATOR.join(rest)}"


def _group_lines(members: Sequence[_EntryValues]) -> tuple[str | None, list[str]]:
    """Return a line of shared values, and the lines of some entries that refer to it.

    The entries have the same shareable values. If their lines are shorter without a line of shared
    values, that is None.
    """
    times = Counter(member.rest["created"] for member in members)
    time = min(times, key=lambda text: (-times[text], text))
    by_values: dict[str, list[_EntryValues]] = defaultdict(list)
    for member in members:
        own = {
            key: value for key, value in member.rest.items() if (key, value) != ("created", time)
        }
        by_values[encode_values(own)].append(member)
    complete_lines = [_complete_line(same) for same in by_values.values()]
    text = encode_values({**members[0].shareable, "created": time})
    name = _name(text)
    lines = [f"{_joined_ids(same)} {name} {values}" for values, same in by_values.items()]
    is_shorter = sum(map(len, [name, text, *lines])) < sum(map(len, complete_lines))
    return (f"{name} {text}", lines) if is_shorter else (None, complete_lines)


def _complete_line(members: Sequence[_EntryValues]) -> str:
    """Return a line for entries with equal values that refers to no line of shared values."""
    shareable, rest = members[0].shareable, members[0].rest
    values = {**shareable, **rest}
    if "context" in shareable and "context" in rest:
        values["context"] = f"{shareable['context']} {rest['context']}"
    return f"{_joined_ids(members)} {encode_values(values)}"


def _joined_ids(members: Iterable[_EntryValues]) -> str:
    """Return the ids of some entries; only the first has its prefix."""
    first, *others = (member.id_and_positions for member in members)
    return " ".join([first, *(id_.removeprefix(ID_PREFIX) for id_ in others)])


def _name(text: str) -> str:
    """Return the name of a line of shared values, from its content."""
    digest = int.from_bytes(blake2b(text.encode(), digest_size=3).digest(), "big")
    return f"@{to_base32(digest, 4)}"
