"""How is what was found told? In the contract's shape, without secrets, and not too long."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from remem.admin.audit.duplicates import Pair
from remem.admin.audit.findings import Findings
from remem.admin.audit.noise import Noise
from remem.admin.audit.recommend import START_LIMIT
from remem.admin.audit.result import (
    Analysis,
    Audit,
    Contradiction,
    Cost,
    Duplicate,
    Headline,
    NoiseLine,
)
from remem.admin.audit.sources import Spent, every_conversation, selected
from remem.model.arguments import AuditScope
from remem.model.contradictions import Clash
from remem.model.host_loading import CUT
from remem.text.secrets.mask import redact

T = TypeVar("T")
_MOST: Final = {"duplicates": 20, "contradictions": 10, "stale": 10, "noise": 10}
_LONGEST: Final = 160


def told(
    found: Findings, scope: AuditScope, start_tokens: int | None, notes: tuple[str, ...]
) -> Audit:
    """`start_tokens` is None where nothing may be said of what conversations start with."""
    spent = selected(found.gathered.spent, scope)
    left_out: dict[str, int] = {}
    return Audit(
        analysis=Analysis(
            total_tokens=sum(each.tokens for each in spent),
            breakdown=_breakdown(spent),
            duplicates=_few("duplicates", map(_duplicate, found.pairs), left_out),
        ),
        headline=None if start_tokens is None else _headline(found, start_tokens),
        contradictions=_few("contradictions", map(_contradiction, found.clashes), left_out),
        stale=_few("stale", found.stale, left_out),
        noise=_few("noise", map(_noise_line, found.noise), left_out),
        left_out=left_out,
        notes=notes,
    )


def _headline(found: Findings, start_tokens: int) -> Headline:
    spent = found.gathered.spent
    start = every_conversation(spent)
    memory = every_conversation(each for each in spent if each.part == "memory_md")
    memory += every_conversation(each for each in spent if each.what == "index")
    cut = sum(each.tokens for each in spent if each.when == CUT)
    measured = found.coverage is None or found.coverage.migrated
    missing = "\n".join(found.coverage.missing) if found.coverage else ""
    would_do = start_tokens + (found.count(missing) if missing else 0) if measured else START_LIMIT
    text = f"every conversation starts with {start:,} tokens, {memory:,} of them memory"
    if memory > would_do:
        text += f"; {'' if measured else 'at most '}{would_do:,} would do"
        text += (
            " for that" if measured else " for that, once `remem migrate` has made entries of it"
        )
    if cut:
        text += f" (another {cut:,} are cut away unread by a host with limits)"
    return Headline(text, start, memory, would_do, measured, cut)


def _breakdown(spent: Sequence[Spent]) -> tuple[Cost, ...]:
    whole = sum(each.tokens for each in spent)
    return tuple(
        Cost(each.source, each.tokens, round(100 * each.tokens / whole, 1), each.category)
        for each in spent
    )


def _few(name: str, found: Iterable[T], left_out: dict[str, int]) -> tuple[T, ...]:
    everything = tuple(found)
    most = _MOST[name]
    if len(everything) > most:
        left_out[name] = len(everything) - most
    return everything[:most]


def _shown(text: str) -> str:
    """A line as an answer quotes it: on one line, without secrets, not too long."""
    flat = redact(" ".join(text.split())).text
    return flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…"


def _duplicate(pair: Pair) -> Duplicate:
    a, b = pair.a, pair.b
    sources = (a.source, b.source)
    return Duplicate(_shown(a.said), _shown(b.said), pair.similarity, sources, pair.kind)


def _contradiction(clash: Clash) -> Contradiction:
    a, b = clash.a, clash.b
    sources = (a.source, b.source)
    return Contradiction(_shown(a.said), _shown(b.said), sources, _shown(clash.rule), clash.verdict)


def _noise_line(each: Noise) -> NoiseLine:
    statement = each.statement
    return NoiseLine(_shown(statement.said), statement.source, each.kind, each.reason)
