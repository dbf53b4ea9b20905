"""Storing a memory: reinforce, revive or extend a known entry, or insert a new one.

Every wording is kept, in the entry itself or in its history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.entries.lifecycle import revise
from remem.entries.receipt import (
    Receipt,
    StoreDependencies,
    merge_draft,
    merge_unique,
    refuse_privileges,
    refuse_replacement,
)
from remem.errors import UnknownEntry, shown
from remem.model.domain_routing import domain_stem
from remem.model.entry import Draft, Entry, are_under_different_headings, new_id
from remem.ports.entries import Transaction
from remem.ports.records import EntryRow
from remem.text.similarity import SIMILAR, Fingerprint, fingerprint_of, overlap, relation, sentences
from remem.text.words import fold, words

_MAX_LINKED: Final = 8
_MAX_CANDIDATES: Final = 16
_MAX_LINKS_OF_NEIGHBOUR: Final = 16


@dataclass(frozen=True, slots=True)
class StoreOperation:
    """The operation that stores a draft; all slow work is done before it runs.

    `id` is the id of a new entry; another one is chosen if it is taken.
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
        elif erased := tx.erased_id(None, self.fingerprint.same):
            reason = "the owner has erased these words"
            return Receipt(erased, draft.category, False, False, self.cost, reason=reason)
        else:
            receipt = _store(tx, replace(self, id=_unused_id(tx, self.deps.random_bytes)))
        tx.put_state("last_store", self.now)
        return receipt


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
    known = (draft.category, draft.trust, case.fingerprint)
    for old in _about_the_same(draft, tx.same_as(*known)):
        replaced = old.entry.id in draft.supersedes
        if not replaced and relation(draft.content, old.entry.content) == "same":
            supersede(tx, draft.supersedes, old.entry.id, case.now, case.deps.topics)
            return replace(_reinforce(tx, case, old), superseded=draft.supersedes)
    if not draft.supersedes:
        for old in _about_the_same(draft, tx.faded_same_as(*known)):
            if relation(draft.content, old.entry.content) == "same":
                return _revive(tx, case, old)
        for old in _about_the_same(draft, tx.formerly_worded(*known)):
            if _still_says(tx, case, old):
                return _reinforce(tx, case, old)
        for old in _about_the_same(draft, tx.extended_by(*known)):
            if relation(draft.content, old.entry.content) == "extends":
                return _extend(tx, case, old)
    return _insert(tx, case)


def _about_the_same(draft: Draft, found: Sequence[EntryRow]) -> Iterator[EntryRow]:
    for old in found:
        if not are_under_different_headings(draft.content, draft.context, old.entry.context):
            yield old


def _reinforce(tx: Transaction, case: StoreOperation, old: EntryRow) -> Receipt:
    """Strengthen the entry that has the same words; another spelling becomes a new version.

    The same words from the same origin are one observation, so a repeated import changes nothing.
    """
    draft = case.draft
    seen_before = draft.origin is not None and draft.origin in old.entry.origins
    combined = merge_draft(old.entry, draft)
    known_wording = draft.content == old.entry.content or any(
        _was_worded(tx, case, entry_row)
        for entry_row in (old, *tx.formerly_worded(draft.category, draft.trust, case.fingerprint))
    )
    if seen_before and combined == old.entry and known_wording:
        return _receipt(case, old.entry, deduplicated=True)
    stronger = replace(combined, strength=old.entry.strength + (0 if seen_before else 1))
    if known_wording:
        tx.update_in_place(old, stronger)
        tx.move_to_file(EntryRow(old.row, stronger), domain_stem(stronger, case.deps.topics))
        return _receipt(case, stronger, deduplicated=True)
    return _revise(tx, case, old, stronger, "said again in another spelling")


