"""Flush conversations into memory: for an agent, for a hook, or after 30 idle minutes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from remem.app.context import SessionContext
from remem.app.environment import home_folder
from remem.entries.sync import Sync
from remem.errors import InvalidInput, RememError, quoted
from remem.files.project_folder import project_of
from remem.files.rooms import read_rooms
from remem.files.transcripts.locate import TranscriptListing
from remem.files.transcripts.reading import LEARNED, source_of
from remem.learn.flush.flush import flush, idle_transcripts
from remem.learn.flush.items import learn_from_transcript, read_items, require_own_transcript
from remem.learn.flush.result import FlushResult
from remem.learn.flush.state import FlushContext
from remem.learn.heartbeat import SourceResult
from remem.model.entry import Origin, conversation_source
from remem.model.lesson import Lesson
from remem.model.rooms import Rooms
from remem.model.scope import Session
from remem.model.session import read_session
from remem.ports.models import Extractor


@dataclass(frozen=True, slots=True)
class FlushService:
    """Writes the lessons of conversations into memory, each exactly once."""

    context: SessionContext
    flush_context: FlushContext
    sync: Sync
    transcripts: Callable[[], TranscriptListing]
    extractor: Callable[[], Extractor]

    def flush(self, items: Iterable[Mapping[str, Any]], reason: str) -> FlushResult:
        if isinstance(items, str | Mapping):
            raise InvalidInput(f"items must be a list of objects, not {quoted(items)}")
        lessons, refused = read_items(list(items), self.context.trust)
        lessons = [self._from_this_conversation(lesson) for lesson in lessons]
        result = flush(self.flush_context, lessons, refused, reason=reason)
        self.sync.after_write()
        return result

    def flush_transcript(
        self, transcript: str | Path, reason: str, folder: str | Path | None = None
    ) -> FlushResult:
        """Flush a transcript.

        `folder` is the project's folder, if the conversation was not about this session's project.
        """
        service = self if folder is None else self._for_project(Path(folder))
        result = service.flush_from_last_position(Path(transcript), reason, self.extractor()).result
        self.sync.after_write()
        return result

    def _for_project(self, folder: Path) -> FlushService:
        """Return the same service for another project."""
        context = self.context
        project = (
            project_of(folder, context.layout.root, home_folder()) if context.is_main else None
        )
        return replace(self, flush_context=replace(self.flush_context, project=project))

    def flush_from_last_position(
        self, transcript: Path, reason: str, extractor: Extractor
    ) -> SourceResult:
        """Flush a transcript from the position where it was last read."""
        path = transcript.absolute()
        scope = self.context.scope
        require_own_transcript(path, scope, self._session_of)
        with self.flush_context.store.read() as snapshot:
            last_read = snapshot.record(LEARNED, source_of(path))
        found = learn_from_transcript(path, last_read, extractor, scope, self.context.trust)
        result = flush(self.flush_context, found.lessons, source_lessons=found, reason=reason)
        return SourceResult(found, result)

    def flush_idle(self) -> list[FlushResult]:
        """Flush idle conversations; the first error is raised after all have been tried."""
        transcripts = self.transcripts().transcripts
        with self.flush_context.store.read() as snapshot:
            idle = list(idle_transcripts(transcripts, snapshot, self.context.now()))
        extractor = self.extractor()
        results: list[FlushResult] = []
        errors: list[RememError] = []
        for transcript in idle:
            try:
                results.append(
                    self.flush_from_last_position(transcript.file, "idle", extractor).result
                )
            except RememError as error:
                errors.append(error)
        self.sync.after_write()
        if errors:
            raise errors[0]
        return results

    def _from_this_conversation(self, lesson: Lesson) -> Lesson:
        """Set this conversation as the origin, unless the item names another one."""
        conversation, origin = self.context.conversation, lesson.origin
        if not conversation or (origin is not None and origin.source != conversation):
            return lesson
        source = conversation_source(conversation)
        position = origin.position if origin else None
        return replace(lesson, origin=Origin(source, position, None, "assistant"))

    def _session_of(self, key: str) -> Session:
        config = self.context.config
        is_group = self.context.scope.kind == "group"
        rooms = read_rooms(self.context.layout.root) if is_group else Rooms()
        return read_session(
            key, rooms, owner_peers=config.owner_peers, main_is_shared=config.main_is_shared
        )
