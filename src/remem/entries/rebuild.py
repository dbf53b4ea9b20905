"""How is everything that is derived made anew? From the entries; and, when the database is
lost, the entries from the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from remem.core.entry import Entry
from remem.core.homes import INDEX_MARK, UNTRUSTED, domain_mark, home_of
from remem.core.likeness import fingerprint, wording
from remem.core.scope import MAIN, Scope
from remem.errors import InvalidInput, RememError
from remem.maintenance.doctor.missing import may_be_missing
from remem.notes import files
from remem.notes.checksums import Checksums
from remem.notes.domain_file import taken_apart
from remem.notes.domain_format import Item, entry_of
from remem.notes.domain_meta import CATEGORY_OF
from remem.notes.domain_stamp import proof_in
from remem.notes.layout import Layout, stem_and_part
from remem.ports import Located, Store, Transaction
from remem.remember.foreign import checked_entry
from remem.remember.means import Remembering
from remem.remember.powers import unproved, without_power

_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What was made anew; `missing` says how much may not have come back."""

    entries: int
    files: int
    problems: tuple[str, ...] = ()
    lowered: int = 0
    """Entries that came back with less trust or authority than their lines claim."""
    missing: tuple[str, ...] = ()


def rebuild(store: Store, topics: Sequence[str], progress: Callable[[str], None]) -> Rebuilt:
    """Full text, lookups and vectors are dropped and made again, every entry is put into the
    file that is its home now, and every file is due."""

    def operation(tx: Transaction) -> Rebuilt:
        rows, places = tx.rows(), tx.places()
        tx.drop_projections()
        for start in range(0, len(rows), _BATCH):
            batch = rows[start : start + _BATCH]
            tx.restore(batch)
            for row, entry in tx.locate(batch).items():
                tx.rehome(Located(row, entry), home_of(entry, topics))
        for home, part, _count, _tokens in places:
            tx.mark(domain_mark(home, part))
        tx.mark(INDEX_MARK)
        return Rebuilt(entries=len(rows), files=len(places))

    progress("making search anew")
    done = store.write(operation)
    progress(f"{done.entries} entries, {done.files} files")
    return done


@dataclass(frozen=True, slots=True)
class ReadBack:
    """An entry as its line in a domain file has it; `lowered` if the line claims more."""

    entry: Entry
    lowered: bool
    digest: str


def entries_in_files(layout: Layout, scope: Scope, now: str) -> Iterator[tuple[Path, Entry | str]]:
    """Every entry that the domain files of a scope hold, or what is wrong with one or a file."""
    for path, found in _read_back(layout, scope, now):
        yield path, found.entry if isinstance(found, ReadBack) else found


def _read_back(layout: Layout, scope: Scope, now: str) -> Iterator[tuple[Path, ReadBack | str]]:
    folder, checksums = layout.domains(scope), Checksums(layout, scope)
    found = folder.glob("*.md") if folder.is_dir() else ()
    placed = [(place, path) for path in found if (place := stem_and_part(path.name))]
    for place, path in sorted(placed):
        try:
            data = files.read(path, sole_name=scope.kind != "main") or b""
            document, _ = taken_apart(data, path)
        except RememError as error:
            yield path, str(error)
            continue
        assert document is not None
        proved = checksums.proves(domain_mark(*place), document, proof_in(data))
        for item in document.items:
            if item.id is not None:
                # In main the owner can have kept a code readable, which has to come back as it was.
                kept = item.content if scope == MAIN else ""
                yield path, read_back(item, item.id, place[0], now, proved=proved, kept=kept)


def read_back(
    item: Item, id_: str, home: str, now: str, *, proved: bool, kept: str = ""
) -> ReadBack | str:
    """The entry of a line; one that lost its comment is as good as new.

    Where the checksum of the file does not prove that remem wrote the line, it comes back as the
    agent's and without authority. What is in the file of untrusted words stays untrusted.
    Secrets that are in `kept` are not masked again.
    """
    entry = entry_of(item, home) or Entry(
        id=id_,
        category=CATEGORY_OF.get(home, "fact"),
        content=item.content,
        created_at=now,
        updated_at=now,
        source="file",
    )
    claimed = entry
    if UNTRUSTED in (home, entry.trust):
        claimed = entry = without_power(replace(entry, trust=UNTRUSTED))
    elif not proved:
        entry = unproved(entry)
    try:
        return ReadBack(checked_entry(entry, already=kept), entry != claimed, item.digest)
    except InvalidInput as error:
        return f"{item.id} cannot be restored: {error}"


def restore_from_files(
    store: Store, layout: Layout, scope: Scope, how: Remembering, now: str
) -> Rebuilt:
    """Put the entries of the files into a store that has lost them; what is there stays."""
    restored, lowered, paths, problems = 0, 0, set[Path](), list[str]()
    found = _read_back(layout, scope, now)
    while batch := list(islice(found, _BATCH)):
        paths.update(path for path, _ in batch)
        problems += [f"{path.name}: {each}" for path, each in batch if isinstance(each, str)]
        lines = [each for _, each in batch if isinstance(each, ReadBack)]
        put = store.write(lambda tx, lines=lines: put_back(tx, lines, how))  # type: ignore[misc]
        restored += len(put)
        lowered += sum(each.lowered for each in put)
    missing = tuple(still_missing(store, layout, scope)) if restored else ()
    return Rebuilt(restored, len(paths), tuple(problems), lowered, missing)


def still_missing(store: Store, layout: Layout, scope: Scope) -> Iterator[str]:
    """Sentences on the entries that something still names, and that no file could restore."""
    with store.read() as snapshot:
        entries = list(snapshot.locate(snapshot.rows()).values())
        erased = {each.id for each in snapshot.tombstones()}
    damaged = layout.state_folder(scope).glob("damaged.*/*")
    copies = (layout.aside(scope).glob("*"), layout.conflicts(scope).glob("*"))
    yield from may_be_missing(entries, erased, chain(damaged, *copies))


def put_back(tx: Transaction, lines: Sequence[ReadBack], how: Remembering) -> list[ReadBack]:
    """Insert the entries that are neither known nor erased, under their own ids; which they are."""
    known = tx.by_ids([each.entry.id for each in lines])
    missing = {
        each.entry.id: each
        for each in lines
        if each.entry.id not in known and not tx.erased(each.entry.id, wording(each.entry.content))
    }
    for each in missing.values():
        entry = replace(each.entry, token_estimate=how.counter.count(each.entry.content))
        home = home_of(entry, how.topics)
        tx.insert(entry, fingerprint(entry.content), home, "restored from its file")
    return list(missing.values())
