"""Answer host hooks: handle an event and return the payload that its host expects.

| event         | what remem does                                                  | payload       |
|---------------|------------------------------------------------------------------|---------------|
| session-start | starts the pending flushes of main                               | start text    |
| prompt        | recalls up to 300 tokens; if the prompt is `/remem`, it flushes  | matches       |
| pre-compact   | flushes, and forgets which files the conversation has read       | none          |
| session-end   | the same; for OpenClaw, also revokes the conversation's tokens   | none          |
| stop          | records a flush without starting it: more turns may follow       | none          |
| remem         | flushes, because the user typed `/remem`                         | none          |
| bootstrap     | builds the first text of an OpenClaw conversation                | text, token   |

"Flushes" means: the flush is recorded, and a process is started that runs it. A host sends
session-start after a compaction too. Hooks search by keywords, without a model, because a host
waits for them. They count tokens with the configured counter: another one would give a different
index, and write it to `memory/INDEX.md`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from remem.app.hooks.event import Event
from remem.app.hooks.flushing import has_pending, record_flush, start_flush_process
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.scope import MAIN, Scope

if TYPE_CHECKING:
    from remem.app.workspace import Workspace

_HOST_EVENT_NAMES: Final = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}
_MAX_CONTEXT_LENGTH: Final = 9_800
"""Characters; hosts replace longer text with a short preview."""
_FLUSH_REQUESTED: Final = (
    "The user asked to write this conversation down. The conversation so far is being flushed "
    "into memory; call memory_flush with decisions that were made but not spelled out."
)
_NOT_READ: Final = "Notice: reading the memory {}."


def answer(layout: Layout, event: Event) -> str:
    """Handle an event and return its payload; it is empty for sub-agents.

    Sub-agents get their context from their parent.
    """
    return "" if event.sub_agent else _HANDLERS[event.name](layout, event)


def answer_from_files(layout: Layout, event: Event, reason: str) -> str:
    """Return a payload made from files alone, for when the store does not answer in time.

    `reason` completes "reading the memory" in a notice for the agent, which can still ask.
    """
    if event.sub_agent:
        return ""
    if event.name == "bootstrap":
        from remem.app.hooks.start import bootstrap

        return bootstrap(layout, event, files_only=True)
    if event.name == "session-start":
        if has_pending(layout, MAIN):
            start_flush_process(layout, event.session)
        text = (atomic.read(layout.index_file) or b"").decode(errors="replace")
        notice = f"{_NOT_READ.format(reason)} This is the index as it was last written."
        return context_record(event.name, f"{notice}\n\n{text}" if text else "")
    if event.name == "prompt" and event.prompt.strip():
        return context_record(event.name, f"{_NOT_READ.format(reason)} memory_recall searches it.")
    return ""


def scope_of_event(layout: Layout, event: Event) -> Scope:
    """Return the scope of an event's session; raise NotAllowed if the session has no memory."""
    if event.host != "openclaw":
        return MAIN  # the other hosts serve one person and have no rooms
    from remem.files import sessions

    return sessions.scope_of(
        sessions.session_of(layout, sessions.read_config(layout), event.session)
    )


def open_for_hook(layout: Layout, session: str, folder: Path | None = None) -> Workspace:
    """Open a workspace quickly, without a model."""
    from remem.app.opening import open_workspace  # a hook that only records a flush needs no store

    return open_workspace(
        layout.root,
        session,
        trust="agent",
        background=False,
        project=folder,
        keywords_only=True,
    )


def context_record(event: str, text: str) -> str:
    """Return the JSON that adds a text to a conversation in Claude Code and Codex.

    The result is empty if there is no text.
    """
    if not text:
        return ""
    output = {
        "hookEventName": _HOST_EVENT_NAMES[event],
        "additionalContext": cut_context(text),
    }
    return json_record(hookSpecificOutput=output)


def json_record(**fields: Any) -> str:
    """Return the given fields as JSON, without those that are None."""
    return json.dumps(
        {name: value for name, value in fields.items() if value is not None}, ensure_ascii=False
    )


def cut_context(text: str) -> str:
    """Return the beginning of a text, in whole lines, up to the length that hosts accept."""
    if len(text) <= _MAX_CONTEXT_LENGTH:
        return text
    return text[: text.rfind("\n", 0, _MAX_CONTEXT_LENGTH) + 1] or text[:_MAX_CONTEXT_LENGTH]


def _session_start(layout: Layout, event: Event) -> str:
    with open_for_hook(layout, event.session, event.folder) as workspace:
        text = workspace.start().text
    if has_pending(layout, MAIN):
        start_flush_process(layout, event.session)
    return context_record(event.name, text)


def _prompt(layout: Layout, event: Event) -> str:
    if event.prompt.split(maxsplit=1)[:1] == ["/remem"]:
        _flush(layout, event)
        return context_record(event.name, _FLUSH_REQUESTED)
    if not event.prompt.strip():
        return ""
    from remem.app.hooks.start import matching_memories

    with open_for_hook(layout, event.session, event.folder) as workspace:
        return context_record(event.name, matching_memories(workspace, event.prompt))


def _stop(layout: Layout, event: Event) -> str:
    record_flush(layout, scope_of_event(layout, event), event)
    return ""


def _flush(layout: Layout, event: Event) -> str:
    """Record a flush, and start it; the record remains if the host kills the started process."""
    record_flush(layout, scope_of_event(layout, event), event)
    start_flush_process(layout, event.session)
    return ""


def _compact(layout: Layout, event: Event) -> str:
    """Flush, and forget what the conversation has read, because compaction removes it."""
    from remem.files import sessions
    from remem.files.conversations import end_conversation

    try:
        return _flush(layout, event)
    finally:
        session = sessions.session_of(layout, sessions.read_config(layout), event.session)
        end_conversation(layout, session, event.conversation)


def _end(layout: Layout, event: Event) -> str:
    """Flush, and revoke the tokens of the conversation even if that fails."""
    try:
        return _compact(layout, event)
    finally:
        if event.host == "openclaw":
            from remem.files.session_tokens import SessionTokens

            SessionTokens(layout).revoke(event.session, event.conversation or None)


def _bootstrap(layout: Layout, event: Event) -> str:
    from remem.app.hooks.start import bootstrap

    return bootstrap(layout, event)


_HANDLERS: Final[Mapping[str, Callable[[Layout, Event], str]]] = {
    "session-start": _session_start,
    "prompt": _prompt,
    "pre-compact": _compact,
    "session-end": _end,
    "remem": _flush,
    "stop": _stop,
    "bootstrap": _bootstrap,
}
