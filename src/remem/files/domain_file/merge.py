"""Finds what a person changed in a domain file, and computes the file's new text.

Three versions are compared: the current file, what remem last wrote to it, and what the store has
for it now. An item that differs from the last two is an edit. The caller stores the edits and
merges again with their digests in `absorbed`; once there are no more edits, `text` is the new file.
Items change in place, new items are inserted before the end line, and prose is not moved.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Final

from remem.files.domain_file.document import (
    END_LINE,
    Document,
    Item,
    Meta,
    Prose,
    lines_of,
    meta_of,
    show,
)
from remem.files.domain_file.format import item_digest, new_document, render_item
from remem.files.domain_file.parse import parse
from remem.model.entry import Entry

_BULLETS: Final = ("- ", "* ", "+ ")


def rewrite_document(
    document: Document, placement: Mapping[int, str], new: Sequence[str], projection: _Projection
) -> str:
    """The new text of the file; items that are already right keep their bytes.

    `placement` maps the index of an item to the id of the entry that belongs there. The item is
    dropped if that entry is not wanted, or was already placed further up; items without an entry
    are left as they are. `new` are the ids of wanted entries to insert before the end line.
    """
    newline = _newline(document.text())
    pieces: list[str] = []
    placed: set[str] = set()
    for index, segment in enumerate(document.segments):
        id_ = placement.get(index)
        if id_ is None or isinstance(segment, Prose):
            pieces.append(segment.raw)
        elif id_ not in projection.wanted or id_ in placed:
            pieces.append("")
        elif segment.digest == projection.digests[id_] and segment.raw.startswith(_BULLETS):
            pieces.append(segment.raw)
            placed.add(id_)
        else:
            pieces.append(projection.item(id_, newline))
            placed.add(id_)
    items = [projection.item(id_, newline) for id_ in new]
    return _with_new(document, pieces, items, newline)


def _newline(text: str) -> str:
    """The line break that the file already uses."""
    match = re.search(r"\r\n|\n|\r", text)
    return match.group() if match else "\n"


def _with_new(document: Document, pieces: list[str], items: list[str], newline: str) -> str:
    """The pieces with the new items, and always with an end line."""
    ends = [
        index
        for index, segment in enumerate(document.segments)
        if isinstance(segment, Prose) and segment.is_end
    ]
    if ends and not items:
        return "".join(pieces)
    at = ends[-1] if ends else len(pieces)
    head = lines_of("".join(pieces[:at]))
    if head and not head[-1].endswith(("\n", "\r")):
        head[-1] += newline
    above, below = _gap(head, newline, after_item=_ends_in_item(document, pieces[:at]))
    tail = pieces[at:] or [END_LINE, newline]
    return "".join([*above, *items, *below, *tail])


def _gap(head: list[str], newline: str, *, after_item: bool) -> tuple[list[str], list[str]]:
    """The lines above the new items, and the blank lines below them.

    Existing blank lines are reused, so that a file whose items come and go does not grow.
    """
    cut = len(head)
    while cut > 0 and not head[cut - 1].strip():
        cut -= 1
    words, blanks = head[:cut], head[cut:]
    if after_item or not words:
        return words, blanks or [newline]
    if len(blanks) < 2:
        return [*words, *(blanks or [newline])], [newline]
    return [*words, *blanks[:-1]], blanks[-1:]


def _ends_in_item(document: Document, pieces: list[str]) -> bool:
    filled = [at for at, piece in enumerate(pieces) if piece.strip()]
    return bool(filled) and isinstance(document.segments[filled[-1]], Item)


_NONE: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Changed:
    """A bullet with an id and with a text or metadata that remem did not write.

    If `meta` is None, the comment is missing or malformed, so the entry keeps its metadata.
    `digest` is that of the item.
    """

    id: str
    content: str
    meta: Meta | None
    digest: str


@dataclass(frozen=True, slots=True)
class Added:
    """A new bullet, or an edited copy of a bullet that is still there."""

    content: str
    meta: Meta | None
    digest: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A bullet that remem wrote is missing from a complete file, or no longer has any text."""

    id: str


HandEdit = Changed | Added | Removed


@dataclass(frozen=True, slots=True)
class Merge:
    """The edits and the new text; `items` is what to record as projected once it is written."""

    text: str
    edits: tuple[HandEdit, ...]
    items: Mapping[str, str]


