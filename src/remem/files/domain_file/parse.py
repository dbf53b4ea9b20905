"""Parses a domain file into items, which are memories, and a person's prose.

Every text can be parsed, and can be restored exactly from the result. The rules:

- a bullet without an id is a new memory; lines indented under it, including nested bullets, belong
  to it, and so does an unindented line that follows without a blank line in between;
- a checkbox is a bullet whose text starts with the box; an empty bullet is prose;
- a numbered list is prose, and so is a bullet in front matter, a code block or a comment, provided
  that the block is closed and contains no item with an id: a fence that somebody forgot to close
  must never make memories disappear;
- a text with an id is always an item, even if it is nested or has lost its bullet.

The end line identifies the write on which the content is based. An editor may have had the file
open for an hour; entries stored in that time are missing from its save, but nobody removed them.
So the end line contains a short digest of the items that were written, and a keyed checksum of
them (`workspace_key`).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from typing import Final, NamedTuple

from remem.files.domain_file.document import (
    END_LINE,
    Document,
    Item,
    Meta,
    Prose,
    digest_of,
    lines_of,
    read_meta,
    show,
    tidy,
    unfenced,
)
from remem.model.entry import ENTRY_ID

_END: Final = re.compile(
    r"^<!-- remem: end(?: (?P<mark>[0-9a-f]{8})(?: (?P<proof>[0-9a-f]{16}))?)? -->", re.MULTILINE
)


def items_digest(items: Mapping[str, str]) -> str:
    """The digest of a set of items, from their ids and digests."""
    return hashlib.sha256(json.dumps(sorted(items.items())).encode()).hexdigest()[:8]


def with_end_mark(text: str, items: Mapping[str, str], proof: str | None = None) -> str:
    """The text of a file with the digest and checksum in its end line."""
    head, end, tail = text.rpartition(END_LINE)
    mark = " ".join(filter(None, (items_digest(items), proof)))
    return f"{head}<!-- remem: end {mark} -->{tail}" if end else text


def split_end_mark(text: str) -> tuple[str, str | None]:
    """The text with a plain end line, and the digest that the end line had."""
    matches = list(_END.finditer(text))
    if not matches:
        return text, None
    last = matches[-1]
    return f"{text[: last.start()]}{END_LINE}{text[last.end() :]}", last["mark"]


def proof_in(data: bytes) -> str | None:
    """The checksum in the end line of a file."""
    matches = list(_END.finditer(data.decode(errors="replace")))
    return matches[-1]["proof"] if matches else None


def is_complete(data: bytes) -> bool:
    """Whether the file has its end line, with or without a digest."""
    return _END.search(data.decode(errors="replace")) is not None


_FENCE = re.compile(r"(`{3,})[^`]*|(~{3,}).*")


def hidden_blocks(lines: Sequence[str], is_own_line: Callable[[str], bool]) -> dict[int, int]:
    """Blocks whose bullets are prose: index of the first line → index after the last line.

    `lines` have no line breaks. `is_own_line` returns whether remem wrote a line; a block that
    contains such a line is not treated as prose.
    """
    blocks: dict[int, int] = {}
    dead_ends: dict[str, tuple[int, int]] = {}
    at = 0
    while at < len(lines):
        end = _end_of_block(lines, at, is_own_line, dead_ends)
        if end is not None:
            blocks[at] = end
        at = end or at + 1
    return blocks


def _end_of_block(
    lines: Sequence[str],
    at: int,
    is_own_line: Callable[[str], bool],
    dead_ends: dict[str, tuple[int, int]],
) -> int | None:
    opening = _opening(lines[at], first=at == 0)
    if opening is None:
        return None
    kind, size = opening
    # A failed search is not repeated, or a file full of opening lines would take quadratic time.
    searched_to, failed_size = dead_ends.get(kind, (0, 0))
    if at < searched_to and size >= failed_size:
        return None
    end = at + 1
    while end < len(lines) and not is_own_line(lines[end]):
        if _closes(lines[end], kind, size):
            return end + 1
        end += 1
    dead_ends[kind] = end, size
    return None


def _opening(line: str, *, first: bool) -> tuple[str, int] | None:
    """The kind of block that starts here, and the length of its fence."""
    if first and line == "---":
        return "---", 0
    if line.startswith("<!--") and "-->" not in line:
        return "<!--", 0
    fence = _FENCE.fullmatch(line)
    if fence is None:
        return None
    run = fence[1] or fence[2]
    return run[0], len(run)


def _closes(line: str, kind: str, size: int) -> bool:
    if kind == "---":
        return line in ("---", "...")
    if kind == "<!--":
        return "-->" in line
    return len(line) >= size and not line.strip(kind)


_BULLET: Final = re.compile(r"([ \t]*)[-*+](?:[ \t]|$)")
_HEAD: Final = re.compile(r"([ \t]*)(?:(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$))?")
_RULE: Final = re.compile(r"[ \t]*([-*_=])(?:[ \t]*\1)+")
_NEW_BLOCK: Final = re.compile(r"#{1,6}(?:\s|$)|[-*+](?:\s|$)|[0-9]{1,9}[.)]\s|[>|]|<!--|```|~~~")
_NO_WORDS: Final = re.compile(r"[-*_+\s]*(?:\[[ xX]?\])?")
_MARK: Final = re.compile(rf"(?:(?<=\s)|^)\^{ENTRY_ID.pattern}$")
_MARK_SIZE: Final = len(" ^mem-01234567")


class _IdLine(NamedTuple):
    """A line with an id, split into its text, its metadata comment and its id."""

    before: str
    comment: str | None
    id: str


def parse(text: str) -> Document:
    lines = lines_of(text.removeprefix("\ufeff"))
    segments: list[Item | Prose] = [Prose("\ufeff")] if text.startswith("\ufeff") else []
    parts = _segments(lines, [line.rstrip() for line in lines])
    for is_prose, group in groupby(parts, _is_plain_prose):
        run = list(group)
        segments.extend([Prose("".join(part.raw for part in run))] if is_prose else run)
    return Document(tuple(segments))


def _is_plain_prose(segment: Item | Prose) -> bool:
    return isinstance(segment, Prose) and not segment.is_end


def _segments(lines: Sequence[str], bare: Sequence[str]) -> Iterator[Item | Prose]:
    hidden = hidden_blocks(bare, lambda line: line.strip() == END_LINE or _has_id(line))
    at = 0
    while at < len(lines):
        if at in hidden:
            end = hidden[at]
            yield Prose("".join(lines[at:end]))
        elif _starts_item(bare[at]):
            end = _end_of_item(bare, at)
            yield from _items(lines[at:end], bare[at:end])
        else:
            end = at + 1
            yield Prose(lines[at])
        at = end


def _starts_item(line: str) -> bool:
    bullet = _BULLET.match(line)
    return _has_id(line) or (bullet is not None and _width(bullet[1]) < 4)


def _end_of_item(bare: Sequence[str], start: int) -> int:
    """The index after the item's last line; it includes blank lines only if text follows them."""
    marked = _has_id(bare[start])
    may_flow = not _RULE.fullmatch(bare[start])
    end = at = start + 1
    while at < len(bare) and bare[at].strip() != END_LINE:
        line = bare[at]
        if line:
            flows = may_flow and at == end and not marked and _continues_paragraph(line)
            if not (line.startswith(("  ", "\t")) or flows):
                break
            marked = marked or _has_id(line)
            end = at + 1
        at += 1
    return end


