"""Store a memory: reinforce, revive or extend a known entry, or insert a new one.

Every wording is kept, in the entry itself or in its history.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from remem.entries import placement
from remem.entries.lifecycle import revise, unarchived
from remem.entries.receipt import (
    Receipt,
    merge_draft,
    merge_unique,
    refuse_privileges,
    refuse_replacement,
)
from remem.errors import UnknownEntry
from remem.fast_dataclass import dataclass
from remem.model.entry import Draft, Entry, are_under_different_headings, new_id
from remem.ports import StoreDependencies
from remem.ports.entries import Duplicate, Transaction
from remem.ports.state import ACTIVITY
from remem.text.similarity import SIMILAR, Fingerprint, fingerprint_of, overlap, relation, sentences
from remem.text.words import fold, words

ERASED: Final = "the owner has erased this text"
_MAX_LINKED: Final = 8
_MAX_CANDIDATES: Final = 16
_MAX_LINKS_OF_NEIGHBOUR: Final = 16


@dataclass(frozen=True, slots=True)
class StoreOperation:
    """The operation that stores a draft; all slow work is done before it runs.

    `cost` is the number of tokens of the draft. `id` is for a new entry; if another entry has it, a
    different one is chosen.
    """

    draft: Draft
    fingerprint: Fingerprint
    cost: int
    now: str
    deps: StoreDependencies
    id: str

    def __call__(self, tx: Transaction) -> Receipt:
        draft = self.draft
        if draft.related_to or draft.supersedes:
            _require_known(tx, draft.related_to)
            _require_known(tx, draft.supersedes)
            refuse_replacement(tx, draft)
        if tx.is_new_text(self.id, self.fingerprint):
            receipt = _insert(tx, self)
        elif erased := tx.tombstones(wording_hash=self.fingerprint.same):
            return Receipt(
                erased[0].id,
                draft.category,
                stored=False,
                deduplicated=False,
                token_cost=self.cost,
                reason=ERASED,
            )
        else:
            receipt = _store(tx, replace(self, id=_unused_id(tx, self.deps.random_bytes)))
        tx.put_record(ACTIVITY, "store", self.now)
        return receipt

    def duplicates(self, tx: Transaction, kind: Duplicate) -> list[Entry]:
        """Return the entries that the draft may repeat or resemble, as `kind` says.

        They have its category and trust. Entries under a different heading do not count, unless
        `kind` is "similar".
        """
        draft = self.draft
        return [
            old
            for old in tx.duplicates(kind, draft.category, draft.trust, self.fingerprint)
            if kind == "similar"
            or not are_under_different_headings(draft.content, draft.context, old.context)
        ]


def store_operation(draft: Draft, now: str, deps: StoreDependencies) -> StoreOperation:
    """Prepare to store a draft."""
    refuse_privileges(draft)
    cost, id_ = deps.counter.count(draft.content), new_id(deps.random_bytes)
    return StoreOperation(draft, fingerprint_of(draft.content), cost, now, deps, id_)


def store_all_operation(
    drafts: Sequence[Draft], now: str, deps: StoreDependencies
) -> Callable[[Transaction], list[Receipt]]:
    """Prepare to store several drafts in one transaction."""
    operations = [store_operation(draft, now, deps) for draft in drafts]
    return lambda tx: [operation(tx) for operation in operations]


def _store(tx: Transaction, operation: StoreOperation) -> Receipt:
    draft = operation.draft
    for old in operation.duplicates(tx, "same"):
        replaced = old.id in draft.supersedes
        if not replaced and relation(draft.content, old.content) == "same":
            supersede(tx, draft.supersedes, old.id, operation.now, operation.deps.topics)
            return replace(_reinforce(tx, operation, old), superseded=draft.supersedes)
    if not draft.supersedes:
        for old in operation.duplicates(tx, "faded"):
            if relation(draft.content, old.content) == "same":
                return _revive(tx, operation, old)
        for old in operation.duplicates(tx, "former"):
            if _still_says(tx, operation, old):
                return _reinforce(tx, operation, old)
        for old in operation.duplicates(tx, "part"):
            if relation(draft.content, old.content) == "extends":
                return _extend(tx, operation, old)
    return _insert(tx, operation)


def _reinforce(tx: Transaction, operation: StoreOperation, old: Entry) -> Receipt:
    """Strengthen the entry that has the same words; another spelling becomes a new version.

    The same words from the same origin do not strengthen it, so a repeated import changes nothing.
    """
    draft = operation.draft
    seen_before = draft.origin is not None and draft.origin in old.origins
    merged = merge_draft(old, draft)
    known_wording = draft.content == old.content or any(
        _was_worded(tx, operation, entry) for entry in (old, *operation.duplicates(tx, "former"))
    )
    if seen_before and merged == old and known_wording:
        return _receipt(operation, old, deduplicated=True)
    stronger = replace(merged, strength=old.strength + (0 if seen_before else 1))
    if known_wording:
        placement.update(tx, stronger, operation.deps.topics)
        return _receipt(operation, stronger, deduplicated=True)
    return _revise(tx, operation, stronger, "said again in another spelling")


def _revive(tx: Transaction, operation: StoreOperation, old: Entry) -> Receipt:
    """Restore a faded entry whose statement is made again; a repeated import does not count."""
    if operation.draft.origin is not None and operation.draft.origin in old.origins:
        return _receipt(operation, old, deduplicated=True)
    merged = unarchived(merge_draft(old, operation.draft))
    stronger = replace(merged, strength=old.strength + 1)
    return _revise(tx, operation, stronger, "had faded, and was said again")


def _still_says(tx: Transaction, operation: StoreOperation, old: Entry) -> bool:
    """Return whether an entry once had the draft's text, and still contains its sentences."""
    new = {fold(sentence) for sentence in sentences(operation.draft.content)}
    contains_text = new <= {fold(sentence) for sentence in sentences(old.content)}
    return contains_text and _was_worded(tx, operation, old)


