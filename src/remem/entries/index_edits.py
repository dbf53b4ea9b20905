"""Find the lines that a person removed, reworded, added or moved in the index file.

The file is compared with the lines that were last written to it. What is not a line of an entry
(headings, domains, channels) cannot be edited there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from remem.entries.index_shown import IndexLine
from remem.fast_dataclass import dataclass
from remem.model.entry import Category
from remem.text.labels import headings, labels
from remem.text.similarity import folded_hash, jaccard

_SIMILAR: Final = 0.5
_SIMILAR_IN_PLACE: Final = 0.2
"""If a line replaced another and they share at least some words, it was reworded."""
_END: Final = labels("full_entries", "texts")
_BULLET: Final = re.compile(r"[-*+]\s+(?P<text>\S.*)")
_POINTER: Final = re.compile(
    rf"\+ \d+ (?:.*: memory_\w+|(?:{'|'.join(map(re.escape, labels('more_entries', 'texts')))})$)"
)
"""A line that counts the entries that are not shown, in any language."""
_MARK: Final = re.compile(r"\[(?P<letter>[A-Z])\]\s+")
_GENERATED: Final = (*headings(2, "channels"), *headings(2, "domains"))
_SUBHEADING: Final = "###"
_PROJECTS: Final = headings(2, "active_projects")
_FRAME: Final = "frame"
_EARLIER: Final = "earlier"
_MAX_EARLIER: Final = 20
_CATEGORIES: Final[dict[str, Category]] = {
    "P": "preference",
    "I": "instruction",
    "F": "fact",
    "J": "project",
    "H": "person",
    "D": "decision",
    "L": "insight",
}


@dataclass(frozen=True, slots=True)
class KnownLine:
    """A line as it was written: its entry, the hash of its text, and the hash of the whole line.

    `is_only_line`: the index had no other line of the same entry.
    """

    entry: str
    text_hash: int
    line_hash: int
    is_only_line: bool


@dataclass(frozen=True, slots=True)
class RewordedLine:
    line: KnownLine
    text: str


@dataclass(frozen=True, slots=True)
class NewLine:
    text: str
    category: Category


@dataclass(frozen=True, slots=True)
class IndexEdits:
    """The changes that a person made to one version of the file.

    `order` has an entry id or a new line for every line, if lines were moved or added.
    `other_changes`: whether anything besides entry lines was changed; such changes are ignored.
    """

    removed: tuple[KnownLine, ...] = ()
    reworded: tuple[RewordedLine, ...] = ()
    added: tuple[NewLine, ...] = ()
    order: tuple[str | NewLine, ...] = ()
    other_changes: bool = False


def written_items(text: str, lines: Iterable[IndexLine], earlier: Sequence[str]) -> dict[str, str]:
    """Return what to remember about an index when it is written: hashes of its lines, no text.

    `earlier` are digests of versions that were written before, the latest one first.
    """
    latest = list(dict.fromkeys(filter(None, earlier)))[:_MAX_EARLIER]
    items = {_FRAME: str(_frame(text)), _EARLIER: " ".join(latest)}
    for number, line in enumerate(lines):
        is_only_line = "1" if line.alone else "0"
        line_hash = folded_hash(line.text.removeprefix("- "))
        items[f"{number:04d}"] = f"{line.entry} {line.words} {line_hash} {is_only_line}"
    return items


def earlier_digests(items: dict[str, str]) -> list[str]:
    """Return the digests of earlier versions.

    Restoring one of them, for example from version control, does not count as an edit.
    """
    return items.get(_EARLIER, "").split()


def read_edits(
    items: dict[str, str], text: str, words_of: Callable[[KnownLine], str]
) -> IndexEdits:
    """Compare a file with the `written_items` of the version that was edited.

    `words_of` returns the text of a known line. A file without its last line is incomplete, and its
    changes are ignored.
    """
    last = text.rstrip().rsplit("\n", 1)[-1]
    if not any(end in last for end in _END):
        return IndexEdits(other_changes=True)
    known = [_known(value) for key, value in sorted(items.items()) if key.isdigit()]
    lines = list(_entry_lines(text))
    by_hash = {line.line_hash: line for line in known}
    present = {folded_hash(line) for line, _ in lines}
    removed_lines = [line for line in known if line.line_hash not in present]
    removed = list(removed_lines)
    reworded: list[RewordedLine] = []
    order: list[str | NewLine] = []
    above: KnownLine | None = None
    for line, category in lines:
        original = by_hash.get(folded_hash(line))
        if original is None:
            in_place = _next_line_if_gone(above, known, removed_lines)
            original = _reworded(line, removed, in_place, words_of)
            if original is not None:
                removed.remove(original)
                reworded.append(RewordedLine(original, _without_mark(line)))
        order.append(original.entry if original else NewLine(_without_mark(line), category))
        above = original or above
    added = tuple(item for item in order if isinstance(item, NewLine))
    before = [line.entry for line in known if line not in removed]
    order_changed = [item for item in order if isinstance(item, str)] != before
    return IndexEdits(
        tuple(removed),
        tuple(reworded),
        added,
        tuple(dict.fromkeys(order)) if order_changed or added or reworded else (),
        other_changes=items.get(_FRAME) != str(_frame(text)),
    )


def _known(value: str) -> KnownLine:
    entry, text_hash, line_hash, is_only_line = value.split(" ")
    return KnownLine(entry, int(text_hash), int(line_hash), is_only_line == "1")


def _reworded(
    text: str,
    removed_lines: Sequence[KnownLine],
    in_place: KnownLine | None,
    words_of: Callable[[KnownLine], str],
) -> KnownLine | None:
    """Return the removed line that a new line rewords, if any."""
    similarity = {line: jaccard(text, words_of(line)) for line in removed_lines}
    best = max(removed_lines, key=lambda line: similarity[line], default=None)
    if best is not None and similarity[best] >= _SIMILAR:
        return best
    if in_place is not None and similarity.get(in_place, 0.0) >= _SIMILAR_IN_PLACE:
        return in_place
    return None


def _next_line_if_gone(
    above: KnownLine | None, known_lines: Sequence[KnownLine], removed_lines: Sequence[KnownLine]
) -> KnownLine | None:
    """Return the line that followed `above` when the file was written, if it is gone."""
    position = known_lines.index(above) + 1 if above else 0
    following = known_lines[position] if position < len(known_lines) else None
    return following if following in removed_lines else None


def _entry_lines(text: str) -> Iterable[tuple[str, Category]]:
    """Yield the lines that show entries, and the category a new line there would get."""
    heading = ""
    for line in text.split("\n"):
        if line.startswith(_SUBHEADING):
            continue  # it is the owner's, and says nothing about the section of the page
        if line.startswith("#"):
            heading = line
        elif not heading.startswith(_GENERATED):
            bullet = _BULLET.match(line.strip())
            if bullet and not _POINTER.match(bullet["text"]):
                yield bullet["text"].rstrip(), _category(bullet["text"], heading)


def _category(text: str, heading: str) -> Category:
    mark = _MARK.match(text)
    default: Category = "project" if heading.startswith(_PROJECTS) else "fact"
    return _CATEGORIES.get(mark["letter"], default) if mark else default


def _without_mark(text: str) -> str:
    mark = _MARK.match(text)
    return text[mark.end() :] if mark and mark["letter"] in _CATEGORIES else text


def _frame(text: str) -> int:
    """Return a hash of the file without its entry lines and white space."""
    entry_lines = {line for line, _ in _entry_lines(text)}
    rest = []
    for line in text.split("\n"):
        bullet = _BULLET.match(line.strip())
        if line.startswith(_SUBHEADING):
            continue  # it changes with the lines below it
        if line.strip() and not (bullet and bullet["text"].rstrip() in entry_lines):
            rest.append(line.strip())
    return folded_hash("\n".join(rest))
