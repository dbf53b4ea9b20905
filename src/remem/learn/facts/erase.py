"""How is a fact erased for good? A tombstone takes its place in its file; then whatever remem has
made of it, or kept of its words, is made anew without it.

The database learns of it first, so that the words cannot come back while the files are changed.
Each step can be taken again: what a kill has left is found by the tombstone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from remem.entries.erase import (
    Erased,
    Erasing,
    Unfinished,
    also_in,
    begin,
    erase_entry,
    in_commits,
    scrub,
    unfinished,
)
from remem.entries.erase_copies import clean_copies, clean_leftovers
from remem.entries.pending_facts import became
from remem.errors import InvalidInput, UnknownEntry, shown
from remem.files.fact_history import facts_seen, forget_facts
from remem.files.facts import FactFile, Known
from remem.learn.facts.entities import Knowing
from remem.learn.flush import state
from remem.model.erased_text import Retelling, retelling
from remem.model.fact import fact_of, tombstone
from remem.model.fact_json import values_in, with_tombstone
from remem.model.scope import MAIN
from remem.ports.entries import Transaction
from remem.ports.records import Tombstone
from remem.text.secrets.mask import redact
from remem.text.similarity import folded_number


@dataclass(frozen=True, slots=True)
class ErasingFacts:
    """`summarise` makes the page of an entity anew, by its id; `read_again` lets search read the
    files, and leaves no byte of what they said before."""

    job: Knowing
    where: Erasing
    summarise: Callable[[str], None]
    read_again: Callable[[], None]


@dataclass(slots=True)
class _Others:
    """Other memories with the same words: those that stand, and those that became the fact."""

    standing: list[str] = field(default_factory=list)
    together: list[str] = field(default_factory=list)


def erase_fact(how: ErasingFacts, id_: str, entity: str | None, now: str) -> Erased:
    """Erase one fact; repeating it finishes what was cut short."""
    job, store, layout = how.job, how.where.store, how.where.layout
    with job.alone():
        known = job.known()
        file = _file_of(known, id_, entity)
        texts = _texts(how, known, file, id_)
        told = _told(texts, file, id_)
        begun = Unfinished(id_, texts, file.entity)
        others = store.write(lambda tx: _bury(tx, told, begun, now))
        stands = [fact.id for fact in file.facts if fact.id == id_]
        told = _exchange(job, file, told, now)
        known = job.known()
        said = {folded_number(fact.fact) for fact in known.facts}
        forget_facts(layout, told.wordings - said)
    store.write(lambda tx: tx.bury(_tombstones(told, now)))
    how.summarise(file.entity)
    how.where.write_files()
    with store.read() as snapshot:
        clean_leftovers(layout, MAIN, snapshot.tombstones(), ())
    clean_copies(layout, MAIN, told, now)
    how.read_again()
    elsewhere = tuple(also_in(layout, MAIN, told, how.where.passages))
    committed = tuple(in_commits(layout, file.path, told))
    scrub(store, id_)
    facts = [
        fact.id or fact.place for fact in known.facts if folded_number(fact.fact) in told.wordings
    ]
    return Erased(
        id_,
        bool(stands),
        (*elsewhere, *committed),
        (*others.standing, *facts),
        tuple(others.together),
    )


def _file_of(known: Known, id_: str, entity: str | None) -> FactFile:
    """The file that the fact stands in, or stood; ids are unique in a file, not beyond it."""
    found = [file for file in known.files if id_ in file.ids]
    if entity is not None:
        meant = known.named(entity)
        found = [
            fact_file
            for fact_file in found
            if meant and known.root(fact_file.entity).id == meant.id
        ]
    if not found:
        raise UnknownEntry(
            f"no entry or fact has the id {shown(id_)}",
            hint="`remem recall` and `remem fact list` show ids",
        )
    standing = [fact_file for fact_file in found if any(fact.id == id_ for fact in fact_file.facts)]
    if len(standing) > 1:
        raise InvalidInput(
            f"the id {shown(id_)} names several facts",
            hint=f"name the entity too, with --entity: {', '.join(e.entity for e in standing)}",
        )
    return (standing or found)[0]


def finish_fact(how: ErasingFacts, erasure: Unfinished, now: str) -> None:
    """Finish an erasure that was cut short; its file may have been removed since."""
    try:
        erase_fact(how, erasure.id, erasure.entity, now)
    except UnknownEntry:
        store, layout = how.where.store, how.where.layout
        forget_facts(layout, retelling(erasure.texts).wordings)
        clean_copies(layout, MAIN, retelling(erasure.texts, erasure.id), now)
        how.read_again()
        scrub(store, erasure.id)


def _texts(how: ErasingFacts, known: Known, file: FactFile, id_: str) -> tuple[str, ...]:
    """All that the fact ever said, as far as anybody knows; but for what another fact says."""
    with how.where.store.read() as snapshot:
        begun = [each for each in unfinished(snapshot) if each.id == id_]
    texts = {fact.fact for fact in file.facts if fact.id == id_}
    texts |= {text for each in begun if each.entity == file.entity for text in each.texts}
    others = {
        folded_number(fact.fact) for fact in known.facts if (fact.path, fact.id) != (file.path, id_)
    }
    for seen in facts_seen(how.where.layout):
        if (seen.path, seen.id) == (file.path, id_) and folded_number(seen.fact) not in others:
            texts.add(seen.fact)
    return tuple(sorted(texts))


def _told(texts: tuple[str, ...], file: FactFile, id_: str) -> Retelling:
    told = retelling((*texts, *(redact(text).text for text in texts)), id_)
    before = frozenset().union(*(gone.wordings for gone in file.gone if gone.id == id_))
    return replace(told, wordings=told.wordings | before)


def _bury(tx: Transaction, told: Retelling, begun: Unfinished, now: str) -> _Others:
    """The database keeps the words away; an entry that became the fact goes with it, and what
    waits to become it waits no longer."""
    begin(tx, begun)
    tx.bury(_tombstones(told, now))
    planned = [change for change in state.pending_changes(tx) if change.do == "fact"]
    state.done(tx, [change for change in planned if folded_number(change.text) in told.wordings])
    others = _Others()
    rows = {row for number in told.wordings for row in tx.worded(number)}
    for entry in tx.locate(sorted(rows)).values():
        if entry.archived and became(tx, entry.id) == told.id:
            erase_entry(tx, entry.id, now)
            others.together.append(entry.id)
        else:
            others.standing.append(entry.id)
    return others


def _tombstones(told: Retelling, now: str) -> list[Tombstone]:
    assert told.id is not None, "a fact is erased by its id"
    return [Tombstone(told.id, number, now) for number in sorted(told.wordings)]


def _exchange(job: Knowing, file: FactFile, told: Retelling, now: str) -> Retelling:
    """Put the tombstone where the fact stands; a person may just have reworded it."""
    texts: list[str] = []

    def edit(text: str) -> str:
        texts.clear()
        places = []
        for number, (_, _, value) in enumerate(values_in(text)):
            fact = fact_of(value, entity="", path="", lines=(0, 0), number=number)
            if fact is not None and fact.id == told.id:
                texts.append(fact.fact)
                places.append((number, value))
        wordings = told.wordings | retelling(texts).wordings
        for number, value in places:
            text = with_tombstone(text, number, tombstone(value, now, wordings))
        return text

    job.change(file.path, edit)
    new = retelling(texts)
    return replace(told, wordings=told.wordings | new.wordings, words=told.words | new.words)
