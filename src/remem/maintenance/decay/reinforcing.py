"""How does a memory get its weight back? Somebody says that it matters, or uses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from remem.core.decay import goes_stale
from remem.core.entry import Entry
from remem.core.homes import home_of
from remem.core.moments import day
from remem.errors import InvalidInput, NotAllowed, UnknownEntry, shown
from remem.maintenance.decay.result import Reinforced
from remem.ports import Located, Transaction


def reinforce(tx: Transaction, id_: str, now: str, topics: tuple[str, ...]) -> Reinforced:
    """Somebody says that a memory still matters: that strengthens it, and counts as use."""
    old = tx.by_ids([id_]).get(id_)
    if old is None:
        raise UnknownEntry(f"no entry has the id {shown(id_)}", hint="`remem recall` shows ids")
    revived = revive(tx, [old], now, topics, "reinforced") == [id_]
    current = tx.by_ids([id_])[id_]
    _require_standing(tx, current.entry)
    tx.touch(current, replace(current.entry, strength=current.entry.strength + 1))
    tx.shown([id_], now, used=True)
    entry = tx.by_ids([id_])[id_].entry
    stale_on = goes_stale(entry, day(now))
    return Reinforced(
        id=id_,
        strength=entry.strength,
        uses=entry.uses,
        revived=revived,
        stale_on=stale_on.isoformat() if stale_on else None,
    )


def revive(
    tx: Transaction, among: Sequence[Located], now: str, topics: tuple[str, ...], why: str
) -> list[str]:
    """What had faded stands again; what a person or its expiry archived stays as it is."""
    faded = tx.faded([each.row for each in among])
    for old in faded:
        new = replace(
            old.entry,
            archived=False,
            updated_at=max(now, old.entry.created_at),
            version=old.entry.version + 1,
        )
        tx.revise(old, new, home_of(new, topics), f"had faded, and came back: {why}")
    return [each.entry.id for each in faded]


def revive_read(tx: Transaction, ids: Sequence[str], now: str, topics: tuple[str, ...]) -> int:
    """Reading a faded memory by its id brings it back."""
    return len(revive(tx, list(tx.by_ids(ids).values()), now, topics, "read by its id"))


def _require_standing(tx: Transaction, entry: Entry) -> None:
    if entry.superseded_by:
        raise InvalidInput(
            f"{entry.id} was replaced by {entry.superseded_by}",
            hint=f"reinforce {entry.superseded_by}, or store what is true",
        )
    if entry.archived:
        how = tx.history(entry.id)[-1].change
        raise InvalidInput(
            f"{entry.id} was archived ({how})", hint="store it again if it is wanted after all"
        )
    if entry.trust == "untrusted":
        raise NotAllowed(
            f"{entry.id} is what a stranger said, and waits for review",
            hint="the owner confirms it with `remem review`",
        )
