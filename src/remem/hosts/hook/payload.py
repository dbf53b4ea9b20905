"""What does the host want to read? Each event has one shape, and anything else is lost on it."""

from __future__ import annotations

import json
from typing import Any, Final

_CALLED: Final = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}
LONGEST: Final = 9_800
"""Characters that are known to arrive whole; a longer text becomes a short preview."""


def context(event: str, text: str) -> str:
    """A text that Claude Code and Codex put into the conversation; nothing for no text."""
    if not text:
        return ""
    told = {"hookEventName": _CALLED[event], "additionalContext": shortened(text)}
    return json.dumps({"hookSpecificOutput": told}, ensure_ascii=False)


def record(**fields: Any) -> str:
    """What the handler in OpenClaw's hook folder reads."""
    told = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(told, ensure_ascii=False) if told else ""


def shortened(text: str) -> str:
    """Whole lines, as many as arrive."""
    if len(text) <= LONGEST:
        return text
    return text[: text.rfind("\n", 0, LONGEST) + 1] or text[:LONGEST]
