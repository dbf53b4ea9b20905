"""How does a conversation reach this memory? Flushed by the agent, a hook, or after silence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from remem.app.care import Care
from remem.app.parts import Parts
from remem.errors import RememError
from remem.learn.flush import state
from remem.learn.flush.result import Flushing
from remem.learn.flush.state import is_due
from remem.model.entry import Origin, of_conversation
from remem.model.scope import Session

if TYPE_CHECKING:
    from remem.learn.flush.flush import Alarm
    from remem.learn.flush.result import Flushed
    from remem.learn.heartbeat import Source
    from remem.model.lesson import Lesson
    from remem.ports.models import Extractor


class Flushes(Care):
    """Writing down what a conversation taught, exactly once."""

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts)
        self._flushing = Flushing(
            parts.store,
            parts.layout,
            parts.scope,
            self._how,
            parts.zone,
            parts.clock,
            parts.conversation,
        )
        self._unsettled: str | None = None
        self._alarm: Alarm | None = None
        self.finish_flush()
        if parts.background and str(parts.scope) in parts.config.transcripts:
            from remem.learn.flush.flush import Alarm

            self._alarm = Alarm(self.flush_idle)

    def flush(self, items: Iterable[Mapping[str, Any]] = (), reason: str = "remem") -> Flushed:
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
            lesson, origin=Origin(of_conversation(conversation), place, None, "assistant")
        )

    def flush_transcript(self, transcript: str | Path, reason: str = "remem") -> Flushed:
        """Write down what a host's transcript says since it was last flushed."""
        reader = self._parts.extractor()
        done = self._read_transcript(Path(transcript), reason, reader).done
        self._upkeep.after_write()
        return done

    def _read_transcript(self, transcript: Path, reason: str, reader: Extractor) -> Source:
        from remem.files.transcripts.reading import source_of
        from remem.learn.flush.flush import flush
        from remem.learn.flush.items import listen, require_own
        from remem.learn.heartbeat import Source

        path = transcript.absolute()
        parts = self._parts
        require_own(path, self.scope, self._whose)
        with self._store.read() as snapshot:
            before = state.read_up_to(snapshot, source_of(path))
        heard = listen(path, before, reader, self.scope, parts.trust)
        return Source(heard, flush(self._flushing, heard.lessons, heard=heard, reason=reason))

    def flush_idle(self) -> list[Flushed]:
        """Flush the conversations that have been quiet for half an hour, once each. One that
        cannot be read stops no other, and is told of when they are written."""
        from remem.learn.flush.flush import quiet_ones

        with self._store.read() as snapshot:
            quiet = list(quiet_ones(self._parts.transcripts().transcripts, snapshot, self._now()))
        reader, failed = self._parts.extractor(), list[RememError]()
        done: list[Flushed] = []
        for transcript in quiet:
            try:
                done.append(self._read_transcript(transcript.file, "idle", reader).done)
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
            if is_due(self._flushing):
                from remem.learn.flush.flush import settle

                settle(self._flushing)
        except RememError as error:
            self._unsettled = str(error)
        else:
            self._unsettled = None

    @property
    def trouble(self) -> list[str]:
        late = self._alarm.trouble if self._alarm else None
        return [*super().trouble, *(each for each in (self._unsettled, late) if each)]

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
