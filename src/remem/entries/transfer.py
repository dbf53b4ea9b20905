"""Export and import: one JSON line per entry, with its history.

In the workspace that wrote it, an exported line restores the same entry; in any other workspace it
is foreign (see `import_rules`). A line with only a category and content is stored like any new
memory. Importing the same lines again changes nothing.

Nothing is stored before every line is checked. Checked lines are held in a temporary file: reading
the input twice would take twice as long, and a line might have changed in between.
"""

from __future__ import annotations

import json
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from tempfile import SpooledTemporaryFile, gettempdir
from typing import IO, Any, Final

from remem.entries import placement
from remem.entries.draft import batches
from remem.entries.import_rules import PROOF_FIELD, ImportRules
from remem.entries.lifecycle import revise
from remem.entries.pending_facts import held_fact, save_held_fact
from remem.entries.receipt import (
    drop_intent,
    read_intent,
    save_intent,
)
from remem.entries.store import store_operation
from remem.entries.transfer_line import EntryHistory, ImportLine, length_of
from remem.errors import FileError
from remem.files.workspace_key import proof_of
from remem.model.entry import Draft, Entry, Version, is_lower_trust
from remem.ports import StoreDependencies
from remem.ports.entries import Snapshot, Store, Transaction
from remem.text.similarity import Fingerprint, fingerprint_of, folded_hash

_MAX_SPOOL_BYTES: Final = 32 * 2**20
_WRITTEN: Final = ("stored", "waiting", "deduplicated")


def after_reading_all(lines: Iterable[ImportLine]) -> Iterator[ImportLine]:
    """Yield all lines unchanged, but only after the last one has been read and checked."""
    with SpooledTemporaryFile(_MAX_SPOOL_BYTES) as spool:
        count = 0
        for batch in batches(lines, length_of):
            _write_batch(batch, spool)
            count += 1
        spool.seek(0)
        for _ in range(count):
            yield from pickle.load(spool)  # noqa: S301 - written above


def _write_batch(batch: list[ImportLine], spool: IO[bytes]) -> None:
    try:
        pickle.dump(batch, spool)
    except OSError as error:
        raise FileError(
            f"cannot write a temporary file in {gettempdir()}: {error.strerror}",
            hint="nothing was imported; set TMPDIR to a folder with more space",
        ) from error


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import, as numbers of lines.

    Every line is counted in one of five fields: `stored` counts new entries, `waiting` untrusted
    ones that the owner has to confirm, `deduplicated` lines that were merged into an entry,
    `already_there` exported entries that the store already has, and `erased` those that the owner
    has erased, which are not stored again.

    The other fields describe the lines that were written. `masked` counts values that contained a
    secret, `bounded` lines in which a counter or date was out of range and was limited, and
    `unproven` entries without a proof that they were exported here.
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

    def __add__(self, other: ImportReport) -> ImportReport:
        return ImportReport(
            *(getattr(self, field.name) + getattr(other, field.name) for field in fields(self))
        )


def export_lines(store: Store, key: bytes | None) -> Iterator[str]:
    """Yield a line for every entry of the scope, archived ones included, in stored order.

    With a key, each line has a proof that it was written here.

    The lines are written to a temporary file first: the consumer may be slow, and an open read
    transaction would keep the database from checkpointing its log.
    """
    with SpooledTemporaryFile(_MAX_SPOOL_BYTES, "w+", encoding="utf-8") as lines:
        with store.read() as snapshot:
            for id_ in snapshot.ids():
                lines.write(_export_line(snapshot, id_, key) + "\n")
        lines.seek(0)
        for line in lines:
            yield line.removesuffix("\n")


def _export_line(snapshot: Snapshot, id_: str, key: bytes | None) -> str:
    *earlier, current = snapshot.history(id_)
    line: dict[str, Any] = {
        "entry": asdict(current.entry),
        "change": current.change,
        "history": [asdict(version) for version in earlier],
    }
    if current.entry.trust == "untrusted":
        if intent := read_intent(snapshot, id_):
            line["intent"] = asdict(intent)
        if draft := held_fact(snapshot, id_):
            line["fact"] = asdict(draft)
    if key is not None:
        line[PROOF_FIELD] = proof_of(key, line)
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def import_items(
    store: Store,
    lines: Iterable[ImportLine],
    deps: StoreDependencies,
    rules: ImportRules,
    progress: Callable[[int], None] = lambda _lines: None,
) -> ImportReport:
    """Store lines in batches, one transaction for each; safe to repeat after an interruption."""
    total = ImportReport()
    for batch in batches(lines, length_of):
        total += store.write(_import_operation(batch, deps, rules))
        progress(total.lines)
    return total


