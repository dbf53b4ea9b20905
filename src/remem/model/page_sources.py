"""The markers around the generated lines of a page, and the sources of these lines.

The second marker is a comment with the sources of the lines, each named by the digest of its words:

    <!-- remem: sources of the lines above
    f99a87 MEMORY.md#L16
    remem: end -->

Lines about facts name their fact themselves, because search finds them one by one. Earlier versions
of remem had such marks on all lines (`marked_line`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from remem.text.marked_line import line_digest, read_mark

BEGIN: Final = "<!-- remem: begin; write your own lines above or below -->"
END: Final = "remem: end -->"
BEGINNING: Final = re.compile(r"<!-- remem: begin\b[^>]*-->")
ENDING: Final = re.compile(r"(?:<!-- )?remem: end\b[^>]*-->")
HEADING: Final = re.compile(r"#{1,6}[ \t]+(?P<title>.*)")
_SOURCES: Final = "<!-- remem: sources of the lines above"
_RECORD: Final = re.compile(r"(?P<digest>[0-9a-f]{6}) (?P<sources>\S+(?: \S+)*)")


def without_marks(lines: Sequence[str], *, facts: bool) -> list[str]:
    """Generated lines without their marks, and the marker with their sources."""
    own: list[str] = []
    records: dict[str, str] = {}
    for number, line in enumerate(lines):
        mark = read_mark(line) if number == 0 or not facts else None
        own.append(mark.text if mark else line)
        if mark:
            records.setdefault(line_digest(mark.text), " ".join(mark.sources))
    listed = [f"{digest} {sources}" for digest, sources in records.items()]
    return [*own, "", _SOURCES, *listed, END]


def with_marks(lines: Sequence[str]) -> list[str]:
    """Return the lines of a page with the marks that its second marker has for them.

    A line that replaces another one gets the mark of that line, which then says that it was
    changed. The number of lines stays the same.
    """
    marked = list(lines)
    begin = next((n for n, line in enumerate(lines) if BEGINNING.fullmatch(line.strip())), None)
    start = next((n for n, line in enumerate(lines) if line.strip() == _SOURCES), None)
    if begin is None or start is None or start < begin:
        return marked
    records: dict[str, str] = {}
    end = start + 1
    while end < len(lines) and (match := _RECORD.fullmatch(lines[end].strip())):
        records[match["digest"]] = match["sources"]
        end += 1
    has_end = end < len(lines) and ENDING.fullmatch(lines[end].strip()) is not None
    marked[start : end + has_end] = [""] * (end + has_end - start - 1) + [END]
    digests = {n: line_digest(lines[n]) for n in range(begin + 1, start) if lines[n].strip()}
    gone = [digest for digest in records if digest not in digests.values()]
    order = list(records)
    above = -1
    for number, digest in digests.items():
        following = order[above + 1] if above + 1 < len(order) else ""
        is_own = HEADING.fullmatch(lines[number].strip()) or read_mark(lines[number])
        named = digest if digest in records else following
        if named in records and (named == digest or (named in gone and not is_own)):
            above = order.index(named)
            sources = ",".join(records[named].split())
            marked[number] = f"{lines[number].rstrip()} ^{sources}-{named}"
    return marked
