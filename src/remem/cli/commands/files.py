"""How search results, file excerpts and opened files are shown."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from remem.cli.terminal import visible
from remem.disclose.get import Excerpt
from remem.disclose.open.result import OpenResult
from remem.search.passages.snippet import Hit, SearchResult


def show_found(out: Console, found: SearchResult) -> None:
    for hit in found.results:
        out.print(Text.assemble((f"{hit.score:.2f}  {visible(_place(hit))}", "bold"), _marks(hit)))
        shown = hit.snippet.partition("\n\nSource: ")[0] if hit.citation else hit.snippet
        out.print(Text("\n".join(f"    {line}" for line in visible(shown).split("\n"))))
    if not found.results and not found.unavailable:
        out.print("nothing found")
    for note in (found.warning, found.action, found.fallback if not found.warning else None):
        if note:
            out.print(Text(f"note: {visible(note)}", "yellow"))


def show_excerpt(out: Console, excerpt: Excerpt) -> None:
    if excerpt.status == "ok":
        out.print(Text(visible(excerpt.text)))
    elif excerpt.status == "not_found":
        out.print(f"there is no memory file {visible(excerpt.path)}")
    else:
        why = excerpt.error or excerpt.warning or "it cannot be read"
        out.print(f"{visible(excerpt.path)}: {visible(why)}")


def _place(hit: Hit) -> str:
    upto = "" if hit.start_line == hit.end_line else f"-{hit.end_line}"
    return f"{hit.path}:{hit.start_line}{upto}".replace("\n", "\\n")  # a name can hold one


def _marks(hit: Hit) -> str:
    details = [
        "conversation" if hit.source == "sessions" else "",
        f"importance {hit.importance}" if hit.importance is not None else "",
        hit.project_key or "",
    ]
    return "".join(f"  {visible(detail)}" for detail in details if detail)


def show_disclosed(out: Console, done: OpenResult) -> None:
    for page in done.pages:
        parts = "  (parts of it)" if page.truncated else ""
        out.print(Text(f"{visible(page.path)}  {page.tier}{parts}", "bold"))
        out.print(Text(visible(page.text)))
        out.print()
    for step in done.trace:
        cost = f"  {step.tokens} tokens" if step.tokens else ""
        out.print(Text(f"{step.step:<12}{visible(step.outcome)}{cost}", "dim"))
        for reason in step.refused or ():
            out.print(Text(f"{'':<12}refused: {visible(reason)}", "yellow"))
    for note in done.notes:
        out.print(Text(f"note: {visible(note)}", "yellow"))
    out.print(Text(f"{done.token_count} of {done.budget} tokens", "dim"))
