"""How is everything that is derived made anew? From the entries; and, when the database is
lost, the entries from the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Final

from remem.core.entry import Entry
from remem.core.homes import INDEX_MARK, UNTRUSTED, domain_mark, home_of
from remem.core.likeness import fingerprint, wording
from remem.core.scope import MAIN, Scope
from remem.errors import InvalidInput, RememError
from remem.notes import files
from remem.notes.domain_format import Item, entry_of, parse
from remem.notes.domain_meta import CATEGORY_OF
from remem.notes.layout import Layout, stem_and_part
from remem.ports import Located, Store, Transaction
from remem.remember.foreign import checked_entry
from remem.remember.means import Remembering
from remem.remember.powers import without_power

_BATCH: Final = 500


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What was made anew."""

    entries: int
    files: int
    problems: tuple[str, ...] = ()


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


def entries_in_files(layout: Layout, scope: Scope, now: str) -> Iterator[tuple[Path, Entry | str]]:
    """Every entry that the domain files of a scope hold, or what is wrong with one or a file."""
    folder = layout.domains(scope)
    found = folder.glob("*.md") if folder.is_dir() else ()
    placed = [(place, path) for path in found if (place := stem_and_part(path.name))]
    for place, path in sorted(placed):
        try:
            data = files.read(path, sole_name=scope.kind != "main") or b""
            items = parse(files.text_of(data, path)).items
        except RememError as error:
            yield path, str(error)
            continue
        for item in items:
            if item.id is not None:
                # In main the owner can have kept a code readable, which has to come back as it was.
                kept = item.content if scope == MAIN else ""
                yield path, _restored(item, item.id, place[0], now, kept)


def _restored(item: Item, id_: str, home: str, now: str, kept: str) -> Entry | str:
    """The entry that an item tells of; one that lost its comment is as good as new. What
    stands among a stranger's words stays a stranger's, and has no power, whatever its
    comment has come to say."""
    entry = entry_of(item, home) or Entry(
        id=id_,
        category=CATEGORY_OF.get(home, "fact"),
        content=item.content,
        created_at=now,
        updated_at=now,
        source="file",
    )
    if UNTRUSTED in (home, entry.trust):
        entry = without_power(replace(entry, trust=UNTRUSTED))
    try:
        return checked_entry(entry, already=kept)
    except InvalidInput as error:
        return f"{item.id} cannot be restored: {error}"


def restore_from_files(
    store: Store, layout: Layout, scope: Scope, how: Remembering, now: str
) -> Rebuilt:
    """Put the entries of the files into a store that has lost them; what is there stays."""
    restored, paths, problems = 0, set[Path](), list[str]()
    found = entries_in_files(layout, scope, now)
    while batch := list(islice(found, _BATCH)):
        paths.update(path for path, _ in batch)
        problems += [f"{path.name}: {each}" for path, each in batch if isinstance(each, str)]
        entries = [each for _, each in batch if isinstance(each, Entry)]
        restored += store.write(_put_back(entries, how))
    return Rebuilt(restored, len(paths), tuple(problems))


def _put_back(entries: list[Entry], how: Remembering) -> Callable[[Transaction], int]:
    def operation(tx: Transaction) -> int:
        known = tx.by_ids([each.id for each in entries])
        missing = {
            each.id: each
            for each in entries
            if each.id not in known and not tx.erased(each.id, wording(each.content))
        }
        for entry in missing.values():
            counted = replace(entry, token_estimate=how.counter.count(entry.content))
            home = home_of(entry, how.topics)
            tx.insert(counted, fingerprint(entry.content), home, "restored from its file")
        return len(missing)

    return operation
