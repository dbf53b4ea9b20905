"""Which passages do the facts of an entity give, where nobody summed them up?

One a fact, found by its words, its id and its entity; its lines are those of its JSON object.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any, Final

from remem.core.passage import Passage
from remem.errors import FileError
from remem.refresh.days import day_of_name

_SPACE: Final = re.compile(r"[\s,]*")
_TEXTS: Final = ("fact", "text", "content")
_TOLD: Final = ("category", "status", "timestamp", "supersededBy")


def cut_facts(path: str, text: str) -> Iterator[Passage]:
    """The facts in order; FileError where the file is no list of facts, after those before."""
    entity = PurePosixPath(path).parent.name
    for start, end, value in _objects(text):
        said = _text(value)
        if said is None:
            continue
        known = [str(value[name]) for name in _TOLD if value.get(name)]
        number = f"{value['id']}: " if isinstance(value.get("id"), str) else ""
        yield Passage(
            path=path,
            start=start,
            end=end,
            text=f"{number}{said}" + (f" ({', '.join(known)})" if known else ""),
            headings=(entity,),
            day=day_of_name(str(value.get("timestamp", ""))[:10]),
        )


def _text(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    return next((value[name] for name in _TEXTS if isinstance(value.get(name), str)), None)


def _objects(text: str) -> Iterator[tuple[int, int, Any]]:
    """Each element of the list of facts with its first and last line."""
    at = _list_start(text)
    decoder = json.JSONDecoder()
    line, counted = 1, 0
    while True:
        match = _SPACE.match(text, at)
        at = match.end() if match else at
        if at >= len(text) or text[at] == "]":
            return
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            line += text.count("\n", counted, at)
            raise FileError(f"it is not a list of facts from line {line} on") from error
        first = line + text.count("\n", counted, at)
        last = first + text.count("\n", at, end)
        yield first, last, value
        line, counted, at = last, end, end


def _list_start(text: str) -> int:
    """Behind the bracket that opens the list: the whole file, or its `facts`."""
    inner = re.search(r'"facts"\s*:\s*\[', text)
    if text.lstrip("\ufeff \t\r\n").startswith("{") and inner:
        return inner.end()
    at = text.find("[")
    return at + 1 if at >= 0 else len(text)
