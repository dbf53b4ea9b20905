"""Recognise text without lasting content: status, logs, conversations, digests, machine state."""

from __future__ import annotations

import re
from typing import Final, Literal

from remem.text.pattern_file import PatternFile, pattern_file
from remem.text.words import has_grams, words

Shape = Literal["daily", "topic", "conversation", "digest", "machine"]

LOG: Final = "log"
TASK: Final = "task"
TEMPLATE: Final = "template"
PROMOTED: Final = "promoted by the host, but states nothing lasting"
CONVERSATION: Final = "conversation"
DIGEST: Final = "digest of what others published"
MACHINE: Final = "machine state"
CODE: Final = "code"
FLUSHED: Final = "already flushed from a conversation"
REPEATED: Final = "repeated within the note, as carried-over text is"
NOTHING_LASTING: Final = "nothing shows that it lasts"

_MACHINE: Final = re.compile(r"(?:^|/)(?:dreaming|\.dreams|heartbeats?|cron|cycles|state|recall)/")
_DAILY: Final = re.compile(
    r"(?:^|/)(?:archive|diary|journal|logs?|tasks?|schedules?|daily|review|reviews)/|"
    r"20\d\d-?\d\d-?\d\d|20\d\d-\d\d\b|20\d\d-?W\d\d",
    re.IGNORECASE,
)
_LEADING_TIME: Final = re.compile(
    r"^\s*(?:\[|\*\*|\()?\d{1,2}[:：]\d\d(?:[:：]\d\d)?(?: ?[ap]m\b)?"
    r" ?(?-i:(?:UTC|GMT|BST|[IJK]ST|HKT|SGT|MSK|(?:CE|EE|WE)S?T|[ECMP][SD]?T|Z)\b)?"
    r"(?:[+-]\d{1,2}(?:[:：]?\d\d)?)?"
    r"(?:\]|\*\*:?|\))?(?:\s*[-–—:·|])?\s+",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"\W*(?:\[[^\]]*\]\([^)]*\)|https?://\S+)\W*")
_MIN_SPEAKERS: Final = 4
MAX_SEARCHED: Final = 2_000
"""Patterns search only this many characters: the beginning shows what a statement is."""


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/notes")


def matches(name: str, text: str) -> bool:
    """Return whether a pattern of `patterns/notes.toml`, given by its name, occurs in a text."""
    return _patterns().regex(name).search(text) is not None


def shape_of(path: str, text: str) -> Shape:
    """Return the kind of note that a file is, by its path, its name and its beginning."""
    name = path.rsplit("/", 1)[-1]
    head = text[:4_000]
    if _MACHINE.search(path):
        return "machine"
    speakers = len(_patterns().regex("speaker").findall(text))
    if speakers >= _MIN_SPEAKERS or (speakers and matches("session", head)):
        return "conversation"
    first = next((line for line in head.splitlines() if line.strip()), "")
    titles = (re.sub("[-_]", " ", name), first if first.startswith("#") else "")
    if any(matches("digest", title) for title in titles):
        return "digest"
    return "daily" if is_daily(path) else "topic"


def is_daily(path: str) -> bool:
    """Return whether a file is a note of a day or a log, by its path."""
    return _DAILY.search(path) is not None


def without_time(text: str) -> str:
    """Return a line without the time at its start."""
    return _LEADING_TIME.sub("", text, count=1)


def is_link(text: str) -> bool:
    """Return whether a text is only a link."""
    return len(text) <= MAX_SEARCHED and _LINK.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Return whether a text begins a code block."""
    return text.startswith(("```", "~~~"))


def is_short(text: str) -> bool:
    """Return whether a text has too few words for a statement."""
    return len(words(text)) < (5 if has_grams(text) else 4)
