"""How are the pages made? Plan each, put it into words, and write it around a person's lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from remem.errors import RememError, StoreError
from remem.files import atomic
from remem.files.facts import FactFiles, Known
from remem.files.layout import Layout
from remem.files.locks import alone
from remem.files.rewrite import rewrite
from remem.learn.synthesize.entities import entity_plans, proposals
from remem.learn.synthesize.pages import daily_plan, longterm_plan
from remem.learn.synthesize.plan import PageMade, Plan, Synthesis
from remem.learn.synthesize.prose import Prose, earlier_prose, tidy
from remem.model.page import Page, Sentence, compose, lines_of_page
from remem.model.scope import MAIN
from remem.ports.entries import Store, Transaction
from remem.ports.models import Chat, Extractor
from remem.search.qmd import Qmd, follow

_NOT_CONFIGURED = "no language model is configured"


@dataclass(frozen=True, slots=True)
class Synthesising:
    """What a synthesis works with; `today` is the owner's."""

    layout: Layout
    store: Store
    extractor: Extractor
    today: str
    chat: Chat | None = None
    qmd: Qmd | None = None
    tell: Callable[[str], None] = lambda _page: None


def synthesise(job: Synthesising, names: Sequence[str] = ()) -> Synthesis:
    """Make the summaries of the entities that are named; without names all of them, and the
    pages on MEMORY.md and the notes. What cannot be made is told, and keeps nothing else."""
    troubles: list[str] = []
    prose = Prose(job.chat, None if job.chat else _NOT_CONFIGURED)
    made = []
    with _alone(job):
        for plan in _plans(job, names, troubles):
            job.tell(plan.path)
            made.append(_made(job, plan, prose))
            tidy(job.layout, job.layout.root / plan.path, troubles)
        _remember(job, made)
    return Synthesis(
        pages=tuple(page for page, _ in made),
        model=prose.trouble,
        qmd=follow(job.layout, job.qmd) if job.qmd else None,
        troubles=tuple(troubles),
    )


def keep_current(job: Synthesising, known: Known, entities: Sequence[str]) -> list[str]:
    """Let the summaries of these entities that stand tell what their facts say now, in plain
    form; what went wrong. No other synthesis is waited for: it may be asking a model."""
    troubles: list[str] = []
    plain = Prose(None, None)
    made = [
        _made(job, plan, plain)
        for plan in entity_plans(known, entities, troubles)
        if (job.layout.root / plan.path).is_file()
    ]
    _remember(job, made)
    return [*troubles, *(f"{page.path}: {page.trouble}" for page, _ in made if page.trouble)]


def _alone(job: Synthesising) -> AbstractContextManager[None]:
    folder = job.layout.state_folder(MAIN)
    atomic.make_folder(folder)
    return alone(folder / "pages.lock")


def _plans(job: Synthesising, names: Sequence[str], troubles: list[str]) -> Iterator[Plan]:
    known = FactFiles(job.layout)()
    troubles.extend(known.troubles)
    for each in entity_plans(known, names, troubles):
        if not each.only_standing or (job.layout.root / each.path).is_file():
            yield each
    if names:
        return
    for plan in (longterm_plan, daily_plan):
        if found := plan(job.layout, job.extractor, job.today, troubles):
            yield found


def _made(job: Synthesising, plan: Plan, prose: Prose) -> tuple[PageMade, Plan]:
    done = PageMade(plan.path, plan.about, False, len(plan.points))
    path = job.layout.root / plan.path
    try:
        atomic.refuse_links(job.layout.root, path)
        before = atomic.read(path)
        if before is None and not plan.points and not plan.known:
            return done, plan  # all that there was to tell is erased
        sentences, dropped = _sentences(plan, _text(plan, before), prose)
        pages: list[Page] = []

        def change(latest: bytes | None) -> bytes:
            pages.append(_page(plan, _text(plan, latest), sentences))
            return pages[-1].text.encode()

        after = rewrite(job.layout, path, change)
    except RememError as error:
        return replace(done, trouble=str(error)), plan
    page = pages[-1]
    return replace(
        done,
        changed=after != before,
        sentences=len(sentences),
        dropped=dropped,
        rescued=tuple(line for page in pages for line in page.rescued),
        removed=_removed(_told_before(job, plan), plan, page) if before else (),
        proposed=tuple(proposals(plan, page.by_hand)),
    ), plan


def _sentences(plan: Plan, old: str | None, prose: Prose) -> tuple[list[Sentence], int]:
    """Those that the page has, if nothing has changed; else new ones."""
    if old is not None and (kept := earlier_prose(old, plan)):
        return kept, 0
    return prose.about(plan)


def _page(plan: Plan, old: str | None, sentences: Sequence[Sentence]) -> Page:
    lead = plan.lead_line(prose=bool(sentences))
    lines = lines_of_page(lead, plan.points, sentences)
    return compose(old, plan.title, lines, ours=plan.titles, known=plan.known)


def _text(plan: Plan, data: bytes | None) -> str | None:
    return None if data is None else atomic.text_of(data, Path(plan.path))


def _removed(told: str | None, plan: Plan, page: Page) -> tuple[str, ...]:
    """What was told here the last time, was taken out by hand, and still holds."""
    before = frozenset(json.loads(told)) if told else frozenset()
    gone = before - page.shown
    return tuple(point.source for point in plan.points if point.source in gone)


def _told_before(job: Synthesising, plan: Plan) -> str | None:
    """The sources of the page as it was last made; a store that refuses keeps no page away."""
    try:
        with job.store.read() as snapshot:
            return snapshot.note(_key(plan))
    except StoreError:
        return None


def _remember(job: Synthesising, made: Sequence[tuple[PageMade, Plan]]) -> None:
    """Which points each page tells: so that one which a person takes out is missed."""
    kept = [
        (_key(plan), json.dumps([point.source for point in plan.points]))
        for page, plan in made
        if page.trouble is None and page.changed
    ]

    def operation(tx: Transaction) -> None:
        for key, told in kept:
            tx.keep_note(key, told)

    if kept and job.store.writable:
        job.store.write(operation)


def _key(plan: Plan) -> str:
    return f"page:{plan.path}"
