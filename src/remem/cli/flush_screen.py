"""How does a person see what a flush did? Each lesson with its home, and what needs him."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from remem.cli.wording import counted
from remem.maintenance.flush.result import Flushed, Kept


def show_flushed(out: Console, done: Flushed) -> None:
    _list(out, "written", done.written)
    _list(out, "waiting", done.waiting)
    _list(out, "for review", done.review)
    for each in done.refused:
        out.print(Text(f"refused: {_visible(each.reason)}", "yellow"))
    for name in done.created:
        out.print(f"created {_visible(name)}")
    for note in done.notes:
        out.print(Text(f"note: {_visible(note)}", "yellow"))
    told = [
        counted(len(done.written), "lesson") + " written",
        f"{len(done.known)} known already",
        *([f"{len(done.waiting)} waiting"] if done.waiting else []),
        *([f"{len(done.review)} for `remem review`"] if done.review else []),
        *([f"{len(done.refused)} refused"] if done.refused else []),
    ]
    out.print(Text(", ".join(told), "dim"))


def _list(out: Console, title: str, kept: Sequence[Kept]) -> None:
    for each in kept:
        out.print(Text(f"{title}  {each.kind}  → {_visible(each.home)}", "bold"))
        out.print(Text("\n".join(f"    {line}" for line in _visible(each.text).split("\n"))))
        if each.redacted:
            out.print(Text(f"    redacted: {', '.join(each.redacted)}", "dim"))
        if each.because:
            out.print(Text(f"    {_visible(each.because)}", "yellow"))
        for fact in each.contradicts or ():
            out.print(Text(f"    contradicts {_visible(fact)}", "yellow"))


def _visible(text: str) -> str:
    from remem.cli.screen import visible  # which shows this too

    return visible(text)
