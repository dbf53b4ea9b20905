"""Composes the new text of a domain file from its old text and the entries that belong there.

Items change in place, new items are inserted where the end line was, prose is not moved, and the
details are written at the end. A file of the old form is converted by its next write.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from functools import cached_property
from typing import Final

from remem.files.domain_file.details import OLD_END_LINE, Detail, Form, details_block
from remem.files.domain_file.document import Document, Item, Prose, lines_of, show
from remem.files.domain_file.format import (
    UNTRUSTED_INTRODUCTION,
    details_of,
    item_digest,
    render_item,
)
from remem.files.domain_file.metadata import Meta, meta_of
from remem.files.domain_file.records import write_lines
from remem.model.entry import Entry


class Projection:
    """The store's side of the merge: the items written, the edits absorbed and the entries
    wanted."""

    def __init__(
        self,
        projected: Mapping[str, str],
        absorbed: Mapping[str, str],
        wanted: Sequence[Entry],
        stem: str,
        form: Form,
    ) -> None:
        self.projected = projected
        self.absorbed = absorbed
        self.wanted = {entry.id: entry for entry in wanted}
        self.digests = {entry.id: item_digest(entry, stem) for entry in wanted}
        self.form = form
        self._stem = stem

    def entry_at(self, item: Item) -> str | None:
        """The id of the entry that an item represents; None if the item is new or edited."""
        if item.digest in self.absorbed:
            return self.absorbed[item.digest]
        if item.id is None:
            return None
        known = item.digest in (self.projected.get(item.id), self.digests.get(item.id))
        entry = self.wanted.get(item.id)
        return item.id if known or (entry and self.agrees(item, entry)) else None

    def item(self, id_: str, newline: str) -> str:
        """The lines of an entry."""
        return render_item(self.wanted[id_], self._stem, self.form).replace("\n", newline)

    def meta(self, id_: str) -> Meta:
        """The metadata of an entry."""
        return details_of(self.wanted[id_], self._stem)

    def agrees(self, item: Item, entry: Entry) -> bool:
        """Whether an item says the same thing as the entry, apart from its exact spelling."""
        shown = show(entry.content)
        if item.fault or shown not in (item.content, show(item.content)):
            return False
        wanted = replace(meta_of(entry, self._stem), updated=None)
        return item.meta is None or replace(item.meta, updated=None, exact=None) == wanted

    @cached_property
    def by_text(self) -> dict[str, list[Entry]]:
        entries: dict[str, list[Entry]] = {}
        for entry in self.wanted.values():
            entries.setdefault(show(entry.content), []).append(entry)
        return entries


_BULLETS: Final = ("- ", "* ", "+ ")
_OLD_INTRODUCTION: Final = re.compile(
    r"^<!-- remem: (?:(?P<untrusted>what strangers)|edit freely)\b[^\r\n]*"
    r"Leave the last line\. -->(?P<gap>(?:\r\n|\r|\n){0,2})",
    re.MULTILINE,
)


def rewrite_document(
    document: Document, placement: Mapping[int, str], new: Sequence[str], projection: Projection
) -> str:
    """The new text of the file; items that are already right keep their bytes.

    `placement` maps the index of an item to the id of the entry that belongs there. The item is
    dropped if that entry is not wanted, or was already placed further up; items without an entry
    are left as they are. `new` are the ids of wanted entries to insert. The details are written
    below everything else.
    """
    newline = _newline(document.text())
    in_form = projection.form == "old"
    pieces: dict[int, str] = {}
    placed: set[str] = set()
    left_alone: set[str] = set()
    for index, segment in enumerate(document.segments):
        id_ = placement.get(index)
        if isinstance(segment, Prose):
            pieces[index] = _without_old_introduction(segment.raw)
        elif isinstance(segment, Detail):
            continue
        elif id_ is None:
            pieces[index] = segment.raw
            left_alone.add(segment.id or "")
        elif id_ not in projection.wanted or id_ in placed:
            pieces[index] = ""
        else:
            right = segment.digest == projection.digests[id_] and segment.inline == in_form
            keep = right and segment.raw.startswith(_BULLETS)
            pieces[index] = segment.raw if keep else projection.item(id_, newline)
            placed.add(id_)
    body = _body(document, pieces, [projection.item(id_, newline) for id_ in new], newline)
    end = _end_of_file(document, {*placed, *new}, left_alone, projection, newline)
    return f"{_closed(body, newline)}{end}"


def _without_old_introduction(prose: str) -> str:
    """The prose without the comment that files of the old form began with."""

    def replacement(match: re.Match[str]) -> str:
        return f"{UNTRUSTED_INTRODUCTION}{match['gap']}" if match["untrusted"] else ""

    return _OLD_INTRODUCTION.sub(replacement, prose)


def _newline(text: str) -> str:
    """The line break that the file already uses."""
    match = re.search(r"\r\n|\n|\r", text)
    return match.group() if match else "\n"


def _body(document: Document, pieces: Mapping[int, str], new: Sequence[str], newline: str) -> str:
    """The file without its details, with the new items where its end line was.

    A person may have written between or below the details; those lines are kept, and do not become
    part of the item above.
    """
    ends = [
        index
        for index, segment in enumerate(document.segments)
        if isinstance(segment, Detail) and segment.is_end
    ]
    at = ends[-1] if ends else len(document.segments)
    body, in_gap, after_item = "", False, False
    for index, segment in enumerate(document.segments):
        if index == at:
            body, after_item = _with_new(body, new, newline, after_item=after_item), bool(new)
        if isinstance(segment, Detail):
            in_gap = True
            continue
        piece = pieces[index]
        if in_gap:
            if not piece.strip():
                continue
            body, in_gap = _closed(body, newline), False
            piece = piece.lstrip() if isinstance(segment, Prose) else piece
        body += piece
        if piece.strip():
            after_item = isinstance(segment, Item)
    return body if ends else _with_new(body, new, newline, after_item=after_item)


def _with_new(body: str, new: Sequence[str], newline: str, *, after_item: bool) -> str:
    """The text with new items at its end; those that follow an item belong to its list."""
    if not new:
        return body
    head = _closed(body, newline)
    if after_item and head:
        head = head.removesuffix(newline)
    return head + "".join(new)


def _closed(body: str, newline: str) -> str:
    """The text with one blank line at its end; nothing if it is blank."""
    lines = lines_of(body)
    while lines and not lines[-1].strip("\ufeff \t\r\n"):
        lines.pop()
    if not lines:
        return "\ufeff" if body.startswith("\ufeff") else ""
    if not lines[-1].endswith(("\n", "\r")):
        lines[-1] += newline
    return "".join([*lines, newline])


def _end_of_file(
    document: Document,
    placed: Set[str],
    left_alone: Set[str],
    projection: Projection,
    newline: str,
) -> str:
    """The details, or the end line of the old form.

    The metadata of an item that is left alone stay as a person wrote them.
    """
    if projection.form == "old":
        return f"{OLD_END_LINE}{newline}"
    kept = {
        detail.id: detail
        for detail in document.details
        if detail.id and detail.id in left_alone and (detail.meta or detail.raw)
    }
    wanted = placed | (left_alone & projection.wanted.keys())
    metas = {id_: projection.meta(id_) for id_ in wanted if id_ not in kept}
    metas |= {id_: detail.meta for id_, detail in kept.items() if detail.meta}
    malformed = [
        " ".join(line.strip() for line in lines_of(detail.raw))
        for detail in kept.values()
        if not detail.meta and detail.raw
    ]
    return details_block([*write_lines(metas), *malformed], newline)
