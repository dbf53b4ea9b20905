"""Erase a fact permanently: replace it with a tombstone and rebuild everything derived from it.

The database is updated first, so that the text cannot come back while the files are changed.
Each step can be repeated: an interrupted erasure is found by its tombstone and finished.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from remem.entries.erase import (
    ErasureContext,
    ErasureReport,
    begin_erasure,
    erase_entry,
    in_commits,
    remaining_copies,
    scrub,
    unfinished_erasures,
)
from remem.entries.erase_copies import clean_entry_copies, clean_other_copies
from remem.entries.lifecycle import UnfinishedErasure
from remem.entries.pending_facts import confirmed_fact_id
from remem.errors import InvalidInput, UnknownEntry, quoted
from remem.files.fact_history import forget_facts, seen_facts
from remem.files.facts import FactFile, KnownFacts
from remem.learn.facts.writer import FactWriter
from remem.learn.file_updates.changes import RecordFact
from remem.learn.flush import state
from remem.model.erased_text import ErasedText, erased_text_of
from remem.model.fact import fact_of, tombstone_value
from remem.model.fact_json import values_in, with_tombstone
from remem.model.scope import MAIN
from remem.ports.entries import Transaction
from remem.ports.records import Tombstone, Where
from remem.text.secrets.mask import redact
from remem.text.similarity import folded_hash


@dataclass(frozen=True, slots=True)
class FactEraser:
    """The dependencies of erasing a fact.

    `summarise` rebuilds the summary of an entity, by its id; `read_again` makes search read the
    files again and removes every byte of their earlier text.
    """

    writer: FactWriter
    context: ErasureContext
    summarise: Callable[[str], None]
    read_again: Callable[[], None]


@dataclass(slots=True)
class _EntriesWithText:
    """Ids of entries with the erased text.

    Those whose confirmation had made them the fact are erased with it; the others remain.
    """

    remaining: list[str] = field(default_factory=list)
    erased: list[str] = field(default_factory=list)


def erase_fact(eraser: FactEraser, id_: str, entity: str | None, now: str) -> ErasureReport:
    """Erase one fact; repeating it finishes an interrupted erasure."""
    writer, store, layout = eraser.writer, eraser.context.store, eraser.context.layout
    with writer.exclusive():
        known_facts = writer.read()
        file = _file_of(known_facts, id_, entity)
        texts = _known_texts(eraser, known_facts, file, id_)
        erased_text = _erased_text(texts, file, id_)
        unfinished = UnfinishedErasure(id_, texts, file.entity)
        entries = store.write(lambda tx: _erase_from_database(tx, erased_text, unfinished, now))
        was_there = any(fact.id == id_ for fact in file.facts)
        erased_text = _replace_with_tombstone(writer, file, erased_text, now)
        known_facts = writer.read()
        remaining = {folded_hash(fact.fact) for fact in known_facts.facts}
        forget_facts(layout, erased_text.hashes - remaining)
    store.write(lambda tx: tx.add_tombstones(_tombstones(erased_text, now)))
    eraser.summarise(file.entity)
    eraser.context.write_files()
    with store.read() as snapshot:
        clean_entry_copies(layout, MAIN, snapshot.tombstones(), ())
    clean_other_copies(layout, MAIN, erased_text, now)
    eraser.read_again()
    other_places = tuple(remaining_copies(layout, MAIN, erased_text, eraser.context.passages))
    in_git = tuple(in_commits(layout, file.path, erased_text))
    leftover = scrub(store, id_)
    facts = [
        fact.id or fact.place
        for fact in known_facts.facts
        if folded_hash(fact.fact) in erased_text.hashes
    ]
    return ErasureReport(
        id_,
        was_there,
        (*other_places, *in_git, *leftover),
        (*entries.remaining, *facts),
        tuple(entries.erased),
    )


def _file_of(known_facts: KnownFacts, id_: str, entity: str | None) -> FactFile:
    """Return the file that contains or contained the fact; ids are unique only within a file."""
    files = [file for file in known_facts.files if id_ in file.ids]
    if entity is not None:
        named = known_facts.named(entity)
        files = [file for file in files if named and known_facts.root(file.entity).id == named.id]
    if not files:
        raise UnknownEntry(
            f"no entry or fact has the id {quoted(id_)}",
            hint="`remem recall` and `remem fact list` show ids",
        )
    current = [file for file in files if any(fact.id == id_ for fact in file.facts)]
    if len(current) > 1:
        entities = ", ".join(file.entity for file in current)
        raise InvalidInput(
            f"several facts have the id {quoted(id_)}",
            hint=f"name the entity too, with --entity: {entities}",
        )
    return (current or files)[0]


def finish_fact(eraser: FactEraser, erasure: UnfinishedErasure, now: str) -> None:
    """Finish an interrupted erasure, even if the fact's file has been removed since."""
    try:
        erase_fact(eraser, erasure.id, erasure.entity, now)
    except UnknownEntry:
        store, layout = eraser.context.store, eraser.context.layout
        forget_facts(layout, erased_text_of(erasure.texts).hashes)
        clean_other_copies(layout, MAIN, erased_text_of(erasure.texts, erasure.id), now)
        eraser.read_again()
        scrub(store, erasure.id)


