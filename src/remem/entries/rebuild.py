"""How is everything that is derived made anew? From the entries; and, when the database is
lost, the entries from the files.

How much may be missing after entries were rebuilt from domain files: the ids that something
else still names, and what cannot be known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Final

from remem.entries.draft import checked_entry
from remem.entries.receipt import Remembering, unproved, without_power
from remem.errors import InvalidInput, RememError
from remem.files import atomic
from remem.files.domain_file.document import CATEGORY_OF, Item
from remem.files.domain_file.format import entry_of, taken_apart
from remem.files.domain_file.parse import proof_in
from remem.files.layout import Layout, stem_and_part
from remem.files.workspace_key import Checksums
from remem.model.domain_routing import INDEX_MARK, UNTRUSTED, domain_mark, home_of
from remem.model.entry import ENTRY_ID, Entry
from remem.model.scope import MAIN, Scope
from remem.ports.entries import Store, Transaction
from remem.ports.records import Located
from remem.text.similarity import fingerprint, folded_number

_ID: Final = re.compile(ENTRY_ID.pattern.encode())
_PIECE: Final = 1 << 20
_LENGTH: Final = 12
_SHOWN: Final = 8


def may_be_missing(
    restored: Iterable[Entry], gone: Collection[str], old: Iterable[Path]
) -> Iterator[str]:
    """Sentences for the owner. `old` are files that may still name entries: the damaged database
    and its log, copies of domain files; `gone` are ids that were erased or are reported already."""
    entries = list(restored)
    known = {entry.id for entry in entries}
    linked = {id_ for entry in entries for id_ in entry.related_to}
    missing = sorted((linked | named_in(old)) - known - set(gone))
    if missing:
        some = ", ".join(missing[:_SHOWN]) + (" …" if len(missing) > _SHOWN else "")
        count = "1 entry" if len(missing) == 1 else f"{len(missing)} entries"
        yield (
            f"{count} may be missing, named by links, copies of files or the old database, but in "
            f"no domain file: {some}"
        )
    else:
        yield "no other entry is named by a link, a copy of a file or the old database"
    yield (
        "how many archived and superseded entries are missing cannot be known: they stand in no "
        "file, and neither does the history; a backup may have them"
    )


def named_in(paths: Iterable[Path]) -> set[str]:
    """The ids in the bytes of these files, whatever else is wrong with them."""
    found: set[str] = set()
    for path in paths:
        try:
            with atomic.streamed(path) as data:
                rest = b""
                while piece := data.read(_PIECE):
                    rest += piece
                    found.update(match.decode() for match in _ID.findall(rest))
                    rest = rest[-_LENGTH:]
        except (OSError, RememError):  # a folder, or gone: it names nothing
            continue
    return found


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
            data = atomic.read(path, sole_name=scope.kind != "main") or b""
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
        lowered += sum(back.lowered for back in put)
    missing = tuple(still_missing(store, layout, scope)) if restored else ()
    return Rebuilt(restored, len(paths), tuple(problems), lowered, missing)


def still_missing(store: Store, layout: Layout, scope: Scope) -> Iterator[str]:
    """Sentences on the entries that something still names, and that no file could restore."""
    with store.read() as snapshot:
        entries = list(snapshot.locate(snapshot.rows()).values())
        erased = {tombstone.id for tombstone in snapshot.tombstones()}
    damaged = layout.state_folder(scope).glob("damaged.*/*")
    copies = (layout.aside(scope).glob("*"), layout.conflicts(scope).glob("*"))
    yield from may_be_missing(entries, erased, chain(damaged, *copies))


def put_back(tx: Transaction, lines: Sequence[ReadBack], how: Remembering) -> list[ReadBack]:
    """Insert the entries that are neither known nor erased, under their own ids; which they are."""
    known = tx.by_ids([line.entry.id for line in lines])
    missing = {
        line.entry.id: line
        for line in lines
        if line.entry.id not in known
        and not tx.erased(line.entry.id, folded_number(line.entry.content))
    }
    for value in missing.values():
        entry = replace(value.entry, token_estimate=how.counter.count(value.entry.content))
        home = home_of(entry, how.topics)
        tx.insert(entry, fingerprint(entry.content), home, "restored from its file")
    return list(missing.values())
