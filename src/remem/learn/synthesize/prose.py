"""Let a language model phrase the points of a page, and keep only supported sentences.

The model names the points that each sentence is about. A sentence that names none, or says more
than its points do, is dropped and counted; its points are then listed as they are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from remem.errors import ModelError, quoted
from remem.learn.synthesize.plan import PagePlan
from remem.model.page import Point, Sentence, generated_lines
from remem.ports.models import Chat
from remem.text.markdown import one_line
from remem.text.sentence_check import why_unsupported

_MAX_POINTS: Final = 60
_MAX_SENTENCE_LENGTH: Final = 600
_MAX_FAILURES: Final = 3
_PROMPT: Final = """\
You write a short, plain summary. The input is JSON: "about", and "points", each with an id, a \
text and perhaps a day. Put the points into a few good sentences in the language of the points. \
Use only words from the points, keep their names, numbers and order, add nothing, never drop a \
"not". Points that belong together may share a sentence. Answer with JSON alone: \
{"sentences": [{"text": "...", "points": ["id", "id"]}]}"""
_OBJECT: Final = re.compile(r"\{.*\}", re.DOTALL)


@dataclass
class SummaryWriter:
    """Asks a language model for sentences; `failure` is the reason if it gave none.

    After several failures in a row it is not asked again.
    """

    chat: Chat | None
    failure: str | None = None
    _failures: int = field(default=0, init=False)

    def sentences_for(self, plan: PagePlan) -> tuple[list[Sentence], int]:
        """Return sentences about the plan's points, and the number of dropped sentences."""
        if self.chat is None or not plan.points or len(plan.points) > _MAX_POINTS:
            return [], 0
        try:
            answer = _ask(self.chat, plan)
        except _UnusableAnswer as error:
            self._count_failure(str(error))
            return [], 1
        except ModelError as error:  # down or too slow: it is not asked again
            self.chat, self.failure = None, str(error)
            return [], 0
        self._failures = 0
        sentences = list(_supported_sentences(answer, plan))
        return sentences, len(answer) - len(sentences)

    def _count_failure(self, reason: str) -> None:
        self._failures += 1
        self.failure = reason
        if self._failures >= _MAX_FAILURES:
            self.chat = None


def earlier_prose(text: str, plan: PagePlan) -> list[Sentence] | None:
    """Return the sentences of a page if it was made from exactly these points; otherwise None."""
    lines = generated_lines(text)
    if not lines or lines[0].sources != (plan.made_from, f"{plan.points_digest}+prose"):
        return None
    sources = {point.source for point in plan.points}
    return [
        Sentence(line.text, line.sources)
        for line in lines[1:]
        if not line.changed and not line.text.startswith("- ") and sources.issuperset(line.sources)
    ]


class _UnusableAnswer(Exception):
    """An answer in an unexpected form."""


def _ask(chat: Chat, plan: PagePlan) -> list[Any]:
    points = [
        {"id": point.source, "text": point.text, **({"day": point.day} if point.day else {})}
        for point in plan.points
    ]
    reply = chat(_PROMPT, json.dumps({"about": plan.about, "points": points}, ensure_ascii=False))
    match = _OBJECT.search(reply)
    try:
        answer = json.loads(match[0]) if match else None
    except (ValueError, RecursionError):
        answer = None
    sentences = answer.get("sentences") if isinstance(answer, dict) else None
    if not isinstance(sentences, list):
        raise _UnusableAnswer(f"unexpected response from the language model: {quoted(reply)}")
    return sentences


def _supported_sentences(answer: Sequence[Any], plan: PagePlan) -> Iterator[Sentence]:
    """Yield the supported sentences; each point is used at most once."""
    points = {point.source: point for point in plan.points}
    used_sources: set[str] = set()
    for value in answer:
        if sentence := _sentence(value, points, plan.names):
            if not used_sources.isdisjoint(sentence.sources):
                continue
            used_sources.update(sentence.sources)
            yield sentence


def _sentence(value: Any, points: dict[str, Point], names: Sequence[str]) -> Sentence | None:
    """Return a sentence of the answer; None if it is malformed or its points do not support it."""
    text = value.get("text") if isinstance(value, dict) else None
    ids = value.get("points") if isinstance(value, dict) else None
    if not isinstance(text, str) or not isinstance(ids, list):
        return None
    line = one_line(text).lstrip("#>-*+ ")
    named_points = [points[id_] for id_ in ids if isinstance(id_, str) and id_ in points]
    if len(named_points) != len(ids) or not 0 < len(line) <= _MAX_SENTENCE_LENGTH:
        return None
    if len(set(ids)) != len(ids):
        return None
    details = [f"{point.state} {point.day or ''}" for point in named_points]
    if (
        why_unsupported(line, [point.text for point in named_points], (*names, *details))
        is not None
    ):
        return None
    return Sentence(line, tuple(point.source for point in named_points))
