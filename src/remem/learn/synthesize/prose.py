"""What has a killed write left beside a page? It goes, unless somebody's words stand only there.

How does a language model help? It writes sentences; those that say what the points say stay.

Every sentence names its points. One that names none, or says what they do not, is dropped and
counted, and its points are told in their own words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from remem.errors import ModelError, shown
from remem.files import atomic
from remem.files.layout import Layout
from remem.learn.synthesize.plan import Plan
from remem.model.page import Point, Sentence, lines_of_ours, without_ours
from remem.model.scope import MAIN
from remem.ports.models import Chat
from remem.text.marked_line import one_line
from remem.text.sentence_check import supported

_MOST_POINTS: Final = 60
_LONGEST: Final = 600
_FAILURES: Final = 3
_TASK: Final = """\
You write a short, plain summary. The input is JSON: "about", and "points", each with an id, a \
text and perhaps a day. Put the points into a few good sentences in the language of the points. \
Use only words of the points, keep their names, numbers and order, add nothing, leave out no \
"not". Points that belong together may share a sentence. Answer with JSON alone: \
{"sentences": [{"text": "...", "points": ["id", "id"]}]}"""
_OBJECT: Final = re.compile(r"\{.*\}", re.DOTALL)


@dataclass
class Prose:
    """A language model, as long as it answers; `trouble` says why it is not asked any more."""

    chat: Chat | None
    trouble: str | None = None
    _failures: int = field(default=0, init=False)

    def about(self, plan: Plan) -> tuple[list[Sentence], int]:
        """Sentences that tell points of the plan, and how many were dropped."""
        if self.chat is None or not plan.points or len(plan.points) > _MOST_POINTS:
            return [], 0
        try:
            answer = _asked(self.chat, plan)
        except _Unusable as error:
            self._failed(str(error))
            return [], 1
        except ModelError as error:  # it is down, or too slow: nobody waits for it again
            self.chat, self.trouble = None, str(error)
            return [], 0
        self._failures = 0
        kept = list(_kept(answer, plan))
        return kept, len(answer) - len(kept)

    def _failed(self, reason: str) -> None:
        self._failures += 1
        self.trouble = reason
        if self._failures >= _FAILURES:
            self.chat = None


def earlier_prose(text: str, plan: Plan) -> list[Sentence] | None:
    """The sentences that a page has, if it was made from just these points; else None."""
    lines = lines_of_ours(text)
    if not lines or lines[0].sources != (plan.made_from, f"{plan.state}+prose"):
        return None
    sources = {point.source for point in plan.points}
    return [
        Sentence(line.text, line.sources)
        for line in lines[1:]
        if not line.changed and not line.text.startswith("- ") and sources.issuperset(line.sources)
    ]


class _Unusable(Exception):
    """An answer that is not what was asked for."""


def _asked(chat: Chat, plan: Plan) -> list[Any]:
    points = [
        {"id": point.source, "text": point.text, **({"day": point.day} if point.day else {})}
        for point in plan.points
    ]
    said = chat(_TASK, json.dumps({"about": plan.about, "points": points}, ensure_ascii=False))
    found = _OBJECT.search(said)
    try:
        answer = json.loads(found[0]) if found else None
    except (ValueError, RecursionError):
        answer = None
    sentences = answer.get("sentences") if isinstance(answer, dict) else None
    if not isinstance(sentences, list):
        raise _Unusable(f"the language model did not answer as it was asked to: {shown(said)}")
    return sentences


def _kept(answer: Sequence[Any], plan: Plan) -> Iterator[Sentence]:
    """The sentences that hold, each point told by one of them at most."""
    points = {point.source: point for point in plan.points}
    told: set[str] = set()
    for each in answer:
        if sentence := _sentence(each, points, plan.names):
            if not told.isdisjoint(sentence.sources):
                continue
            told.update(sentence.sources)
            yield sentence


def _sentence(value: Any, points: dict[str, Point], names: Sequence[str]) -> Sentence | None:
    text = value.get("text") if isinstance(value, dict) else None
    named = value.get("points") if isinstance(value, dict) else None
    if not isinstance(text, str) or not isinstance(named, list):
        return None
    line = one_line(text).lstrip("#>-*+ ")
    known = [points[each] for each in named if isinstance(each, str) and each in points]
    if len(known) != len(named) or not 0 < len(line) <= _LONGEST or len({*named}) != len(named):
        return None
    beside = [f"{point.state} {point.day or ''}" for point in known]
    if supported(line, [point.text for point in known], (*names, *beside)) is not None:
        return None
    return Sentence(line, tuple(point.source for point in known))


def tidy(layout: Layout, path: Path, troubles: list[str]) -> None:
    """To be called where nobody else makes pages."""
    if not path.parent.is_dir():
        return
    for stray in atomic.strays(path.parent):
        if not stray.name.startswith(f".{path.name}."):
            continue
        data = atomic.read(stray) or b""
        if _own_lines(data) <= _own_lines(atomic.read(path) or b""):
            atomic.settle(stray, atomic.digest(data))
            continue
        copy = atomic.unused(layout.conflicts(MAIN), path.name)
        atomic.set_aside(stray, copy)
        kept = copy.relative_to(layout.root).as_posix()
        troubles.append(f"a write of {path.name} was cut short; the bytes are kept in {kept}")


def _own_lines(data: bytes) -> frozenset[str]:
    """What a person wrote in a page."""
    lines = without_ours(data.decode(errors="replace")).split("\n")
    return frozenset(line.strip() for line in lines if line.strip())
