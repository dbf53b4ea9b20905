"""Heartbeat and consolidation: learning from recent conversations and notes.

Flush, heartbeat and consolidation share one path: each source is read from where it was last read,
and every item is written once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from remem.app.flush import Flushes
from remem.errors import RememError
from remem.learn.flush import state
from remem.model.arguments import whole_number
from remem.model.scope import MAIN
from remem.text.timestamps import format_time, parse_time

if TYPE_CHECKING:
    from remem.files.transcripts.locate import Transcript
    from remem.learn.consolidate.result import Consolidation, UndoResult
    from remem.learn.flush.result import FlushedItem
    from remem.learn.heartbeat import Heartbeat, SourceResult
    from remem.model.lesson import Utterance

Progress = Callable[[int, int], None]
RECENT: Final = 7
ACROSS: Final = 60
_MOST_DAYS: Final = 3_650


class Learns(Flushes):
    """Heartbeat and consolidation."""

    def heartbeat(
        self, days: int = RECENT, progress: Progress = lambda _done, _of: None
    ) -> Heartbeat:
        """Take what lasts from recent conversations and daily notes, once.

        Conversations are read where the settings allow it (`transcripts`); notes are main's.
        """
        from remem.learn.heartbeat import build_report

        since, troubles = self._since(days), list[str]()
        due = self._unread(since, troubles)
        reader = self._parts.extractor()
        conversations: list[SourceResult] = []
        for number, each in enumerate(due):
            progress(number, len(due))
            try:
                conversations.append(self._read_transcript(each.file, "heartbeat", reader))
            except RememError as error:  # one that cannot be read stops no other
                troubles.append(str(error))
        notes = self._read_notes(since[:10], troubles) if self.scope == MAIN else []
        self._upkeep.after_write()
        if any(
            _is_in_brain(kept)
            for conversation in (*conversations, *notes)
            for kept in conversation.flushed.written
        ):
            troubles += [behind] if (behind := self._brain_changed()) else []
        done = build_report(self._now(), conversations, notes, troubles)
        return replace(done, unread=self._why_unread())

    def consolidate(
        self,
        days: int = ACROSS,
        *,
        explain: bool = False,
        progress: Progress = lambda _done, _of: None,
    ) -> Consolidation:
        """Keep what came back in several conversations; one step, which can be taken back.

        What is new is read first, as by a heartbeat. `explain` tells what was left, and why.
        """
        from remem.learn.consolidate.consolidate import ConsolidationJob, consolidate

        troubles = list(self.heartbeat(days).troubles)
        talks = self._talks(self._since(days), troubles, progress)
        parts = self._parts
        job = ConsolidationJob(self._flushing, parts.rules(), self._now(), parts.trust)
        done = consolidate(job, talks, explain=explain)
        self._upkeep.after_write()
        if any(weighed.fact for weighed in done.taken):
            troubles += [behind] if (behind := self._brain_changed()) else []
        troubles = list(dict.fromkeys((*troubles, *done.troubles)))
        return replace(done, troubles=tuple(troubles), unread=self._why_unread())

    def undo_consolidation(self) -> UndoResult:
        """Take the last consolidation back; what has changed since is left as it is."""
        from remem.learn.consolidate.runs import undo_last_run
        from remem.learn.flush.flush import write_pending

        facts = self._facts().facts if self.scope == MAIN else ()
        done = self._store.write(undo_last_run(self._now(), self._how.topics, facts))
        self._upkeep.after_write()
        if not done.retracted:
            return done
        troubles = list(write_pending(self._flushing).values())
        known = self._facts()
        ended = [fact.entity for fact in known.facts if fact.id in done.retracted]
        troubles += self._summaries_follow(known, ended)
        troubles += [behind] if (behind := self._brain_changed()) else []
        return replace(done, troubles=tuple(dict.fromkeys(troubles)))

    def _why_unread(self) -> str | None:
        name = str(self.scope)
        if name in self._parts.config.transcripts:
            return None
        return f'conversations are not read: transcripts in .remem/config.toml has no "{name}"'

    def _since(self, days: int) -> str:
        whole_number(days, 1, _MOST_DAYS, "days")
        return format_time(parse_time(self._now()) - timedelta(days=days))

    def _talked_since(self, since: str, troubles: list[str]) -> list[Transcript]:
        listing = self._parts.transcripts()
        troubles += listing.troubles
        return [transcript for transcript in listing.transcripts if transcript.moment >= since]

    def _unread(self, since: str, troubles: list[str]) -> list[Transcript]:
        from remem.files.transcripts.reading import source_of

        recent = self._talked_since(since, troubles)
        with self._store.read() as snapshot:
            marks = [
                state.read_up_to(snapshot, source_of(transcript.file)) for transcript in recent
            ]
        pairs = zip(recent, marks, strict=True)
        return [each for each, mark in pairs if mark is None or mark.size != each.signature[2]]

    def _read_notes(self, day: str, troubles: list[str]) -> list[SourceResult]:
        from remem.learn.flush.flush import flush
        from remem.learn.heartbeat import SourceResult, notes_since, read_note

        parts, read = self._parts, list[SourceResult]()
        extractor = parts.extractor()
        for note in notes_since(parts.layout, day):
            try:
                with self._store.read() as snapshot:
                    before = state.read_up_to(snapshot, note.path)
                learned = read_note(note, before, extractor, self._now(), parts.trust)
                if learned is not None:
                    done = flush(
                        self._flushing, learned.lessons, learned=learned, reason="heartbeat"
                    )
                    read.append(SourceResult(learned, done))
            except RememError as error:  # one that cannot be read stops no other
                troubles.append(str(error))
        return read

    def _talks(self, since: str, troubles: list[str], progress: Progress) -> list[list[Utterance]]:
        """What was said, conversation by conversation."""
        from remem.files.transcripts.reading import read
        from remem.learn.flush.items import utterances_of

        recent, talks = self._talked_since(since, []), list[list["Utterance"]]()
        for number, each in enumerate(recent):
            progress(number, len(recent))
            try:
                talks.append(utterances_of(each.file, list(read(each.file).turns()), self.scope))
            except RememError as error:
                troubles.append(str(error))
        return talks


def _is_in_brain(kept: FlushedItem) -> bool:
    return kept.home.startswith("brain/")
