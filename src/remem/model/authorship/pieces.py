"""The pieces of a turn: whose they are, and why that may be in doubt.

A text without its elements: what a host, a person or a program put between a tag and its end.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from remem.model.authorship.lines import CODE, LOG

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


FOREIGN: Final = "somebody else's words: "
NO_PROSE: Final = frozenset({CODE, LOG})
"""What is nobody's statement in any case."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words as one line; `doubt` says why they may not be the speaker's own."""

    text: str
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Authorship:
    """The pieces of a turn in their order; `foreign` counts what was left out, by its reason."""

    pieces: tuple[Piece, ...] = ()
    foreign: Mapping[str, int] = field(default_factory=dict)

    @property
    def own(self) -> tuple[str, ...]:
        """What is plainly the speaker's."""
        return tuple(piece.text for piece in self.pieces if piece.doubt is None)


def reason(what: str) -> str:
    """How it is counted that such text was left out."""
    return what if what in NO_PROSE else f"{FOREIGN}{what}"