def _was_worded(tx: Transaction, operation: StoreOperation, old: Entry) -> bool:
    """Return whether the entry's history has exactly the draft's text."""
    history = tx.history(old.id)
    return any(version.entry.content == operation.draft.content for version in history)


def _extend(tx: Transaction, operation: StoreOperation, old: Entry) -> Receipt:
    merged = merge_draft(old, operation.draft)
    return _revise(tx, operation, replace(merged, strength=old.strength + 1), "extended")


def _revise(tx: Transaction, operation: StoreOperation, merged: Entry, change: str) -> Receipt:
    reworded = replace(merged, content=operation.draft.content, token_estimate=operation.cost)
    new = revise(tx, reworded, change, now=operation.now, topics=operation.deps.topics)
    return _receipt(operation, new, deduplicated=True)


def _insert(tx: Transaction, operation: StoreOperation) -> Receipt:
    draft = operation.draft
    neighbours = _neighbours(tx, operation)
    ids = tuple(neighbour.id for neighbour in neighbours)
    entry = Entry(
        id=operation.id,
        category=draft.category,
        content=draft.content,
        context=draft.context,
        priority=draft.priority,
        tags=draft.tags,
        related_to=merge_unique(draft.related_to, ids) if ids else draft.related_to,
        source=draft.source,
        origins=(draft.origin,) if draft.origin else (),
        trust=draft.trust,
        created_at=draft.created_at or operation.now,
        updated_at=draft.created_at or operation.now,
        expires_at=draft.expires_at,
        token_estimate=operation.cost,
    )
    placement.insert(tx, entry, "stored", operation.deps.topics, fingerprint=operation.fingerprint)
    for neighbour in neighbours:
        links = merge_unique(neighbour.related_to, [entry.id])
        placement.update(tx, replace(neighbour, related_to=links))
    if draft.supersedes:
        supersede(tx, draft.supersedes, entry.id, operation.now, operation.deps.topics)
    return _receipt(operation, entry, superseded=draft.supersedes, linked=ids)


def supersede(
    tx: Transaction, ids: Sequence[str], successor: str, now: str, topics: Sequence[str]
) -> None:
    """Mark entries as superseded by another one; their text can still be read."""
    for old in tx.find(ids).values():
        if old.superseded_by == successor:
            continue
        new = replace(old, superseded_by=successor)
        revise(tx, new, f"superseded by {successor}", now=now, topics=topics)


def _neighbours(tx: Transaction, operation: StoreOperation) -> list[Entry]:
    """Return the entries most similar to the draft, which will be linked to it.

    Only the newest candidates are compared, and an entry that has many links gets no more, because
    too many links would hide the useful ones.
    """
    draft = operation.draft
    candidates = operation.duplicates(tx, "similar")[-_MAX_CANDIDATES:]
    if not candidates:
        return []
    draft_words = set(words(draft.content))
    similar = [
        (similarity, entry)
        for entry in candidates
        if entry.id not in draft.supersedes
        and len(entry.related_to) < _MAX_LINKS_OF_NEIGHBOUR
        and (similarity := overlap(draft_words, set(words(entry.content)))) >= SIMILAR
    ]
    similar.sort(key=lambda pair: -pair[0])
    return [entry for _, entry in similar[:_MAX_LINKED]]


def _receipt(
    operation: StoreOperation,
    entry: Entry,
    *,
    deduplicated: bool = False,
    superseded: tuple[str, ...] = (),
    linked: tuple[str, ...] = (),
) -> Receipt:
    return Receipt(
        id=entry.id,
        category=entry.category,
        stored=True,
        deduplicated=deduplicated,
        token_cost=operation.cost,
        version=entry.version,
        superseded=superseded,
        linked=linked,
        redacted=operation.draft.redacted,
    )


def _require_known(tx: Transaction, ids: Sequence[str]) -> None:
    if not ids:
        return
    entries = tx.find(ids)
    for id_ in ids:
        if id_ not in entries:
            raise UnknownEntry.for_id(id_)


def _unused_id(tx: Transaction, random_bytes: Callable[[int], bytes]) -> str:
    while True:
        id_ = new_id(random_bytes)
        if not tx.find([id_]):
            return id_
