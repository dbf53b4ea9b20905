"""Match the statements of a file with the entries that an earlier migration made from it.

The transaction that stores entries also records the line that each was made from. A later run
recognises an unchanged line by its words, wherever it is now, and a changed line by its label, its
place between unchanged lines, or its similarity.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final

from remem.ports.entries import EntryReader, Transaction
from remem.ports.state import Namespace
from remem.text.similarity import overlap
from remem.text.statements import strip_markup
from remem.text.words import fold, words

_PREFIX_END: Final = re.compile(r":[ \n]")
_LABEL: Final = re.compile(r"([^:：\n]{2,40}?)\s*[:：](?!//)")
_MIN_SIMILARITY: Final = 0.4
_SAME_PLACE: Final = 0.25
_SAME_LABEL: Final = 0.6
_MAX_PAIRS: Final = 250_000
_AFTER_LAST_LINE: Final = 10**9


@dataclass(frozen=True, slots=True)
class MigratedRow:
    """A migrated statement: its first line, the hash of its text, and its entry.

    Line 0 means that the line is no longer in its file; if it comes back, so does its entry.
    """

    line: int
    text_hash: str
    id: str


@dataclass(frozen=True, slots=True)
class Content:
    """The text of a statement and the number of its first line."""

    text: str
    line: int


def hash_of(content: str) -> str:
    """Return the `text_hash` of a statement's row."""
    return blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


ROWS: Final[Namespace[tuple[MigratedRow, ...]]] = Namespace("migrated", tuple[MigratedRow, ...])
"""The migrated statements of each file."""


def read_rows(reader: EntryReader, path: str) -> tuple[MigratedRow, ...]:
    """Return what migration has stored from a file."""
    return reader.record(ROWS, path) or ()


def write_rows(tx: Transaction, path: str, rows: Sequence[MigratedRow]) -> None:
    """Record what migration has stored from a file."""
    tx.put_record(ROWS, path, tuple(rows) or None)


def has_prefix(old: str, new: str) -> bool:
    """Return whether `old` is `new` with headings in front, as earlier versions stored it."""
    return old.endswith((f": {new}", f":\n{new}"))


def match_rows(
    contents: Sequence[Content],
    rows: Sequence[MigratedRow],
    old_texts: Callable[[Sequence[MigratedRow]], Mapping[MigratedRow, str]],
) -> tuple[dict[int, MigratedRow], dict[int, MigratedRow], list[MigratedRow]]:
    """Match the statements of a file with the rows of an earlier run.

    Return the rows of unchanged and of changed statements, both by the statement's index, and the
    rows whose lines were removed.
    """
    by_hash: dict[str, list[MigratedRow]] = defaultdict(list)
    for row in rows:
        by_hash[row.text_hash].append(row)
    same_rows: dict[int, MigratedRow] = {}
    for index, content in enumerate(contents):
        if candidates := by_hash[hash_of(content.text)]:
            nearest = min(candidates, key=lambda row: (not row.line, abs(row.line - content.line)))
            candidates.remove(nearest)
            same_rows[index] = nearest
    matched = set(same_rows.values())
    unmatched = [row for row in rows if row.line and row not in matched]
    new = [index for index in range(len(contents)) if index not in same_rows]
    if not unmatched or not new:
        return same_rows, {}, unmatched
    changed_rows = _match_changed(contents, new, same_rows, old_texts(unmatched))
    matched = set(changed_rows.values())
    return same_rows, changed_rows, [row for row in unmatched if row not in matched]


_Pair = tuple[float, int, MigratedRow]
"""How similar a new statement and an old row are, the statement's index, and the row."""


def _match_changed(
    contents: Sequence[Content],
    new: Sequence[int],
    same_rows: Mapping[int, MigratedRow],
    texts: Mapping[MigratedRow, str],
) -> dict[int, MigratedRow]:
    """Match changed lines, most similar pairs first."""
    pairs = sorted(
        [
            *_prefixed_pairs(contents, new, texts),
            *_similar_pairs(contents, new, _gaps(contents, new, same_rows), texts),
        ],
        key=lambda pair: (-pair[0], abs(pair[2].line - contents[pair[1]].line), pair[1]),
    )
    changed_rows: dict[int, MigratedRow] = {}
    matched: set[MigratedRow] = set()
    for _, index, row in pairs:
        if index not in changed_rows and row not in matched:
            changed_rows[index] = row
            matched.add(row)
    return changed_rows


def _prefixed_pairs(
    contents: Sequence[Content], new: Sequence[int], texts: Mapping[MigratedRow, str]
) -> Iterator[_Pair]:
    """Yield pairs whose old text is the new text preceded by headings, which always match."""
    indexes: dict[str, list[int]] = defaultdict(list)
    for index in new:
        indexes[contents[index].text].append(index)
    for row, text in texts.items():
        for prefix_end in _PREFIX_END.finditer(text):
            rest = text[prefix_end.end() :]
            yield from ((2.0, index, row) for index in indexes.get(rest, ()))


def _similar_pairs(
    contents: Sequence[Content],
    new: Sequence[int],
    gaps: Mapping[int, tuple[int, int]],
    texts: Mapping[MigratedRow, str],
) -> Iterator[_Pair]:
    """Yield pairs that share enough words, or a label that occurs only once.

    If there are too many pairs to compare, a line counts as changed only if it is still between the
    same unchanged lines.
    """
    old_lines = [(row, set(words(text)), _label(text)) for row, text in texts.items()]
    labels = {index: _label(contents[index].text) for index in new}
    label_counts = Counter(label for _, _, label in old_lines) | Counter(labels.values())
    compares_all = len(new) * len(old_lines) <= _MAX_PAIRS
    for index in new:
        new_words, (start, end) = set(words(contents[index].text)), gaps[index]
        for row, old_words, label in old_lines:
            in_place = start < row.line < end
            if not compares_all and not in_place:
                continue
            similarity = overlap(new_words, old_words)
            if label and label == labels[index] and (in_place or label_counts[label] == 1):
                similarity += _SAME_LABEL
            if in_place and similarity:
                similarity += _SAME_PLACE
            if similarity >= _MIN_SIMILARITY:
                yield similarity, index, row


def _gaps(
    contents: Sequence[Content], new: Sequence[int], same_rows: Mapping[int, MigratedRow]
) -> dict[int, tuple[int, int]]:
    """Return, for each new statement, the old lines of its nearest unchanged neighbours."""
    old_lines = {index: row.line for index, row in same_rows.items() if row.line}
    before, after = {}, {}
    line = 0
    for index in range(len(contents)):
        before[index] = line = old_lines.get(index, line)
    line = _AFTER_LAST_LINE
    for index in reversed(range(len(contents))):
        after[index] = line = old_lines.get(index, line)
    return {index: (before[index], after[index]) for index in new}


def _label(text: str) -> str:
    """Return the label of a line: `time zone` for `**Time zone:** Lisbon`."""
    match = _LABEL.match(strip_markup(text))
    return fold(match[1]) if match else ""
