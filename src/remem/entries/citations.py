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
    """The number of citations, and why some conversations could not be read."""

    uses: int = 0
    problems: tuple[str, ...] = ()


def count_citations(
    store: Store, transcripts: Iterable[Transcript], now: str, topics: tuple[str, ...]
) -> CitationCount:
    """Count the citations since each conversation was last read, as uses of their entries."""
    uses, problems = 0, []
    for transcript in transcripts:
        source = source_of(transcript.file)
        with store.read() as snapshot:
            last_read = snapshot.record(CITED, source)
        if last_read is not None and last_read.size == transcript.signature[2]:
            continue
        try:
            new = new_turns(transcript.file, last_read)
        except FileError as error:
            problems.append(f"{transcript.reference}: {error}")
            continue
        uses += store.write(_count_operation(source, last_read, new, now=now, topics=topics))
    return CitationCount(uses, tuple(problems))


def _count_operation(
    source: str, last_read: ReadPosition | None, new: NewTurns, *, now: str, topics: tuple[str, ...]
) -> Callable[[Transaction], int]:
    """Return the operation that counts the citations in the agent's new turns.

    If the file was rewritten, its earlier turns are not counted again.
    """
    turns = [turn for turn in new.turns if turn.role == "assistant" and not new.rewritten]
    ids_by_turn = [(sorted(set(_CITED.findall(turn.text))), turn.time) for turn in turns]

    def operation(tx: Transaction) -> int:
        if tx.record(CITED, source) != last_read:
            return 0  # another process has counted them
        uses = 0
        for ids, time in ids_by_turn:
            entries = tx.find(ids)
            if entries:
                revive(tx, entries.values(), now, topics, "cited in a conversation")
                tx.record_use(list(entries), min(time or now, now), was_used=True)
                uses += len(entries)
        tx.put_record(CITED, source, new.read_to)
        return uses

    return operation
