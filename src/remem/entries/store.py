"""What happens to a new memory? Read top to bottom: is it known, does it extend what is
known, is it like something known, or is it new. No word is lost on any of these ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.entries.receipt import (
    Receipt,
    Remembering,
    merged,
    refuse_power,
    refuse_replacement,
    united_with,
)
from remem.errors import UnknownEntry, shown
from remem.model.domain_routing import home_of
from remem.model.entry import Draft, Entry, new_id, new_ids
from remem.ports.entries import Transaction
from remem.ports.records import Located
from remem.text.fingerprints import fingerprints
from remem.text.similarity import SIMILAR, Fingerprint, fingerprint, overlap, relation, sentences
from remem.text.words import fold, words

_MOST_LINKED: Final = 8
_LOOKED_AT: Final = 16
_FULL: Final = 16


@dataclass(frozen=True, slots=True)
class Remember:
    """The operation that stores a draft; all slow work is done before it runs.

    `id` is that of the entry, if the draft becomes one; unless `given`, any other will do.
    """

    draft: Draft
    print_: Fingerprint
    cost: int
    now: str
    how: Remembering
    id: str
    given: bool

    @property
    def coming(self) -> tuple[Remember]:
        return (self,)

    def __call__(self, tx: Transaction) -> Receipt:
        draft = self.draft
        if draft.related_to or draft.supersedes:
            _require_known(tx, draft.related_to)
            _require_known(tx, draft.supersedes)
            refuse_replacement(tx, draft)
        if tx.is_news(self.id, self.print_):
            receipt = _insert(tx, self)
        elif erased := tx.erased(None, self.print_.same):
            reason = "the owner has erased these words"
            return Receipt(erased, draft.category, False, False, self.cost, reason=reason)
        elif self.given:
            receipt = _store(tx, self)
        else:
            receipt = _store(tx, replace(self, id=_unused_id(tx, self.how.random_bytes)))
        tx.keep_note("last_store", self.now)
        return receipt


@dataclass(frozen=True, slots=True)
class RememberAll:
    """Several of them as one: all become durable at once."""

    coming: Sequence[Remember]

    def __call__(self, tx: Transaction) -> list[Receipt]:
        return [each(tx) for each in self.coming]


def remember(draft: Draft, now: str, how: Remembering, *, id_: str | None = None) -> Remember:
    refuse_power(draft)
    id_, given = id_ or new_id(how.random_bytes), id_ is not None
    cost = how.counter.count(draft.content)
    return Remember(draft, fingerprint(draft.content), cost, now, how, id_, given)


def remember_all(drafts: Sequence[Draft], now: str, how: Remembering) -> list[Remember]:
    """The same for many, whose fingerprints and ids are made together."""
    for draft in drafts:
        refuse_power(draft)
    contents = [draft.content for draft in drafts]
    costs = map(how.counter.count, contents)
    ids = new_ids(len(drafts), how.random_bytes)
    return [
        Remember(draft, print_, cost, now, how, id_, given=False)
        for draft, print_, cost, id_ in zip(drafts, fingerprints(contents), costs, ids, strict=True)
    ]


def _store(tx: Transaction, case: Remember) -> Receipt:
    draft = case.draft
    for old in tx.same_as(draft.category, draft.trust, case.print_):
        replaced = old.entry.id in draft.supersedes
        if not replaced and relation(draft.content, old.entry.content) == "same":
            supersede(tx, draft.supersedes, old.entry.id, case.now, case.how.topics)
            return replace(_reinforce(tx, case, old), superseded=draft.supersedes)
    if not draft.supersedes:
        for old in tx.faded_as(draft.category, draft.trust, case.print_):
            if relation(draft.content, old.entry.content) == "same":
                return _revive(tx, case, old)
        for old in tx.worded_before(draft.category, draft.trust, case.print_):
            if _still_says(tx, case, old):
                return _reinforce(tx, case, old)
        for old in tx.extended_by(draft.category, draft.trust, case.print_):
            if relation(draft.content, old.entry.content) == "extends":
                return _extend(tx, case, old)
    return _insert(tx, case)


def _reinforce(tx: Transaction, case: Remember, old: Located) -> Receipt:
    """The same words again: one entry, stronger; another spelling is a new version.

    The same words from the same place are one observation, so that a repeated import
    changes nothing.
    """
    draft = case.draft
    seen_before = draft.origin is not None and draft.origin in old.entry.origins
    united = united_with(old.entry, draft)
    known_wording = draft.content == old.entry.content or any(
        _was_worded(tx, case, located)
        for located in (old, *tx.worded_before(draft.category, draft.trust, case.print_))
    )
    if seen_before and united == old.entry and known_wording:
        return _receipt(case, old.entry, deduplicated=True)
    stronger = replace(united, strength=old.entry.strength + (0 if seen_before else 1))
    if known_wording:
        tx.touch(old, stronger)
        tx.rehome(Located(old.row, stronger), home_of(stronger, case.how.topics))
        return _receipt(case, stronger, deduplicated=True)
    return _revise(tx, case, old, stronger, "said again in another spelling")


def _revive(tx: Transaction, case: Remember, old: Located) -> Receipt:
    """What had faded and is said again stands again; a repeated import says nothing new."""
    if case.draft.origin is not None and case.draft.origin in old.entry.origins:
        return _receipt(case, old.entry, deduplicated=True)
    standing = replace(united_with(old.entry, case.draft), archived=False)
    stronger = replace(standing, strength=old.entry.strength + 1)
    return _revise(tx, case, old, stronger, "had faded, and was said again")


def _still_says(tx: Transaction, case: Remember, old: Located) -> bool:
    """Whether an entry was once worded like the draft, and has only grown since, or been
    spelled otherwise."""
    said = {fold(sentence) for sentence in sentences(case.draft.content)}
    grown = said <= {fold(sentence) for sentence in sentences(old.entry.content)}
    return grown and _was_worded(tx, case, old)


def _was_worded(tx: Transaction, case: Remember, old: Located) -> bool:
    """Whether the draft's very words stand in the entry's history."""
    history = tx.history(old.entry.id)
    return any(version.entry.content == case.draft.content for version in history)


def _extend(tx: Transaction, case: Remember, old: Located) -> Receipt:
    united = united_with(old.entry, case.draft)
    return _revise(tx, case, old, replace(united, strength=old.entry.strength + 1), "extended")


def _revise(tx: Transaction, case: Remember, old: Located, united: Entry, change: str) -> Receipt:
    new = replace(
        united,
        content=case.draft.content,
        token_estimate=case.cost,
        updated_at=max(case.now, united.created_at),
        version=united.version + 1,
    )
    tx.revise(old, new, home_of(new, case.how.topics), change)
    return _receipt(case, new, deduplicated=True)


def _insert(tx: Transaction, case: Remember) -> Receipt:
    draft = case.draft
    linked = _neighbours(tx, case)
    ids = tuple(located.entry.id for located in linked) if linked else ()
    entry = Entry(
        id=case.id,
        category=draft.category,
        content=draft.content,
        context=draft.context,
        priority=draft.priority,
        tags=draft.tags,
        related_to=merged(draft.related_to, ids) if ids else draft.related_to,
        source=draft.source,
        origins=(draft.origin,) if draft.origin else (),
        trust=draft.trust,
        created_at=draft.created_at or case.now,
        updated_at=draft.created_at or case.now,
        expires_at=draft.expires_at,
        token_estimate=case.cost,
    )
    tx.insert(entry, case.print_, home_of(entry, case.how.topics), "stored")
    for located in linked:
        links = merged(located.entry.related_to, [entry.id])
        tx.touch(located, replace(located.entry, related_to=links))
    if draft.supersedes:
        supersede(tx, draft.supersedes, entry.id, case.now, case.how.topics)
    return _receipt(case, entry, superseded=draft.supersedes, linked=ids)


def supersede(
    tx: Transaction, ids: Sequence[str], by: str, now: str, topics: Sequence[str]
) -> None:
    """Replace entries by another one; they stay, with their words, in the history."""
    for old in tx.by_ids(ids).values():
        if old.entry.superseded_by == by:
            continue
        new = replace(old.entry, superseded_by=by, updated_at=now, version=old.entry.version + 1)
        tx.revise(old, new, home_of(new, topics), f"superseded by {by}")


def _neighbours(tx: Transaction, case: Remember) -> list[Located]:
    """The entries most like the draft; a flood of likes would bury the links that tell, so
    only the newest are looked at, and one that has many links gets no more."""
    draft = case.draft
    found = tx.similar_to(draft.category, draft.trust, case.print_)[-_LOOKED_AT:]
    if not found:
        return []
    mine = set(words(draft.content))
    likes = [
        (likeness, located)
        for located in found
        if located.entry.id not in draft.supersedes
        and len(located.entry.related_to) < _FULL
        and (likeness := overlap(mine, set(words(located.entry.content)))) >= SIMILAR
    ]
    likes.sort(key=lambda like: -like[0])
    return [each for _, each in likes[:_MOST_LINKED]]


def _receipt(
    case: Remember,
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
    for each in ids:
        if each not in known:
            raise UnknownEntry(
                f"no entry has the id {shown(each)}", hint="`remem recall` shows ids"
            )


def _unused_id(tx: Transaction, random_bytes: Callable[[int], bytes]) -> str:
    while True:
        id_ = new_id(random_bytes)
        if not tx.by_ids([id_]):
            return id_
