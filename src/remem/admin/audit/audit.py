"""How is an audit made? From the files and entries of one session to what they cost and waste."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, get_args

from remem.admin.audit.coverage import coverage
from remem.admin.audit.duplicates import Pair, lexical, paraphrased
from remem.admin.audit.findings import Findings, stale
from remem.admin.audit.noise import noise
from remem.admin.audit.recommend import plans
from remem.admin.audit.report import told
from remem.admin.audit.result import Action, Audit, Stale
from remem.admin.audit.sources import Gathered, Loading, Progress, gather, listing
from remem.errors import StoreError
from remem.files.host_files import note_lines
from remem.files.layout import Layout
from remem.model.arguments import AuditScope
from remem.model.contradictions import contradictions
from remem.model.entry import Entry
from remem.model.host_loading import HOST_FILES, MEMORY_MD, memory_md_in
from remem.model.scope import Scope
from remem.ports.entries import Store
from remem.ports.models import Embedder, TokenCounter
from remem.text.statements import Statement, statements, stored

_MOST_ENTRIES: Final = 5_000
_ABOUT: Final[dict[AuditScope, set[Action]]] = {
    "memory_md": set(get_args(Action)) - {"review_stale"},
    "domains": {"review_stale", "resolve_contradictions"},
    "system_prompt": {"shorten", "merge_by_hand", "resolve_contradictions"},
}


@dataclass(frozen=True, slots=True)
class Auditing:
    """What an audit needs; `start_tokens` is what `remem start` costs, `in_index` the entries
    that the index shows. In place of an embedder stands the reason why there is none."""

    layout: Layout
    scope: Scope
    store: Store
    counter: TokenCounter
    embedder: Embedder | str
    now: str
    loading: Loading
    start_tokens: int
    in_index: frozenset[str]
    tell: Progress = lambda _step: None


def audit(parts: Auditing, scope: AuditScope, *, recommend: bool) -> Audit:
    """What the memory costs, what it says twice or wrongly, and what to do about it."""
    found, notes = look(parts, scope)
    start = parts.start_tokens if parts.scope.kind == "main" else None
    answer = told(found, scope, start, notes)
    if not recommend:
        return answer
    if scope != "all":  # a recommendation has one number, whatever was looked at
        found, _ = look(parts, "all")
    advised = [plan.recommendation for plan in plans(found)]
    of_scope = [
        recommendation
        for recommendation in advised
        if recommendation.action in _ABOUT.get(scope, {recommendation.action})
    ]
    return replace(answer, recommendations=tuple(of_scope))


def look(parts: Auditing, scope: AuditScope) -> tuple[Findings, tuple[str, ...]]:
    """Everything that an audit finds, and what has to be said about how."""
    gathered = gather(parts.layout, parts.scope, parts.counter.count, parts.loading, parts.tell)
    entries, old, trouble = _entries(parts)
    notes = [*gathered.trouble, *trouble]
    if MEMORY_MD in gathered.host:
        notes += memory_md_in(parts.loading.hosts, activated=parts.loading.activated)
    said, library = _said(gathered, scope)
    known = [stored(entry.id, entry.content) for entry in entries if entry.live]
    if len(known) > _MOST_ENTRIES:
        notes.append(f"duplicates were looked for in the newest {_MOST_ENTRIES:,} entries only")
        known = known[-_MOST_ENTRIES:]
    known = known if scope in ("all", "domains") else []
    parts.tell("looking for duplicates")
    pairs = [*lexical(said, library), *lexical(known)]
    memory = [statement for statement in said if statement.path == MEMORY_MD]
    if said:
        meaning = paraphrased(said, parts.embedder, pairs, parts.tell)
        pairs += meaning.pairs
        notes += meaning.notes
    text = gathered.host[MEMORY_MD].text if MEMORY_MD in gathered.host else ""
    findings = Findings(
        gathered=gathered,
        pairs=sorted(pairs, key=_weight, reverse=True),
        clashes=[*contradictions(said), *contradictions(known)],
        noise=noise(memory, lambda path, first, last: note_lines(parts.layout, path, first, last)),
        stale=old if scope in ("all", "domains") else [],
        coverage=coverage(text, entries, parts.in_index) if text else None,
        count=parts.counter.count,
    )
    return findings, tuple(dict.fromkeys(notes))


def total(parts: Auditing) -> int:
    """What everything costs: the figure that an audit of all begins with."""
    gathered = gather(parts.layout, parts.scope, parts.counter.count, parts.loading, parts.tell)
    return sum(spent.tokens for spent in gathered.spent)


def _entries(parts: Auditing) -> tuple[list[Entry], list[Stale], list[str]]:
    """The entries and what of them is stale; a store that refuses is named, no more."""
    try:
        with parts.store.read() as snapshot:
            entries = [entry for entry in snapshot.everything() if not entry.archived]
            return entries, stale(snapshot, parts.now), []
    except StoreError as error:
        return [], [], [f"entries were left out: {error}"]


def _said(gathered: Gathered, scope: AuditScope) -> tuple[list[Statement], list[Statement]]:
    """What is compared, MEMORY.md last, and the skills' own pages, which it is compared with."""
    system = [file.name for file in HOST_FILES if file.name != MEMORY_MD]
    wanted = [*system, MEMORY_MD] if scope in ("all", "memory_md") else system
    if scope == "domains":
        return [], []
    said: list[Statement] = []
    for skill in gathered.skills:
        said += statements(skill.path, listing(skill), always=True)
    for name in wanted:
        if name in gathered.host:
            said += statements(name, gathered.host[name].text, always=True)
    library = [
        statement
        for skill in gathered.skills
        for statement in statements(skill.path, skill.text, always=False)
    ]
    return said, library


def _weight(pair: Pair) -> tuple[bool, float, int]:
    """What every conversation pays for twice comes first, then the surest, then the longest."""
    both = pair.a.always and pair.b.always
    return both, pair.similarity, min(len(pair.a.said), len(pair.b.said))
