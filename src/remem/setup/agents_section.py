"""Add the section about remem to AGENTS.md, find it, and remove exactly its bytes.

The section comes last, because hosts cut long files in the middle. Group chats read the file too,
so the section refers to private files only for the owner's own conversation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_TEXT: Final = """\
<!-- remem:begin {id} -->
## Memory (remem)

You have a lasting memory. Its tools may carry a prefix of your host before their names.

- Index: in your own conversation with the owner, `memory/INDEX.md` says what always matters and \
where the rest is. It may already be in your context; if not, read it first. In any other chat \
leave that file alone: the tools know what belongs there.
- Recall: before you answer anything about prior work, decisions, dates, people, preferences or \
plans, call `memory_recall` with the question in plain words. Cite the ids you used.
- Store: when you learn something lasting, call `memory_store` with one self-contained statement; \
to correct a memory, name its id in `supersedes`.
- Fallback: if recall fails or finds nothing, call `memory_search`, then `memory_get` for the \
lines you need. If nothing is found there either, say that you looked.
<!-- remem:end {id} -->
"""
_EARLIER_TEXT: Final = _TEXT.replace("may already be in your", "may stand in your").replace(
    "context; if not", "context already; if not"
)
"""The text of an earlier version, which does not count as edited."""
_BEGIN: Final = re.compile(rb"<!-- remem:begin ([0-9a-f]{8}) -->")
_MARK: Final = re.compile(rb"<!-- remem:(?:begin|end) [0-9a-f]{8} -->")
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class WithoutSection:
    """A file without the section; `edited` is a copy of a section that a person edited."""

    data: bytes
    edited: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Region:
    start: int
    end: int
    id: bytes


def with_section(data: bytes, id_: str) -> bytes:
    """Append the section, with the line endings of the file."""
    eol = _line_end(data)
    return data + eol * gap_before(data) + _section(id_.encode(), eol)


def has_section(data: bytes) -> bool:
    """Return whether a file contains remem's section."""
    return _regions(data) != []


def is_untouched(data: bytes) -> bool:
    """Return whether the section has exactly the text that remem writes."""
    return all(_is_unedited(data, region) for region in _regions(data))


def gap_before(data: bytes) -> int:
    """Return the number of line endings between a file and the section appended to it."""
    if data in (b"", _BOM):
        return 0
    return 1 if data.endswith(b"\n") else 2


def without_section(data: bytes, gap: int = 1) -> WithoutSection | None:
    """Remove every byte of the section and no other; None if the file does not contain it.

    `gap` is the result of `gap_before` when the section was added.
    """
    regions = _regions(data)
    if not regions:
        return _without_known_lines(data)
    edited = b"".join(
        data[region.start : region.end] for region in regions if not _is_unedited(data, region)
    )
    rest = data
    for region in reversed(regions):
        rest = _joined(rest[: region.start], rest[region.end :], gap)
    return _without_known_lines(rest) or WithoutSection(rest, edited or None)


def _without_known_lines(data: bytes) -> WithoutSection | None:
    """Return the file without the lines of our text; None if it has no marker.

    This is for a section that has lost one of its two markers.
    """
    if not _MARK.search(data):
        return None
    texts = _section(b"", b"\n") + _section(b"", b"\n", _EARLIER_TEXT)
    known = {line for line in texts.splitlines() if line}
    rest = [
        line
        for line in data.splitlines(keepends=True)
        if line.strip() not in known and not _MARK.fullmatch(line.strip())
    ]
    return WithoutSection(b"".join(rest), data)


def _regions(data: bytes) -> list[_Region]:
    """Return the sections that have both markers, with the line ending after the second."""
    regions: list[_Region] = []
    for begin in _BEGIN.finditer(data):
        end = re.compile(rb"<!-- remem:end " + begin[1] + rb" -->(?:\r?\n)?")
        closing = end.search(data, begin.end())
        if closing and (not regions or regions[-1].end <= begin.start()):
            regions.append(_Region(begin.start(), closing.end(), begin[1]))
    return regions


def _is_unedited(data: bytes, region: _Region) -> bool:
    """Return whether a section is unedited.

    Line endings do not count, as an editor may change them.
    """
    section = data[region.start : region.end].replace(b"\r\n", b"\n").rstrip(b"\n")
    texts = (_section(region.id, b"\n", text) for text in (_TEXT, _EARLIER_TEXT))
    return section in [text.rstrip(b"\n") for text in texts]


def _joined(before: bytes, after: bytes, gap: int) -> bytes:
    """Join the text before and after the section, without the line endings that remem added.

    If there is no blank line before the section, somebody has already removed ours. One line
    ending is kept between two lines of a person, so that they are never joined.
    """
    joins_lines = gap > 1 and after and not after.startswith((b"\n", b"\r\n"))
    for eol in (b"\r\n", b"\n"):
        if gap > 1 and not joins_lines and before.endswith(eol + eol):
            return before.removesuffix(eol + eol) + after
        if gap and before.endswith(eol) and before.removesuffix(eol).endswith(b"\n"):
            return before.removesuffix(eol) + after
    return before + after


def _section(id_: bytes, eol: bytes, text: str = _TEXT) -> bytes:
    return text.encode().replace(b"{id}", id_).replace(b"\n", eol)


def _line_end(data: bytes) -> bytes:
    return b"\r\n" if 2 * data.count(b"\r\n") > data.count(b"\n") else b"\n"
