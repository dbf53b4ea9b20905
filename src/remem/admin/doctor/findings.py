"""The findings of the doctor, and the checks of one scope's database, files and search index.

Domain files are compared with the entries bullet by bullet. To check search, the files are read
again into a store in memory, which is compared with the stored passages. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from remem.config import Config
from remem.entries.domain_sync.sync_file import unknown_items
from remem.entries.index import make_index
from remem.errors import RememError, counted, listed
from remem.files import atomic
from remem.files.domain_file.format import item_digest, parse_file
from remem.files.layout import Layout, stem_and_part
from remem.model.domain_routing import INDEX_FILE_KEY, domain_file_key
from remem.model.passage import FileMark
from remem.model.scope import MAIN, Scope
from remem.ports.entries import Snapshot, Store
from remem.ports.models import TokenCounter
from remem.ports.passages import PassageReader, PassageStore
from remem.ports.records import Examination, Home, Where
from remem.ports.state import LOSS, RECOVERY
from remem.search.qmd import why_qmd_is_outdated

Severity = Literal["damage", "drift", "notice"]
"""The severity of a finding.

- damage: a record is damaged or cannot be read.
- drift: a derived file or index differs from the records, and can be rebuilt.
- notice: the memory itself is intact.
"""

REPAIR: Final = "`remem doctor --repair`"
_MAX_LISTED: Final = 8


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: what is wrong, what that means, and how to repair it.

    `scope` is empty if the finding concerns the whole workspace.
    """

    scope: str
    part: str
    severity: Severity
    what: str
    meaning: str
    repair: str


def database_findings(
    examination: Examination, scope: str, part: str, now: str
) -> Iterator[Finding]:
    """Yield the findings about one database."""
    if examination.structure:
        yield Finding(
            scope,
            part,
            "damage",
            f"the file is damaged: {listed(examination.structure, _MAX_LISTED)}",
            "entries may be unreadable; remem does not write to the file until it is repaired",
            f"{REPAIR} builds a new file and keeps this one",
        )
    if examination.damaged:
        yield Finding(
            scope,
            part,
            "damage",
            f"{counted(len(examination.damaged), 'record is', 'records are')} damaged: "
            f"{listed(examination.damaged, _MAX_LISTED)}",
            "bytes have changed on disk; damaged entries are left out of answers",
            f"{REPAIR} restores records from domain files or history, and lists the others",
        )
    if examination.damaged_history:
        yield Finding(
            scope,
            part,
            "damage",
            f"earlier versions of {listed(examination.damaged_history, _MAX_LISTED)} are damaged",
            "bytes have changed on disk; the current versions are intact",
            f"{REPAIR} repairs single-byte damage and lists the rest",
        )
    for text in examination.derived:
        yield Finding(
            scope,
            part,
            "drift",
            text,
            "search may miss entries; no entry is lost",
            f"{REPAIR} rebuilds it from the entries",
        )
    if examination.newest_entry_at is not None and examination.newest_entry_at > now:
        yield Finding(
            scope,
            part,
            "notice",
            f"an entry was changed at {examination.newest_entry_at}, but it is only {now} now",
            "this machine's clock is slow, or was fast before; order and expiry depend on it",
            "set the clock; entries keep their order",
        )


def drift_findings(
    store: Store, layout: Layout, scope: Scope, counter: TokenCounter, index_tokens: int
) -> Iterator[tuple[str, Finding]]:
    """Yield findings about files that differ from the store, each with the key of the file."""
    with store.read() as snapshot:
        yield from _unknown_entries(snapshot, layout, scope)
        waiting = {item.file for item in snapshot.outbox()}
        for file_key in sorted(snapshot.tally("home", Where(state="current"))):
            stem, _, part = file_key.rpartition(":")
            home = Home(stem, int(part))
            path = layout.domain_path(scope, *home)
            if file_key not in waiting and (problem := _difference(snapshot, path, home)):
                yield file_key, _drift_finding(layout, scope, path, problem)
        if scope.kind == "main" and INDEX_FILE_KEY not in waiting:
            text = make_index(snapshot, counter, index_tokens).text.encode()
            if atomic.read(layout.index_file) != text and snapshot.ids():
                problem = "it differs from the entries"
                yield INDEX_FILE_KEY, _drift_finding(layout, scope, layout.index_file, problem)
    for file_key in sorted(waiting):
        problem = "this file has not been written yet"
        repair = f"{REPAIR} or the next command that opens the workspace writes it"
        yield (
            file_key,
            Finding(str(scope), file_key, "notice", problem, "a write was interrupted", repair),
        )


