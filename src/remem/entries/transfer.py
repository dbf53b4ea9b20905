"""How does memory travel? One JSON line per entry, with its whole history, out and in.

A line of `export` brings back the very same entry in the workspace that wrote it; elsewhere it is
foreign (`import_rules`). A line with no more than a category and a content is stored like any new
memory. Reading the same lines again changes nothing.

Where do the lines of an import wait until the last of them is checked? In a file without a
name, each of them read, masked and checked.

Nothing may be stored before all can be. Reading every line a second time would take as long as
the first, and a line might say something else by then.
"""

from __future__ import annotations

import json
import marshal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import asdict, dataclass, fields, replace
from operator import attrgetter
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, Any, Final

from remem.entries.draft import batches
from remem.entries.import_rules import PROOF, ImportRules
from remem.entries.pending_facts import FactDraft, held, hold_again
from remem.entries.receipt import (
    Intent,
    Receipt,
    Remembering,
    drop_intent,
    keep_intent,
    kept_intent,
)
from remem.entries.store import Remember, remember_all
from remem.entries.transfer_line import Line, Whole, length_of
from remem.errors import FileError
from remem.model.domain_routing import home_of
from remem.model.entry import Draft, Entry, Origin, Version, is_lower
from remem.model.proof import proof_of
from remem.ports.entries import Snapshot, Store, Transaction
from remem.ports.records import Located
from remem.text.fingerprints import fingerprints
from remem.text.similarity import Fingerprint, folded_number

_IN_MEMORY: Final = 32 * 2**20
_OF_ORIGIN: Final = attrgetter(*(field.name for field in fields(Origin)))
_OF_DRAFT: Final = attrgetter(*(field.name for field in fields(Draft)))
_OF_ENTRY: Final = attrgetter(*(field.name for field in fields(Entry)))
_DRAFTS_ORIGIN: Final = [field.name for field in fields(Draft)].index("origin")
_ENTRYS_ORIGINS: Final = [field.name for field in fields(Entry)].index("origins")


def laid_aside(lines: Iterable[Line]) -> Iterator[Line]:
    """All lines as they are, and the first only once the last has come."""
    with SpooledTemporaryFile(_IN_MEMORY) as waiting:
        lengths = [_kept(batch, waiting) for batch in batches(lines, length_of)]
        waiting.seek(0)
        for length in lengths:
            yield from map(_line, marshal.loads(waiting.read(length)))  # noqa: S302 - our own


def _kept(batch: Iterable[Line], waiting: IO[bytes]) -> int:
    """How many bytes they took."""
    try:
        return waiting.write(marshal.dumps([_plain_line(line) for line in batch]))
    except OSError as error:
        raise FileError(
            f"the lines cannot be laid aside in {gettempdir()}: {error.strerror}",
            hint="nothing was imported; name a folder with more room in TMPDIR",
        ) from error


def _plain_line(line: Line) -> tuple[Any, ...]:
    intent = (line.intent.category, line.intent.priority) if line.intent else None
    fact = asdict(line.fact) if line.fact else None
    return _plain(line.item), intent, line.masked, line.bounded, line.proven, fact


def _line(values: tuple[Any, ...]) -> Line:
    item, intent, masked, bounded, proven, fact = values
    meant = Intent(*intent) if intent else None
    statement = FactDraft(**fact) if fact else None
    return Line(_item(item), meant, masked, bounded, proven, statement)


def _plain(item: Whole | Draft) -> list[Any]:
    """An item in values that need no class to be read: a draft's, or its versions'."""
    if isinstance(item, Draft):
        values = list(_OF_DRAFT(item))
        if item.origin is not None:
            values[_DRAFTS_ORIGIN] = _OF_ORIGIN(item.origin)
        return values
    return [(version.change, _plain_entry(version.entry)) for version in item.history]


def _item(values: list[Any]) -> Whole | Draft:
    if isinstance(values[0], str):
        if (origin := values[_DRAFTS_ORIGIN]) is not None:
            values[_DRAFTS_ORIGIN] = Origin(*origin)
        return Draft(*values)
    return Whole(tuple(_version(*value) for value in values))


def _plain_entry(entry: Entry) -> list[Any]:
    values = list(_OF_ENTRY(entry))
    values[_ENTRYS_ORIGINS] = tuple(map(_OF_ORIGIN, entry.origins))
    return values


def _version(change: str, values: list[Any]) -> Version:
    values[_ENTRYS_ORIGINS] = tuple(Origin(*value) for value in values[_ENTRYS_ORIGINS])
    entry = Entry(*values)
    return Version(entry.version, entry.updated_at, change, entry)


