"""Find the edits that a person made in a domain file, and compute the file's new text.

Three versions are compared: the current file, what remem last wrote to it, and the entries that
belong into it now. An item that differs from both of the others is an edit. The caller stores the
edits and merges again, with their digests in `absorbed`; once there are no more edits, `text` is
the new text of the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import field, replace
from itertools import chain
from types import MappingProxyType
from typing import Final

from remem.fast_dataclass import dataclass
from remem.files.domain_file.compose import DomainFileProjection, rewrite_document
from remem.files.domain_file.details import Form
from remem.files.domain_file.document import DomainDocument, DomainHeading, DomainItem, show
from remem.files.domain_file.format import new_document
from remem.files.domain_file.metadata import Meta
from remem.files.domain_file.parse import parse
from remem.model.domain_routing import domain_title
from remem.model.entry import Entry

_BULLET: Final = " \t-*+"
_NO_ITEMS: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChangedBullet:
    """A bullet with an id, and with a text or metadata that remem did not write.

    If `meta` is None, the metadata are missing or malformed, so those of the entry stay.
    """

    id: str
    content: str
    meta: Meta | None
    digest: str


@dataclass(frozen=True, slots=True)
class AddedBullet:
    """A new bullet, or an edited copy of a bullet that is still there, with that bullet's id.

    A bullet in a code block for untrusted text is untrusted, wherever it was copied to. `headings`
    are those above it, the highest first.
    """

    content: str
    meta: Meta | None
    digest: str
    copy_of: str | None = None
    fenced: bool = False
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RemovedBullet:
    """A bullet that remem wrote is missing from a complete file, or no longer has any text."""

    id: str


HandEdit = ChangedBullet | AddedBullet | RemovedBullet


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The edits, and the new text of the file.

    `items` are the digests of its items by id, to be recorded when it is written.
    """

    text: str
    edits: tuple[HandEdit, ...]
    items: Mapping[str, str]


def merge(
    current: DomainDocument | None,
    projected: Mapping[str, str],
    entries: Sequence[Entry],
    stem: str,
    *,
    absorbed: Mapping[str, str] = _NO_ITEMS,
    form: Form = "new",
    language: str = "",
    moved: Set[str] = frozenset(),
) -> MergeResult:
    """Return the edits in `current`, and a text that contains each of the `entries` once.

    - `projected` maps ids to the digests of the items that remem last wrote.
    - `absorbed` maps the digest of an item to the id of the entry that now has its text; such an
      item is no longer an edit.
    - `language` is that of the title of a new file.
    - `moved` are the ids of entries whose bullets are in another file.

    A missing or blank file is created again. No bullet counts as removed from such a file, nor from
    a file without its end line, which may have been saved only in part.
    """
    if current is None or not current.text().strip("\ufeff \t\r\n"):
        title = domain_title(stem, (entry.content for entry in entries), language)
        current, projected = parse(new_document(title, stem, language)), _NO_ITEMS
    projection = DomainFileProjection(projected, absorbed, entries, stem, form)
    classification = _classify(current, projection)
    missing = [id_ for id_ in projection.wanted if id_ not in classification.matched]
    written = projected if current.complete else _NO_ITEMS
    removed = [id_ for id_ in missing if id_ in written and id_ not in moved]
    new = [id_ for id_ in missing if id_ not in removed]
    text = rewrite_document(current, classification.placement, new, projection)
    edits = [
        replace(edit, headings=_headings_above(current, index))
        if isinstance(edit, AddedBullet)
        else edit
        for index, edit in sorted(classification.edits.items())
    ]
    return MergeResult(text, (*edits, *map(RemovedBullet, removed)), projection.digests)


@dataclass(slots=True)
class _Classification:
    """The kind of each item of a file, by its index.

    It represents an entry (`placement`) or is an edit; other items are left alone. `matched` are
    the ids of the entries that an item represents or edits.
    """

    placement: dict[int, str] = field(default_factory=dict)
    edits: dict[int, HandEdit] = field(default_factory=dict)
    matched: set[str] = field(default_factory=set)

    def place(self, index: int, id_: str) -> None:
        """Record that an item represents an entry."""
        self.placement[index] = id_
        self.matched.add(id_)


def _classify(document: DomainDocument, projection: DomainFileProjection) -> _Classification:
    """Classify the items of a file.

    Items that represent an entry are classified first, then the others with an id, then those
    without an id. An entry belongs to the first item with its id or text.
    """
    classified = _Classification()
    items = {at: part for at, part in enumerate(document.segments) if isinstance(part, DomainItem)}
    for index, item in items.items():
        if (id_ := projection.entry_at(item)) is not None:
            classified.place(index, id_)
    unplaced = [(at, item) for at, item in items.items() if at not in classified.placement]
    complete = document.complete
    for index, item in unplaced:
        if item.id is not None:
            _classify_with_id(
                classified, index, item, id_=item.id, complete=complete, projection=projection
            )
    cut_off = None if complete else max(items, default=None)
    for index, item in unplaced:
        if item.id is None:
            _classify_without_id(
                classified, index, item, cut_off=index == cut_off, projection=projection
            )
    return classified


def _classify_with_id(
    classified: _Classification,
    index: int,
    item: DomainItem,
    *,
    id_: str,
    complete: bool,
    projection: DomainFileProjection,
) -> None:
    is_taken = id_ in classified.matched
    if not item.content and (is_taken or not complete or id_ not in projection.wanted):
        classified.place(index, id_)
    elif not item.content:
        classified.edits[index] = RemovedBullet(id_)
    elif is_taken:
        if (
            ChangedBullet(id_, item.content, item.meta, item.digest)
            not in classified.edits.values()
        ):
            classified.edits[index] = _addition(item)
    else:
        classified.edits[index] = ChangedBullet(id_, item.content, item.meta, item.digest)
    classified.matched.add(id_)


def _classify_without_id(
    classified: _Classification,
    index: int,
    item: DomainItem,
    *,
    cut_off: bool,
    projection: DomainFileProjection,
) -> None:
    """Classify a bullet that has lost its id, or a new one.

    `cut_off` says that it is the last bullet of a file without its end line, and may end in the
    middle of a word. Then it represents the entry whose lines begin like it, or with its lines. If
    there is none, it is left alone until the file is complete.
    """
    same_text = [projection.by_text.get(text, ()) for text in (item.content, show(item.content))]
    for entry in chain(*same_text):
        if entry.id not in classified.matched and projection.agrees(item, entry):
            classified.place(index, entry.id)
            return
    if not cut_off:
        classified.edits[index] = _addition(item)
        return
    text = _comparable(item.raw)
    missing = (id_ for id_ in projection.wanted if id_ not in classified.matched)
    lines = ((id_, _comparable(projection.item(id_, "\n"))) for id_ in missing)
    if (id_ := next((id_ for id_, line in lines if line.startswith(text)), None)) is not None:
        classified.place(index, id_)


def _comparable(text: str) -> str:
    """Return the lines of an item without its bullet, and with single spaces."""
    return "\n".join(" ".join(line.split()) for line in text.lstrip(_BULLET).split("\n"))


def _headings_above(document: DomainDocument, index: int) -> tuple[str, ...]:
    above: dict[int, str] = {}
    for segment in document.segments[:index]:
        if isinstance(segment, DomainHeading):
            above = {level: title for level, title in above.items() if level < segment.level}
            above[segment.level] = segment.title
    return tuple(filter(None, above.values()))


def _addition(item: DomainItem) -> AddedBullet:
    return AddedBullet(item.content, item.meta, item.digest, item.id, item.fenced)
