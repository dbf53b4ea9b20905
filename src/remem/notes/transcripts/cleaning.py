"""What is left of a text when it is to be remembered? One legible line, without secrets."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from datetime import UTC, datetime
from typing import Any, Final

from remem.core.moments import moment, stamp
from remem.core.secrets import redact
from remem.errors import InvalidInput
from remem.notes.transcripts.turns import Role, Turn

_UNSEEN: Final = re.compile(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]"  # colours and other orders to a terminal
    r"|[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f]"
)
_HALF: Final = re.compile("[\ud800-\udfff]")  # half a character: no file can hold it
_SECONDS: Final = 1e11  # a smaller number counts seconds, not milliseconds


def turn_of(line: int, role: Role, raw: str, when: str | None) -> Turn | None:
    """The turn that remembers these words; None if nothing is left of them."""
    lines = _without_secrets(raw)
    text = redact(one_line(lines)).text
    layout = lines.strip("\r\n") if "\n" in lines.strip() else ""
    return Turn(line, role, text, when, layout) if text else None


def clean(raw: str) -> str:
    """One line without secrets. They are looked for before and after the lines are joined:
    some are seen only by their line, others only once they stand beside their name."""
    return redact(one_line(_without_secrets(raw))).text


def _without_secrets(raw: str) -> str:
    return redact(_HALF.sub("\ufffd", _UNSEEN.sub("", raw))).text


def one_line(text: str) -> str:
    return " ".join(text.split())


def text_blocks(content: Any, kinds: Container[Any] = ("text",)) -> str | None:
    """The words of a message: a text, or those of its blocks that are text; else None."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    blocks = [block for block in content if isinstance(block, dict) and block.get("type") in kinds]
    texts = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    return "\n".join(texts) if texts else None


def without_blocks(text: str, tags: Iterable[str]) -> str:
    """The text without `<tag>…</tag>`. An opening without an end is left as it stands."""
    for tag in tags:
        if f"</{tag}>" in text:
            text = _without(text, tag)
    return text


def moment_of(*values: Any) -> str | None:
    """The first of the values that tells a time: a number since 1970, or an ISO text."""
    for value in values:
        try:
            if isinstance(value, str):
                return moment(value, "timestamp")
            if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
                seconds = value if value < _SECONDS else value / 1000
                return stamp(datetime.fromtimestamp(seconds, UTC))
        except (InvalidInput, ValueError, OverflowError, OSError):
            continue
    return None


def _without(text: str, tag: str) -> str:
    """Each search begins where the last one ended, so that no flood of tags takes long."""
    opening, closing = re.compile(rf"<{re.escape(tag)}(?:\s[^<>]{{0,500}})?>"), f"</{tag}>"
    pieces, at = [], 0
    while start := opening.search(text, at):
        end = text.find(closing, start.end())
        if end < 0:
            break
        pieces.append(text[at : start.start()])
        at = end + len(closing)
    return " ".join((*pieces, text[at:]))