_PORTABLE_IN_MEMORY: Final = 32 * 2**20
_WRITTEN: Final = ("stored", "waiting", "deduplicated")


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did. Each line counts once as stored, waiting, deduplicated, already_there
    or erased; of those that were written, `masked` counts values that held a secret, `bounded`
    lines with a counter or date that was out of bounds, and `unproven` entries with no proof
    that they were exported here.

    `waiting` ones are untrusted until the owner confirms them. `erased` ones stay away.
    """

    lines: int = 0
    stored: int = 0
    waiting: int = 0
    deduplicated: int = 0
    already_there: int = 0
    erased: int = 0
    masked: int = 0
    bounded: int = 0
    unproven: int = 0

    def __add__(self, other: Imported) -> Imported:
        return Imported(
            *(getattr(self, field.name) + getattr(other, field.name) for field in fields(self))
        )


def export_lines(store: Store, key: bytes | None) -> Iterator[str]:
    """Every entry of the scope, archived ones too, in the order they came; with a key, each line
    ends with a proof that it was written here.

    They are laid aside first: whoever takes the lines may be slow, and while a reader holds
    one moment of the database, its log cannot be tidied up.
    """
    with SpooledTemporaryFile(_PORTABLE_IN_MEMORY, "w+", encoding="utf-8") as lines:
        with store.read() as snapshot:
            for entry in snapshot.everything():
                lines.write(_portable_line(snapshot, entry, key) + "\n")
        lines.seek(0)
        for line in lines:
            yield line.removesuffix("\n")


def _portable_line(snapshot: Snapshot, entry: Entry, key: bytes | None) -> str:
    *earlier, current = snapshot.history(entry.id)
    said: dict[str, Any] = {
        "entry": asdict(current.entry),
        "change": current.change,
        "history": [asdict(version) for version in earlier],
    }
    if entry.trust == "untrusted":
        if intent := kept_intent(snapshot, entry.id):
            said["intent"] = asdict(intent)
        if draft := held(snapshot, entry.id):
            said["fact"] = asdict(draft)
    if key is not None:
        said[PROOF] = proof_of(key, said)
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def import_items(
    store: Store,
    lines: Iterable[Line],
    how: Remembering,
    rules: ImportRules,
    progress: Callable[[int], None] = lambda _lines: None,
) -> Imported:
    """Store in batches, each of them one durable step; safe to repeat after a kill."""
    total = Imported()
    for batch in batches(lines, length_of):
        total += store.write(_Batch(_prepared(batch, how, rules.now), batch, rules))
        progress(total.lines)
    return total


def _prepared(batch: Sequence[Line], how: Remembering, now: str) -> list[Remember | _Return]:
    """The operations that store some lines, in their order."""
    items = [line.item for line in batch]
    remembered = iter(remember_all([item for item in items if isinstance(item, Draft)], now, how))
    wholes = [item for item in items if isinstance(item, Whole)]
    prints = iter(fingerprints([whole.entry.content for whole in wholes]))
    return [
        next(remembered) if isinstance(item, Draft) else _Return.of(item, next(prints), how)
        for item in items
    ]


@dataclass(frozen=True, slots=True)
class _Batch:
    """What is stored in one step."""

    coming: Sequence[Remember | _Return]
    lines: Sequence[Line]
    rules: ImportRules

    def __call__(self, tx: Transaction) -> Imported:
        done = Counter[str]()
        with_past = any(isinstance(each, _Return) and each.earlier for each in self.coming)
        gone = (
            frozenset(tombstone.wording for tombstone in tx.tombstones())
            if with_past
            else frozenset()
        )
        for line, operation in zip(self.lines, self.coming, strict=True):
            if isinstance(operation, Remember):
                receipt = operation(tx)
                became, id_ = _fate(receipt, line), receipt.id
            else:
                became, id_ = operation.put_back(tx, gone, self.rules), operation.id
            done.update([became])
            if became in _WRITTEN:
                done.update(masked=line.masked, bounded=int(line.bounded))
                done.update(unproven=int(isinstance(line.item, Whole) and not line.proven))
                if line.intent is not None:
                    keep_intent(tx, id_, line.intent)
                if line.fact is not None:
                    hold_again(tx, id_, line.fact)
        return Imported(lines=len(self.coming), **done)


def _fate(receipt: Receipt, line: Line) -> str:
    """As what a new memory counts, now that it is stored."""
    if not receipt.stored:
        return "erased"
    if receipt.deduplicated:
        return "deduplicated"
    assert isinstance(line.item, Draft)
    return "waiting" if line.item.trust == "untrusted" else "stored"


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

    def put_back(self, tx: Transaction, gone: Set[int], rules: ImportRules) -> str:
        """As what the line counts. Earlier wordings that are `gone`, erased under whatever id,
        are left out."""
        if not tx.is_news(self.id, self.print_):
            if tx.erased(self.id, self.print_.same):
                return "erased"
            if known := tx.by_ids([self.id]).get(self.id):
                return self._meet(tx, known, rules)
        tx.insert(self.entry, self.print_, self.home, self.change)
        said = self.earlier
        kept = (
            [version for version in said if folded_number(version.entry.content) not in gone]
            if gone
            else said
        )
        tx.keep_history(self.id, kept)
        waits = self.entry.trust == "untrusted" and not self.entry.archived
        return "waiting" if waits and self.entry.superseded_by is None else "stored"

    def _meet(self, tx: Transaction, known: Located, rules: ImportRules) -> str:
        """An entry that is there stays as it is. Only where it came from the same file before,
        and the owner vouches for that now, it gets the trust and power that the line states."""
        old, line = known.entry, self.entry
        same = (old.content, old.version) == (line.content, line.version)
        if not rules.vouched or not same or not is_lower(old.trust, line.trust):
            return "already_there"
        new = replace(
            old,
            trust=line.trust,
            category=line.category,
            priority=line.priority,
            strength=max(old.strength, line.strength),
            uses=max(old.uses, line.uses),
            updated_at=max(rules.now, old.created_at),
            version=old.version + 1,
        )
        tx.revise(known, new, self.home, "the owner vouched for it by an import")
        drop_intent(tx, self.id)
        return "deduplicated"
