"""Parse a domain file into items, which are memories, and a person's prose.

Every text can be parsed, and the result contains every character of it. The rules:

- a bullet without an id is a new memory; lines indented under it, including nested bullets, belong
  to it, and so does an unindented line that follows without a blank line in between;
- a checkbox is a bullet whose text starts with the box; an empty bullet is prose;
- a numbered list is prose, and so is a bullet in front matter, a code block or a comment, provided
  that the block is closed and contains no item with an id: a fence that somebody forgot to close
  must never make memories disappear;
- a text with an id is always an item, even if it is nested, quoted, in a row of a table or without
  a bullet, or if there are words behind the id (`displaced_ids`).

Metadata come from the details at the end of the file, or from a comment on the line (`details`).
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from remem.files.domain_file.details import Detail, details_in
from remem.files.domain_file.displaced_ids import (
    ID_PART,
    ID_SIZE,
    has_id,
    is_table_row,
    with_ids_at_end,
)
from remem.files.domain_file.document import (
    DomainDocument,
    DomainHeading,
    DomainItem,
    DomainProse,
    digest_of,
    lines_of,
    show,
    tidy,
    without_code_block,
)
from remem.files.domain_file.hidden_blocks import hidden_blocks
from remem.files.domain_file.metadata import Meta, read_comment, write_meta

_HEADING: Final = re.compile(r" {0,3}(?P<level>#{1,6})[ \t]+(?P<title>.*?)(?:[ \t]+#+)?")
_BULLET: Final = re.compile(r"([ \t]*)[-*+](?:[ \t]|$)")
_ITEM_START: Final = re.compile(
    r"((?:[ \t]*>)+[ \t]*(?=[-*+][ \t])|[ \t]*)(?:(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$))?"
)
_CHANGED_ITEM_START: Final = re.compile(
    r"(?P<quote>(?:[ \t]*>)+[ \t]*(?=[-*+][ \t])|)(?P<margin>[ \t]*)"
    r"(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\S"
)
"""The start of an item that was a bullet before a person numbered, quoted or indented it."""
_RULE: Final = re.compile(r"[ \t]*([-*_=])(?:[ \t]*\1)+")
_NEW_BLOCK: Final = re.compile(r"#{1,6}(?:\s|$)|[-*+](?:\s|$)|[0-9]{1,9}[.)]\s|[>|]|<!--|```|~~~")
_NO_WORDS: Final = re.compile(r"[-*_+\s]*(?:\[[ xX]?\])?")
Details = Mapping[str, deque[Detail]]
"""The details of a file by id. An id has several if a person joined two versions of the file."""


class _IdLine(NamedTuple):
    """A line with an id, split into its text, its metadata comment and its id."""

    before: str
    comment: str | None
    id: str


def parse(text: str) -> DomainDocument:
    """Parse the text of a domain file."""
    lines = lines_of(text.removeprefix("\ufeff"))
    segments: list[DomainItem | DomainProse | Detail] = (
        [DomainProse("\ufeff")] if text.startswith("\ufeff") else []
    )
    parts = _segments(lines, [line.rstrip() for line in lines])
    for is_prose, group in groupby(parts, lambda part: type(part) is DomainProse):
        run = list(group)
        segments.extend([DomainProse("".join(part.raw for part in run))] if is_prose else run)
    return DomainDocument(tuple(segments))


def _segments(
    lines: Sequence[str], stripped: Sequence[str]
) -> Iterator[DomainItem | DomainProse | Detail]:
    detail_lines = details_in(lines, stripped)
    all_details = [detail for _, details in detail_lines.values() for detail in details]
    detail_indices = {at for start, (end, _) in detail_lines.items() for at in range(start, end)}
    is_complete = any(detail.is_end for detail in all_details)
    known_ids = frozenset(detail.id for detail in all_details if detail.id) if is_complete else None
    stripped = with_ids_at_end(stripped, known_ids, detail_indices)
    details = _details_by_id(all_details, stripped)
    hidden = hidden_blocks(stripped, lambda at: at in detail_indices or has_id(stripped[at]))
    at = 0
    while at < len(lines):
        if at in detail_lines:
            end, segments = detail_lines[at]
            yield from segments
        elif at in hidden:
            end = hidden[at]
            yield DomainProse("".join(lines[at:end]))
        elif _starts_item(stripped[at]):
            end = _end_of_item(stripped, at, detail_indices)
            yield from _items(lines[at:end], stripped[at:end], details)
        elif (end_of_changed := _end_of_changed_item(stripped, at, detail_indices)) is not None:
            end = end_of_changed
            yield from _items(lines[at:end], stripped[at:end], details)
        else:
            end = at + 1
            heading = _HEADING.fullmatch(stripped[at])
            title = heading["title"].strip() if heading else ""
            yield (
                DomainHeading(lines[at], len(heading["level"]), title)
                if heading
                else DomainProse(lines[at])
            )
        at = end


def _details_by_id(details: Iterable[Detail], stripped: Sequence[str]) -> Details:
    """Return the details of each id; the last ones, if there are more than bullets with the id.

    Malformed details count only if there are no others.
    """
    bullets = Counter(line[ID_PART] for line in stripped if has_id(line))
    by_id: dict[str, deque[Detail]] = {}
    for detail in details:
        if detail.id is not None:
            id_details = by_id.setdefault(detail.id, deque(maxlen=max(1, bullets[detail.id])))
            if id_details and not id_details[-1].meta:
                id_details.pop()
            if detail.meta or not id_details:
                id_details.append(detail)
    return by_id


def _detail_of(id_: str, details: Details) -> Detail | None:
    """Return the details of the next bullet with an id, and remove them if more are left."""
    id_details = details.get(id_)
    if id_details is None:
        return None
    return id_details.popleft() if len(id_details) > 1 else id_details[0]


def _starts_item(line: str) -> bool:
    bullet = _BULLET.match(line)
    return has_id(line) or (bullet is not None and _width(bullet[1]) < 4)


def _end_of_item(stripped: Sequence[str], start: int, detail_indices: Set[int]) -> int:
    """Return the index after the last line of an item that begins at `start`.

    Blank lines belong to it only if text of it follows them.
    """
    has_ended_with_id = has_id(stripped[start])
    may_flow = not _RULE.fullmatch(stripped[start])
    end = at = start + 1
    while at < len(stripped) and at not in detail_indices:
        line = stripped[at]
        if line:
            flows = may_flow and at == end and not has_ended_with_id and _continues_paragraph(line)
            if not (line.startswith(("  ", "\t")) or flows):
                break
            has_ended_with_id = has_ended_with_id or has_id(line)
            end = at + 1
        at += 1
    return end


def _end_of_changed_item(
    stripped: Sequence[str], start: int, detail_indices: Set[int]
) -> int | None:
    """Return the index after an item of several lines whose first line a person has changed.

    They may have numbered, quoted or indented it, so that it no longer looks like a bullet; a later
    line of the item still ends with its id. It is None if there is no such item at `start`.
    """
    head = _CHANGED_ITEM_START.match(stripped[start])
    if head is None:
        return None
    for at in range(start + 1, len(stripped)):
        line = stripped[at].removeprefix(head["quote"].rstrip())
        is_inside = line.startswith((" ", "\t")) or _continues_paragraph(line)
        other = _CHANGED_ITEM_START.match(stripped[at])
        is_next = other is not None and _width(other["margin"]) <= _width(head["margin"])
        if at in detail_indices or not line.strip() or not is_inside or is_next:
            return None
        if has_id(line):
            return at + 1
    return None


def _continues_paragraph(line: str) -> bool:
    """Return whether an unindented line continues the paragraph above it."""
    return not _NEW_BLOCK.match(line.lstrip()) and not _RULE.fullmatch(line)


def _items(
    lines: Sequence[str], stripped: Sequence[str], details: Details
) -> Iterator[DomainItem | DomainProse]:
    """Yield one item, or several if a person has indented items with ids under the first."""
    id_lines = [at for at, line in enumerate(stripped) if has_id(line)]
    start = 0
    for id_line, next_id_line in pairwise(id_lines):
        cut = _start_of_nested_item(stripped, id_line + 1, next_id_line)
        yield _item(lines[start:cut], stripped[start:cut], details)
        start = cut
    item = _item(lines[start:], stripped[start:], details)
    yield item if item.id or not _NO_WORDS.fullmatch(item.content) else DomainProse(item.raw)


def _start_of_nested_item(stripped: Sequence[str], start: int, id_line: int) -> int:
    """Return the first line of the nested item whose id is on `id_line`.

    It is the last of the least indented bullets from `start` on.
    """
    bullets = ((at, _BULLET.match(stripped[at])) for at in range(start, id_line + 1))
    candidates = [(_width(bullet[1]), -at) for at, bullet in bullets if bullet]
    return -min(candidates)[1] if candidates else start


def _item(lines: Sequence[str], stripped: Sequence[str], details: Details) -> DomainItem:
    head = _ITEM_START.match(stripped[0])
    assert head is not None, "the pattern matches the empty string"
    texts = [
        stripped[0][head.end() :],
        *(_dedented(line, head[1]) for line in stripped[1:]),
    ]
    id_lines = [at for at, text in enumerate(texts) if has_id(text)]
    raw = "".join(lines)
    if not id_lines:
        return _without_id(texts, raw)
    id_line = _split_id_line(texts[id_lines[-1]])
    texts[id_lines[-1] : id_lines[-1] + 1] = [id_line.before] if id_line.before else []
    text = tidy("\n".join(texts))
    visible = without_code_block(text)
    meta, fault = _meta(id_line, _detail_of(id_line.id, details))
    digest = digest_of(id_line.id, visible, write_meta(meta) if meta else id_line.comment)
    return DomainItem(
        id_line.id,
        _content(visible, meta),
        meta,
        raw,
        digest,
        fault,
        inline=id_line.comment is not None,
        fenced=visible != text,
        displaced=any(
            line != original.rstrip() and not is_table_row(line)
            for line, original in zip(stripped, lines, strict=True)
        ),
    )


def _without_id(texts: list[str], raw: str) -> DomainItem:
    """Return an item without an id.

    A comment at its end is metadata if it can be parsed, otherwise text.
    """
    visible = tidy("\n".join(texts))
    before, comment = _split_comment(visible)
    meta: Meta | None = None
    if comment is not None:
        try:
            meta = read_comment(comment, None)
            visible = before
        except ValueError:
            comment = None
    text = without_code_block(visible)
    fenced = text != visible
    digest = digest_of(None, text, comment)
    inline = meta is not None
    return DomainItem(None, _content(text, meta), meta, raw, digest, inline=inline, fenced=fenced)


def _content(visible: str, meta: Meta | None) -> str:
    """Return the exact text in the metadata if its visible form is unchanged.

    Otherwise, return the text in the file.
    """
    if meta is not None and meta.exact is not None and show(meta.exact) == visible:
        return meta.exact
    return visible


def _meta(id_line: _IdLine, detail: Detail | None) -> tuple[Meta | None, str | None]:
    """Return the metadata of an item, and what is wrong with them."""
    known = detail.meta if detail else None
    if id_line.comment is None:
        return known, detail.fault if detail else None
    try:
        return read_comment(id_line.comment, known), None
    except ValueError as error:
        return None, f"the comment of {id_line.id} cannot be parsed: {error}"


def _split_id_line(line: str) -> _IdLine:
    before, comment = _split_comment(line[: 1 - ID_SIZE].rstrip())
    return _IdLine(before, comment, line[ID_PART])


def _split_comment(text: str) -> tuple[str, str | None]:
    """Return a text without the metadata comment at its end, and that comment."""
    start = text.rfind("<!--")
    if start < 0 or not text.endswith("-->"):
        return text, None
    comment = text[start + 4 : -3].strip()
    return (text[:start].rstrip(), comment) if comment.startswith("{") else (text, None)


def _dedented(line: str, margin: str) -> str:
    """Return a line without the margin of its item and one level of indentation."""
    line = line.removeprefix(margin)
    if line.startswith("\t"):
        return line[1:]
    return line[2:] if line.startswith("  ") else line.lstrip(" ")


def _width(margin: str) -> int:
    """Return the number of columns of an indentation."""
    return len(margin.expandtabs(4))
