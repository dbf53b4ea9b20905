"""What did a person mean with his lines in a summary? They may be facts; he decides."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from remem.core.words import fold
from remem.maintenance.synthesis.plan import Plan
from remem.maintenance.synthesis.result import Proposed

_BULLET: Final = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)])[ \t]+")
_INSTEAD: Final = re.compile(r"[ \t]*<!-- instead of (?P<source>\S+)[^>]*-->[ \t]*$")
_COMMENT: Final = re.compile(r"[ \t]*<!--.*?-->")
_DAY: Final = re.compile(r"[ \t]*\((?:[^()]*, )?\d{4}-\d\d-\d\d\)$")


def proposals(plan: Plan, lines: Sequence[str]) -> Iterator[Proposed]:
    """Bullets that could become facts: those whose words the record does not have yet."""
    if not plan.facts:
        return
    for line in lines:
        bullet = _BULLET.match(line)
        if bullet is None:
            continue
        instead = _INSTEAD.search(line)
        text = _DAY.sub("", _COMMENT.sub("", line[bullet.end() :]).strip())
        if not text or fold(text) in plan.known:
            continue
        source = instead["source"] if instead else None
        yield Proposed(plan.about, text, source, _command(plan.about, text, source))


def _command(entity: str, text: str, source: str | None) -> str:
    if source is None:
        return shlex.join(("remem", "fact", "record", entity, text))
    return shlex.join(("remem", "fact", "supersede", source, text))
