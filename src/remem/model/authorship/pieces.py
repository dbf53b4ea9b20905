"""The pieces of a turn that may be the speaker's own words, and the kinds of all other text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from remem.text.pattern_file import pattern_file

MAIL: Final = "a mail"
FORWARDED: Final = "a forwarded message"
QUOTED: Final = "a quotation"
LETTER: Final = "a letter"
CHAT: Final = "a chat log"
ROLES: Final = "a text with speaker labels"
PAGE: Final = "a page"
INTRODUCED: Final = "a text that the speaker introduced"
CONTINUED: Final = "the next part of a paste"
ELEMENT: Final = "text between tags"
FENCED: Final = "fenced text"
TOO_LONG: Final = "the end of a long message"
LOG: Final = "tool output"
CODE: Final = "code or data"
NO_PROSE: Final = frozenset({CODE, LOG})
"""Kinds of text that make no statements, whoever wrote them."""
_FOREIGN: Final = "somebody else's words: "


@dataclass(frozen=True, slots=True)
class MessagePiece:
    """Part of a turn as one line; `doubt` is why it may not be the speaker's own."""

    text: str
    doubt: str | None = None


@dataclass(frozen=True, slots=True)
class Authorship:
    """The pieces of a turn in their order; `foreign` counts what was left out, by reason."""

    pieces: tuple[MessagePiece, ...] = ()
    foreign: Mapping[str, int] = field(default_factory=dict)

    @property
    def own(self) -> tuple[str, ...]:
        """The words that are plainly the speaker's."""
        return tuple(piece.text for piece in self.pieces if piece.doubt is None)


def reason(kind: str) -> str:
    """Return the reason for which a kind of text is left out."""
    return kind if kind in NO_PROSE else f"{_FOREIGN}{kind}"


def pattern(name: str) -> re.Pattern[str]:
    """Return a pattern of `patterns.toml`."""
    return pattern_file("model/authorship/patterns").regex(name)


def words(name: str) -> frozenset[str]:
    """Return a word list of `patterns.toml`."""
    return pattern_file("model/authorship/patterns").words(name)
