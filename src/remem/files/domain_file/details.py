"""The metadata of a domain file's entries, in a comment at the end of the file.

    <!-- remem: details; keep this block at the end of the file
    mem-3kx7t9qa {"created": "2026-11-15T22:17:13Z", "priority": "high"}
    remem: end 5f3a9c1e 3c9118778f5a02d8 -->

`metadata_lines` describes the lines between the first and the last one.

The end line shows that the file was saved as a whole. It contains a short digest of the items that
remem wrote, which identifies the write on which the content is based: an editor may have had the
file open for an hour, and then entries that were stored in that time are missing from it although
nobody removed them. It also contains a proof that remem wrote them (`workspace_key`).

In the old form of a file, the metadata are in a comment on the entry's own line, and the end line
is a comment as well. Such comments are still read, also on a bullet that a person adds. In a form
between the two, each entry has a line of its own and the opening line is different.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Literal

from remem.fast_dataclass import dataclass
from remem.files.domain_file.metadata import Meta
from remem.files.domain_file.metadata_lines import (
    METADATA_LINE_START,
    MetadataLine,
    SharedValues,
    first_id,
    read_line,
)
from remem.model.entry import ID_PREFIX

Form = Literal["new", "old"]
"""Where the metadata are: at the end of the file, or in comments on the entries' lines."""

OPENING: Final = "<!-- remem: details; keep this block at the end of the file"
END_LINE: Final = "remem: end -->"
OLD_END_LINE: Final = f"<!-- {END_LINE}"
EARLIER_LINES: Final = ("<!-- remem: details of", "<!-- remem: end")
"""The beginnings of lines that only files of earlier forms have."""

_OPENING_START: Final = "<!-- remem: details"
_END: Final = re.compile(
    r"(?:<!-- )?remem: end(?: (?P<mark>[0-9a-f]{8})(?: (?P<proof>[0-9a-f]{16}))?)? -->"
)
_CUT_OFF_LINE: Final = re.compile(r"(?:m|me|mem|mem-[^\s].*|@.*)|r|re(?:m(?:e(?:m(?::.*)?)?)?)?")
OWN_LINE: Final = re.compile(
    rf"^(?P<indent>[ \t]*)(?=remem: end|{METADATA_LINE_START})", re.MULTILINE
)
"""The start of a line that would be read as a line of the details."""
_MIN_CUT_OPENING: Final = len("<!--")
_MAX_WRAPPED_LINES: Final = 40
_START_OF_OTHER_LINE: Final = (ID_PREFIX, "@", "remem:", "- ", "* ", "+ ", "#")


@dataclass(frozen=True, slots=True)
class Detail:
    """A part of the details: the opening line, the metadata of one entry, or the end line.

    `fault` says what is wrong with the metadata. `mark` and `proof` are those of the end line.
    """

    raw: str
    id: str | None = None
    meta: Meta | None = None
    fault: str | None = None
    is_end: bool = False
    mark: str | None = None
    proof: str | None = None


def details_in(
    lines: Sequence[str], stripped: Sequence[str]
) -> dict[int, tuple[int, list[Detail]]]:
    """Return the details of a file: index of a line → index after it, and its details.

    `stripped` are the lines without white space at their ends. Lines of details are recognised
    anywhere in the file, because people move lines and join files. The first detail of a line
    contains its whole text, the others none.
    """
    details: dict[int, tuple[int, list[Detail]]] = {}
    metadata_lines: dict[int, MetadataLine] = {}
    shared: dict[str, dict[int, Mapping[str, Any]]] = {}
    at = 0
    while at < len(stripped):
        line, end = stripped[at].lstrip(), at + 1
        if line.startswith((ID_PREFIX, "@")):
            end, content = _content(stripped, at)
            raw = "".join(lines[at:end])
            if isinstance(content, SharedValues):
                shared.setdefault(content.name, {})[at] = content.values
                details[at] = end, [Detail(raw)]
            elif isinstance(content, MetadataLine):
                metadata_lines[at] = content
                details[at] = end, [Detail(raw)]
            elif content is not None:
                details[at] = end, [Detail(raw, first_id(line), None, content)]
        elif line.startswith(_OPENING_START) and "-->" not in line:
            details[at] = end, [Detail(lines[at])]
        elif line.endswith(END_LINE[-3:]) and (match := _END.fullmatch(line)):
            mark, proof = match["mark"], match["proof"]
            details[at] = end, [Detail(lines[at], is_end=True, mark=mark, proof=proof)]
        at = end
    for at, content in metadata_lines.items():
        end, (unresolved, *_) = details[at]
        details[at] = end, _details_from(unresolved.raw, content, _nearest(shared, content, at))
    if not any(detail.is_end for _, line_details in details.values() for detail in line_details):
        details |= _cut_off_line(lines, stripped, details)
    return details


