"""The markers around the generated lines of a page, and the sources of these lines.

The second marker is a comment with the sources of the lines below each heading, in their order,
each named by the digest of its line. A source without a file is in the file of the one before:

    <!-- remem: sources of the lines above
    Rules:
    f99a87 MEMORY.md#L16, 0b21c4 #L18
    remem: end -->

Lines about facts keep a mark with their fact at their end, because search finds them one by one.
Earlier versions of remem wrote such marks on all lines (see `marked_line`), or listed each source
on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from remem.text.marked_line import line_digest, read_mark

BEGIN_LINE: Final = "<!-- remem: begin; write your own lines above or below -->"
END_LINE: Final = "remem: end -->"
BEGIN_PATTERN: Final = re.compile(r"<!-- remem: begin\b[^>]*-->")
END_PATTERN: Final = re.compile(r"(?:<!-- )?remem: end\b[^>]*-->")
HEADING: Final = re.compile(r"#{1,6}[ \t]+(?P<title>.*)")
_SOURCES: Final = "<!-- remem: sources of the lines above"
_RECORD: Final = re.compile(r"(?P<digest>[0-9a-f]{6}) (?P<sources>[^\s,]\S*(?: [^\s,]\S*)*)")
_SEPARATOR: Final = ", "
_DASHES: Final = re.compile(r"--+")


def without_marks(lines: Sequence[str], *, facts: bool) -> list[str]:
    """Return generated lines without their marks, followed by the end marker with the sources.

    With `facts`, all lines but the first keep their marks.
    """
    unmarked: list[str] = []
    groups: dict[str, dict[str, str]] = {"": {}}
    heading = ""
    for number, line in enumerate(lines):
        mark = read_mark(line) if number == 0 or not facts else None
        unmarked.append(mark.text if mark else line)
        if mark:
            digest = line_digest(mark.text)
            if not any(digest in records for records in groups.values()):
                groups[heading][digest] = " ".join(mark.sources)
        elif title := HEADING.fullmatch(line):
            heading = heading_name(title["title"])
            groups.setdefault(heading, {})
    return [*unmarked, "", _SOURCES, *_source_lines(groups), END_LINE]


def _source_lines(groups: dict[str, dict[str, str]]) -> Iterator[str]:
    for heading, records in groups.items():
        if heading:
            yield f"{heading}:"
        items: list[str] = []
        file = ""
        for digest, sources in records.items():
            is_same = bool(file) and sources.startswith(f"{file}#")
            items.append(f"{digest} {sources.removeprefix(file) if is_same else sources}")
            file = "" if " " in sources else sources.partition("#")[0]
        if items:
            yield _SEPARATOR.join(items)


def _records_in(line: str) -> dict[str, str] | None:
    """Return the sources in a line of the end marker, by digest; None for any other line."""
    if line.endswith(":"):  # a heading
        return {}
    sources_by_digest: dict[str, str] = {}
    file = ""
    for part in line.split(_SEPARATOR):
        record = _RECORD.fullmatch(part)
        if record is None:
            return None
        sources = f"{file}{record['sources']}" if record["sources"][0] == "#" else record["sources"]
        file = sources.partition("#")[0]
        sources_by_digest[record["digest"]] = sources
    return sources_by_digest


def listed_headings(text: str) -> frozenset[str]:
    """Return the names of the generated headings, which the end marker of a page lists."""
    _, _, listed = text.partition(f"{_SOURCES}\n")
    lines = (line.strip() for line in listed.partition(f"\n{END_LINE}")[0].split("\n"))
    return frozenset(line[:-1] for line in lines if line.endswith(":"))


def heading_name(title: str) -> str:
    """Return the name of a heading in the end marker, a comment that two dashes would end."""
    return _DASHES.sub("-", title)


def with_marks(lines: Sequence[str]) -> list[str]:
    """Return the lines of a page with the marks whose sources are in its end marker.

    A line that somebody edited gets the mark of the line that it replaces; its digest then shows
    the edit. The number of lines stays the same.
    """
    result = list(lines)
    begin = next((n for n, line in enumerate(lines) if BEGIN_PATTERN.fullmatch(line.strip())), None)
    start = next((n for n, line in enumerate(lines) if line.strip() == _SOURCES), None)
    if begin is None or start is None or start < begin:
        return result
    records: dict[str, str] = {}
    end = start + 1
    while end < len(lines) and (records_of_line := _records_in(lines[end].strip())) is not None:
        records |= records_of_line
        end += 1
    has_end = end < len(lines) and END_PATTERN.fullmatch(lines[end].strip()) is not None
    result[start : end + has_end] = [""] * (end + has_end - start - 1) + [END_LINE]
    digests = {n: line_digest(lines[n]) for n in range(begin + 1, start) if lines[n].strip()}
    removed = [digest for digest in records if digest not in digests.values()]
    order = list(records)
    last_index = -1
    for number, own_digest in digests.items():
        digest = own_digest
        if digest not in records:  # perhaps an edited line, in the place of the next record's line
            digest = order[last_index + 1] if last_index + 1 < len(order) else ""
            is_other = HEADING.fullmatch(lines[number].strip()) or read_mark(lines[number])
            if digest not in removed or is_other:
                continue
        last_index = order.index(digest)
        sources = ",".join(records[digest].split())
        result[number] = f"{lines[number].rstrip()} ^{sources}-{digest}"
    return result