def _known_texts(
    eraser: FactEraser, known_facts: KnownFacts, file: FactFile, id_: str
) -> tuple[str, ...]:
    """Return all known texts of the fact, except earlier ones that another fact shares."""
    with eraser.context.store.read() as snapshot:
        unfinished = [erasure for erasure in unfinished_erasures(snapshot) if erasure.id == id_]
    texts = {fact.fact for fact in file.facts if fact.id == id_}
    texts |= {
        text for erasure in unfinished if erasure.entity == file.entity for text in erasure.texts
    }
    others = {
        folded_hash(fact.fact)
        for fact in known_facts.facts
        if (fact.path, fact.id) != (file.path, id_)
    }
    for seen in seen_facts(eraser.context.layout):
        if (seen.path, seen.id) == (file.path, id_) and folded_hash(seen.fact) not in others:
            texts.add(seen.fact)
    return tuple(sorted(texts))


def _erased_text(texts: tuple[str, ...], file: FactFile, id_: str) -> ErasedText:
    erased_text = erased_text_of((*texts, *(redact(text).text for text in texts)), id_)
    tombstones = [tombstone for tombstone in file.tombstones if tombstone.id == id_]
    earlier_wordings = frozenset().union(*(tombstone.wordings for tombstone in tombstones))
    return replace(erased_text, hashes=erased_text.hashes | earlier_wordings)


def _erase_from_database(
    tx: Transaction, erased_text: ErasedText, unfinished: UnfinishedErasure, now: str
) -> _EntriesWithText:
    """Record the erasure in the database, so that the texts cannot be stored again.

    An entry that the owner had confirmed as this fact is erased with it. Pending changes that would
    record the fact are dropped.
    """
    begin_erasure(tx, unfinished)
    tx.add_tombstones(_tombstones(erased_text, now))
    recordings = [change for change in state.pending_changes(tx) if isinstance(change, RecordFact)]
    state.remove_pending(
        tx, [change for change in recordings if folded_hash(change.text) in erased_text.hashes]
    )
    entries = _EntriesWithText()
    ids = {
        entry.id
        for wording in erased_text.hashes
        for entry in tx.select(Where(state="any", wording_hash=wording))
    }
    for entry in tx.find(ids).values():
        if entry.archived and confirmed_fact_id(tx, entry.id) == erased_text.id:
            erase_entry(tx, entry.id, now)
            entries.erased.append(entry.id)
        else:
            entries.remaining.append(entry.id)
    return entries


def _tombstones(erased_text: ErasedText, now: str) -> list[Tombstone]:
    assert erased_text.id is not None, "a fact is erased by its id"
    return [Tombstone(erased_text.id, wording, now) for wording in sorted(erased_text.hashes)]


def _replace_with_tombstone(
    writer: FactWriter, file: FactFile, erased_text: ErasedText, now: str
) -> ErasedText:
    """Replace the fact with its tombstone, even if a person has just reworded it.

    Return the erased text with that wording added.
    """
    texts: list[str] = []

    def edit(text: str) -> str:
        texts.clear()
        places = []
        for number, (_, _, value) in enumerate(values_in(text)):
            fact = fact_of(value, entity="", path="", lines=(0, 0), number=number)
            if fact is not None and fact.id == erased_text.id:
                texts.append(fact.fact)
                places.append((number, value))
        wordings = erased_text.hashes | erased_text_of(texts).hashes
        for number, value in places:
            text = with_tombstone(text, number, tombstone_value(value, now, wordings))
        return text

    writer.change(file.path, edit)
    new = erased_text_of(texts)
    return replace(
        erased_text,
        hashes=erased_text.hashes | new.hashes,
        known_texts=erased_text.known_texts | new.known_texts,
    )
