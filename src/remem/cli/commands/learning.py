"""How does a person see what a memory learned by itself? What was taken, and why not more."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from remem.cli.wording import counted
from remem.maintenance.consolidation.result import Consolidated, Contradiction, TakenBack, Weighed
from remem.maintenance.learning.result import Heartbeat


def show_heartbeat(out: Console, done: Heartbeat) -> None:
    for title, kept in (
        ("written", done.written),
        ("waiting", done.waiting),
        ("for review", done.review),
    ):
        for each in kept:
            place = f"  from {_visible(each.origin)}" if each.origin else ""
            out.print(Text(f"{title}  {each.kind}  → {_visible(each.home)}{place}", "bold"))
            out.print(Text(f"    {_visible(each.text)}"))
            if each.because:
                out.print(Text(f"    {_visible(each.because)}", "yellow"))
            for fact in each.contradicts or ():
                out.print(Text(f"    contradicts {_visible(fact)}", "yellow"))
    for one in done.refused:
        out.print(Text(f"refused: {_visible(one.reason)}", "yellow"))
    _troubles(out, [*done.troubles, *([done.unread] if done.unread else [])])
    if done.passed:
        left = sorted(done.passed.items(), key=lambda each: -each[1])
        out.print(Text("passed over: " + ", ".join(f"{n:,} {why}" for why, n in left), "dim"))
    out.print(
        Text(
            f"{counted(done.conversations, 'conversation')} and "
            f"{counted(done.notes, 'note')} read: "
            f"{counted(len(done.written), 'statement')} written, {done.known:,} known already",
            "dim",
        )
    )


def show_consolidated(out: Console, done: Consolidated) -> None:
    for each in done.taken:
        _weighed(out, each, "bold")
    for each in done.left:
        _weighed(out, each, "dim")
    for one in done.contradictions:
        _contradiction(out, one)
    _troubles(out, [*done.troubles, *([done.unread] if done.unread else [])])
    step = f"; step {done.run}, `remem consolidate --undo` takes it back" if done.run else ""
    out.print(
        Text(
            f"{counted(done.statements, 'statement')} of "
            f"{counted(done.conversations, 'conversation')}: {len(done.taken):,} taken, "
            f"{done.left_in_all:,} left{step}",
            "dim",
        )
    )


def show_taken_back(out: Console, done: TakenBack) -> None:
    out.print(f"step {done.run} is taken back")
    for title, ids in (
        ("archived", done.archived),
        ("facts that stand no longer", done.retracted),
        ("as strong as before", done.weakened),
        ("changed since, left alone", done.kept),
    ):
        if ids:
            out.print(f"{title}: {', '.join(map(_visible, ids))}")
    _troubles(out, done.troubles)


def _contradiction(out: Console, found: Contradiction) -> None:
    out.print(Text(f"contradiction: {_visible(found.rule)}; {_visible(found.why)}", "yellow"))
    for side in (found.earlier, found.later):
        fact = f"{_visible(side.fact)}: " if side.fact else ""
        out.print(Text(f"    {fact}{_visible(side.text)}"))
        out.print(Text(f"    {', '.join(map(_visible, side.said_at))}", "dim"))
    if found.propose:
        out.print(Text(f"    to replace it: {_visible(found.propose)}"))


def _weighed(out: Console, each: Weighed, style: str) -> None:
    stands = each.fact or each.entry
    place = f" {_visible(stands)}" if stands else ""
    out.print(Text(f"{each.verdict}{place}: {_visible(each.because)}", style))
    out.print(Text(f"    {_visible(each.text)}"))
    if each.verdict != "left":
        out.print(Text(f"    {', '.join(map(_visible, each.said_at))}", "dim"))


def _troubles(out: Console, troubles: Sequence[str]) -> None:
    for each in troubles:
        out.print(Text(f"note: {_visible(each)}", "yellow"))


def _visible(text: str) -> str:
    from remem.cli.screen import visible  # which shows this too

    return visible(text)
