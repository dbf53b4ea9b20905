"""Flushing a conversation into memory: by the agent, by a hook, or after 30 idle minutes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remem.app.care import Care
from remem.app.parts import Parts
from remem.errors import RememError
from remem.learn.flush import state
from remem.learn.flush.result import FlushContext
from remem.learn.flush.state import is_interrupted
from remem.model.entry import Origin, conversation_source
from remem.model.scope import Session

if TYPE_CHECKING:
    from remem.learn.flush.flush import IdleTimer
    from remem.learn.flush.result import FlushResult
    from remem.learn.heartbeat import SourceResult
    from remem.model.lesson import Lesson
    from remem.ports.models import Extractor


class Flushes(Care):
    """Writing down what a conversation taught, exactly once."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._flushing = FlushContext(
            parts.store,
            parts.layout,
            parts.scope,
            self._how,
            parts.zone,
            parts.clock,
            parts.conversation,
        )
        self._unsettled: str | None = None
        self._alarm: IdleTimer | None = None
        self.finish_flush()
        if parts.background and str(parts.scope) in parts.config.transcripts:
            from remem.learn.flush.flush import IdleTimer

            self._alarm = IdleTimer(self.flush_idle)

    def flush(self, items: Iterable[Mapping[str, Any]] = (), reason: str = "remem") -> FlushResult:
        """Write what a conversation taught into memory; when this returns, it is safe.

        Each item has a kind and a text. One that cannot be kept is refused with its reason;
        repeating the call changes nothing.
        """
        from remem.learn.flush.flush import flush
        from remem.learn.flush.items import read_items

        lessons, refused = read_items(list(items), self._parts.trust)
        lessons = [self._of_this_conversation(lesson) for lesson in lessons]
        done = flush(self._flushing, lessons, refused, reason=reason)
        self._upkeep.after_write()
        return done

    def _of_this_conversation(self, lesson: Lesson) -> Lesson:
        """What an agent reports comes from the conversation that it has, unless it says more."""
        conversation = self._parts.conversation
        given = lesson.origin
        if not conversation or (given is not None and given.source != conversation):
            return lesson
        place = given.position if given else None
        return replace(
            lesson, origin=Origin(conversation_source(conversation), place, None, "assistant")
        )

    def flush_transcript(self, transcript: str | Path, reason: str = "remem") -> FlushResult:
        """Write down what a host's transcript says since it was last flushed."""
        reader = self._parts.extractor()
        done = self._read_transcript(Path(transcript), reason, reader).flushed
        self._upkeep.after_write()
        return done

    def _read_transcript(self, transcript: Path, reason: str, reader: Extractor) -> SourceResult:
        from remem.files.transcripts.reading import source_of
        from remem.learn.flush.flush import flush
        from remem.learn.flush.items import learn_from_transcript, require_own_transcript
        from remem.learn.heartbeat import SourceResult

        path = transcript.absolute()
        parts = self._parts
        require_own_transcript(path, self.scope, self._whose)
        with self._store.read() as snapshot:
            before = state.read_up_to(snapshot, source_of(path))
        learned = learn_from_transcript(path, before, reader, self.scope, parts.trust)
        return SourceResult(
            learned, flush(self._flushing, learned.lessons, learned=learned, reason=reason)
        )

    def flush_idle(self) -> list[FlushResult]:
        """Flush the conversations that have been quiet for half an hour, once each. One that
        cannot be read does not stop the others and is reported afterwards."""
        from remem.learn.flush.flush import idle_transcripts

        with self._store.read() as snapshot:
            quiet = list(
                idle_transcripts(self._parts.transcripts().transcripts, snapshot, self._now())
            )
        reader, failed = self._parts.extractor(), list[RememError]()
        done: list[FlushResult] = []
        for transcript in quiet:
            try:
                done.append(self._read_transcript(transcript.file, "idle", reader).flushed)
            except RememError as error:
                failed.append(error)
        self._upkeep.after_write()
        if failed:
            raise failed[0]
        return done

    def finish_flush(self) -> None:
        """Write what an interrupted flush has left, and the state of flushes, if need be."""
        if not self._store.writable:
            return
        try:
            if is_interrupted(self._flushing):
                from remem.learn.flush.flush import write_pending

                write_pending(self._flushing)
        except RememError as error:
            self._unsettled = str(error)
        else:
            self._unsettled = None

    @property
    def trouble(self) -> list[str]:
        late = self._alarm.trouble if self._alarm else None
        return [*super().trouble, *(reason for reason in (self._unsettled, late) if reason)]

    def close(self) -> None:
        if self._alarm is not None:
            self._alarm.close()
        super().close()

    def _whose(self, key: str) -> Session:
        from remem.files.rooms import read_rooms
        from remem.model.rooms import Rooms
        from remem.model.session import read_session

        config = self._parts.config
        rooms = read_rooms(self._parts.layout.root) if self.scope.kind == "group" else Rooms()
        return read_session(
            key, rooms, owner_peers=config.owner_peers, main_is_shared=config.main_is_shared
        )
