"""What stands in AGENTS.md, and how is exactly that found again? Arithmetic on bytes.

The section comes last: a host that has no room for a long file cuts it in the middle. Other
chats read the file too, so it sends nobody but the owner's own conversation to private files.
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
where the rest is. It may stand in your context already; if not, read it first. In any other chat \
leave that file alone: the tools know what belongs there.
- Recall: before you answer anything about prior work, decisions, dates, people, preferences or \
plans, call `memory_recall` with the question in plain words. Cite the ids you used.
- Store: when you learn something lasting, call `memory_store` with one self-contained statement; \
to correct a memory, name its id in `supersedes`.
- Fallback: if recall fails or finds nothing, call `memory_search`, then `memory_get` for the \
lines you need. If nothing is found there either, say that you looked.
<!-- remem:end {id} -->
"""
_BEGIN: Final = re.compile(rb"<!-- remem:begin ([0-9a-f]{8}) -->")
_MARK: Final = re.compile(rb"<!-- remem:(?:begin|end) [0-9a-f]{8} -->")
_BOM: Final = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Cleared:
    """A file without the section; `words` is what a person wrote in it, with all around it."""

    data: bytes
    words: bytes | None = None


@dataclass(frozen=True, slots=True)
class _Region:
    start: int
    end: int
    id: bytes


def with_section(data: bytes, id_: str) -> bytes:
    """The file with the section behind it, in the file's own line ends."""
    eol = _line_end(data)
    return data + eol * gap_before(data) + _section(id_.encode(), eol)


def has_section(data: bytes) -> bool:
    return _regions(data) != []


def is_untouched(data: bytes) -> bool:
    """Whether the section says exactly what it should."""
    return all(_is_ours(data, region) for region in _regions(data))


def gap_before(data: bytes) -> int:
    """How many line ends go between a file and the section that is put behind it."""
    if data in (b"", _BOM):
        return 0
    return 1 if data.endswith(b"\n") else 2


def cleared(data: bytes, gap: int = 1) -> Cleared | None:
    """The file with every byte of ours taken out, and no other; None if there is none in it.

    `gap` is what `gap_before` said when the section was added.
    """
    regions = _regions(data)
    if not regions:
        return _unmarked(data)
    edited = b"".join(
        data[region.start : region.end] for region in regions if not _is_ours(data, region)
    )
    rest = data
    for region in reversed(regions):
        rest = _joined(rest[: region.start], rest[region.end :], gap)
    torn = _unmarked(rest)
    return Cleared(torn.data, data) if torn else Cleared(rest, edited or None)


def _unmarked(data: bytes) -> Cleared | None:
    """A file in which one mark of two is lost: the lines that are ours, word for word, go."""
    if not _MARK.search(data):
        return None
    ours = {line for line in _section(b"", b"\n").splitlines() if line}
    kept = [
        line
        for line in data.splitlines(keepends=True)
        if line.strip() not in ours and not _MARK.fullmatch(line.strip())
    ]
    return Cleared(b"".join(kept), data)


def _regions(data: bytes) -> list[_Region]:
    """Where a begin has its end; the line end behind it belongs to it."""
    found: list[_Region] = []
    for begin in _BEGIN.finditer(data):
        end = re.compile(rb"<!-- remem:end " + begin[1] + rb" -->(?:\r?\n)?")
        closing = end.search(data, begin.end())
        if closing and (not found or found[-1].end <= begin.start()):
            found.append(_Region(begin.start(), closing.end(), begin[1]))
    return found


def _is_ours(data: bytes, region: _Region) -> bool:
    """Line ends do not count: an editor may have changed those of the whole file."""
    words = data[region.start : region.end].replace(b"\r\n", b"\n")
    return words.rstrip(b"\n") == _section(region.id, b"\n").rstrip(b"\n")


def _joined(before: bytes, after: bytes, gap: int) -> bytes:
    """The two sides of the section without the line ends that we put before it.

    If there is no blank line before it any more, ours is gone. One line end stays between
    two lines of a person, even if it was ours: his lines are never run together.
    """
    between = gap > 1 and after and not after.startswith((b"\n", b"\r\n"))
    for eol in (b"\r\n", b"\n"):
        if gap > 1 and not between and before.endswith(eol + eol):
            return before.removesuffix(eol + eol) + after
        if gap and before.endswith(eol) and before.removesuffix(eol).endswith(b"\n"):
            return before.removesuffix(eol) + after
    return before + after


def _section(id_: bytes, eol: bytes) -> bytes:
    return _TEXT.encode().replace(b"{id}", id_).replace(b"\n", eol)


def _line_end(data: bytes) -> bytes:
    return b"\r\n" if 2 * data.count(b"\r\n") > data.count(b"\n") else b"\n"
