"""How does a hook reach a memory in a moment? By words alone: no model, no exact tokenizer."""

from __future__ import annotations

from remem.counters import Estimate
from remem.notes.layout import Layout
from remem.wiring import open_workspace
from remem.workspace import Workspace


def opened(layout: Layout, session: str) -> Workspace:
    """A session's memory. An estimate of tokens errs on the high side: budgets hold."""
    return open_workspace(
        layout.root,
        session,
        trust="agent",
        background=False,
        counter=Estimate(),
        by_words=True,
    )
