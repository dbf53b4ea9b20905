"""Count citations of entry ids in the agent's turns, which keep entries from decaying.

Only conversations that the settings allow are read. The position reached in each is saved in the
transaction that counts the uses, so that no use is counted twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from remem.entries.lifecycle import revive
from remem.errors import FileError
from remem.files.transcripts.locate import Transcript
from remem.files.transcripts.reading import CITED, NewTurns, ReadPosition, new_turns, source_of
from remem.model.entry import ENTRY_ID
from remem.ports.entries import Store, Transaction

_CITED: Final = re.compile(rf"(?<![\w-]){ENTRY_ID.pattern}(?![\w-])")


@dataclass(frozen=True, slots=True)
class CitationCount:
    """The number of citations found, and the conversations that could not be read."""

    uses: int = 0
    problems: tuple[str, ...] = ()


def count_citations(
    store: Store, transcripts: Iterable[Transcript], now: str, topics: tuple[str, ...]
) -> CitationCount:
    """Count the entries cited since each conversation was last read."""
    uses, problems = 0, []
    for transcript in transcripts:
        source = source_of(transcript.file)
        with store.read() as snapshot:
            before = snapshot.record(CITED, source)
        if before is not None and before.size == transcript.signature[2]:
            continue
        try:
            new = new_turns(transcript.file, before)
        except FileError as error:
            problems.append(f"{transcript.reference}: {error}")
            continue
        uses += store.write(_count_operation(source, before, new, now=now, topics=topics))
    return CitationCount(uses, tuple(problems))


def _count_operation(
    source: str, before: ReadPosition | None, new: NewTurns, *, now: str, topics: tuple[str, ...]
) -> Callable[[Transaction], int]:
    """Return the operation that counts the citations in the agent's new turns.

    If the file was rewritten, its earlier turns are not counted again.
    """
    turns = [turn for turn in new.turns if turn.role == "assistant" and not new.rewritten]
    cited = [(sorted(set(_CITED.findall(turn.text))), turn.time) for turn in turns]

    def operation(tx: Transaction) -> int:
        if tx.record(CITED, source) != before:
            return 0  # another process was faster
        uses = 0
        for ids, time in cited:
            known = tx.find(ids)
            if known:
                revive(tx, known.values(), now, topics, "cited in a conversation")
                tx.record_use(list(known), min(time or now, now), was_used=True)
                uses += len(known)
        tx.put_record(CITED, source, new.upto)
        return uses

    return operation
