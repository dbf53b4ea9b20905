"""Does a file tell a lesson already? The mark that it leaves there carries the lesson's id, so
that whoever writes it again finds it."""

from __future__ import annotations

import re
from typing import Final

LESSON_MARK: Final = re.compile(r"(?<![ \t])[ \t]*<!-- remem:([0-9a-f]{12})(?: [^<>\n]*)? -->")


def lesson_mark(id_: str, source: str | None = None) -> str:
    """The comment that a lesson leaves in a file; `source` says where it comes from."""
    return f"<!-- remem:{id_} from {source} -->" if source else f"<!-- remem:{id_} -->"


def marks_in(text: str) -> frozenset[str]:
    """The ids of all lessons that a text holds."""
    return frozenset(LESSON_MARK.findall(text))


def without_marks(text: str) -> str:
    return LESSON_MARK.sub("", text)
