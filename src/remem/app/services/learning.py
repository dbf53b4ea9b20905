"""Heartbeat and consolidation: learning from recent conversations and notes.

A heartbeat reads each source from where the last flush or heartbeat stopped. A consolidation begins
with a heartbeat, and then compares all recent conversations from their beginning. Both write every
statement once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from remem.app.context import SessionContext
from remem.app.services.facts import FactService
from remem.app.services.flush import FlushService
from remem.errors import RememError
from remem.files.transcripts.locate import Transcript
from remem.files.transcripts.reading import LEARNED, open_transcript
from remem.learn.consolidate.consolidate import ConsolidationJob, consolidate
from remem.learn.consolidate.result import Consolidation, UndoResult
from remem.learn.consolidate.runs import undo_last_run
from remem.learn.flush.flush import flush, unread_transcripts, write_pending
from remem.learn.flush.items import utterances_of
from remem.learn.heartbeat import Heartbeat, SourceResult, build_report, notes_since, read_note
from remem.model.arguments import whole_number
from remem.model.lesson import Utterance
from remem.ports.entries import Store
from remem.ports.models import Extractor
from remem.text.timestamps import format_time, parse_time

Progress = Callable[[int, int], None]
_MAX_DAYS: Final = 3_650


@dataclass(frozen=True, slots=True)
class LearningService:
    """Learns from conversations and notes.

    `rule_extractor` returns an extractor that makes no network calls.
    """

    context: SessionContext
    flushes: FlushService
    facts: FactService
    rule_extractor: Callable[[], Extractor]

    @property
    def _store(self) -> Store:
        return self.flushes.flush_context.store

    def heartbeat(self, days: int, progress: Progress) -> Heartbeat:
        since = self._since(days)
        problems: list[str] = []
        extractor = self.flushes.extractor()
        with self._store.read() as snapshot:
            unread = list(unread_transcripts(self._recent(since, problems), snapshot))
        results: list[SourceResult] = []
        for number, transcript in enumerate(unread):
            progress(number, len(unread))
            try:
                results.append(
                    self.flushes.flush_from_last_position(transcript.file, "heartbeat", extractor)
                )
            except RememError as error:  # an unreadable source does not stop the others
                problems.append(str(error))
        notes = self._read_notes(since[:10], extractor, problems) if self.context.is_main else []
        self.flushes.sync.after_write()
        written = (item for result in (*results, *notes) for item in result.result.written)
        if any(item.home.startswith("brain/") for item in written):
            problems += self.facts.update_qmd()
        report = build_report(self.context.now(), results, notes, problems)
        return replace(report, unread=self._why_unread())

    def consolidate(self, days: int, *, explain: bool, progress: Progress) -> Consolidation:
        problems = list(self.heartbeat(days, lambda _done, _of: None).problems)
        conversations = self._conversations(self._since(days), problems, progress)
        context = self.context
        job = ConsolidationJob(
            self.flushes.flush_context, self.rule_extractor(), context.now(), context.trust
        )
        report = consolidate(job, conversations, explain=explain)
        self.flushes.sync.after_write()
        if any(action.fact for action in report.taken):
            problems += self.facts.update_qmd()
        problems = list(dict.fromkeys((*problems, *report.problems)))
        return replace(report, problems=tuple(problems), unread=self._why_unread())

    def undo_consolidation(self) -> UndoResult:
        context, files = self.context, self.facts.files
        facts = files().facts if context.is_main else ()
        result = self._store.write(undo_last_run(context.now(), context.config.topics, facts))
        self.flushes.sync.after_write()
        if not result.retracted:
            return result
        problems = list(write_pending(self.flushes.flush_context).values())
        facts_after = files()
        entities = [fact.entity for fact in facts_after.facts if fact.id in result.retracted]
        problems += self.facts.refresh_summaries(facts_after, entities)
        problems += self.facts.update_qmd()
        return replace(result, problems=tuple(dict.fromkeys(problems)))

    def _why_unread(self) -> str | None:
        if self.context.reads_transcripts:
            return None
        name = self.context.scope
        return f'conversations are not read: add "{name}" to transcripts in .remem/config.toml'

    def _since(self, days: int) -> str:
        whole_number(days, 1, _MAX_DAYS, "days")
        return format_time(parse_time(self.context.now()) - timedelta(days=days))

    def _recent(self, since: str, problems: list[str]) -> list[Transcript]:
        listing = self.flushes.transcripts()
        problems += listing.problems
        return [transcript for transcript in listing.transcripts if transcript.modified_at >= since]

    def _read_notes(
        self, day: str, extractor: Extractor, problems: list[str]
    ) -> list[SourceResult]:
        context = self.context
        results: list[SourceResult] = []
        for note in notes_since(context.layout, day):
            try:
                with self._store.read() as snapshot:
                    last_read = snapshot.record(LEARNED, note.path)
                found = read_note(note, last_read, extractor, context.now(), context.trust)
                if found is not None:
                    flush_context = self.flushes.flush_context
                    result = flush(
                        flush_context, found.lessons, source_lessons=found, reason="heartbeat"
                    )
                    results.append(SourceResult(found, result))
            except RememError as error:  # an unreadable source does not stop the others
                problems.append(str(error))
        return results

    def _conversations(
        self, since: str, problems: list[str], progress: Progress
    ) -> list[list[Utterance]]:
        """Return the utterances of each recent conversation."""
        recent = self._recent(since, [])  # the heartbeat has reported its problems
        conversations: list[list[Utterance]] = []
        for number, transcript in enumerate(recent):
            progress(number, len(recent))
            try:
                turns = list(open_transcript(transcript.file).turns())
                conversations.append(utterances_of(transcript.file, turns, self.context.scope))
            except RememError as error:
                problems.append(str(error))
        return conversations
