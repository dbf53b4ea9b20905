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
    StoreDependencies,
    merge_draft,
    merge_unique,
    refuse_privileges,
    refuse_replacement,
)
from remem.errors import UnknownEntry
from remem.fast_dataclass import dataclass
from remem.model.entry import Draft, Entry, are_under_different_headings, new_id
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

    `id` is the id of a new entry; if it is taken, another id is chosen.
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
            return Receipt(erased[0].id, draft.category, False, False, self.cost, reason=ERASED)
        else:
            receipt = _store(tx, replace(self, id=_unused_id(tx, self.deps.random_bytes)))
        tx.put_record(ACTIVITY, "store", self.now)
        return receipt

    def duplicates(self, tx: Transaction, kind: Duplicate) -> list[Entry]:
        """Return the entries that the draft may repeat, of the same category, trust and subject."""
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


def _store(tx: Transaction, case: StoreOperation) -> Receipt:
    draft = case.draft
    for old in case.duplicates(tx, "same"):
        replaced = old.id in draft.supersedes
        if not replaced and relation(draft.content, old.content) == "same":
            supersede(tx, draft.supersedes, old.id, case.now, case.deps.topics)
            return replace(_reinforce(tx, case, old), superseded=draft.supersedes)
    if not draft.supersedes:
        for old in case.duplicates(tx, "faded"):
            if relation(draft.content, old.content) == "same":
                return _revive(tx, case, old)
        for old in case.duplicates(tx, "former"):
            if _still_says(tx, case, old):
                return _reinforce(tx, case, old)
        for old in case.duplicates(tx, "part"):
            if relation(draft.content, old.content) == "extends":
                return _extend(tx, case, old)
    return _insert(tx, case)


def _reinforce(tx: Transaction, case: StoreOperation, old: Entry) -> Receipt:
    """Strengthen the entry that has the same words; another spelling becomes a new version.

    The same words from the same origin count as one observation, so a repeated import changes
    nothing.
    """
    draft = case.draft
    seen_before = draft.origin is not None and draft.origin in old.origins
    combined = merge_draft(old, draft)
    known_wording = draft.content == old.content or any(
        _was_worded(tx, case, entry) for entry in (old, *case.duplicates(tx, "former"))
    )
    if seen_before and combined == old and known_wording:
        return _receipt(case, old, deduplicated=True)
    stronger = replace(combined, strength=old.strength + (0 if seen_before else 1))
    if known_wording:
        placement.update(tx, stronger, case.deps.topics)
        return _receipt(case, stronger, deduplicated=True)
    return _revise(tx, case, stronger, "said again in another spelling")


def _revive(tx: Transaction, case: StoreOperation, old: Entry) -> Receipt:
    """Bring back a faded entry whose statement is made again; a repeated import does not count."""
    if case.draft.origin is not None and case.draft.origin in old.origins:
        return _receipt(case, old, deduplicated=True)
    combined = unarchived(merge_draft(old, case.draft))
    stronger = replace(combined, strength=old.strength + 1)
    return _revise(tx, case, stronger, "had faded, and was said again")


def _still_says(tx: Transaction, case: StoreOperation, old: Entry) -> bool:
    """Return whether an entry once had the draft's text and was only extended or respelled
    since."""
    new = {fold(sentence) for sentence in sentences(case.draft.content)}
    contained = new <= {fold(sentence) for sentence in sentences(old.content)}
    return contained and _was_worded(tx, case, old)


def _was_worded(tx: Transaction, case: StoreOperation, old: Entry) -> bool:
    """Return whether the entry's history has exactly the draft's text."""
    history = tx.history(old.id)
    return any(version.entry.content == case.draft.content for version in history)


def _extend(tx: Transaction, case: StoreOperation, old: Entry) -> Receipt:
    combined = merge_draft(old, case.draft)
    return _revise(tx, case, replace(combined, strength=old.strength + 1), "extended")


def _revise(tx: Transaction, case: StoreOperation, combined: Entry, change: str) -> Receipt:
    reworded = replace(combined, content=case.draft.content, token_estimate=case.cost)
    new = revise(tx, reworded, change, now=case.now, topics=case.deps.topics)
    return _receipt(case, new, deduplicated=True)


def _insert(tx: Transaction, case: StoreOperation) -> Receipt:
    draft = case.draft
    linked = _neighbours(tx, case)
    ids = tuple(neighbour.id for neighbour in linked)
    entry = Entry(
        id=case.id,
        category=draft.category,
        content=draft.content,
        context=draft.context,
        priority=draft.priority,
        tags=draft.tags,
        related_to=merge_unique(draft.related_to, ids) if ids else draft.related_to,
        source=draft.source,
        origins=(draft.origin,) if draft.origin else (),
        trust=draft.trust,
        created_at=draft.created_at or case.now,
        updated_at=draft.created_at or case.now,
        expires_at=draft.expires_at,
        token_estimate=case.cost,
    )
    placement.insert(tx, entry, "stored", case.deps.topics, fingerprint=case.fingerprint)
    for neighbour in linked:
        links = merge_unique(neighbour.related_to, [entry.id])
        placement.update(tx, replace(neighbour, related_to=links))
    if draft.supersedes:
        supersede(tx, draft.supersedes, entry.id, case.now, case.deps.topics)
    return _receipt(case, entry, superseded=draft.supersedes, linked=ids)


def supersede(
    tx: Transaction, ids: Sequence[str], successor: str, now: str, topics: Sequence[str]
) -> None:
    """Mark entries as superseded by another one; their text can still be read."""
    for old in tx.find(ids).values():
        if old.superseded_by == successor:
            continue
        new = replace(old, superseded_by=successor)
        revise(tx, new, f"superseded by {successor}", now=now, topics=topics)


def _neighbours(tx: Transaction, case: StoreOperation) -> list[Entry]:
    """Return the entries most similar to the draft.

    Too many links would hide the useful ones: only the newest candidates are compared, and an
    entry that has many links gets no more.
    """
    draft = case.draft
    candidates = case.duplicates(tx, "similar")[-_MAX_CANDIDATES:]
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
    case: StoreOperation,
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
        token_cost=case.cost,
        version=entry.version,
        superseded=superseded,
        linked=linked,
        redacted=case.draft.redacted,
    )


def _require_known(tx: Transaction, ids: Sequence[str]) -> None:
    if not ids:
        return
    known = tx.find(ids)
    for id_ in ids:
        if id_ not in known:
            raise UnknownEntry.for_id(id_)


def _unused_id(tx: Transaction, random_bytes: Callable[[int], bytes]) -> str:
    while True:
        id_ = new_id(random_bytes)
        if not tx.find([id_]):
            return id_
