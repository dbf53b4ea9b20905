"""Build the start text of a conversation, and load the files of a room for a message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace
from datetime import timedelta
from typing import Final

from remem.app.context import Models, SessionContext
from remem.disclose import start
from remem.disclose.gate_guard import GateGuard
from remem.disclose.open.protocol import OpenContext, open_room
from remem.disclose.open.result import OpenResult
from remem.disclose.start import Recent, Start
from remem.entries.decay import clear_notice, pending_notice
from remem.entries.in_project import in_project
from remem.entries.index import Index, make_index
from remem.entries.sync import Sync
from remem.errors import EmbedderError, InvalidInput, StoreError, shown
from remem.fast_dataclass import dataclass
from remem.files.start_files import (
    LastFlush,
    day_notes,
    last_flush,
    owner_language,
    read_gate,
    routing_lines,
)
from remem.ports.entries import Store
from remem.ports.models import Embedder, Floats, ModelIdentity, TokenCounter
from remem.search.query.embedding import UNSUPPORTED_LANGUAGE, TimeLimit
from remem.text.timestamps import parse_time


@dataclass(frozen=True, slots=True)
class StartService:
    """Builds the start text of a session; `finish_flush` updates the state of flushes."""

    context: SessionContext
    store: Store
    sync: Sync
    counter: TokenCounter
    finish_flush: Callable[[], None]

    def start(self) -> Start:
        """Return the start text; a notice about archived entries is shown only once."""
        notice = self._notice()
        started = self.preview(notice)
        if not notice or notice not in started.text or not self.store.writable:
            return started
        try:
            self.store.write(clear_notice)
        except StoreError as error:
            return replace(started, trouble=(*started.trouble, str(error)))
        return started

    def preview(self, notice: str = "") -> Start:
        """Return the start text, without marking the notice as shown."""
        problems: list[str] = []
        context = self.context
        if context.is_main:
            index = self._index(start.INDEX_BUDGET, problems)
            recent = replace(self._recent(problems), notice=notice)
            return start.build_main_start(index, recent, self.counter, problems)
        gate = read_gate(context.layout, context.scope, problems)
        budget = start.group_budget(gate.budget if gate else None, context.config.memory_budget)
        index = self._index(budget // 2 if gate else budget, problems)
        return start.build_group_start(index, gate, self.counter, budget, problems, notice=notice)

    def _notice(self) -> str:
        try:
            with self.store.read() as snapshot:
                return pending_notice(snapshot)
        except StoreError:  # building the index reports the error
            return ""

    def _index(self, budget: int, problems: list[str]) -> Index | None:
        """Return the index; None, with the reason in `problems`, if entries cannot be read."""
        try:
            self.sync.before_read()
            with self.store.read() as snapshot:
                tokens = min(self.context.config.index_tokens, budget)
                seen = in_project(snapshot, self.context.only_project)
                return make_index(seen, self.counter, tokens)
        except StoreError as error:
            problems.append(str(error))
            return None

    def _recent(self, problems: list[str]) -> Recent:
        layout, today = self.context.layout, self.context.today()
        days = (today, today - timedelta(days=1))
        return Recent(
            today=today,
            routing=routing_lines(layout, problems),
            flush=self._last_flush(problems),
            language=owner_language(layout),
            notes=[note for day in days for note in day_notes(layout, day, problems)],
        )

    def _last_flush(self, problems: list[str]) -> LastFlush | None:
        """Return the last flush with its time in the owner's time zone, if it is a valid time."""
        self.finish_flush()
        flush = last_flush(self.context.layout, problems)
        if flush is None or flush.at is None:
            return flush
        try:
            local = parse_time(flush.at).astimezone(self.context.zone)
        except InvalidInput:
            return flush
        return replace(flush, at=f"{local:%Y-%m-%d %H:%M}")


_MAX_CACHED_PHRASES: Final = 2000


@dataclass
class RoomService:
    """Loads the gate of a room and the one file that a message needs."""

    context: SessionContext
    models: Models
    counter: TokenCounter
    gate_guard: GateGuard
    time_limit: TimeLimit
    _phrases: dict[ModelIdentity, dict[str, Floats]] = field(default_factory=dict, init=False)

    def open(self, message: str) -> OpenResult:
        if not isinstance(message, str) or not message.strip():
            raise InvalidInput(f"message {shown(message)} is empty", hint="give the user's message")
        session, budget = self.context.session, self.context.config.memory_budget
        open_context = OpenContext(
            session, self.gate_guard, self.counter, budget, self.similarities
        )
        return open_room(open_context, message)

    def similarities(self, message: str, phrases: Sequence[str]) -> Sequence[float] | str:
        """Return the similarity of the message to each phrase, or why it could not be computed."""
        if not self.models.embedders:
            return self.models.unavailable or "no model is configured"
        texts = (message, *phrases)
        model = max(
            self.models.embedders,
            key=lambda embedder: min(map(embedder.language_support, texts)),
        )
        try:
            if not all(map(model.language_support, texts)):
                return UNSUPPORTED_LANGUAGE
            return self.time_limit(lambda: self._compare(model, message, phrases)) or ()
        except EmbedderError as error:
            return str(error.args[0])

    def _compare(self, model: Embedder, message: str, phrases: Sequence[str]) -> list[float]:
        """Return the cosine of the message with each phrase; the phrases' vectors are cached."""
        if sum(map(len, self._phrases.values())) > _MAX_CACHED_PHRASES:
            self._phrases.clear()
        known = self._phrases.setdefault(model.identity, {})
        new = [phrase for phrase in dict.fromkeys(phrases) if phrase not in known]
        if new:
            vectors = model.embed(new)
            known |= {text: vector.pooled for text, vector in zip(new, vectors, strict=True)}
        query = model.embed_query(message).pooled
        return [float(known[phrase] @ query) for phrase in phrases]
