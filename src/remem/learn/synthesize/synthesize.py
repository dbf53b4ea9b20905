"""Write the pages: plan each page, phrase it, and write it without changing a person's lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Final

from remem.errors import RememError, StoreError
from remem.files import atomic
from remem.files.disk import make_folder
from remem.files.facts import FactFiles, KnownFacts
from remem.files.layout import Layout
from remem.files.locks import exclusive_lock
from remem.files.rewrite import rewrite
from remem.files.start_files import owner_language
from remem.learn.file_updates.routing import MAIN_TIERS
from remem.learn.first_gate import main_trigger, without_topics
from remem.learn.synthesize.daily import daily_plan
from remem.learn.synthesize.entities import entity_plans, proposed_facts
from remem.learn.synthesize.longterm import longterm_plan
from remem.learn.synthesize.plan import PagePlan, PageResult, Synthesis
from remem.learn.synthesize.prose import SummaryWriter, earlier_prose
from remem.model.gate import Route
from remem.model.gate_edit import with_routes
from remem.model.page import DERIVED, GeneratedPage, Sentence, compose_page, page_lines
from remem.model.scope import MAIN
from remem.ports.entries import Store, Transaction
from remem.ports.models import Chat, Extractor
from remem.ports.state import Namespace
from remem.search.qmd import Qmd, update_qmd

_PAGES: Final[Namespace[tuple[str, ...]]] = Namespace("page", tuple[str, ...])
"""The sources of the points of each page, as it was last written."""
_NOT_CONFIGURED = "no language model is configured"


@dataclass(frozen=True, slots=True)
class SynthesisJob:
    """The dependencies of a synthesis; `today` is the date in the owner's time zone."""

    layout: Layout
    store: Store
    extractor: Extractor
    today: str
    chat: Chat | None = None
    qmd: Qmd | None = None
    on_progress: Callable[[str], None] = lambda _page: None


def synthesize(job: SynthesisJob, names: Sequence[str] = ()) -> Synthesis:
    """Write the summaries of the named entities; without names, all summaries and pages.

    Failures are reported and do not stop the other pages.
    """
    problems: list[str] = []
    writer = SummaryWriter(job.chat, None if job.chat else _NOT_CONFIGURED)
    results: list[tuple[PageResult, PagePlan]] = []
    with _locked(job):
        for plan in _plans(job, names, problems):
            job.on_progress(plan.path)
            results.append((_write_page(job, plan, writer), plan))
        _save_sources(job, results)
        _add_to_gate(job, [page.path for page, _ in results if page.changed], problems)
    return Synthesis(
        pages=tuple(page for page, _ in results),
        model=writer.failure,
        qmd=update_qmd(job.layout, job.qmd) if job.qmd else None,
        problems=tuple(problems),
    )


def refresh_summaries(
    job: SynthesisJob, known_facts: KnownFacts, entities: Sequence[str]
) -> list[str]:
    """Update the existing summaries of these entities, without a model; return the failures.

    This does not wait for a running synthesis, which may be calling a model.
    """
    problems: list[str] = []
    without_model = SummaryWriter(None, None)
    results = [
        (_write_page(job, plan, without_model), plan)
        for plan in entity_plans(known_facts, entities, problems, owner_language(job.layout))
        if (job.layout.root / plan.path).is_file()
    ]
    _save_sources(job, results)
    return [*problems, *(f"{page.path}: {page.problem}" for page, _ in results if page.problem)]


def _add_to_gate(job: SynthesisJob, paths: Sequence[str], problems: list[str]) -> None:
    """Add routes to these pages to main's gate, if it exists."""
    names = [PurePosixPath(path).name for path in paths if path in DERIVED]
    gate = job.layout.gate(MAIN)
    if not names or gate is None or not gate.is_file():
        return
    language = owner_language(job.layout)
    routes = {
        name: Route(main_trigger(job.layout, name, language), name, MAIN_TIERS[name])
        for name in names
    }

    def edited(latest: bytes | None) -> bytes | None:
        if latest is None:
            return None
        text = with_routes(atomic.decode_text(latest, gate), routes)
        return without_topics(text, language).encode()

    try:
        atomic.refuse_links(job.layout.root, gate)
        rewrite(job.layout, gate, edited)
    except RememError as error:
        problems.append(f"{job.layout.relative(gate)}: {error}")


