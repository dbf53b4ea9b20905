"""How does a person see what was opened? Each page, and then the way to it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from remem.disclosure.open.result import Disclosed


def show_disclosed(out: Console, done: Disclosed) -> None:
    for page in done.pages:
        parts = "  (parts of it)" if page.truncated else ""
        out.print(Text(f"{_visible(page.path)}  {page.tier}{parts}", "bold"))
        out.print(Text(_visible(page.text)))
        out.print()
    for step in done.trace:
        cost = f"  {step.tokens} tokens" if step.tokens else ""
        out.print(Text(f"{step.step:<12}{_visible(step.outcome)}{cost}", "dim"))
        for each in step.refused or ():
            out.print(Text(f"{'':<12}refused: {_visible(each)}", "yellow"))
    for note in done.notes:
        out.print(Text(f"note: {_visible(note)}", "yellow"))
    out.print(Text(f"{done.token_count} of {done.budget} tokens", "dim"))


def _visible(text: str) -> str:
    from remem.cli.screen import visible  # which shows this too

    return visible(text)
