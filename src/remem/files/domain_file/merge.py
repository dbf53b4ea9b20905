"""What did a person change in a domain file, and what should the file say now?

Three texts meet: what the person left in the file, what we last wrote there, and what the
store wants there. What differs from both of ours is an edit. The caller stores the edits
and merges again, naming them in `absorbed`; once no edit is left, `text` is the file.

What should a domain file say, given where each wanted entry stands in it?

Items change in place, new ones come in before the end line, and prose stays where it is.
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


@dataclass(frozen=True, slots=True)
class Standing:
    """Where wanted entries stand in a document.

    `at`: index of an item → id of the entry that belongs there. The item goes if that entry
    is not wanted, or stands further up; an item that is not named stays as it is.
    `new`: ids of wanted entries that come in before the end line.
    """

    at: Mapping[int, str]
    new: Sequence[str]


def rewrite(
    document: Document,
    standing: Standing,
    wanted: Mapping[str, Entry],
    digests: Mapping[str, str],
    home: str,
) -> str:
    """The text of the file; an item that already says what it should keeps its bytes."""
    newline = _newline(document.text())
    pieces: list[str] = []
    placed: set[str] = set()
    for index, segment in enumerate(document.segments):
        id_ = standing.at.get(index)
        if id_ is None or isinstance(segment, Prose):
            pieces.append(segment.raw)
        elif id_ not in wanted or id_ in placed:
            pieces.append("")
        elif segment.digest == digests[id_] and segment.raw.startswith(("- ", "* ", "+ ")):
            pieces.append(segment.raw)
            placed.add(id_)
        else:
            pieces.append(_item(wanted[id_], home, newline))
            placed.add(id_)
    items = [_item(wanted[id_], home, newline) for id_ in standing.new]
    return _with_new(document, pieces, items, newline)


def _item(entry: Entry, home: str, newline: str) -> str:
    return render_item(entry, home).replace("\n", newline)


def _newline(text: str) -> str:
    """The line break that the file uses already."""
    found = re.search(r"\r\n|\n|\r", text)
    return found.group() if found else "\n"


def _with_new(document: Document, pieces: list[str], items: list[str], newline: str) -> str:
    """The pieces with the new items, and with the end line in any case."""
    ends = [
        n for n, each in enumerate(document.segments) if isinstance(each, Prose) and each.is_end
    ]
    if ends and not items:
        return "".join(pieces)
    at = ends[-1] if ends else len(pieces)
    head = lines_of("".join(pieces[:at]))
    if head and not head[-1].endswith(("\n", "\r")):
        head[-1] += newline
    above, below = _gap(head, newline, behind_item=_ends_in_item(document, pieces[:at]))
    tail = pieces[at:] or [END_LINE, newline]
    return "".join([*above, *items, *below, *tail])


def _gap(head: list[str], newline: str, *, behind_item: bool) -> tuple[list[str], list[str]]:
    """Where new items come in: the lines above them, and the blank lines below.

    Blank lines are shared out, not only added, or a file whose items come and go would grow.
    """
    cut = len(head)
    while cut > 0 and not head[cut - 1].strip():
        cut -= 1
    words, blanks = head[:cut], head[cut:]
    if behind_item or not words:
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
    """A bullet with an id says something that we never wrote.

    `meta` None: the comment is gone or broken; what is known of the entry stays.
    `index` is the place in the document's segments; `digest` is that of the item there.
    """

    id: str
    content: str
    meta: Meta | None
    index: int
    digest: str


@dataclass(frozen=True, slots=True)
class Added:
    """A new bullet, or an edited copy of one whose original still stands."""

    content: str
    meta: Meta | None
    index: int
    digest: str


@dataclass(frozen=True, slots=True)
class Removed:
    """A bullet that we wrote is gone from a complete file, or has lost all its words."""

    id: str


HandEdit = Changed | Added | Removed


@dataclass(frozen=True, slots=True)
class Merge:
    """`items` is what to remember as projected once `text` has been written."""

    text: str
    edits: tuple[HandEdit, ...]
    items: Mapping[str, str]


def merge(
    current: Document | None,
    projected: Mapping[str, str],
    wanted: Sequence[Entry],
    home: str,
    *,
    absorbed: Mapping[str, str] = _NONE,
) -> Merge:
    """The edits in `current`, and the text in which every wanted entry stands once.

    `projected`: id → digest of the item that we last wrote. `absorbed`: digest of an item
    → id of the entry that holds its words now; such an item is no edit any more. A file
    that is missing or blank is made anew, and a file without its end line may be half
    saved: nothing counts as removed from either.
    """
    if current is None or not current.text().strip("\ufeff \t\r\n"):
        current, projected = parse(new_document(title_of(home), home)), _NONE
    ours = _Ours(projected, absorbed, wanted, home)
    found = _sorted(current, ours)
    missing = [id_ for id_ in ours.wanted if id_ not in found.claimed]
    written = projected if current.complete else _NONE
    gone = [id_ for id_ in missing if id_ in written]
    standing = Standing(found.standing, new=[id_ for id_ in missing if id_ not in written])
    text = rewrite(current, standing, ours.wanted, ours.digests, home)
    edits = [found.edits[index] for index in sorted(found.edits)]
    return Merge(text, (*edits, *map(Removed, gone)), ours.digests)


def title_of(home: str) -> str:
    """The heading of a domain file."""
    return home.replace("-", " ").replace("_", " ").capitalize()


class _Ours:
    """Our side: what we wrote, what we took over, what we want to stand there."""

    def __init__(
        self,
        projected: Mapping[str, str],
        absorbed: Mapping[str, str],
        wanted: Sequence[Entry],
        home: str,
    ) -> None:
        self.projected = projected
        self.absorbed = absorbed
        self.wanted = {entry.id: entry for entry in wanted}
        self.digests = {entry.id: item_digest(entry, home) for entry in wanted}
        self._home = home

    def entry_at(self, item: Item) -> str | None:
        """The id of the entry whose words these are, all of them; None if some are new."""
        if item.digest in self.absorbed:
            return self.absorbed[item.digest]
        if item.id is None:
            return None
        known = item.digest in (self.projected.get(item.id), self.digests.get(item.id))
        entry = self.wanted.get(item.id)
        return item.id if known or (entry and self.agrees(item, entry)) else None

    def agrees(self, item: Item, entry: Entry) -> bool:
        """Whether an item says nothing but what the entry says, if in another spelling."""
        if item.fault or show(item.content) != show(entry.content):
            return False
        wanted = replace(meta_of(entry, self._home), updated=None)
        return item.meta is None or replace(item.meta, updated=None, exact=None) == wanted

    @cached_property
    def by_words(self) -> dict[str, list[Entry]]:
        entries: dict[str, list[Entry]] = {}
        for entry in self.wanted.values():
            entries.setdefault(show(entry.content), []).append(entry)
        return entries


@dataclass(slots=True)
class _Found:
    """The person's side: each item is settled, an edit, or neither and left as it is."""

    standing: dict[int, str] = field(default_factory=dict)
    edits: dict[int, HandEdit] = field(default_factory=dict)
    claimed: set[str] = field(default_factory=set)

    def settle(self, index: int, id_: str) -> None:
        self.standing[index] = id_
        self.claimed.add(id_)


