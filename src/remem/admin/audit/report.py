"""Build the result of an audit from its findings, without secrets."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from remem.admin.audit.duplicates import DuplicatePair
from remem.admin.audit.noise import Noise
from remem.admin.audit.recommend import START_LIMIT, AuditFindings
from remem.admin.audit.result import (
    Analysis,
    Audit,
    ContradictoryStatements,
    Cost,
    Duplicate,
    Headline,
    NoiseLine,
)
from remem.admin.audit.sources import TOOL_SCHEMAS, SourceCost, costs_in_scope, tokens_at_start
from remem.model.arguments import AuditScope
from remem.model.contradictions import StatementContradiction
from remem.model.host_loading import CUT_BY_HOST
from remem.text.markdown import one_line
from remem.text.secrets.mask import redact

T = TypeVar("T")
_MAX_LISTED_BY_NAME: Final = {"duplicates": 20, "contradictions": 10, "stale": 10, "noise": 10}
_MAX_TEXT_LENGTH: Final = 160


def build_report(
    findings: AuditFindings, scope: AuditScope, start_tokens: int | None, notes: tuple[str, ...]
) -> Audit:
    """Return the result of an audit; it has a headline unless `start_tokens` is None."""
    costs = costs_in_scope(findings.sources.costs, scope)
    left_out: dict[str, int] = {}
    return Audit(
        analysis=Analysis(
            total_tokens=sum(cost.tokens for cost in costs),
            breakdown=_breakdown(costs),
            duplicates=_limit_list("duplicates", map(_duplicate, findings.pairs), left_out),
        ),
        headline=None if start_tokens is None else _headline(findings, start_tokens),
        contradictions=_limit_list(
            "contradictions", map(_contradiction, findings.contradictions), left_out
        ),
        stale=_limit_list("stale", findings.stale, left_out),
        noise=_limit_list("noise", map(_noise_line, findings.noise), left_out),
        left_out=left_out,
        notes=notes,
    )


def _headline(findings: AuditFindings, start_tokens: int) -> Headline:
    costs = findings.sources.costs
    start = tokens_at_start(costs)
    memory_md = tokens_at_start(cost for cost in costs if cost.part == "memory_md")
    memory = memory_md + tokens_at_start(cost for cost in costs if cost.content == "index")
    tools = tokens_at_start(cost for cost in costs if cost.content == TOOL_SCHEMAS)
    cut = sum(cost.tokens for cost in costs if cost.when == CUT_BY_HOST)
    measured = findings.coverage is None or findings.coverage.is_migrated
    missing = "\n".join(findings.coverage.missing) if findings.coverage else ""
    sufficient = (
        start_tokens + (findings.count(missing) if missing else 0) if measured else START_LIMIT
    )
    net = sufficient + tools - memory_md
    text = f"every conversation starts with {start:,} tokens, {memory:,} of them memory"
    if memory_md:
        text += _comparison(memory_md, sufficient, tools, "" if measured else "at most ", missing)
    if cut:
        text += f" (another {cut:,} are dropped by hosts with a size limit)"
    return Headline(text, start, memory, sufficient, measured, cut, tools, net)


def _comparison(memory_md: int, sufficient: int, tools: int, qualifier: str, missing: str) -> str:
    """Return a comparison of MEMORY.md with what remem would use: its start text and its tools.

    `sufficient` is the cost of the start text with the lines of MEMORY.md that are not migrated,
    which are `missing`. With a `qualifier` such as "at most ", it is only a limit.
    """
    parts = f"{qualifier}{sufficient:,} for its start text"
    if missing and not qualifier:
        parts += " with the lines of MEMORY.md that are not migrated"
    if tools:
        parts += f" and {tools:,} for its tools"
    net = sufficient + tools - memory_md
    if net < 0:
        verdict = f"{'at least ' if qualifier else ''}{-net:,} fewer than MEMORY.md"
    elif net == 0:
        verdict = "as many as MEMORY.md"
    else:
        # with a qualifier, the start text may cost less, so only the tools are certain
        is_lean = not qualifier or tools >= memory_md
        lean = ", which is lean: loading it whole is cheaper" if is_lean else ""
        verdict = f"{qualifier}{net:,} more than MEMORY.md{lean}"
    return f"; remem would use {parts}, {verdict}"


def _breakdown(costs: Sequence[SourceCost]) -> tuple[Cost, ...]:
    total = sum(cost.tokens for cost in costs)
    return tuple(
        Cost(cost.source, cost.tokens, round(100 * cost.tokens / total, 1), cost.category)
        for cost in costs
    )


def _limit_list(name: str, items: Iterable[T], left_out: dict[str, int]) -> tuple[T, ...]:
    """Return the first items of a list, and record the number of the others in `left_out`."""
    everything = tuple(items)
    limit = _MAX_LISTED_BY_NAME[name]
    if len(everything) > limit:
        left_out[name] = len(everything) - limit
    return everything[:limit]


def _excerpt(text: str) -> str:
    """Return a text as one line, shortened and without secrets."""
    return one_line(redact(" ".join(text.split())).text, _MAX_TEXT_LENGTH)


def _duplicate(pair: DuplicatePair) -> Duplicate:
    a, b = pair.a, pair.b
    sources = (a.source, b.source)
    return Duplicate(
        _excerpt(a.plain_text), _excerpt(b.plain_text), pair.similarity, sources, pair.kind
    )


def _contradiction(clash: StatementContradiction) -> ContradictoryStatements:
    a, b = clash.a, clash.b
    sources = (a.source, b.source)
    return ContradictoryStatements(
        _excerpt(a.plain_text),
        _excerpt(b.plain_text),
        sources,
        _excerpt(clash.reason),
        clash.resolution,
    )


def _noise_line(noise: Noise) -> NoiseLine:
    statement = noise.statement
    return NoiseLine(_excerpt(statement.plain_text), statement.source, noise.kind, noise.reason)