def _revive(tx: Transaction, case: StoreOperation, old: EntryRow) -> Receipt:
    """Bring back a faded entry that is said again; a repeated import does not count."""
    if case.draft.origin is not None and case.draft.origin in old.entry.origins:
        return _receipt(case, old.entry, deduplicated=True)
    combined = merge_draft(old.entry, case.draft)
    stronger = replace(combined, archived=False, strength=old.entry.strength + 1)
    return _revise(tx, case, old, stronger, "had faded, and was said again")


def _still_says(tx: Transaction, case: StoreOperation, old: EntryRow) -> bool:
    """Whether an entry was once worded like the draft and has since only been extended or
    respelled."""
    new = {fold(sentence) for sentence in sentences(case.draft.content)}
    contained = new <= {fold(sentence) for sentence in sentences(old.entry.content)}
    return contained and _was_worded(tx, case, old)


def _was_worded(tx: Transaction, case: StoreOperation, old: EntryRow) -> bool:
    """Whether the entry's history has exactly the draft's text."""
    history = tx.history(old.entry.id)
    return any(version.entry.content == case.draft.content for version in history)


def _extend(tx: Transaction, case: StoreOperation, old: EntryRow) -> Receipt:
    combined = merge_draft(old.entry, case.draft)
    return _revise(tx, case, old, replace(combined, strength=old.entry.strength + 1), "extended")


def _revise(
    tx: Transaction, case: StoreOperation, old: EntryRow, combined: Entry, change: str
) -> Receipt:
    reworded = replace(combined, content=case.draft.content, token_estimate=case.cost)
    new = revise(tx, old, reworded, change, now=case.now, topics=case.deps.topics)
    return _receipt(case, new, deduplicated=True)


def _insert(tx: Transaction, case: StoreOperation) -> Receipt:
    draft = case.draft
    linked = _neighbours(tx, case)
    ids = tuple(entry_row.entry.id for entry_row in linked) if linked else ()
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
    tx.insert(entry, case.fingerprint, domain_stem(entry, case.deps.topics), "stored")
    for entry_row in linked:
        links = merge_unique(entry_row.entry.related_to, [entry.id])
        tx.update_in_place(entry_row, replace(entry_row.entry, related_to=links))
    if draft.supersedes:
        supersede(tx, draft.supersedes, entry.id, case.now, case.deps.topics)
    return _receipt(case, entry, superseded=draft.supersedes, linked=ids)


def supersede(
    tx: Transaction, ids: Sequence[str], by: str, now: str, topics: Sequence[str]
) -> None:
    """Mark entries as superseded by another one; their text stays readable."""
    for old in tx.by_ids(ids).values():
        if old.entry.superseded_by == by:
            continue
        new = replace(old.entry, superseded_by=by)
        revise(tx, old, new, f"superseded by {by}", now=now, topics=topics)


def _neighbours(tx: Transaction, case: StoreOperation) -> list[EntryRow]:
    """The entries most similar to the draft.

    Too many links would hide the useful ones: only the newest candidates are compared, and an
    entry that has many links gets no more.
    """
    draft = case.draft
    candidates = tx.similar_to(draft.category, draft.trust, case.fingerprint)[-_MAX_CANDIDATES:]
    if not candidates:
        return []
    draft_words = set(words(draft.content))
    similar = [
        (similarity, entry_row)
        for entry_row in candidates
        if entry_row.entry.id not in draft.supersedes
        and len(entry_row.entry.related_to) < _MAX_LINKS_OF_NEIGHBOUR
        and (similarity := overlap(draft_words, set(words(entry_row.entry.content)))) >= SIMILAR
    ]
    similar.sort(key=lambda pair: -pair[0])
    return [entry_row for _, entry_row in similar[:_MAX_LINKED]]


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
    known = tx.by_ids(ids)
    for id_ in ids:
        if id_ not in known:
            raise UnknownEntry(f"no entry has the id {shown(id_)}", hint="`remem recall` shows ids")


def _unused_id(tx: Transaction, random_bytes: Callable[[int], bytes]) -> str:
    while True:
        id_ = new_id(random_bytes)
        if not tx.by_ids([id_]):
            return id_
