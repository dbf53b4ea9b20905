"""A text without its elements: what a host, a person or a program put between a tag and its end."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

_TAG: Final = re.compile(r"<(/?)([A-Za-z][\w-]{0,60})(?:\s[^<>]{0,400})?>")


def without_elements(text: str, doubtful: str = "") -> str:
    """The text outside its elements, in paragraphs of its own. A tag that nothing closes encloses
    nothing. `doubtful` is put behind an element whose name closes more than once: the page itself
    may have closed it."""
    closings = Counter(tag[2] for tag in _TAG.finditer(text) if tag[1])
    parts: list[str] = []
    for outside, name in _outside(text):
        parts.append(outside.strip())
        parts.append(doubtful if closings[name] > 1 else "")
    return "\n\n".join(parts).strip()


def _outside(text: str) -> Iterator[tuple[str, str]]:
    """What is outside, each with the name of the element that follows."""
    at, inside, depth = 0, "", 0
    unclosed: set[str] = set()
    for tag in _TAG.finditer(text):
        closing, name = bool(tag[1]), tag[2]
        if inside:
            depth += (-1 if closing else 1) if name == inside else 0
            if depth == 0:
                at, inside = tag.end(), ""
        elif not closing and name not in unclosed:
            if text.find(f"</{name}>", tag.end()) < 0:
                unclosed.add(name)
                continue
            yield text[at : tag.start()], name
            inside, depth = name, 1
    if not inside:
        yield text[at:], ""