def _import_operation(
    lines: Sequence[ImportLine], deps: StoreDependencies, rules: ImportRules
) -> Callable[[Transaction], ImportReport]:
    """Return the operation that stores one batch of lines."""
    operations = [
        _import_draft_operation(line.item, deps, rules)
        if isinstance(line.item, Draft)
        else _RestoreOperation.from_history(line.item, deps, rules)
        for line in lines
    ]

    def operation(tx: Transaction) -> ImportReport:
        counts = Counter[str]()
        for line, import_operation in zip(lines, operations, strict=True):
            outcome, id_ = import_operation(tx)
            counts.update([outcome])
            if outcome in _WRITTEN:
                counts.update(masked=line.masked, bounded=int(line.bounded))
                counts.update(unproven=int(isinstance(line.item, EntryHistory) and not line.proven))
                if line.intent is not None:
                    save_intent(tx, id_, line.intent)
                if line.fact is not None:
                    save_held_fact(tx, id_, line.fact)
        return ImportReport(lines=len(lines), **counts)

    return operation


def _import_draft_operation(
    draft: Draft, deps: StoreDependencies, rules: ImportRules
) -> Callable[[Transaction], tuple[str, str]]:
    store = store_operation(draft, rules.now, deps)

    def operation(tx: Transaction) -> tuple[str, str]:
        receipt = store(tx)
        if not receipt.stored:
            return "erased", receipt.id
        if receipt.deduplicated:
            return "deduplicated", receipt.id
        return ("waiting" if draft.trust == "untrusted" else "stored"), receipt.id

    return operation


@dataclass(frozen=True, slots=True)
class _RestoreOperation:
    """Restores an exported entry under its own id, unless it exists or the owner has erased it.

    Earlier wordings that were erased under any id are left out.
    """

    entry: Entry
    change: str
    earlier: Sequence[Version]
    fingerprint: Fingerprint
    topics: Sequence[str]
    rules: ImportRules

    @classmethod
    def from_history(
        cls, history: EntryHistory, deps: StoreDependencies, rules: ImportRules
    ) -> _RestoreOperation:
        *earlier, current = history.history
        content = current.entry.content
        entry = replace(current.entry, token_estimate=deps.counter.count(content))
        return cls(entry, current.change, earlier, fingerprint_of(content), deps.topics, rules)

    def __call__(self, tx: Transaction) -> tuple[str, str]:
        return self._restore(tx), self.entry.id

    def _restore(self, tx: Transaction) -> str:
        entry = self.entry
        if not tx.is_new_text(entry.id, self.fingerprint):
            if tx.tombstones(entry.id, self.fingerprint.same):
                return "erased"
            if known := tx.find([entry.id]).get(entry.id):
                return self._raise_trust(tx, known)
        history = [
            version
            for version in self.earlier
            if not tx.tombstones(wording_hash=folded_hash(version.entry.content))
        ]
        placement.insert(
            tx, entry, self.change, self.topics, fingerprint=self.fingerprint, history=history
        )
        waits = entry.trust == "untrusted" and not entry.archived and entry.superseded_by is None
        return "waiting" if waits else "stored"

    def _raise_trust(self, tx: Transaction, old: Entry) -> str:
        """Raise the trust of an entry that equals the line, if the owner vouches for the file."""
        line = self.entry
        is_same = (old.content, old.version) == (line.content, line.version)
        if not self.rules.is_vouched or not is_same or not is_lower_trust(old.trust, line.trust):
            return "already_there"
        new = replace(
            old,
            trust=line.trust,
            category=line.category,
            priority=line.priority,
            strength=max(old.strength, line.strength),
            uses=max(old.uses, line.uses),
        )
        change = "the owner vouched for it by importing it"
        revise(tx, new, change, now=self.rules.now, topics=self.topics)
        drop_intent(tx, line.id)
        return "deduplicated"
