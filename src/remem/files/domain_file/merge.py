"""Find the edits that a person made in a domain file, and compute the file's new text.

Three versions are compared: the current file, what remem last wrote to it, and what the store has
for it now. An item that differs from the last two is an edit. The caller stores the edits and
merges again with their digests in `absorbed`; once there are no more edits, `text` is the new file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import field
from itertools import chain
from types import MappingProxyType
from typing import Final

from remem.fast_dataclass import dataclass
from remem.files.domain_file.compose import DomainFileProjection, rewrite_document
from remem.files.domain_file.details import Form
from remem.files.domain_file.document import DomainDocument, DomainItem, show
from remem.files.domain_file.format import new_document
from remem.files.domain_file.metadata import Meta
from remem.files.domain_file.parse import parse
from remem.model.domain_routing import domain_title
from remem.model.entry import Entry

_BULLET: Final = " \t-*+"
_NONE: Final[Mapping[str, str]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ChangedBullet:
    """A bullet with an id and with a text or metadata that remem did not write.

    If `meta` is None, the metadata are missing or malformed, so the entry keeps its own. `digest`
    is the digest of the item.
    """

    id: str
    content: str
    meta: Meta | None
    digest: str


@dataclass(frozen=True, slots=True)
class AddedBullet:
    """A new bullet, or an edited copy of a bullet that is still there, with that bullet's id.

    A bullet in a code block for untrusted text is untrusted, wherever it was copied to.
    """

    content: str
    meta: Meta | None
    digest: str
    copy_of: str | None = None
    fenced: bool = False


@dataclass(frozen=True, slots=True)
class RemovedBullet:
    """A bullet that remem wrote is missing from a complete file, or no longer has any text."""

    id: str


HandEdit = ChangedBullet | AddedBullet | RemovedBullet


@dataclass(frozen=True, slots=True)
class MergeResult:
    """The edits and the new text; `items` is what to record as projected once it is written."""

    text: str
    edits: tuple[HandEdit, ...]
    items: Mapping[str, str]


def merge(
    current: DomainDocument | None,
    projected: Mapping[str, str],
    entries: Sequence[Entry],
    stem: str,
    *,
    absorbed: Mapping[str, str] = _NONE,
    form: Form = "new",
    language: str = "",
    moved: Set[str] = frozenset(),
) -> MergeResult:
    """Return the edits in `current`, and a text that contains every wanted entry once.

    `projected` maps ids to the digests of the items that remem last wrote. `absorbed` maps the
    digest of an item to the id of the entry that now has its text; such an item is no longer an
    edit. A missing or blank file is recreated, with a title in `language`, and a file without its
    end line may have been saved only in part: nothing counts as removed from either. `moved` are
    entries whose bullets are in another file, and are not removed either.
    """
    if current is None or not current.text().strip("\ufeff \t\r\n"):
        title = domain_title(stem, (entry.content for entry in entries), language)
        current, projected = parse(new_document(title, stem, language)), _NONE
    projection = DomainFileProjection(projected, absorbed, entries, stem, form)
    classified = _classify(current, projection)
    missing = [id_ for id_ in projection.wanted if id_ not in classified.matched]
    written = projected if current.complete else _NONE
    removed = [id_ for id_ in missing if id_ in written and id_ not in moved]
    new = [id_ for id_ in missing if id_ not in removed]
    text = rewrite_document(current, classified.placement, new, projection)
    edits = [classified.edits[index] for index in sorted(classified.edits)]
    return MergeResult(text, (*edits, *map(RemovedBullet, removed)), projection.digests)


@dataclass(slots=True)
class _Classified:
    """The items of the file: an item is settled (it represents an entry), is an edit, or is left
    alone. `matched` are the ids of entries that an item represents or edits."""

    placement: dict[int, str] = field(default_factory=dict)
    edits: dict[int, HandEdit] = field(default_factory=dict)
    matched: set[str] = field(default_factory=set)

    def settle(self, index: int, id_: str) -> None:
        self.placement[index] = id_
        self.matched.add(id_)


def _classify(document: DomainDocument, projection: DomainFileProjection) -> _Classified:
    """Classify the items of a file.

    Items that represent an entry come first, then others with an id, then those without an id. An
    entry belongs to the first item that claims it.
    """
    classified = _Classified()
    items = {at: part for at, part in enumerate(document.segments) if isinstance(part, DomainItem)}
    for index, item in items.items():
        if (id_ := projection.entry_at(item)) is not None:
            classified.settle(index, id_)
    unsettled = [(at, item) for at, item in items.items() if at not in classified.placement]
    complete = document.complete
    for index, item in unsettled:
        if item.id is not None:
            _classify_with_id(
                classified, index, item, id_=item.id, complete=complete, projection=projection
            )
    cut_off = None if complete else max(items, default=None)
    for index, item in unsettled:
        if item.id is None:
            _classify_without_id(
                classified, index, item, cut_off=index == cut_off, projection=projection
            )
    return classified


def _classify_with_id(
    classified: _Classified,
    index: int,
    item: DomainItem,
    *,
    id_: str,
    complete: bool,
    projection: DomainFileProjection,
) -> None:
    is_taken = id_ in classified.matched
    if not item.content and (is_taken or not complete or id_ not in projection.wanted):
        classified.settle(index, id_)
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
    classified: _Classified,
    index: int,
    item: DomainItem,
    *,
    cut_off: bool,
    projection: DomainFileProjection,
) -> None:
    """Classify a bullet that has lost its id, or a new one.

    The last bullet of a file without its end line may be cut off in the middle of a word. If that
    is the beginning of an entry's lines, it is that entry; otherwise it is left alone, and counts
    once the file is complete.
    """
    same_text = [projection.by_text.get(text, ()) for text in (item.content, show(item.content))]
    for entry in chain(*same_text):
        if entry.id not in classified.matched and projection.agrees(item, entry):
            classified.settle(index, entry.id)
            return
    if not cut_off:
        classified.edits[index] = _addition(item)
    elif not item.raw.endswith(("\n", "\r")):
        text = _on_one_line(item.raw)
        missing = (id_ for id_ in projection.wanted if id_ not in classified.matched)
        lines = ((id_, _on_one_line(projection.item(id_, "\n"))) for id_ in missing)
        if (id_ := next((id_ for id_, line in lines if line.startswith(text)), None)) is not None:
            classified.settle(index, id_)


def _on_one_line(text: str) -> str:
    return " ".join(text.lstrip(_BULLET).split())


def _addition(item: DomainItem) -> AddedBullet:
    return AddedBullet(item.content, item.meta, item.digest, item.id, item.fenced)
