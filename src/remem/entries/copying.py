"""Copy all entries of a scope from one store to another.

Everything that belongs to them is copied too: history, use, tombstones, records, vectors and the
outbox. A copy that was interrupted continues where it stopped. At the end both stores are compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from remem.errors import StoreError
from remem.model.entry import Entry
from remem.ports.entries import Snapshot, Store, TextVectors, Transaction
from remem.ports.models import Embedding, ModelIdentity
from remem.ports.records import Where
from remem.ports.state import ACTIVITY, NAMESPACES, Namespace

_BATCH_SIZE: Final = 200
_COPYING: Final = "copying from"
"""The activity that marks an unfinished copy; its value names the source."""


@dataclass(frozen=True, slots=True)
class CopyTotals:
    """The numbers of entries, versions and vectors in a copy."""

    entries: int
    versions: int
    vectors: int


def copy_entries(source: Store, target: Store, name: str = "copy") -> CopyTotals:
    """Copy a scope and compare the result; `name` identifies the source of an unfinished copy.

    The target must be empty, or contain an unfinished copy from the same source, or be equal.
    """
    with source.read() as snapshot:
        if not _claim(target, name):
            return _compare_finished(snapshot, target)
        copied_ids = _ids_in(target)
        missing = [id_ for id_ in snapshot.ids() if id_ not in copied_ids]
        for start in range(0, len(missing), _BATCH_SIZE):
            _copy_batch(snapshot, target, missing[start : start + _BATCH_SIZE])
        target.write(lambda tx: _copy_rest(snapshot, tx))
        _copy_vectors(snapshot, target)
        totals = compare(snapshot, target)
    target.write(lambda tx: tx.put_record(ACTIVITY, _COPYING, None))
    return totals


def is_unfinished(snapshot: Snapshot) -> bool:
    """Return whether a store contains a copy that was interrupted."""
    return snapshot.record(ACTIVITY, _COPYING) is not None


def _compare_finished(source: Snapshot, target: Store) -> CopyTotals:
    try:
        return compare(source, target)
    except StoreError as error:
        raise StoreError(
            f"the target already has entries of this scope, and {error.args[0]}",
            hint="copy to an empty store, or to another workspace (?workspace=NAME)",
        ) from None


def _claim(target: Store, name: str) -> bool:
    """Mark the target as an unfinished copy; return False if it has entries of another origin."""

    def operation(tx: Transaction) -> bool:
        unfinished = tx.record(ACTIVITY, _COPYING)
        if unfinished is None and (tx.ids() or tx.tombstones()):
            return False
        if unfinished not in (None, name):
            raise StoreError(
                f"the target contains an unfinished copy of {unfinished}",
                hint="finish that copy first, or choose another target",
            )
        tx.put_record(ACTIVITY, _COPYING, name)
        return True

    return target.write(operation)


def _ids_in(target: Store) -> set[str]:
    with target.read() as snapshot:
        return set(snapshot.ids())


def _copy_batch(source: Snapshot, target: Store, ids: Sequence[str]) -> None:
    """Copy some entries with their history and use, in one transaction."""
    usage = source.usage(ids)
    histories = {id_: source.history(id_) for id_ in ids}

    def operation(tx: Transaction) -> None:
        for id_, versions in histories.items():
            *earlier, last = versions
            last_used = usage[id_].used
            entry = replace(last.entry, uses=last.entry.uses - 1) if last_used else last.entry
            tx.insert(entry, last.change, usage[id_].home, history=earlier)
            if last_used:
                tx.record_use([id_], last_used, was_used=True)
            if (listed_at := usage[id_].listed) is not None:
                tx.record_use([id_], listed_at, was_used=False)

    target.write(operation)


def _copy_rest(source: Snapshot, tx: Transaction) -> None:
    """Copy the tombstones, the records and the outbox."""
    tx.add_tombstones(source.tombstones())
    for namespace in _namespaces():
        for key, value in source.records(namespace).items():
            tx.put_record(namespace, key, value)
    for item in source.outbox():
        tx.add_to_outbox(item.file)


def _namespaces() -> Iterator[Namespace[Any]]:
    """Yield the namespaces of all records, so that they are copied as plain JSON."""
    for name in sorted(NAMESPACES):
        yield Namespace(name, Any)


def _save_vectors(identity: ModelIdentity, embedded: TextVectors[str], tx: Transaction) -> None:
    tx.save_vectors(identity, embedded, keep_queued=True)


def _copy_vectors(source: Snapshot, target: Store) -> None:
    """Copy the vectors that the models themselves made; quick ones are made again."""
    models = list(source.vector_state().vectors)
    if not models:
        return
    target.write(lambda tx: tx.set_vector_models(*_current_models(source, models)))
    ids = source.ids()
    queued_ids = {text.id for text in source.pending(len(ids) + 1)}
    for identity in models:
        for start in range(0, len(ids), _BATCH_SIZE):
            batch = ids[start : start + _BATCH_SIZE]
            vectors = source.vectors_of(identity, batch, quick=False)
            entries = source.find(vectors)
            embedded = [(id_, entries[id_].version, vectors[id_]) for id_ in entries]
            target.write(partial(_save_vectors, identity, embedded))
    complete = [
        (entry.id, entry.version)
        for entry in source.find(ids).values()
        if entry.id not in queued_ids
    ]
    target.write(lambda tx: tx.dequeue_vectors(complete))


def _current_models(source: Snapshot, models: Sequence[ModelIdentity]) -> list[ModelIdentity]:
    """Return the models that the source makes vectors with, in their order."""
    identities = (source.vector_state().models or "").split(" + ")
    by_name = {str(identity): identity for identity in models}
    return [by_name[name] for name in identities if name in by_name] or list(models)


def compare(source: Snapshot, target: Store) -> CopyTotals:
    """Compare everything that was copied; raise StoreError at the first difference."""
    versions = vectors = 0
    with target.read() as copy:
        ids = source.ids()
        _require_equal("the order of the entries", ids, copy.ids())
        for start in range(0, len(ids), _BATCH_SIZE):
            batch = ids[start : start + _BATCH_SIZE]
            _require_equal("an entry", _entries(source, batch), _entries(copy, batch))
            _require_equal("the use of an entry", source.usage(batch), copy.usage(batch))
            for id_ in batch:
                history = source.history(id_)
                _require_equal(f"the history of {id_}", history, copy.history(id_))
                versions += len(history)
            for identity in source.vector_state().vectors:
                embedded = _vectors(source, identity, batch)
                _require_equal("a vector", embedded, _vectors(copy, identity, batch))
                vectors += len(embedded)
        _require_equal("the tombstones", source.tombstones(), copy.tombstones())
        for namespace in _namespaces():
            _require_equal(
                f"the records of kind {namespace.name!r}",
                _records(source, namespace),
                _records(copy, namespace),
            )
        total = sum(tally.entries for tally in source.tally("all", Where(state="any")).values())
    return CopyTotals(total, versions, vectors)


def _entries(snapshot: Snapshot, ids: Sequence[str]) -> list[Entry]:
    return list(snapshot.find(ids).values())


def _vectors(
    snapshot: Snapshot, identity: ModelIdentity, ids: Sequence[str]
) -> dict[str, tuple[bytes, bytes]]:
    vectors = snapshot.vectors_of(identity, ids, quick=False)
    return {id_: _bytes(embedding) for id_, embedding in vectors.items()}


def _bytes(embedding: Embedding) -> tuple[bytes, bytes]:
    tokens = b"" if embedding.tokens is None else embedding.tokens.tobytes()
    return embedding.pooled.tobytes(), tokens


def _records(snapshot: Snapshot, namespace: Namespace[Any]) -> dict[str, Any]:
    records = snapshot.records(namespace)
    return {key: value for key, value in records.items() if key != _COPYING}


def _require_equal(noun: str, source: object, copy: object) -> None:
    if source != copy:
        raise StoreError(
            f"{noun} differs between the source and the copy",
            hint="stop other programs that use the workspace, and run the command again; if this "
            "remains, copy to an empty target",
        )
