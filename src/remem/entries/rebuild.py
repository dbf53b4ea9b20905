"""Rebuild projections from the entries, and restore lost entries from the domain files.

`describe_missing` then tells the owner which entries may still be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Final

from remem.entries import placement
from remem.entries.domain_sync.state import FORM
from remem.entries.draft import checked_entry
from remem.entries.receipt import lowered_to_agent, without_privileges
from remem.errors import InvalidInput, RememError, counted
from remem.files import atomic
from remem.files.domain_file.details import Form
from remem.files.domain_file.document import DomainItem, entry_of
from remem.files.domain_file.format import metadata_of, with_metadata
from remem.files.domain_file.metadata import category_of_file
from remem.files.domain_file.parse import parse
from remem.files.layout import Layout, stem_and_part
from remem.files.workspace_key import DomainFileProofs
from remem.model.domain_routing import UNTRUSTED, domain_file_key, original_stem
from remem.model.entry import ENTRY_ID, Entry
from remem.model.scope import MAIN, Scope
from remem.ports import StoreDependencies
from remem.ports.entries import Store, Transaction
from remem.ports.records import Where
from remem.text.similarity import folded_hash

_ID: Final = re.compile(ENTRY_ID.pattern.encode())
_CHUNK_SIZE: Final = 1 << 20
_ID_LENGTH: Final = 12
_MAX_LISTED: Final = 8
_BATCH_SIZE: Final = 500


def describe_missing(
    present_entries: Iterable[Entry], erased_or_lost: Collection[str], old_files: Iterable[Path]
) -> Iterator[str]:
    """Yield sentences for the owner about entries that may be missing.

    `erased_or_lost` are ids that were erased or have already been reported. `old_files` may still
    contain ids: the damaged database and its log, and copies of domain files.
    """
    entries = list(present_entries)
    present_ids = {entry.id for entry in entries}
    linked_ids = {id_ for entry in entries for id_ in entry.related_to}
    missing = sorted((linked_ids | ids_in_files(old_files)) - present_ids - set(erased_or_lost))
    if missing:
        ids = ", ".join(missing[:_MAX_LISTED]) + (" …" if len(missing) > _MAX_LISTED else "")
        count = counted(len(missing), "entry", "entries")
        yield (
            f"{count} may be missing; links, copied files or the old database mention "
            f"{'it' if len(missing) == 1 else 'them'}, but no domain file does: {ids}"
        )
    else:
        yield "no sign of further missing entries in links, copied files or the old database"
    yield (
        "archived and superseded entries and the history are not stored in any file, so it is "
        "unknown how many of them are missing; a backup may have them"
    )


def ids_in_files(paths: Iterable[Path]) -> set[str]:
    """Return the entry ids in the bytes of these files, even if they are damaged."""
    ids: set[str] = set()
    for path in paths:
        try:
            with atomic.open_stream(path) as data:
                rest = b""
                while chunk := data.read(_CHUNK_SIZE):
                    rest += chunk
                    ids.update(match.decode() for match in _ID.findall(rest))
                    rest = rest[-_ID_LENGTH:]
        except (OSError, RememError):  # a folder, or a file that was removed meanwhile
            continue
    return ids


@dataclass(frozen=True, slots=True)
class RebuildReport:
    """The numbers of entries and files that were rebuilt or restored.

    `lowered` counts the entries restored with less trust or privileges than their lines have.
    `missing` has sentences about entries that may be lost.
    """

    entries: int
    files: int
    problems: tuple[str, ...] = ()
    lowered: int = 0
    missing: tuple[str, ...] = ()


def rebuild(
    store: Store,
    topics: Sequence[str],
    progress: Callable[[str], None],
    form: Form | None = None,
) -> RebuildReport:
    """Rebuild the full-text index, lookup tables and vectors, and queue all files for writing.

    Every entry is assigned to its domain file again. A new `form` of the files is kept for later
    writes.
    """

    def operation(tx: Transaction) -> RebuildReport:
        if form is not None:
            tx.put_record(FORM, "", form)
        files = len(tx.tally("home", Where(state="current")))
        tx.rebuild_search()
        placement.reassign_all(tx, topics)
        return RebuildReport(entries=len(tx.ids()), files=files)

    progress("rebuilding search")
    report = store.write(operation)
    progress(f"{counted(report.entries, 'entry', 'entries')}, {counted(report.files, 'file')}")
    return report


@dataclass(frozen=True, slots=True)
class RestoredLine:
    """An entry that was read from its line in a domain file; `digest` is that of the line.

    `lowered` says that it gets less trust or privileges than the line has.
    """

    entry: Entry
    lowered: bool
    digest: str


def entries_in_files(layout: Layout, scope: Scope, now: str) -> Iterator[tuple[Path, Entry | str]]:
    """Yield every entry in the domain files of a scope, or what is wrong with a line or file."""
    for path, line in _lines_in_files(layout, scope, now):
        yield path, line.entry if isinstance(line, RestoredLine) else line


def _lines_in_files(
    layout: Layout, scope: Scope, now: str
) -> Iterator[tuple[Path, RestoredLine | str]]:
    """Yield every line with an id in the domain files of a scope, or what is wrong with it."""
    folder, proofs = layout.domains(scope), DomainFileProofs(layout, scope)
    paths = folder.glob("*.md") if folder.is_dir() else ()
    parts = [(part, path) for path in paths if (part := stem_and_part(path.name))]
    documents = {}
    # Copies of a file come after it: what both have is restored from the file itself.
    for part, path in sorted(parts, key=lambda pair: (_is_copy(pair[0][0]), pair)):
        try:
            data = atomic.read(path, single_link=scope.kind != "main") or b""
            documents[part, path] = parse(atomic.decode_text(data, path))
        except RememError as error:
            yield path, str(error)
    metadata = dict(chain(*(metadata_of(text).items() for text in documents.values())))
    for (part, path), document in documents.items():
        proved = proofs.proves(domain_file_key(*part), document)
        stem = original_stem(part[0])
        for bullet in document.items:
            item = with_metadata(bullet, metadata)
            if item.id is not None:
                # In main the owner may have left a secret unmasked, which must not be masked now.
                keep_in = item.content if scope == MAIN else ""
                yield (
                    path,
                    restore_line(item, item.id, stem, now, proved=proved, keep_secrets_in=keep_in),
                )


def _is_copy(stem: str) -> bool:
    return original_stem(stem) != stem


def restore_line(
    item: DomainItem, id_: str, stem: str, now: str, *, proved: bool, keep_secrets_in: str = ""
) -> RestoredLine | str:
    """Return the entry of a line, or what is wrong with it.

    A line that has lost its metadata becomes a new entry. Unless the checksum of the file proves
    that remem wrote the line, the entry gets the agent's trust and no privileges. An entry from the
    untrusted file, or from a fenced line, stays untrusted. Secrets that the text `keep_secrets_in`
    contains are not masked.
    """
    entry = entry_of(item, stem) or Entry(
        id=id_,
        category=category_of_file(stem) or "fact",
        content=item.content,
        created_at=now,
        updated_at=now,
        source="file",
    )
    lowered = False
    if item.fenced or UNTRUSTED in (stem, entry.trust):
        entry = without_privileges(replace(entry, trust=UNTRUSTED))
    elif not proved:
        limited = lowered_to_agent(entry)
        lowered, entry = limited != entry, limited
    try:
        checked = checked_entry(entry, keep_if_in=keep_secrets_in)
        return RestoredLine(checked, lowered, item.digest)
    except InvalidInput as error:
        return f"{item.id} cannot be restored: {error}"


def restore_from_files(
    store: Store, layout: Layout, scope: Scope, deps: StoreDependencies, now: str
) -> RebuildReport:
    """Restore entries from the files to a store that has lost them.

    Entries that are still in the store are not changed.
    """
    restored_count, lowered_count, paths, problems = 0, 0, set[Path](), list[str]()
    entries = _lines_in_files(layout, scope, now)
    while batch := list(islice(entries, _BATCH_SIZE)):
        paths.update(path for path, _ in batch)
        problems += [f"{path.name}: {line}" for path, line in batch if isinstance(line, str)]
        lines = [line for _, line in batch if isinstance(line, RestoredLine)]
        restored_lines = store.write(partial(insert_missing, lines=lines, deps=deps))
        restored_count += len(restored_lines)
        lowered_count += sum(line.lowered for line in restored_lines)
    missing = tuple(describe_lost(store, layout, scope)) if restored_count else ()
    return RebuildReport(restored_count, len(paths), tuple(problems), lowered_count, missing)


def describe_lost(store: Store, layout: Layout, scope: Scope) -> Iterator[str]:
    """Yield sentences about entries that are mentioned somewhere, but could not be restored."""
    with store.read() as snapshot:
        entries = snapshot.select(Where(state="any"))
        erased_ids = {tombstone.id for tombstone in snapshot.tombstones()}
    damaged_files = layout.state_folder(scope).glob("damaged.*/*")
    copies = (layout.aside(scope).glob("*"), layout.conflicts(scope).glob("*"))
    yield from describe_missing(entries, erased_ids, chain(damaged_files, *copies))


def insert_missing(
    tx: Transaction, lines: Sequence[RestoredLine], deps: StoreDependencies
) -> list[RestoredLine]:
    """Insert the entries that are neither present nor erased, under their own ids; return them."""
    present = tx.find([line.entry.id for line in lines])
    missing: dict[str, RestoredLine] = {}
    for line in lines:
        id_, content = line.entry.id, line.entry.content
        if id_ not in present and not tx.tombstones(id_, folded_hash(content)):
            missing.setdefault(id_, line)
    for line in missing.values():
        entry = replace(line.entry, token_estimate=deps.counter.count(line.entry.content))
        placement.insert(tx, entry, "restored from its file", deps.topics)
    return list(missing.values())
