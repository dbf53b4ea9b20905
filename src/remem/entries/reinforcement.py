"""Which memories did the agent rely on? Those whose ids it cites in what it says.

Only conversations that the settings allow to be read are looked at. How far each was read is
noted in the transaction that counts the uses, so that none is counted twice.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Final

from remem.core.ids import ENTRY_ID
from remem.errors import FileError
from remem.maintenance.decay.reinforcing import revive
from remem.notes.transcripts.places import Transcript
from remem.notes.transcripts.read_up_to import ReadUpTo
from remem.notes.transcripts.since import News, news_in, source_of
from remem.ports import Reading, Store, Transaction

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
    for each in transcripts:
        source = source_of(each.file)
        with store.read() as snapshot:
            before = _read_up_to(snapshot, source)
        if before is not None and before.size == each.signature[2]:
            continue
        try:
            news = news_in(each.file, before)
        except FileError as error:
            troubles.append(f"{each.reference}: {error}")
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
        said = [each for each in turns if each.role == "assistant"]
        return [(sorted(set(_CITED.findall(each.text))), each.moment) for each in said]


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
