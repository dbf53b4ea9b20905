"""Since when has decay known an entry? An imported one may be dated long before it came here,
and must not be archived on the day it comes: its idle time counts from when it was first seen.

What did decay do, or would it do? Every entry with its reason.

How does the owner hear that something faded? In status, and once in the next start.

How does a memory get its weight back? Somebody says that it matters, or uses it.

Which memories did the agent rely on? Those whose ids it cites in what it says.

Only conversations that the settings allow to be read are looked at. How far each was read is
noted in the transaction that counts the uses, so that none is counted twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Final

from remem.errors import FileError, InvalidInput, NotAllowed, UnknownEntry, shown
from remem.files.transcripts.places import Transcript
from remem.files.transcripts.reading import News, ReadUpTo, news_in, source_of
from remem.model.decay import goes_stale
from remem.model.domain_routing import home_of
from remem.model.entry import ENTRY_ID, Entry
from remem.ports.entries import Reading, Store, Transaction
from remem.ports.records import Located
from remem.text.timestamps import day


@dataclass(frozen=True, slots=True)
class Reinforced:
    """A memory that still matters. `revived`: it had faded, and stands again; `stale_on`: the
    day on which it would be archived if nobody needs it until then, None for never."""

    id: str
    strength: int
    uses: int
    revived: bool
    stale_on: str | None


@dataclass(frozen=True, slots=True)
class Faint:
    """A low memory and what is left of it; `idle_since` is the day that counts."""

    id: str
    category: str
    content: str
    idle_since: str
    reinforced: int
    retention: float
    stale_on: str
    reason: str


@dataclass(frozen=True, slots=True)
class Decayed:
    """What a run archived, or would archive. `upcoming` (only when asked to explain) are the
    low memories that are not stale yet; `kept` counts those that never are, by their reason."""

    scope: str
    at: str
    dry_run: bool
    archived: tuple[Faint, ...]
    revived: int = 0
    uses_found: int = 0
    notice: str | None = None
    upcoming: tuple[Faint, ...] = ()
    kept: dict[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """The memories that stand again, of the run that archived them last."""

    scope: str
    run: str | None
    revived: tuple[str, ...]


_NOTE: Final = "decay_notice"
"""What the next start has to tell; empty once it was told."""

_NAMED: Final = 3


def notice_of(stale: Sequence[Faint]) -> str:
    named = ", ".join(faint.id for faint in stale[:_NAMED])
    more = f" and {len(stale) - _NAMED} more" if len(stale) > _NAMED else ""
    count = "1 low memory" if len(stale) == 1 else f"{len(stale)} low memories"
    return (
        f"{count} faded, unused since {max(faint.idle_since for faint in stale)}: {named}{more}. "
        "Recall by id or memory_reinforce brings one back, `remem decay --undo` all"
    )


def tell(tx: Transaction, notice: str, now: str) -> None:
    tx.announce(now, notice)
    tx.keep_note(_NOTE, notice)


def untold(reading: Reading) -> str:
    return reading.note(_NOTE) or ""


def told_of(tx: Transaction) -> None:
    tx.keep_note(_NOTE, "")


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
    faded = tx.faded([located.row for located in among])
    for old in faded:
        new = replace(
            old.entry,
            archived=False,
            updated_at=max(now, old.entry.created_at),
            version=old.entry.version + 1,
        )
        tx.revise(old, new, home_of(new, topics), f"had faded, and came back: {why}")
    return [located.entry.id for located in faded]


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


_READ: Final = "cited "
_CITED: Final = re.compile(rf"(?<![\w-]){ENTRY_ID.pattern}(?![\w-])")


@dataclass(frozen=True, slots=True)
class Counted:
    """How many uses were found, and which conversations could not be read."""

    uses: int = 0
    troubles: tuple[str, ...] = ()


def count_citations(
    store: Store, transcripts: Iterable[Transcript], now: str, topics: tuple[str, ...]
) -> Counted:
    """Count what was cited since each conversation was last looked at."""
    uses, troubles = 0, []
    for transcript in transcripts:
        source = source_of(transcript.file)
        with store.read() as snapshot:
            before = _read_up_to(snapshot, source)
        if before is not None and before.size == transcript.signature[2]:
            continue
        try:
            news = news_in(transcript.file, before)
        except FileError as error:
            troubles.append(f"{transcript.reference}: {error}")
            continue
        uses += store.write(_counting(_Look(source, before, news), now, topics))
    return Counted(uses, tuple(troubles))


@dataclass(frozen=True, slots=True)
class _Look:
    """One conversation, and how far it had been read before."""

    source: str
    before: ReadUpTo | None
    news: News

    def cited(self) -> list[tuple[list[str], str | None]]:
        """The ids in each turn of the agent. A file that was written anew was counted before."""
        turns = () if self.news.anew else self.news.turns
        said = [turn for turn in turns if turn.role == "assistant"]
        return [(sorted(set(_CITED.findall(turn.text))), turn.moment) for turn in said]


def _counting(look: _Look, now: str, topics: tuple[str, ...]) -> Callable[[Transaction], int]:
    cited = look.cited()

    def operation(tx: Transaction) -> int:
        if _read_up_to(tx, look.source) != look.before:
            return 0  # another process was faster
        found = 0
        for ids, moment in cited:
            known = tx.by_ids(ids)
            if known:
                revive(tx, list(known.values()), now, topics, "cited in a conversation")
                tx.shown(list(known), min(moment or now, now), used=True)
                found += len(known)
        tx.keep_note(_READ + look.source, json.dumps(asdict(look.news.upto)))
        return found

    return operation


def _read_up_to(reading: Reading, source: str) -> ReadUpTo | None:
    note = reading.note(_READ + source)
    return ReadUpTo(**json.loads(note)) if note else None


_WATCHING_NOTE: Final = "decay_watch"
_MOST: Final = 64


@dataclass(frozen=True, slots=True)
class Watch:
    """Pairs of a day and the last row that there was then, the oldest first."""

    seen: tuple[tuple[str, int], ...] = ()

    def since(self, row: int, today: date) -> date:
        """The first day on which the row is known to have been there; today for a new one."""
        return next((day(at) for at, last in self.seen if row <= last), today)

    def later(self, at: date, last: int) -> Watch:
        """With what is there now. Days of long ago are thinned out: an entry may only seem
        younger by that, and is kept longer."""
        if self.seen and self.seen[-1][1] >= last:
            return self
        seen = (*self.seen, (at.isoformat(), last))
        return Watch(seen if len(seen) <= _MOST else (*seen[: _MOST // 2 : 2], *seen[_MOST // 2 :]))


def watched(reading: Reading) -> Watch:
    note = reading.note(_WATCHING_NOTE)
    return Watch(tuple((str(at), int(row)) for at, row in json.loads(note))) if note else Watch()


def keep_watch(tx: Transaction, watch: Watch) -> None:
    tx.keep_note(_WATCHING_NOTE, json.dumps(watch.seen))
