"""What happens when a host calls a hook? The event is read, its payload made, nothing else said.

| event           | does                                                          | payload        |
|-----------------|---------------------------------------------------------------|----------------|
| session-start   | flush what was left due; after a compaction again             | the start      |
| prompt          | what matches it, in 300 tokens; `/remem` notes a flush        | the matches    |
| pre-compact     | notes a flush of the transcript so far, and has it done       | none           |
| session-end     | the same                                                      | none           |
| stop            | only notes it: a turn has ended, perhaps the last             | none           |
| remem           | somebody wrote `/remem`                                       | none           |
| bootstrap       | OpenClaw: a conversation is put together                      | start, token   |
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from remem.core.scope import MAIN
from remem.hosts.flushing import flush_aside, is_due, note_due
from remem.hosts.hook.event import Event
from remem.hosts.hook.payload import context
from remem.hosts.hook.who import scope_of
from remem.notes import files
from remem.notes.layout import Layout

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
    """The payload where the store does not answer, or not in time: what stands in files."""
    if event.sub_agent:
        return ""
    if event.name == "bootstrap":
        from remem.hosts.hook.bootstrap import bootstrap

        return bootstrap(layout, event, files_alone=True)
    if event.name == "session-start":
        data = files.read(layout.index_file) or b""
        return context(event.name, data.decode(errors="replace"))
    return ""


def _session_start(layout: Layout, event: Event) -> str:
    from remem.hosts.hook.opening import opened

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
    from remem.hosts.hook.matches import matching
    from remem.hosts.hook.opening import opened

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
    from remem.notes import whose
    from remem.notes.conversations import end_conversation

    session = whose.session_of(layout, whose.read_config(layout), event.session)
    end_conversation(layout, session, event.conversation)


def _end(layout: Layout, event: Event) -> str:
    """With a conversation end its tokens, at once; neither waits for the other's luck."""
    try:
        return _compact(layout, event)
    finally:
        if event.host == "openclaw":
            from remem.notes.session_tokens import SessionTokens

            SessionTokens(layout).revoke(event.session, event.conversation or None)


def _stop(layout: Layout, event: Event) -> str:
    note_due(layout, scope_of(layout, event), event)
    return ""


def _bootstrap(layout: Layout, event: Event) -> str:
    from remem.hosts.hook.bootstrap import bootstrap

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
