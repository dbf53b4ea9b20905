"""How does a person see what was opened? Each page, and then the way to it.

How does a person see what was found in files? Each place with its lines.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from remem.disclose.get import Excerpt
from remem.disclose.open.result import Disclosed
from remem.search.passages.snippet import Found, Hit


def show_found(out: Console, found: Found) -> None:
    for hit in found.results:
        out.print(Text.assemble((f"{hit.score:.2f}  {_visible(_place(hit))}", "bold"), _marks(hit)))
        shown = hit.snippet.partition("\n\nSource: ")[0] if hit.citation else hit.snippet
        out.print(Text("\n".join(f"    {line}" for line in _visible(shown).split("\n"))))
    if not found.results and not found.unavailable:
        out.print("nothing found")
    for each in (found.warning, found.action, found.fallback if not found.warning else None):
        if each:
            out.print(Text(f"note: {_visible(each)}", "yellow"))


def show_excerpt(out: Console, excerpt: Excerpt) -> None:
    if excerpt.status == "ok":
        out.print(Text(_visible(excerpt.text)))
    elif excerpt.status == "not_found":
        out.print(f"there is no memory file {_visible(excerpt.path)}")
    else:
        why = excerpt.error or excerpt.warning or "it cannot be read"
        out.print(f"{_visible(excerpt.path)}: {_visible(why)}")


def _place(hit: Hit) -> str:
    upto = "" if hit.start_line == hit.end_line else f"-{hit.end_line}"
    return f"{hit.path}:{hit.start_line}{upto}".replace("\n", "\\n")  # a name can hold one


def _marks(hit: Hit) -> str:
    told = [
        "conversation" if hit.source == "sessions" else "",
        f"importance {hit.importance}" if hit.importance is not None else "",
        hit.project_key or "",
    ]
    return "".join(f"  {_visible(each)}" for each in told if each)


def _visible(text: str) -> str:
    from remem.cli.render import visible  # which shows these forms, too

    return visible(text)


def show_disclosed(out: Console, done: Disclosed) -> None:
    for page in done.pages:
        parts = "  (parts of it)" if page.truncated else ""
        out.print(Text(f"{_open_screen_visible(page.path)}  {page.tier}{parts}", "bold"))
        out.print(Text(_open_screen_visible(page.text)))
        out.print()
    for step in done.trace:
        cost = f"  {step.tokens} tokens" if step.tokens else ""
        out.print(Text(f"{step.step:<12}{_open_screen_visible(step.outcome)}{cost}", "dim"))
        for each in step.refused or ():
            out.print(Text(f"{'':<12}refused: {_open_screen_visible(each)}", "yellow"))
    for note in done.notes:
        out.print(Text(f"note: {_open_screen_visible(note)}", "yellow"))
    out.print(Text(f"{done.token_count} of {done.budget} tokens", "dim"))


def _open_screen_visible(text: str) -> str:
    from remem.cli.render import visible  # which shows this too

    return visible(text)
