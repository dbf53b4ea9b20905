"""Does the QMD installation beside this memory know what brain/areas says?

What did the doctor find? One thing, how grave it is, what it means, and what mends it.

What does an examination of a database mean for its owner?

Do the files say what the records say? Compared bullet by bullet; nothing is written.

Does search know what the files say? They are read again, into memory, and compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from remem.config import Config
from remem.entries.domain_sync.recovering import recovery_of, unknown_items
from remem.entries.index import make_index
from remem.errors import RememError
from remem.files import atomic
from remem.files.domain_file.format import item_digest, taken_apart
from remem.files.layout import Layout, stem_and_part
from remem.model.domain_routing import INDEX_MARK, domain_mark
from remem.model.passage import FileMark
from remem.model.scope import MAIN, Scope
from remem.ports.entries import Snapshot, Store
from remem.ports.models import TokenCounter
from remem.ports.passages import PassageReading, PassageStore
from remem.ports.records import Examined
from remem.search.qmd import behind

Severity = Literal["damage", "drift", "notice"]
"""damage: a record, or the way to it, is not sound. drift: something derived does not say what
the records say, and can be made anew. notice: nothing is wrong with the memory itself."""

REPAIR: Final = "`remem doctor --repair`"


@dataclass(frozen=True, slots=True)
class Finding:
    """`scope` is empty for what concerns the whole workspace; `repair` is what to do."""

    scope: str
    part: str
    severity: Severity
    what: str
    meaning: str
    repair: str


_NAMED: Final = 8


def judged(found: Examined, scope: str, part: str, now: str) -> Iterator[Finding]:
    """The findings of one database."""
    if found.structure:
        yield Finding(
            scope,
            part,
            "damage",
            f"the file is not sound: {_some(found.structure)}",
            "entries may be unreadable; nothing is written to it any more",
            f"{REPAIR} builds a sound one beside it and keeps this one",
        )
    if found.damaged:
        yield Finding(
            scope,
            part,
            "damage",
            f"{len(found.damaged)} records are not what was written: {_some(found.damaged)}",
            "a byte has changed on the disk; these entries are left out of answers",
            f"{REPAIR} heals them from their domain files or their history, or names them",
        )
    if found.damaged_history:
        yield Finding(
            scope,
            part,
            "damage",
            f"earlier versions of {_some(found.damaged_history)} are not what was written",
            "a byte has changed on the disk; the present wordings are not concerned",
            f"{REPAIR} heals what a single byte has spoiled, and names the rest",
        )
    for text in found.derived:
        yield Finding(
            scope,
            part,
            "drift",
            text,
            "search may miss entries; no entry is lost",
            f"{REPAIR} makes it anew from the entries",
        )
    if found.newest is not None and found.newest > now:
        yield Finding(
            scope,
            part,
            "notice",
            f"an entry was changed at {found.newest}, and now it is {now}",
            "this machine's clock is behind, or was ahead; order and expiry rely on it",
            "set the clock; entries keep their order all the same",
        )


def _some(texts: Sequence[str]) -> str:
    more = len(texts) - _NAMED
    return ", ".join(texts[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def drift(
    store: Store, layout: Layout, scope: Scope, counter: TokenCounter, index_tokens: int
) -> Iterator[tuple[str, Finding]]:
    """Each file that differs from the store, by its mark in the outbox."""
    with store.read() as snapshot:
        yield from _unknown(snapshot, layout, scope)
        waiting = {dirty.file for dirty in snapshot.outbox()}
        for home, part, _count, _tokens in snapshot.places():
            mark = domain_mark(home, part)
            path = layout.domain_path(scope, home, part)
            if mark not in waiting and (what := _difference(snapshot, path, home, part)):
                yield mark, _finding(layout, scope, path, what)
        if scope.kind == "main" and INDEX_MARK not in waiting:
            text = make_index(snapshot, counter, index_tokens).text.encode()
            if atomic.read(layout.index_file) != text and snapshot.rows():
                what = "it does not say what the entries say"
                yield INDEX_MARK, _finding(layout, scope, layout.index_file, what)
    for mark in sorted(waiting):
        what = "it waits to be written, which the next open does"
        yield mark, Finding(str(scope), mark, "notice", what, "a write was cut short", REPAIR)


def _unknown(snapshot: Snapshot, layout: Layout, scope: Scope) -> Iterator[tuple[str, Finding]]:
    """Each file with entries that the store has lost; files it knows nothing of included."""
    for path in sorted(layout.domains(scope).glob("*.md")):
        place = stem_and_part(path.name)
        try:
            document, _ = taken_apart(atomic.read(path), path)
        except RememError:
            continue  # told of below, or on the next open
        lost = unknown_items(snapshot, document) if place and document else []
        if place and lost:
            ids = ", ".join(item.id or "" for item in lost[:8]) + (" …" if len(lost) > 8 else "")
            yield (
                domain_mark(*place),
                Finding(
                    str(scope),
                    path.relative_to(layout.root).as_posix(),
                    "damage",
                    f"it holds {len(lost)} entries that the database does not know: {ids}",
                    "the database lost its latest changes, or somebody wrote these lines",
                    f"the next open, or {REPAIR}, restores them under their ids",
                ),
            )


def recovery_findings(store: Store, scope: Scope, part: str) -> Iterator[Finding]:
    """What the database had lost: acknowledged changes that are nowhere are damage, entries
    that came back from their files are worth a word."""
    gap, record = store.shortfall(), recovery_of(store)
    if gap is not None:
        lost = max(0, gap.had.entries - gap.has.entries)
        yield Finding(
            str(scope),
            part,
            "damage",
            f"it lacks its latest changes, {lost} new entries among them: its log was lost",
            "what was acknowledged is missing; the domain files may still hold it",
            f"the next open, or {REPAIR}, restores what the domain files hold",
        )
    if record is None:
        return
    for sentence in record.sentences:
        yield Finding(
            str(scope),
            part,
            "damage" if record.missing else "notice",
            sentence,
            "the write-ahead log was deleted or damaged, or an older database put in place",
            f"{REPAIR} takes this off the record; a backup may hold what is missing",
        )


def _difference(snapshot: Snapshot, path: Path, home: str, part: int) -> str | None:
    try:
        document, _ = taken_apart(atomic.read(path), path)
    except RememError as error:
        return str(error)
    if document is None:
        return "it is missing"
    found = {item.id: item.digest for item in document.items if item.id}
    entries = snapshot.standing_in(home, part)
    missing = [entry.id for entry in entries if entry.id not in found]
    wanted = {entry.id: item_digest(entry, home) for entry in entries}
    other = [id_ for id_ in wanted if found.get(id_, wanted[id_]) != wanted[id_]]
    extra = set(found) - {entry.id for entry in entries}
    told = [
        f"{len(missing)} entries are missing from it" if missing else "",
        f"{len(other)} bullets differ from their entries" if other else "",
        f"{len(extra)} bullets belong to no entry of this file" if extra else "",
    ]
    return ", ".join(each for each in told if each) or None


def _finding(layout: Layout, scope: Scope, path: Path, what: str) -> Finding:
    return Finding(
        str(scope),
        path.relative_to(layout.root).as_posix(),
        "drift",
        what,
        "the file and the store do not say the same; a hand edit is taken in on the next open",
        f"{REPAIR} takes in what was edited and writes the rest",
    )


def differences(kept: PassageStore, fresh: PassageStore) -> Iterator[str]:
    """What search knows differently of a file that has not changed since it was read. Files
    that have changed, or came or went, are no flaw: the next search reads them."""
    with kept.read() as known, fresh.read() as read:
        now = read.files()
        wrong = [
            path
            for path, mark in known.files().items()
            if path in now and _same(mark, now[path]) and _said(known, path) != _said(read, path)
        ]
    if wrong:
        some = ", ".join(wrong[:5]) + (" …" if len(wrong) > 5 else "")
        yield f"the passages of {len(wrong)} files are not what the files say: {some}"


def _same(mark: FileMark, now: FileMark) -> bool:
    return (mark.size, mark.mtime_ns, mark.inode) == (now.size, now.mtime_ns, now.inode)


def _said(reading: PassageReading, path: str) -> list[object]:
    return [passage for _, passage in reading.of_file(path)]


def qmd_findings(layout: Layout, config: Config) -> Iterator[Finding]:
    reason = behind(layout) if config.qmd else None
    if reason is not None:
        yield Finding(
            str(MAIN),
            "brain/areas",
            "notice",
            reason,
            "remem finds what stands there; a search with QMD may not",
            "mend the reason; `remem synthesize` lets QMD read again",
        )