def _locked(job: SynthesisJob) -> AbstractContextManager[None]:
    folder = job.layout.state_folder(MAIN)
    make_folder(folder)
    return exclusive_lock(folder / "pages.lock")


def _plans(job: SynthesisJob, names: Sequence[str], problems: list[str]) -> Iterator[PagePlan]:
    known_facts = FactFiles(job.layout)()
    problems.extend(known_facts.problems)
    for plan in entity_plans(known_facts, names, problems, owner_language(job.layout)):
        if not plan.only_existing or (job.layout.root / plan.path).is_file():
            yield plan
    if names:
        return
    for make_plan in (longterm_plan, daily_plan):
        if page := make_plan(job.layout, job.extractor, job.today, problems):
            yield page


def _write_page(job: SynthesisJob, plan: PagePlan, writer: SummaryWriter) -> PageResult:
    result = PageResult(plan.path, plan.about, changed=False, points=len(plan.points))
    path = job.layout.root / plan.path
    try:
        atomic.refuse_links(job.layout.root, path)
        before = atomic.read(path)
        if before is None and not plan.points and not plan.fact_texts:
            return result  # the entity has no facts left, because they were erased
        sentences, dropped = _sentences(plan, _text(plan, before), writer)
        pages: list[GeneratedPage] = []

        def composed(latest: bytes | None) -> bytes:
            pages.append(_page(plan, _text(plan, latest), sentences))
            return pages[-1].text.encode()

        after = rewrite(job.layout, path, composed)
    except RememError as error:
        return replace(result, problem=str(error))
    page = pages[-1]
    return replace(
        result,
        changed=after != before,
        sentences=len(sentences),
        dropped=dropped,
        rescued=tuple(line for page in pages for line in page.rescued),
        removed=_restored_sources(_saved_sources(job, plan), plan, page) if before else (),
        proposed=tuple(proposed_facts(plan, page.by_hand)),
    )


def _sentences(
    plan: PagePlan, old: str | None, writer: SummaryWriter
) -> tuple[list[Sentence], int]:
    """Return the page's present sentences if its points are unchanged, or else new ones.

    The number tells how many new sentences were dropped.
    """
    if old is not None and (earlier := earlier_prose(old, plan)):
        return earlier, 0
    return writer.sentences_for(plan)


def _page(plan: PagePlan, old: str | None, sentences: Sequence[Sentence]) -> GeneratedPage:
    lead = plan.lead_line(prose=bool(sentences))
    lines = page_lines(lead, plan.points, sentences)
    return compose_page(
        old,
        plan.title,
        lines,
        own_titles=plan.titles,
        known_texts=plan.fact_texts,
        facts=plan.about_entity,
        language=plan.language,
    )


def _text(plan: PagePlan, data: bytes | None) -> str | None:
    return None if data is None else atomic.decode_text(data, Path(plan.path))


def _restored_sources(
    saved_sources: tuple[str, ...] | None, plan: PagePlan, page: GeneratedPage
) -> tuple[str, ...]:
    """Return the sources of lines that were removed from the page by hand, and are still true."""
    removed = frozenset(saved_sources or ()) - page.former_sources
    return tuple(point.source for point in plan.points if point.source in removed)


def _saved_sources(job: SynthesisJob, plan: PagePlan) -> tuple[str, ...] | None:
    """Return the sources of the page as it was last written; None if they are not known."""
    try:
        with job.store.read() as snapshot:
            return snapshot.record(_PAGES, plan.path)
    except StoreError:
        return None


def _save_sources(job: SynthesisJob, results: Sequence[tuple[PageResult, PagePlan]]) -> None:
    """Save the sources of each page, so that lines that a person removes are noticed."""
    states = [
        (plan.path, tuple(point.source for point in plan.points))
        for page, plan in results
        if page.problem is None and page.changed
    ]

    def operation(tx: Transaction) -> None:
        for path, sources in states:
            tx.put_record(_PAGES, path, sources)

    if states and job.store.writable:
        job.store.write(operation)
