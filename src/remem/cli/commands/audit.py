"""How does a person see what a memory costs? One sentence, one chart, then what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from remem.audit.load_rules import EVERY
from remem.audit.result import (
    Audit,
    Contradiction,
    Cost,
    Duplicate,
    NoiseLine,
    Recommendation,
    Stale,
)
from remem.cli.wording import counted

_BAR: Final = 30
_LABEL: Final = 40
_ROWS: Final = 12
_SHOWN: Final = 5
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"


def show_audit(out: Console, audit: Audit) -> None:
    if audit.headline is not None:
        out.print(Text(audit.headline.text, "bold"))
        out.print()
    _chart(out, audit.analysis.breakdown, audit.analysis.total_tokens)
    left = audit.left_out
    _section(
        out, "said twice", map(_duplicate, audit.analysis.duplicates), left.get("duplicates", 0)
    )
    _section(
        out, "contradictions", map(_clash, audit.contradictions), left.get("contradictions", 0)
    )
    _section(out, "noise", map(_noise, audit.noise), left.get("noise", 0))
    _section(out, "not seen for 30 days", map(_stale, audit.stale), left.get("stale", 0))
    if audit.recommendations is None:
        out.print(Text("\nremem audit --recommend says what to do about it", "dim"))
    else:
        _recommendations(out, audit.recommendations)
    for note in audit.notes:
        out.print(Text(f"note: {_clear(note)}", "yellow"))


def _chart(out: Console, costs: tuple[Cost, ...], total: int) -> None:
    """What every conversation pays first; each group has a scale of its own."""
    every = [each for each in costs if each.category.endswith(EVERY)]
    rest = [each for each in costs if not each.category.endswith(EVERY)]
    for title, group, style in (("in every conversation", every, "cyan"), ("besides", rest, "dim")):
        if group:
            out.print(
                Text(f"{title}: {counted(sum(each.tokens for each in group), 'token')}", "bold")
            )
            _bars(out, group, style)
    if every and rest:
        out.print(f"together: {counted(total, 'token')}")


def _bars(out: Console, costs: list[Cost], style: str) -> None:
    largest = max(each.tokens for each in costs)
    for each in costs[:_ROWS]:
        figures = f" {each.tokens:>8,}  {each.percentage:>5.1f} %  {each.category}"
        bar = (_bar(each.tokens / largest), style)
        out.print(Text.assemble(f"  {_fitted(_clear(each.source))} ", bar, figures))
    if more := costs[_ROWS:]:
        tokens = sum(each.tokens for each in more)
        out.print(f"  {_fitted(f'{len(more)} more')} {' ' * _BAR} {tokens:>8,}")


def _bar(share: float) -> str:
    eighths = max(1, round(share * _BAR * 8))
    whole, part = divmod(eighths, 8)
    return f"{'█' * whole}{_EIGHTHS[part] if part else ''}".ljust(_BAR)


def _fitted(text: str) -> str:
    """The text in as many columns as every label gets; some characters take two."""
    return set_cell_size(text if cell_len(text) <= _LABEL else f"{text[: _LABEL - 1]}…", _LABEL)


def _section(out: Console, title: str, lines: Iterable[str], left_out: int) -> None:
    found = list(lines)
    if not found:
        return
    number = len(found) + left_out
    out.print(Text(f"\n{title}: {number}", "bold"))
    for line in found[:_SHOWN]:
        out.print(f"  {line}")
    if number > _SHOWN:
        out.print(Text(f"  and {number - _SHOWN} more; --json lists them", "dim"))


def _recommendations(out: Console, found: tuple[Recommendation, ...]) -> None:
    if not found:
        out.print("\nthere is nothing to recommend")
        return
    out.print(Text("\nrecommendations", "bold"))
    for each in found:
        how = f"remem audit --apply {each.number}" if each.applies else "by hand"
        out.print(f"  {each.number}. {_clear(each.description)}")
        out.print(Text(f"     {_saved(each)}risk {each.risk}; {how}", "dim"))


def _saved(each: Recommendation) -> str:
    if not each.estimated_savings_tokens:
        return ""
    about = "" if each.applies else "about "
    return f"saves {about}{counted(each.estimated_savings_tokens, 'token')}; "


def _duplicate(each: Duplicate) -> str:
    places = " and ".join(each.sources)
    return _clear(f"{each.kind} {each.similarity:.2f}  {places}: {each.content_b}")


def _clash(each: Contradiction) -> str:
    first, second = each.sources
    return _clear(f"{first}: {each.content_a} | {second}: {each.content_b} | {each.verdict}")


def _noise(each: NoiseLine) -> str:
    return _clear(f"{each.source}: {each.content} ({each.reason})")


def _stale(each: Stale) -> str:
    entries = counted(each.entries, "entry", "entries")
    return _clear(
        f"{each.domain}: {entries}, {counted(each.tokens, 'token')}, last {each.last_access}"
    )


def _clear(text: str) -> str:
    from remem.cli.screen import visible  # which shows this form, too

    return visible(text)