def _content(
    stripped: Sequence[str], at: int
) -> tuple[int, MetadataLine | SharedValues | str | None]:
    """Return the index after a line of the details and its content.

    An editor may have wrapped the line. The content is a text that says what is wrong if the line
    cannot be parsed, and None if it is not a line of the details.
    """
    text = stripped[at].lstrip()
    is_own = OWN_LINE.match(text) is not None
    fault = None
    for end in range(at + 1, min(len(stripped), at + _MAX_WRAPPED_LINES) + 1):
        try:
            content = read_line(text)
        except ValueError as error:
            fault = (
                fault or f"the details of {first_id(text) or text[:5]} cannot be parsed: {error}"
            )
        else:
            if content is not None:
                return end, content
        following = stripped[end].lstrip() if end < len(stripped) else ""
        if not following or following.startswith(_START_OF_OTHER_LINE):
            break
        text += f" {following}"
    return at + 1, fault if is_own else None


def _nearest(
    shared: Mapping[str, Mapping[int, Mapping[str, Any]]], line: MetadataLine, at: int
) -> Mapping[str, Any] | None:
    """Return the shared values that the line at `at` refers to.

    They are the last ones above the line, or else the first ones below it.
    """
    by_index = shared.get(line.shared or "", {})
    above = [index for index in by_index if index < at]
    return by_index[max(above) if above else min(by_index)] if by_index else None


def _details_from(raw: str, line: MetadataLine, shared: Mapping[str, Any] | None) -> list[Detail]:
    """Return a detail for each entry of a line; only the first contains the text of the line."""
    try:
        metas: Mapping[str, Meta | None] = line.metas(shared)
        fault = None
    except (TypeError, ValueError) as error:
        metas = dict.fromkeys(line.ids)
        fault = f"the details of {next(iter(line.ids))} cannot be used: {error}"
    return [
        Detail("" if number else raw, id_, meta, fault)
        for number, (id_, meta) in enumerate(metas.items())
    ]


def _cut_off_line(
    lines: Sequence[str],
    stripped: Sequence[str],
    details: Mapping[int, tuple[int, list[Detail]]],
) -> dict[int, tuple[int, list[Detail]]]:
    """Return the last line as details if it is only the beginning of a line of details.

    This happens if the file was saved only in part.
    """
    last = len(lines) - 1
    if last < 0 or lines[last].endswith(("\n", "\r")):
        return {}
    line, (_, known) = stripped[last], details.get(last, (0, []))
    in_block = bool(known) or any(end == last for end, _ in details.values())
    is_opening = len(line) >= _MIN_CUT_OPENING and OPENING.startswith(line)
    is_cut_off = is_opening or (in_block and _CUT_OFF_LINE.fullmatch(line) is not None)
    if not is_cut_off or any(detail.meta for detail in known):
        return {}
    return {last: (last + 1, [Detail(lines[last])])}


def details_block(lines: Iterable[str], newline: str) -> str:
    """Return the text of the details, from the lines of metadata."""
    return newline.join([OPENING, *lines, END_LINE, ""])


def items_digest(items: Mapping[str, str]) -> str:
    """Return the digest of a set of items, from their ids and digests."""
    return hashlib.sha256(json.dumps(sorted(items.items())).encode()).hexdigest()[:8]


def with_end_mark(text: str, items: Mapping[str, str], proof: str | None = None) -> str:
    """Return the text of a file with the digest of its items and the proof in its end line."""
    head, end, tail = text.rpartition(END_LINE)
    mark = " ".join(filter(None, (items_digest(items), proof)))
    return f"{head}{END_LINE.replace('-->', f'{mark} -->')}{tail}" if end else text


def is_complete(data: bytes) -> bool:
    """Return whether a file has an end line, with or without a digest."""
    lines = data.decode(errors="replace").splitlines()
    return any(_END.fullmatch(line.strip()) for line in reversed(lines))
