"""Compose the new text of a domain file from its old text and the entries that belong there.

Items change where they are, new items are inserted in their section (`arrange`), prose is not
moved, and the details are written at the end. A file in an earlier form is converted when it is
written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Final

from remem.files.domain_file.arrange import (
    Body,
    BodyPiece,
    emptied_rows,
    rows_of,
    with_blank_line_at_end,
)
from remem.files.domain_file.details import (
    EARLIER_LINES,
    OLD_END_LINE,
    OPENING,
    Detail,
    Form,
    details_block,
)
from remem.files.domain_file.displaced_ids import is_table_row
from remem.files.domain_file.document import (
    DomainDocument,
    DomainHeading,
    DomainItem,
    DomainProse,
    lines_of,
    show,
)
from remem.files.domain_file.format import (
    details_of,
    item_digest,
    render_item,
    untrusted_introduction,
)
from remem.files.domain_file.metadata import Meta, meta_of
from remem.files.domain_file.metadata_lines import write_lines
from remem.model.domain_routing import STEMS, UNTRUSTED
from remem.model.entry import Entry
from remem.model.section import Section, sections_of

_BULLETS: Final = ("- ", "* ", "+ ")
_OLD_INTRODUCTION: Final = re.compile(
    r"^<!-- remem: (?:(?P<untrusted>what strangers)|edit freely)\b[^\r\n]*"
    r"Leave the last line\. -->(?P<gap>(?:\r\n|\r|\n){0,2})",
    re.MULTILINE,
)


class DomainFileProjection:
    """The entries that belong in a domain file, and what is known about the items in it.

    - `projected`: the digests of the items that remem last wrote, by id.
    - `absorbed`: the ids of the entries that already have the text of an edited item, by the item's
      digest.
    - `wanted`: the entries that belong in the file, by id; `digests` are those of their items.
    """

    def __init__(
        self,
        projected: Mapping[str, str],
        absorbed: Mapping[str, str],
        entries: Sequence[Entry],
        stem: str,
        form: Form,
    ) -> None:
        self.projected = projected
        self.absorbed = absorbed
        self.wanted = {entry.id: entry for entry in entries}
        self.digests = {entry.id: item_digest(entry, stem) for entry in entries}
        self.form = form
        self._stem = stem

    def entry_at(self, item: DomainItem) -> str | None:
        """Return the id of the entry that an item represents; None if it is new or was edited."""
        if item.digest in self.absorbed:
            return self.absorbed[item.digest]
        if item.id is None:
            return None
        is_unchanged = item.digest in (self.projected.get(item.id), self.digests.get(item.id))
        entry = self.wanted.get(item.id)
        return item.id if is_unchanged or (entry and self.agrees(item, entry)) else None

    def item(self, id_: str, newline: str) -> str:
        """Return the lines of an entry."""
        return render_item(self.wanted[id_], self._stem, self.form).replace("\n", newline)

    def meta(self, id_: str) -> Meta:
        """Return the metadata of an entry."""
        return details_of(self.wanted[id_], self._stem)

    def has_text(self, item: DomainItem, id_: str) -> bool:
        """Return whether an item has the text of an entry."""
        return show(item.content) == show(self.wanted[id_].content)

    def agrees(self, item: DomainItem, entry: Entry) -> bool:
        """Return whether an item has the visible text and the metadata of an entry."""
        visible = show(entry.content)
        if item.fault or visible not in (item.content, show(item.content)):
            return False
        expected = replace(meta_of(entry, self._stem), updated=None)
        return item.meta is None or replace(item.meta, updated=None, exact=None) == expected

    @cached_property
    def sections(self) -> Mapping[str, Section]:
        """The section of each entry; untrusted text is never made a heading."""
        if self.form == "old" or self._stem == UNTRUSTED:
            return {}
        if not any(entry.context for entry in self.wanted.values()):
            return {}
        from remem.text.labels import labels  # only entries from files have headings

        titles = labels(self._stem) if self._stem in STEMS.values() else (self._stem,)
        return sections_of(self.wanted.values(), titles)

    @cached_property
    def by_text(self) -> dict[str, list[Entry]]:
        """The wanted entries by their visible text."""
        entries: dict[str, list[Entry]] = {}
        for entry in self.wanted.values():
            entries.setdefault(show(entry.content), []).append(entry)
        return entries


def rewrite_document(
    document: DomainDocument,
    placement: Mapping[int, str],
    new: Sequence[str],
    projection: DomainFileProjection,
) -> str:
    """Return the new text of the file; items that are already right keep their bytes.

    `placement` maps the index of an item to the id of the entry that belongs there. The item is
    removed if that entry is not wanted, or is in the file further up. Items without an entry are
    left alone. `new` are the ids of wanted entries to insert.
    """
    newline = _newline(document.text())
    is_old_form = projection.form == "old"
    pieces: dict[int, BodyPiece] = {}
    placed: set[str] = set()
    left_alone: set[str] = set()
    after_gap = False
    for index, segment in enumerate(document.segments):
        if isinstance(segment, Detail):
            after_gap = True
            continue
        id_ = placement.get(index)
        if isinstance(segment, DomainProse):
            text = _without_old_introduction(segment.raw)
        elif id_ is None:
            text = segment.raw
            left_alone.add(segment.id or "")
        elif id_ not in projection.wanted or id_ in placed:
            text = ""
        else:
            is_right = segment.digest == projection.digests[id_] and segment.inline == is_old_form
            is_bullet = segment.raw.startswith(_BULLETS) and not segment.displaced
            is_right_row = is_table_row(segment.raw) and projection.has_text(segment, id_)
            is_kept = (is_right and is_bullet) or is_right_row
            text = segment.raw if is_kept else projection.item(id_, newline)
            placed.add(id_)
        pieces[index] = BodyPiece(segment, text, id_ if text else None, after_gap)
        after_gap = after_gap and not text.strip()
    body = _body(document, pieces, new, projection, newline)
    end = _end_of_file(document, {*placed, *new}, left_alone, projection, newline)
    return f"{with_blank_line_at_end(body, newline)}{end}"


def _without_old_introduction(prose: str) -> str:
    """Return the prose without the comment that files of the old form began with."""

    def replacement(match: re.Match[str]) -> str:
        return f"{untrusted_introduction()}{match['gap']}" if match["untrusted"] else ""

    return _OLD_INTRODUCTION.sub(replacement, prose)


def _newline(text: str) -> str:
    """Return the line break that the file already uses."""
    match = re.search(r"\r\n|\n|\r", text)
    return match.group() if match else "\n"


def _body(
    document: DomainDocument,
    pieces: Mapping[int, BodyPiece],
    new: Sequence[str],
    projection: DomainFileProjection,
    newline: str,
) -> str:
    """Return the file without its details, with the new items in their sections.

    A person may have written between or below the details; those lines are kept, and do not become
    part of the item above.
    """
    ends = [
        index
        for index, segment in enumerate(document.segments)
        if isinstance(segment, Detail) and segment.is_end
    ]
    at = ends[-1] if ends else len(document.segments)
    above = [piece for index, piece in pieces.items() if index < at]
    below = [piece for index, piece in pieces.items() if index > at]
    items: list[tuple[str, str]] = []
    if _can_be_grouped(document, above, projection):
        items = [(piece.id, piece.text) for piece in above if piece.id]
        above = [piece for piece in above if not isinstance(piece.segment, DomainItem)]
    body = Body(above, projection.sections)
    for id_, text in [*items, *((id_, projection.item(id_, newline)) for id_ in new)]:
        body.insert(id_, text)
    return body.text(newline, below)


def _can_be_grouped(
    document: DomainDocument, pieces: Sequence[BodyPiece], projection: DomainFileProjection
) -> bool:
    """Return whether the bullets of a file from an earlier version can be put under headings.

    This requires that nobody has written headings, remarks or new bullets into it.
    """
    is_earlier = any(detail.raw.lstrip().startswith(EARLIER_LINES) for detail in document.details)
    if projection.form == "old" or not is_earlier:
        return False
    prose = [
        piece for piece in pieces if isinstance(piece.segment, DomainProse) and piece.text.strip()
    ]
    has_no_new_bullets = all(
        piece.id or not piece.text for piece in pieces if isinstance(piece.segment, DomainItem)
    )
    return (
        has_no_new_bullets
        and len(prose) <= 1
        and all(isinstance(piece.segment, DomainHeading) for piece in prose)
    )


def _end_of_file(
    document: DomainDocument,
    placed_ids: Set[str],
    left_alone: Set[str],
    projection: DomainFileProjection,
    newline: str,
) -> str:
    """Return the details, or in the old form the end line.

    The metadata of items that are left alone stay as they are in the file.
    """
    if projection.form == "old":
        return f"{OLD_END_LINE}{newline}"
    kept = {
        detail.id: detail
        for detail in document.details
        if detail.id and detail.id in left_alone and (detail.meta or detail.raw)
    }
    expected = placed_ids | (left_alone & projection.wanted.keys())
    metas = {id_: projection.meta(id_) for id_ in expected if id_ not in kept}
    metas |= {id_: detail.meta for id_, detail in kept.items() if detail.meta}
    malformed = [
        " ".join(line.strip() for line in lines_of(detail.raw))
        for detail in kept.values()
        if not detail.meta and detail.raw
    ]
    return details_block([*write_lines(metas), *malformed], newline)


def without_segments(
    document: DomainDocument, is_removed: Callable[[DomainItem | Detail], bool]
) -> DomainDocument:
    """Return the document without some items and details.

    Headings that are empty without them are removed too.
    """
    removed = {
        index
        for index, segment in enumerate(document.segments)
        if not isinstance(segment, DomainProse) and is_removed(segment)
    }
    pieces = {
        index: BodyPiece(segment, "" if index in removed else segment.raw)
        for index, segment in enumerate(document.segments)
        if not isinstance(segment, Detail)
    }
    numbers = list(pieces)
    removed |= {numbers[row] for row in emptied_rows(list(rows_of(pieces.values())))}
    segments = [part for index, part in enumerate(document.segments) if index not in removed]
    if all(not isinstance(document.segments[index], Detail) for index in removed):
        return DomainDocument(tuple(segments))
    body = [part for part in segments if not isinstance(part, Detail)]
    return DomainDocument(
        (*body, *_rewritten_details([part for part in segments if isinstance(part, Detail)]))
    )


def _rewritten_details(details: Sequence[Detail]) -> Iterator[Detail]:
    """Yield details whose lines are written again, because some of them were removed."""
    ends = [detail for detail in details if detail.is_end]
    metas = {detail.id: detail.meta for detail in details if detail.id and detail.meta}
    newline = _newline(ends[0].raw) if ends else "\n"
    yield Detail(newline.join([OPENING, *write_lines(metas), ""]))
    for detail in details:
        if detail.id:
            yield replace(detail, raw="" if detail.meta else detail.raw)
    yield from ends