def _unknown_entries(
    snapshot: Snapshot, layout: Layout, scope: Scope
) -> Iterator[tuple[str, Finding]]:
    """Yield findings about entries that are in a domain file but not in the store.

    All domain files are read, also those in which the store has no entries.
    """
    for path in sorted(layout.domains(scope).glob("*.md")):
        place = stem_and_part(path.name)
        try:
            document, _ = parse_file(atomic.read(path), path)
        except RememError:
            continue  # reported below, or when the workspace is opened
        lost = unknown_items(snapshot, document) if place and document else []
        if place and lost:
            entries = counted(len(lost), "entry that is", "entries that are")
            ids = listed([item.id or "" for item in lost], _MAX_LISTED)
            yield (
                domain_file_key(*place),
                Finding(
                    str(scope),
                    layout.relative(path),
                    "damage",
                    f"it has {entries} not in the database: {ids}",
                    "the database lost its latest changes, or somebody wrote these lines",
                    f"{REPAIR} or the next command that opens the workspace stores them with "
                    "their ids",
                ),
            )


def recovery_findings(store: Store, scope: Scope, part: str) -> Iterator[Finding]:
    """Yield findings about changes that the database has lost.

    Changes that cannot be restored are damage; restored ones are only a notice.
    """
    with store.read() as snapshot:
        lost, record = snapshot.record(LOSS), snapshot.record(RECOVERY)
    if lost is not None:
        yield Finding(
            str(scope),
            part,
            "damage",
            f"its log was lost, and with it the latest changes, including "
            f"{counted(lost, 'new entry', 'new entries')}",
            "changes that were reported as saved are missing; the domain files may still have them",
            f"{REPAIR} or the next command that opens the workspace restores what the domain "
            "files have",
        )
    if record is None:
        return
    for sentence in record.sentences:
        yield Finding(
            str(scope),
            part,
            "damage" if record.missing else "notice",
            sentence,
            "the write-ahead log was deleted or damaged, or an older database was put in its place",
            f"{REPAIR} clears this finding; a backup may have what is missing",
        )


def _difference(snapshot: Snapshot, path: Path, home: Home) -> str | None:
    try:
        document, _ = parse_file(atomic.read(path), path)
    except RememError as error:
        return str(error)
    if document is None:
        return "it is missing"
    digests = {item.id: item.digest for item in document.items if item.id}
    entries = snapshot.select(Where(state="current", home=home))
    missing = [entry.id for entry in entries if entry.id not in digests]
    wanted = {entry.id: item_digest(entry, home.stem) for entry in entries}
    differing = [id_ for id_ in wanted if digests.get(id_, wanted[id_]) != wanted[id_]]
    extra = set(digests) - {entry.id for entry in entries}
    problems = []
    if missing:
        problems.append(f"{counted(len(missing), 'entry is', 'entries are')} missing from it")
    if differing:
        bullets = counted(len(differing), "bullet differs", "bullets differ")
        problems.append(f"{bullets} from the stored text")
    if extra:
        bullets = counted(len(extra), "bullet does", "bullets do")
        problems.append(f"{bullets} not belong to an entry of this file")
    return ", ".join(problems) or None


def _drift_finding(layout: Layout, scope: Scope, path: Path, problem: str) -> Finding:
    return Finding(
        str(scope),
        layout.relative(path),
        "drift",
        problem,
        "it may have been edited by hand; edits are read when the workspace is next opened",
        f"{REPAIR} reads the edits and rewrites the rest of the file",
    )


def passage_differences(passages: PassageStore, fresh: PassageStore) -> Iterator[str]:
    """Yield a sentence about unchanged files whose stored passages are wrong.

    Files that were changed, added or removed do not count, because the next search reads them.
    """
    with passages.read() as stored, fresh.read() as current:
        current_files = current.files()
        stale = [
            path
            for path, mark in stored.files().items()
            if path in current_files
            and _is_unchanged(mark, current_files[path])
            and _passages(stored, path) != _passages(current, path)
        ]
    if stale:
        files = counted(len(stale), "file differ from it", "files differ from them")
        yield f"the passages of {files}: {listed(stale, _MAX_LISTED)}"


def _is_unchanged(mark: FileMark, now: FileMark) -> bool:
    return (mark.size, mark.mtime_ns, mark.inode) == (now.size, now.mtime_ns, now.inode)


def _passages(reading: PassageReader, path: str) -> list[object]:
    return [passage for _, passage in reading.of_file(path)]


def qmd_findings(layout: Layout, config: Config) -> Iterator[Finding]:
    """Yield a finding if QMD is configured and its last update failed or is too old."""
    reason = why_qmd_is_outdated(layout) if config.qmd else None
    if reason is not None:
        yield Finding(
            str(MAIN),
            "brain/areas",
            "notice",
            reason,
            "remem finds the latest pages, but a search with QMD may not",
            "fix the cause; then `remem synthesize` updates QMD",
        )
