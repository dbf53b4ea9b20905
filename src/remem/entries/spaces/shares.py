"""Copies of main's memories in shared spaces.

A copy is made in three steps, because it concerns two stores: main records what will be copied and
under which id, the space stores the copy, and main marks it as done. Withdrawing a copy takes three
steps too. Each step can be repeated, so what a killed process has begun is finished later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final, Literal

from remem.entries import placement
from remem.entries.lifecycle import revise
from remem.entries.spaces.log import SpaceUse, log_use
from remem.fast_dataclass import dataclass
from remem.model.entry import Entry, new_id
from remem.model.project import without_projects
from remem.ports import StoreDependencies
from remem.ports.entries import EntryReader, Transaction
from remem.ports.state import Namespace
from remem.text.similarity import fingerprint_of, folded_hash

FACT_SOURCE: Final = "fact"
"""The source of an entry that stands for a fact of main."""


@dataclass(frozen=True, slots=True)
class Share:
    """A memory of main and its copy in a space; `source` and `copy` are their ids.

    `version` is the version of the memory when it was copied; a fact has none.
    """

    space: str
    source: str
    copy: str
    at: str
    state: Literal["copying", "shared", "withdrawing"] = "copying"
    version: int = 0

    @property
    def key(self) -> str:
        return f"{self.space}/{self.source}"


SHARES: Final[Namespace[Share]] = Namespace("share", Share)
"""The copies of main's memories, by space and source; kept in main's store."""


def share_of(reader: EntryReader, source: str, space: str) -> Share | None:
    """Return the copy of a memory in a space, if there is one."""
    return reader.record(SHARES, f"{space}/{source}")


def find_share(reader: EntryReader, id_: str, space: str) -> Share | None:
    """Return the copy in a space that has this id, or whose original has it."""
    shares = (share for share in reader.records(SHARES).values() if share.space == space)
    return next((share for share in shares if id_ in (share.source, share.copy)), None)


def shares_of(reader: EntryReader, source: str) -> list[Share]:
    """Return every copy of a memory."""
    return [share for share in reader.records(SHARES).values() if share.source == source]


def unfinished_shares(reader: EntryReader) -> list[Share]:
    """Return the copies that a killed process has begun to make or to withdraw."""
    return [share for share in reader.records(SHARES).values() if share.state != "shared"]


def begin_share(
    tx: Transaction, source: str, space: str, now: str, random_bytes: Callable[[int], bytes]
) -> Share:
    """Record in main what will be copied, as the first step; sharing again updates the copy."""
    earlier = share_of(tx, source, space)
    copy = earlier.copy if earlier else new_id(random_bytes)
    share = Share(space, source, copy, now)
    tx.put_record(SHARES, share.key, share)
    return share


def copy_of(source: Entry, share: Share, now: str, deps: StoreDependencies) -> Entry:
    """Return the copy of a memory that others may see.

    It has no links, origins and projects, and no context unless the memory is a fact. Secrets are
    masked, even if main keeps them readable.
    """
    from remem.entries.draft import make_draft  # most commands share nothing

    draft = make_draft(
        {
            "category": source.category,
            "content": source.content,
            "context": source.context if source.source == FACT_SOURCE else None,
            "priority": source.priority,
            "tags": without_projects(source.tags),
            "trust": source.trust,
            "source": "owner",
        },
        "owner",
        now,
    )
    return Entry(
        id=share.copy,
        category=draft.category,
        content=draft.content,
        context=draft.context,
        priority=draft.priority,
        tags=draft.tags,
        source=draft.source,
        trust=draft.trust,
        created_at=source.created_at,
        updated_at=max(now, source.created_at),
        expires_at=source.expires_at,
        token_estimate=deps.counter.count(draft.content),
    )


def put_copy(tx: Transaction, copy: Entry, now: str, topics: tuple[str, ...], who: str) -> None:
    """Store the copy, or a new version of it, in the space, as the second step.

    Repeating it changes nothing. `who` is named in the history and in the space's log.
    """
    old = tx.find([copy.id]).get(copy.id)
    if old is None:
        fingerprint = fingerprint_of(copy.content)
        placement.insert(tx, copy, f"shared by {who}", topics, fingerprint=fingerprint)
    else:
        new = replace(
            old,
            category=copy.category,
            content=copy.content,
            priority=copy.priority,
            tags=copy.tags,
            trust=copy.trust,
            expires_at=copy.expires_at,
            token_estimate=copy.token_estimate,
            archived=False,
            archive_reason=None,
            superseded_by=None,
        )
        if new == old:
            return
        revise(tx, new, f"shared again by {who}", now=now, topics=topics)
    log_use(tx, SpaceUse(now, who, "share", (copy.id,)))


def end_share(tx: Transaction, share: Share, source: Entry) -> bool:
    """Record in main that the copy is in the space, as the last step.

    Return False if it is no longer to be shared.
    """
    current = tx.record(SHARES, share.key)
    if current is None or current.state == "withdrawing":
        return False
    wording = folded_hash(source.content)
    if any(tombstone.wording_hash == wording for tombstone in tx.tombstones(source.id)):
        return False  # it was erased while it was copied
    tx.put_record(SHARES, share.key, replace(share, state="shared", version=source.version))
    return True


def forget_space(tx: Transaction, space: str) -> None:
    """Forget, in main, the copies in a space that was deleted."""
    for key, share in tx.records(SHARES).items():
        if share.space == space:
            tx.put_record(SHARES, key, None)


def begin_withdrawal(tx: Transaction, share: Share) -> Share:
    """Record in main that a copy will be erased, as the first step of withdrawing it."""
    share = replace(share, state="withdrawing")
    tx.put_record(SHARES, share.key, share)
    return share


def end_withdrawal(tx: Transaction, share: Share) -> None:
    """Remove the record of a copy in main, after the copy was erased in the space."""
    tx.put_record(SHARES, share.key, None)
