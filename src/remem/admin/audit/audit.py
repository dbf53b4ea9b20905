"""Run an audit: read a scope's files and entries, and report their cost and redundancy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Final, get_args

from remem.admin.audit.coverage import StartText, measure_coverage
from remem.admin.audit.duplicates import DuplicatePair, find_paraphrases, lexical_duplicates
from remem.admin.audit.noise import find_noise
from remem.admin.audit.recommend import AuditFindings, make_plans
from remem.admin.audit.report import build_report
from remem.admin.audit.result import Action, Audit, StaleEntries
from remem.admin.audit.sources import Loading, Progress, Sources, gather_sources, skill_summary
from remem.admin.audit.stale_lines import find_stale_lines
from remem.errors import StoreError
from remem.files.host_files import note_lines
from remem.files.layout import Layout
from remem.model.arguments import AuditScope
from remem.model.contradictions import contradictions
from remem.model.entry import Entry, are_under_different_headings, headings_in
from remem.model.host_loading import HOST_FILES, MEMORY_MD, NO_HOST, memory_md_loading
from remem.model.scope import Scope
from remem.ports.entries import Snapshot, Store
from remem.ports.models import Embedder, TokenCounter
from remem.ports.records import Where
from remem.text.statements import TextStatement, statements, text_statement
from remem.text.timestamps import format_time, parse_time

_MAX_ENTRIES: Final = 5_000
_STALE_AFTER: Final = timedelta(days=30)
_ACTIONS_BY_SCOPE: Final[dict[AuditScope, set[Action]]] = {
    "memory_md": set(get_args(Action)) - {"review_stale"},
    "domains": {"review_stale", "resolve_contradictions"},
    "system_prompt": {"shorten", "merge_by_hand", "resolve_contradictions"},
}


@dataclass(frozen=True, slots=True)
class AuditContext:
    """The scope to audit, and everything that an audit uses.

    `start_tokens` is the cost of the start text, which `remem start` prints. `start` is that text,
    or empty if conversations do not load it. If there is no embedder, `embedder` says why.
    """

    layout: Layout
    scope: Scope
    store: Store
    counter: TokenCounter
    embedder: Embedder | str
    now: str
    loading: Loading
    start_tokens: int
    start: StartText
    report_progress: Progress = lambda _step: None

    def sources(self) -> Sources:
        """Read all files of the scope, and count the tokens of all sources."""
        return gather_sources(
            self.layout, self.scope, self.counter.count, self.loading, self.report_progress
        )


def audit(context: AuditContext, scope: AuditScope, *, recommend: bool) -> Audit:
    """Return the result of an audit, with recommendations only if `recommend` is true."""
    findings, notes = collect_findings(context, scope)
    start = context.start_tokens if context.scope.kind == "main" else None
    answer = build_report(findings, scope, start, notes)
    if not recommend:
        return answer
    if scope != "all":  # so that a recommendation has the same number in every scope
        findings, _ = collect_findings(context, "all")
    recommendations = [plan.recommendation for plan in make_plans(findings)]
    in_scope = [
        recommendation
        for recommendation in recommendations
        if recommendation.action in _ACTIONS_BY_SCOPE.get(scope, {recommendation.action})
    ]
    return replace(answer, recommendations=tuple(in_scope))


def collect_findings(
    context: AuditContext, scope: AuditScope
) -> tuple[AuditFindings, tuple[str, ...]]:
    """Return all findings of an audit, and notes on what was left out."""
    sources = context.sources()
    entries, stale, problems = _entries(context)
    notes = [*sources.problems, *problems]
    if not (context.loading.hosts or context.loading.activated) and context.scope.kind == "main":
        notes.append(NO_HOST)
    if MEMORY_MD in sources.host:
        notes += memory_md_loading(context.loading.hosts, is_activated=context.loading.activated)
    file_statements, skill_statements = _statements_to_compare(sources, scope)
    live_entries = [entry for entry in entries if entry.live and scope in ("all", "domains")]
    if len(live_entries) > _MAX_ENTRIES:
        notes.append(f"only the newest {_MAX_ENTRIES:,} entries were checked for duplicates")
        live_entries = live_entries[-_MAX_ENTRIES:]
    entry_statements = [
        text_statement(entry.id, entry.content, headings_in(entry.context))
        for entry in live_entries
    ]
    context.report_progress("looking for duplicates")
    contexts = {entry.id: entry.context for entry in entries}
    pairs = lexical_duplicates(file_statements, skill_statements)
    pairs += [
        pair for pair in lexical_duplicates(entry_statements) if _has_same_subject(pair, contexts)
    ]
    if file_statements:
        paraphrases, paraphrase_notes = find_paraphrases(
            file_statements, context.embedder, pairs, context.report_progress
        )
        pairs += paraphrases
        notes += paraphrase_notes
    text = sources.host[MEMORY_MD].text if MEMORY_MD in sources.host else ""
    findings = AuditFindings(
        sources=sources,
        pairs=sorted(pairs, key=_importance, reverse=True),
        contradictions=[*contradictions(file_statements), *contradictions(entry_statements)],
        noise=[
            *find_noise(
                [statement for statement in file_statements if statement.path == MEMORY_MD],
                partial(note_lines, context.layout),
            ),
            *find_stale_lines(file_statements, context.now[:10]),
        ],
        stale=stale if scope in ("all", "domains") else [],
        coverage=measure_coverage(text, entries, context.start) if text else None,
        count=context.counter.count,
    )
    return findings, tuple(dict.fromkeys(notes))


def total_tokens(context: AuditContext) -> int:
    """Return the tokens of all sources, which is the total that a full audit reports."""
    return sum(cost.tokens for cost in context.sources().costs)


def _entries(context: AuditContext) -> tuple[list[Entry], list[StaleEntries], list[str]]:
    """Return all entries that are not archived, the stale entries, and notes about errors."""
    try:
        with context.store.read() as snapshot:
            entries = snapshot.select(Where(state="any"))
            stale = _stale_entries(snapshot, entries, context.now)
        return [entry for entry in entries if not entry.archived], stale, []
    except StoreError as error:
        return [], [], [f"entries were left out: {error}"]


def _stale_entries(snapshot: Snapshot, entries: Sequence[Entry], now: str) -> list[StaleEntries]:
    """Return the entries that nobody has seen for a month, grouped by domain.

    `entries` are all entries, in the order in which they were stored. An entry was seen if it was
    used or listed in an answer, or changed. An imported entry may be dated long before its import.
    If it was never seen, it counts only if an entry that was stored after it was last seen over a
    month ago, because then its import is at least a month old too.
    """
    limit = format_time(parse_time(now) - _STALE_AFTER)
    usage = snapshot.usage(entry.id for entry in entries)
    last_seen = {id_: max(use.used or "", use.listed or "") for id_, use in usage.items()}
    last_old_index = max(
        (index for index, entry in enumerate(entries) if "" < last_seen[entry.id] < limit),
        default=-1,
    )
    groups: dict[str, list[tuple[Entry, str]]] = {}
    for index, entry in enumerate(entries):
        last = max(entry.updated_at, last_seen[entry.id])
        has_known_age = (
            bool(last_seen[entry.id]) or entry.source == "session" or index <= last_old_index
        )
        if entry.live and last < limit and has_known_age:
            groups.setdefault(usage[entry.id].home.stem, []).append((entry, last))
    stale = [
        StaleEntries(
            stem,
            len(group),
            sum(entry.token_estimate for entry, _ in group),
            max(last for _, last in group),
        )
        for stem, group in groups.items()
    ]
    return sorted(stale, key=lambda group: -group.tokens)


def _statements_to_compare(
    sources: Sources, scope: AuditScope
) -> tuple[list[TextStatement], list[TextStatement]]:
    """Return the statements to compare, those of MEMORY.md last, and those of skill files."""
    system = [file.name for file in HOST_FILES if file.name != MEMORY_MD]
    categories = [*system, MEMORY_MD] if scope in ("all", "memory_md") else system
    if scope == "domains":
        return [], []
    file_statements: list[TextStatement] = []
    for skill in sources.skills:
        file_statements += statements(skill.path, skill_summary(skill), always_loaded=True)
    for name in categories:
        if name in sources.host:
            file_statements += statements(name, sources.host[name].text, always_loaded=True)
    skill_statements = [
        statement
        for skill in sources.skills
        for statement in statements(skill.path, skill.text, always_loaded=False)
    ]
    return file_statements, skill_statements


def _has_same_subject(pair: DuplicatePair, contexts: Mapping[str, str | None]) -> bool:
    one, other = contexts[pair.a.path], contexts[pair.b.path]
    return not are_under_different_headings(pair.a.plain_text, one, other)


def _importance(pair: DuplicatePair) -> tuple[bool, float, int]:
    """Return a sort key: pairs that every conversation loads, the most similar, the longest."""
    are_loaded = pair.a.always_loaded and pair.b.always_loaded
    return are_loaded, pair.similarity, min(len(pair.a.plain_text), len(pair.b.plain_text))
