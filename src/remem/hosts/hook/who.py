"""Whose conversation is it? Looked up only where a host serves more than one kind of chat."""

from __future__ import annotations

from remem.core.scope import MAIN, Scope
from remem.hosts.hook.event import Event
from remem.notes.layout import Layout


def scope_of(layout: Layout, event: Event) -> Scope:
    """The scope of an event's session; one without a memory is refused, with the reason."""
    if event.host != "openclaw":
        return MAIN  # one person, no rooms
    from remem.notes import whose

    return whose.scope_of(whose.session_of(layout, whose.read_config(layout), event.session))
