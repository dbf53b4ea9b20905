"""How does memory travel? One JSON line per entry, with its whole history, out and in.

A line of `export` brings back the very same entry. A line with no more than a category and
a content is stored like any new memory. Reading the same lines again changes nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from tempfile import SpooledTemporaryFile
from typing import Final

from remem.core.entry import Draft, Entry, Version
from remem.core.fingerprints import fingerprints
from remem.core.homes import home_of
from remem.core.likeness import Fingerprint
from remem.maintenance.portable_line import Whole, length_of
from remem.ports import Store, Transaction
from remem.remember.batches import batches
from remem.remember.means import Receipt, Remembering
from remem.remember.run import Remember, remember_all

_IN_MEMORY: Final = 32 * 2**20


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    lines: int = 0
    stored: int = 0
    deduplicated: int = 0
    already_there: int = 0
    redacted: int = 0
    erased: int = 0

    def __add__(self, other: Imported) -> Imported:
        return Imported(
            *(getattr(self, each.name) + getattr(other, each.name) for each in fields(self))
        )


def export_lines(store: Store) -> Iterator[str]:
    """Every entry of the scope, archived ones too, in the order they came.

    They are laid aside first: whoever takes the lines may be slow, and while a reader holds
    one moment of the database, its log cannot be tidied up.
    """
    with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8") as lines:
        with store.read() as snapshot:
            for entry in snapshot.everything():
                lines.write(_line(snapshot.history(entry.id)) + "\n")
        lines.seek(0)
        for line in lines:
            yield line.removesuffix("\n")


def _line(history: list[Version]) -> str:
    *earlier, current = history
    said = {
        "entry": asdict(current.entry),
        "change": current.change,
        "history": [asdict(each) for each in earlier],
    }
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def import_items(
    store: Store,
    items: Iterable[Whole | Draft],
    how: Remembering,
    now: str,
    progress: Callable[[int], None] = lambda _lines: None,
) -> Imported:
    """Store in batches, each of them one durable step; safe to repeat after a kill."""
    total = Imported()
    for batch in batches(items, length_of):
        total += store.write(_Batch(_prepared(batch, how, now)))
        progress(total.lines)
    return total


def _prepared(
    batch: Sequence[Whole | Draft], how: Remembering, now: str
) -> list[Remember | _Return]:
    """The operations that store some items, in their order."""
    remembered = iter(remember_all([each for each in batch if isinstance(each, Draft)], now, how))
    wholes = [each for each in batch if isinstance(each, Whole)]
    prints = iter(fingerprints([each.entry.content for each in wholes]))
    return [
        next(remembered) if isinstance(each, Draft) else _Return.of(each, next(prints), how)
        for each in batch
    ]


@dataclass(frozen=True, slots=True)
class _Batch:
    """What is stored in one step."""

    coming: Sequence[Remember | _Return]

    def __call__(self, tx: Transaction) -> Imported:
        done = Counter(kind for each in self.coming for kind in _kinds(each(tx)))
        return Imported(lines=len(self.coming), **done)


def _kinds(became: Receipt | str) -> Iterator[str]:
    """As what a line counts, now that it is stored."""
    if isinstance(became, str):
        yield became
        return
    if not became.stored:
        yield "erased"
    else:
        yield "deduplicated" if became.deduplicated else "stored"
    if became.redacted:
        yield "redacted"


@dataclass(frozen=True, slots=True)
class _Return:
    """The operation that puts an exported entry back under its own id; one that is there stays
    as it is, and one that the owner has erased does not come back."""

    entry: Entry
    print_: Fingerprint
    home: str
    change: str
    earlier: Sequence[Version]

    @classmethod
    def of(cls, whole: Whole, print_: Fingerprint, how: Remembering) -> _Return:
        *earlier, current = whole.history
        entry, cost = current.entry, how.counter.count(current.entry.content)
        if entry.token_estimate != cost:
            entry = replace(entry, token_estimate=cost)
        return cls(entry, print_, home_of(entry, how.topics), current.change, earlier)

    @property
    def id(self) -> str:
        return self.entry.id

    def __call__(self, tx: Transaction) -> str:
        if not tx.is_news(self.id, self.print_):
            if tx.erased(self.id, self.print_.same):
                return "erased"
            if tx.by_ids([self.id]):
                return "already_there"
        tx.insert(self.entry, self.print_, self.home, self.change)
        tx.keep_history(self.id, self.earlier)
        return "stored"
