"""Answers to host hooks: each event is read and gets the payload that its host expects.

| event           | does                                                          | payload        |
|-----------------|---------------------------------------------------------------|----------------|
| session-start   | flushes what is due; again after a compaction               | the start      |
| prompt          | matches in 300 tokens; `/remem` records a flush               | the matches    |
| pre-compact     | records a flush of the transcript, and starts it              | none           |
| session-end     | the same                                                      | none           |
| stop            | only records it: a turn ended, maybe the last one             | none           |
| remem           | the user typed `/remem`                                       | none           |
| bootstrap       | OpenClaw: a conversation is assembled                         | start, token   |

Hooks use keyword search only: no model and no exact tokenizer, because a host waits for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from remem.app.hooks.event import Event
from remem.app.hooks.flushing import flush_aside, is_due, note_due
from remem.files import atomic
from remem.files.layout import Layout
from remem.model.scope import MAIN, Scope

if TYPE_CHECKING:
    from remem.app.workspace import Workspace


def scope_of(layout: Layout, event: Event) -> Scope:
    """The scope of an event's session; one without a memory is refused, with the reason."""
    if event.host != "openclaw":
        return MAIN  # one person, no rooms
    from remem.files import sessions

    return sessions.scope_of(
        sessions.session_of(layout, sessions.read_config(layout), event.session)
    )


def opened(layout: Layout, session: str) -> Workspace:
    """A session's memory. An estimate of tokens errs on the high side: budgets hold."""
    from remem.app.opening import open_workspace  # a hook that only records a flush needs no store
    from remem.embed.counters import EstimatedCounter

    return open_workspace(
        layout.root,
        session,
        trust="agent",
        background=False,
        counter=EstimatedCounter(),
        by_words=True,
    )


_CALLED: Final = {"session-start": "SessionStart", "prompt": "UserPromptSubmit"}
LONGEST: Final = 9_800
"""Characters that are known to arrive whole; a longer text becomes a short preview."""


def context(event: str, text: str) -> str:
    """A text that Claude Code and Codex put into the conversation; nothing for no text."""
    if not text:
        return ""
    fields_ = {"hookEventName": _CALLED[event], "additionalContext": shortened(text)}
    return json.dumps({"hookSpecificOutput": fields_}, ensure_ascii=False)


def record(**fields: Any) -> str:
    """What the handler in OpenClaw's hook folder reads."""
    fields_ = {name: value for name, value in fields.items() if value is not None}
    return json.dumps(fields_, ensure_ascii=False) if fields_ else ""


def shortened(text: str) -> str:
    """Whole lines, as many as arrive."""
    if len(text) <= LONGEST:
        return text
    return text[: text.rfind("\n", 0, LONGEST) + 1] or text[:LONGEST]


_FLUSHED: Final = (
    "The user asked to write this conversation down. What was said so far is being flushed into "
    "memory; call memory_flush with anything it decided that is not said in so many words."
)


def answer(layout: Layout, event: Event) -> str:
    """The payload of an event."""
    if event.sub_agent:
        return ""  # what its parent wants it to know, its parent tells it
    return _DOES[event.name](layout, event)


def from_files(layout: Layout, event: Event) -> str:
    """The payload when the store does not answer in time: what the files contain."""
    if event.sub_agent:
        return ""
    if event.name == "bootstrap":
        from remem.app.hooks.start import bootstrap

        return bootstrap(layout, event, files_alone=True)
    if event.name == "session-start":
        data = atomic.read(layout.index_file) or b""
        return context(event.name, data.decode(errors="replace"))
    return ""


def _session_start(layout: Layout, event: Event) -> str:
    # MOVED

    with opened(layout, event.session) as workspace:
        text = workspace.start().text
    if is_due(layout, MAIN):
        flush_aside(layout, event.session)
    return context(event.name, text)


def _prompt(layout: Layout, event: Event) -> str:
    if event.prompt.split(maxsplit=1)[:1] == ["/remem"]:
        _flush(layout, event)
        return context(event.name, _FLUSHED)
    if not event.prompt.strip():
        return ""
    from remem.app.hooks.start import matching
    # MOVED

    with opened(layout, event.session) as workspace:
        return context(event.name, matching(workspace, event.prompt))


def _flush(layout: Layout, event: Event) -> str:
    """Noted first: the flush itself may take longer than a host waits."""
    note_due(layout, scope_of(layout, event), event)
    flush_aside(layout, event.session)
    return ""


def _compact(layout: Layout, event: Event) -> str:
    """What the conversation has read is about to leave its context: it may be read again."""
    try:
        return _flush(layout, event)
    finally:
        _forget_what_was_read(layout, event)


def _forget_what_was_read(layout: Layout, event: Event) -> None:
    from remem.files import sessions
    from remem.files.conversations import end_conversation

    session = sessions.session_of(layout, sessions.read_config(layout), event.session)
    end_conversation(layout, session, event.conversation)


def _end(layout: Layout, event: Event) -> str:
    """With a conversation end its tokens, at once; neither waits for the other's luck."""
    try:
        return _compact(layout, event)
    finally:
        if event.host == "openclaw":
            from remem.files.sessions import SessionTokens

            SessionTokens(layout).revoke(event.session, event.conversation or None)


def _stop(layout: Layout, event: Event) -> str:
    note_due(layout, scope_of(layout, event), event)
    return ""


def _bootstrap(layout: Layout, event: Event) -> str:
    from remem.app.hooks.start import bootstrap

    return bootstrap(layout, event)


_DOES: Final[Mapping[str, Callable[[Layout, Event], str]]] = {
    "session-start": _session_start,
    "prompt": _prompt,
    "pre-compact": _compact,
    "session-end": _end,
    "remem": _flush,
    "stop": _stop,
    "bootstrap": _bootstrap,
}
