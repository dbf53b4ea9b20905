"""Recall: answering questions from the entries of a scope."""

from __future__ import annotations

from dataclasses import replace

from remem.app.context import SessionContext
from remem.disclose.gate_guard import GateGuard
from remem.fast_dataclass import dataclass
from remem.search.answer.answer import Answer
from remem.search.query.question import RecallOptions, parse_request
from remem.search.recall import Recall
from remem.text.timestamps import normalize_time


@dataclass(frozen=True, slots=True)
class RecallService:
    """Answers questions for one session."""

    context: SessionContext
    gate_guard: GateGuard
    answer: Recall

    def recall(self, query: str, now: str | None, options: RecallOptions) -> Answer:
        request = parse_request(query, options)
        if project := self.context.only_project:
            request = replace(request, where=replace(request.where, project=project))
        self.gate_guard.require()
        when = normalize_time(now, "now") if now else self.context.now()
        return self.answer(request, when)

    def recall_without_trace(self, query: str) -> Answer:
        """Recall without recording the use of entries or refreshing files, for validation."""
        files = replace(self.answer.files, freshness=None)
        answer = replace(self.answer, usage_log=None, sync=None, files=files)
        return answer(parse_request(query, {}), self.context.now())
