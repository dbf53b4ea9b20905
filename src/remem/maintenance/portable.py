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

from remem.core.entry import Draft, Version
from remem.core.homes import home_of
from remem.core.likeness import fingerprint, wording
from remem.maintenance.portable_line import Whole
from remem.ports import Store, Transaction
from remem.remember.batches import batches
from remem.remember.means import Remembering
from remem.remember.run import Remember, remember

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
    for batch in batches(items, _length):
        total += store.write(_Batch.of(batch, how, now))
        progress(total.lines)
    return total


def _length(item: Whole | Draft) -> int:
    if isinstance(item, Draft):
        return len(item.content)
    return sum(len(each.entry.content) for each in item.history)


@dataclass(frozen=True, slots=True)
class _Batch:
    """What is stored in one step; `coming` are those that are no entries yet."""

    items: Sequence[Whole | Remember]
    coming: Sequence[Remember]
    how: Remembering

    @classmethod
    def of(cls, batch: Iterable[Whole | Draft], how: Remembering, now: str) -> _Batch:
        items = [remember(each, now, how) if isinstance(each, Draft) else each for each in batch]
        return cls(items, [each for each in items if isinstance(each, Remember)], how)

    def __call__(self, tx: Transaction) -> Imported:
        done = Counter(kind for item in self.items for kind in self._kinds(tx, item))
        return Imported(lines=len(self.items), **done)

    def _kinds(self, tx: Transaction, item: Whole | Remember) -> Iterator[str]:
        """As what the item counts, now that it is stored."""
        if isinstance(item, Whole):
            if tx.erased(item.entry.id, wording(item.entry.content)):
                yield "erased"
            else:
                yield "stored" if _insert_whole(tx, item, self.how) else "already_there"
            return
        receipt = item(tx)
        if not receipt.stored:
            yield "erased"
        else:
            yield "deduplicated" if receipt.deduplicated else "stored"
        if receipt.redacted:
            yield "redacted"


def _insert_whole(tx: Transaction, item: Whole, how: Remembering) -> bool:
    """Put an exported entry back under its own id; one that is there stays as it is."""
    entry = item.entry
    if tx.by_ids([entry.id]):
        return False
    entry = replace(entry, token_estimate=how.counter.count(entry.content))
    change = item.history[-1].change if item.history else "imported"
    tx.insert(entry, fingerprint(entry.content), home_of(entry, how.topics), change)
    tx.keep_history(entry.id, item.history[:-1])
    return True
