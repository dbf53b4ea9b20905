"""The metadata of a domain file's entries: one line per entry in a comment at the end of the file.

    <!-- remem: details of the bullets above; keep this block at the end of the file
    mem-3kx7t9qa {"created":"2026-11-15T22:17:13Z","priority":"high"}
    remem: end 5f3a9c1e 3c9118778f5a02d8 -->

The end line shows that the file was saved as a whole, and identifies the write on which the content
is based: an editor may have had the file open for an hour, and entries stored in that time are
missing from its save, but nobody removed them. So it contains a short digest of the items that were
written, and a keyed checksum of them (`workspace_key`).

In the old form, the metadata are in a comment on the entry's own line, and the end line is a
comment. Such comments are still read, also on a bullet that a person adds.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from remem.files.domain_file.metadata import Meta, read_meta, write_meta
from remem.model.entry import ENTRY_ID

Form = Literal["new", "old"]
"""Where the metadata are: at the end of the file, or in comments on the entries' lines."""

OPENING: Final = "<!-- remem: details of the bullets above; keep this block at the end of the file"
END_LINE: Final = "remem: end -->"
OLD_END_LINE: Final = f"<!-- {END_LINE}"

_OPENING_START: Final = "<!-- remem: details"
_RECORD: Final = re.compile(rf"(?P<id>{ENTRY_ID.pattern})[ \t]*(?P<json>\{{.*)")
_END: Final = re.compile(
    r"(?:<!-- )?remem: end(?: (?P<mark>[0-9a-f]{8})(?: (?P<proof>[0-9a-f]{16}))?)? -->"
)
_CUT_OFF: Final = re.compile(rf"mem-\w{{0,8}}|{_RECORD.pattern}|r|re(?:m(?:e(?:m(?::.*)?)?)?)?")
OWN_LINE: Final = re.compile(
    rf"^(?P<indent>[ \t]*)(?=remem: end|{ENTRY_ID.pattern}[ \t]*\{{)", re.MULTILINE
)
"""The start of a line that would be read as a line of the details."""
_MIN_CUT: Final = len("<!--")
_MAX_WRAPPED: Final = 40


@dataclass(frozen=True, slots=True)
class Detail:
    """A line of the details: the opening, the metadata of one entry, or the end line."""

    raw: str
    id: str | None = None
    meta: Meta | None = None
    fault: str | None = None
    is_end: bool = False
    mark: str | None = None
    proof: str | None = None


def details_in(lines: Sequence[str], bare: Sequence[str]) -> dict[int, tuple[int, Detail]]:
    """The details of a file: the index of a line → the index after it, and what it says.

    `bare` are the lines without white space at their ends. They are details wherever they are,
    because people move lines and join files.
    """
    found: dict[int, tuple[int, Detail]] = {}
    at = 0
    while at < len(bare):
        line = bare[at].lstrip()
        end, detail = at + 1, None
        if line.startswith("mem-"):
            end, detail = _record(lines, bare, at)
        elif line.startswith(_OPENING_START) and "-->" not in line:
            detail = Detail(lines[at])
        elif line.endswith(END_LINE[-3:]) and (match := _END.fullmatch(line)):
            mark, proof = match["mark"], match["proof"]
            detail = Detail(lines[at], is_end=True, mark=mark, proof=proof)
        if detail is not None:
            found[at] = end, detail
        at = end
    if not any(detail.is_end for _, detail in found.values()):
        found |= _cut_off_line(lines, bare, found)
    return found


def _record(lines: Sequence[str], bare: Sequence[str], at: int) -> tuple[int, Detail | None]:
    """The metadata of one entry; an editor may have wrapped the line."""
    match = _RECORD.fullmatch(bare[at].lstrip())
    if match is None:
        return at + 1, None
    id_, text, fault = match["id"], match["json"], ""
    for end in range(at + 1, min(len(bare), at + _MAX_WRAPPED) + 1):
        try:
            return end, Detail("".join(lines[at:end]), id_, read_meta(text))
        except ValueError as error:
            fault = fault or f"the details of {id_} cannot be parsed: {error}"
        following = bare[end].lstrip() if end < len(bare) else ""
        if not following or following.startswith(("mem-", "remem:", "- ", "* ", "+ ", "#")):
            break
        text += f" {following}"
    return at + 1, Detail(lines[at], id_, None, fault)


def _cut_off_line(
    lines: Sequence[str], bare: Sequence[str], found: Mapping[int, tuple[int, Detail]]
) -> dict[int, tuple[int, Detail]]:
    """The last line of a file that was saved in part, if it is the beginning of a detail."""
    last = len(lines) - 1
    if last < 0 or lines[last].endswith(("\n", "\r")):
        return {}
    line, (_, known) = bare[last], found.get(last, (0, None))
    in_block = known is not None or any(end == last for end, _ in found.values())
    is_opening = len(line) >= _MIN_CUT and OPENING.startswith(line)
    is_cut_off = is_opening or (in_block and _CUT_OFF.fullmatch(line) is not None)
    if not is_cut_off or (known is not None and known.meta):
        return {}
    return {last: (last + 1, Detail(lines[last]))}


def details_block(records: Iterable[str], newline: str) -> str:
    """The details of a file, to be written after its last line."""
    return newline.join([OPENING, *records, END_LINE, ""])


def record_line(id_: str, meta: Meta) -> str:
    """The line with the metadata of an entry."""
    return f"{id_} {write_meta(meta, spaced=True)}"


def items_digest(items: Mapping[str, str]) -> str:
    """The digest of a set of items, from their ids and digests."""
    return hashlib.sha256(json.dumps(sorted(items.items())).encode()).hexdigest()[:8]


def with_end_mark(text: str, items: Mapping[str, str], proof: str | None = None) -> str:
    """The text of a file with the digest and checksum in its end line."""
    head, end, tail = text.rpartition(END_LINE)
    mark = " ".join(filter(None, (items_digest(items), proof)))
    return f"{head}{END_LINE.replace('-->', f'{mark} -->')}{tail}" if end else text


def is_complete(data: bytes) -> bool:
    """Whether the file has its end line, with or without a digest."""
    lines = data.decode(errors="replace").splitlines()
    return any(_END.fullmatch(line.strip()) for line in reversed(lines))