def merge(
    current: Document | None,
    projected: Mapping[str, str],
    wanted: Sequence[Entry],
    stem: str,
    *,
    absorbed: Mapping[str, str] = _NONE,
) -> Merge:
    """The edits in `current`, and a text that contains every wanted entry once.

    `projected` maps ids to the digests of the items that remem last wrote. `absorbed` maps the
    digest of an item to the id of the entry that now has its text; such an item is no longer an
    edit. A missing or blank file is recreated, and a file without its end line may have been saved
    only in part: nothing counts as removed from either.
    """
    if current is None or not current.text().strip("\ufeff \t\r\n"):
        current, projected = parse(new_document(title_of(stem), stem)), _NONE
    projection = _Projection(projected, absorbed, wanted, stem)
    found = _classify(current, projection)
    missing = [id_ for id_ in projection.wanted if id_ not in found.claimed]
    written = projected if current.complete else _NONE
    gone = [id_ for id_ in missing if id_ in written]
    new = [id_ for id_ in missing if id_ not in written]
    text = rewrite_document(current, found.placement, new, projection)
    edits = [found.edits[index] for index in sorted(found.edits)]
    return Merge(text, (*edits, *map(Removed, gone)), projection.digests)


def title_of(stem: str) -> str:
    """The heading of a domain file."""
    return stem.replace("-", " ").replace("_", " ").capitalize()


class _Projection:
    """The store's side of the merge: the items written, the edits absorbed and the entries
    wanted."""

    def __init__(
        self,
        projected: Mapping[str, str],
        absorbed: Mapping[str, str],
        wanted: Sequence[Entry],
        stem: str,
    ) -> None:
        self.projected = projected
        self.absorbed = absorbed
        self.wanted = {entry.id: entry for entry in wanted}
        self.digests = {entry.id: item_digest(entry, stem) for entry in wanted}
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
        return render_item(self.wanted[id_], self._stem).replace("\n", newline)

    def agrees(self, item: Item, entry: Entry) -> bool:
        """Whether an item says the same thing as the entry, apart from its exact spelling."""
        if item.fault or show(item.content) != show(entry.content):
            return False
        wanted = replace(meta_of(entry, self._stem), updated=None)
        return item.meta is None or replace(item.meta, updated=None, exact=None) == wanted

    @cached_property
    def by_text(self) -> dict[str, list[Entry]]:
        entries: dict[str, list[Entry]] = {}
        for entry in self.wanted.values():
            entries.setdefault(show(entry.content), []).append(entry)
        return entries


@dataclass(slots=True)
class _Classified:
    """The items of the file: an item is settled (it represents an entry), is an edit, or is left
    alone. `claimed` are the ids of entries that an item represents or edits."""

    placement: dict[int, str] = field(default_factory=dict)
    edits: dict[int, HandEdit] = field(default_factory=dict)
    claimed: set[str] = field(default_factory=set)

    def settle(self, index: int, id_: str) -> None:
        self.placement[index] = id_
        self.claimed.add(id_)


def _classify(document: Document, projection: _Projection) -> _Classified:
    """Classify the items: first those that represent an entry, then others with an id, then those
    without an id. An entry belongs to the first item that claims it."""
    found = _Classified()
    items = {at: part for at, part in enumerate(document.segments) if isinstance(part, Item)}
    for index, item in items.items():
        if (id_ := projection.entry_at(item)) is not None:
            found.settle(index, id_)
    unsettled = [(at, item) for at, item in items.items() if at not in found.placement]
    complete = document.complete
    for index, item in unsettled:
        if item.id is not None:
            _classify_with_id(
                found, index, item, id_=item.id, complete=complete, projection=projection
            )
    cut_off = None if complete else max(items, default=None)
    for index, item in unsettled:
        if item.id is None:
            _classify_without_id(
                found, index, item, cut_off=index == cut_off, projection=projection
            )
    return found


def _classify_with_id(
    found: _Classified, index: int, item: Item, *, id_: str, complete: bool, projection: _Projection
) -> None:
    is_taken = id_ in found.claimed
    if not item.content and (is_taken or not complete or id_ not in projection.wanted):
        found.settle(index, id_)
    elif not item.content:
        found.edits[index] = Removed(id_)
    elif is_taken:
        found.edits[index] = Added(item.content, item.meta, item.digest)
    else:
        found.edits[index] = Changed(id_, item.content, item.meta, item.digest)
    found.claimed.add(id_)


def _classify_without_id(
    found: _Classified, index: int, item: Item, *, cut_off: bool, projection: _Projection
) -> None:
    """Classify a bullet that has lost its id, or a new one.

    The last bullet of a file without its end line may be cut off in the middle of a word: it is
    left alone, and counts once the file is complete.
    """
    for entry in projection.by_text.get(show(item.content), ()):
        if entry.id not in found.claimed and projection.agrees(item, entry):
            found.settle(index, entry.id)
            return
    if not cut_off:
        found.edits[index] = Added(item.content, item.meta, item.digest)