def _sorted(document: Document, ours: _Ours) -> _Found:
    """Settled items claim their entries first, then items with ids, then those without."""
    found = _Found()
    items = {at: each for at, each in enumerate(document.segments) if isinstance(each, Item)}
    for index, item in items.items():
        if (id_ := ours.entry_at(item)) is not None:
            found.settle(index, id_)
    unsettled = [(at, item) for at, item in items.items() if at not in found.standing]
    complete = document.complete
    for index, item in unsettled:
        if item.id is not None:
            _sort_with_id(found, index, item, id_=item.id, complete=complete, ours=ours)
    cut_off = None if complete else max(items, default=None)
    for index, item in unsettled:
        if item.id is None:
            _sort_without_id(found, index, item, cut_off=index == cut_off, ours=ours)
    return found


def _sort_with_id(
    found: _Found, index: int, item: Item, *, id_: str, complete: bool, ours: _Ours
) -> None:
    is_taken = id_ in found.claimed
    if not item.content and (is_taken or not complete or id_ not in ours.wanted):
        found.settle(index, id_)
    elif not item.content:
        found.edits[index] = Removed(id_)
    elif is_taken:
        found.edits[index] = Added(item.content, item.meta, index, item.digest)
    else:
        found.edits[index] = Changed(id_, item.content, item.meta, index, item.digest)
    found.claimed.add(id_)


def _sort_without_id(found: _Found, index: int, item: Item, *, cut_off: bool, ours: _Ours) -> None:
    """A bullet that has lost its id, or a new one.

    The last bullet of a file without its end line may be cut off in the middle of a word:
    it stays as it is, and counts once the file is complete.
    """
    for entry in ours.by_words.get(show(item.content), ()):
        if entry.id not in found.claimed and ours.agrees(item, entry):
            found.settle(index, entry.id)
            return
    if not cut_off:
        found.edits[index] = Added(item.content, item.meta, index, item.digest)