def _continues_paragraph(line: str) -> bool:
    """Whether an unindented line continues the paragraph above it."""
    return not _NEW_BLOCK.match(line.lstrip()) and not _RULE.fullmatch(line)


def _items(lines: Sequence[str], bare: Sequence[str]) -> Iterator[Item | Prose]:
    """One item, or several if a person has indented items with ids under the first."""
    marked = [at for at, line in enumerate(bare) if _has_id(line)]
    start = 0
    for mark, next_mark in pairwise(marked):
        cut = _nested_head(bare, mark + 1, next_mark)
        yield _item(lines[start:cut], bare[start:cut])
        start = cut
    item = _item(lines[start:], bare[start:])
    yield item if item.id or not _NO_WORDS.fullmatch(item.content) else Prose(item.raw)


def _nested_head(bare: Sequence[str], start: int, mark: int) -> int:
    """The first line of the item that ends at `mark`: the last of the outermost bullets."""
    bullets = ((at, _BULLET.match(bare[at])) for at in range(start, mark + 1))
    heads = [(_width(bullet[1]), -at) for at, bullet in bullets if bullet]
    return -min(heads)[1] if heads else start


def _item(lines: Sequence[str], bare: Sequence[str]) -> Item:
    head = _HEAD.match(bare[0])
    assert head is not None, "the pattern matches the empty string"
    texts = [bare[0][head.end() :], *(_dedented(line, head[1]) for line in bare[1:])]
    marked = [at for at, text in enumerate(texts) if _has_id(text)]
    raw = "".join(lines)
    if not marked:
        return _without_id(texts, raw)
    mark = _split_id_line(texts[marked[-1]])
    texts[marked[-1] : marked[-1] + 1] = [mark.before] if mark.before else []
    visible = unfenced(tidy("\n".join(texts)))
    meta, fault = _meta(mark)
    digest = digest_of(mark.id, visible, mark.comment)
    return Item(mark.id, _content(visible, meta), meta, raw, digest, fault)


def _without_id(texts: list[str], raw: str) -> Item:
    """A new bullet; a comment at its end is metadata if it can be parsed, otherwise text."""
    visible = tidy("\n".join(texts))
    before, comment = _split_comment(visible)
    meta: Meta | None = None
    if comment is not None:
        try:
            meta = read_meta(comment)
            visible = before
        except ValueError:
            comment = None
    visible = unfenced(visible)
    return Item(None, _content(visible, meta), meta, raw, digest_of(None, visible, comment))


def _content(visible: str, meta: Meta | None) -> str:
    """The exact text if its visible form is unchanged, otherwise the text in the file."""
    if meta is not None and meta.exact is not None and show(meta.exact) == visible:
        return meta.exact
    return visible


def _meta(mark: _IdLine) -> tuple[Meta | None, str | None]:
    if mark.comment is None:
        return None, None
    try:
        return read_meta(mark.comment), None
    except ValueError as error:
        return None, f"the comment of {mark.id} cannot be parsed: {error}"


def _has_id(line: str) -> bool:
    end = line[-_MARK_SIZE:]
    return "^mem-" in end and _MARK.search(end) is not None


def _split_id_line(line: str) -> _IdLine:
    before, comment = _split_comment(line[: 1 - _MARK_SIZE].rstrip())
    return _IdLine(before, comment, line[2 - _MARK_SIZE :])


def _split_comment(text: str) -> tuple[str, str | None]:
    """A text without the metadata comment at its end, and that comment."""
    start = text.rfind("<!--")
    if start < 0 or not text.endswith("-->"):
        return text, None
    comment = text[start + 4 : -3].strip()
    return (text[:start].rstrip(), comment) if comment.startswith("{") else (text, None)


def _dedented(line: str, margin: str) -> str:
    line = line.removeprefix(margin)
    if line.startswith("\t"):
        return line[1:]
    return line[2:] if line.startswith("  ") else line.lstrip(" ")


def _width(margin: str) -> int:
    return len(margin.expandtabs(4))
