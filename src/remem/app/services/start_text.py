"""Build the start text of a conversation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from remem.app.context import SessionContext
from remem.disclose import start
from remem.disclose.start import StartContent, StartText
from remem.entries.decay import clear_notice, pending_notice
from remem.entries.written_index import IndexText
from remem.errors import InvalidInput, StoreError
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
from remem.ports.models import TokenCounter
from remem.text.timestamps import parse_time


@dataclass(frozen=True, slots=True)
class StartService:
    """Builds the start text of a session.

    `index_text` returns the index within a budget. `finish_flush` completes an interrupted flush,
    so that the text names the last flush.
    """

    context: SessionContext
    store: Store
    counter: TokenCounter
    index_text: Callable[[int], IndexText]
    finish_flush: Callable[[], None]

    def start(self) -> StartText:
        """Return the start text; a notice about archived entries is shown only once."""
        notice = self._notice()
        start_text = self.preview(notice)
        if not notice or notice not in start_text.text or not self.store.writable:
            return start_text
        try:
            self.store.write(clear_notice)
        except StoreError as error:
            return replace(start_text, problems=(*start_text.problems, str(error)))
        return start_text

    def preview(self, notice: str = "") -> StartText:
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

    def _index(self, budget: int, problems: list[str]) -> IndexText | None:
        """Return the index; None, with the reason in `problems`, if entries cannot be read."""
        try:
            return self.index_text(budget)
        except StoreError as error:
            problems.append(str(error))
            return None

    def _recent(self, problems: list[str]) -> StartContent:
        layout, today = self.context.layout, self.context.today()
        days = (today, today - timedelta(days=1))
        return StartContent(
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
