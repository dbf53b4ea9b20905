"""Do the files say what the records say? Compared bullet by bullet; nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from remem.core.homes import INDEX_MARK, domain_mark
from remem.core.scope import Scope
from remem.disclosure.index import make_index
from remem.errors import RememError
from remem.maintenance.doctor.finding import REPAIR, Finding
from remem.maintenance.projection.recovering import recovery_of, unknown_items
from remem.notes import files
from remem.notes.domain_file import taken_apart
from remem.notes.domain_format import item_digest
from remem.notes.layout import Layout, stem_and_part
from remem.ports import Snapshot, Store, TokenCounter


def drift(
    store: Store, layout: Layout, scope: Scope, counter: TokenCounter, index_tokens: int
) -> Iterator[tuple[str, Finding]]:
    """Each file that differs from the store, by its mark in the outbox."""
    with store.read() as snapshot:
        yield from _unknown(snapshot, layout, scope)
        waiting = {each.file for each in snapshot.outbox()}
        for home, part, _count, _tokens in snapshot.places():
            mark = domain_mark(home, part)
            path = layout.domain_path(scope, home, part)
            if mark not in waiting and (what := _difference(snapshot, path, home, part)):
                yield mark, _finding(layout, scope, path, what)
        if scope.kind == "main" and INDEX_MARK not in waiting:
            text = make_index(snapshot, counter, index_tokens).text.encode()
            if files.read(layout.index_file) != text and snapshot.rows():
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
            document, _ = taken_apart(files.read(path), path)
        except RememError:
            continue  # told of below, or on the next open
        lost = unknown_items(snapshot, document) if place and document else []
        if place and lost:
            ids = ", ".join(each.id or "" for each in lost[:8]) + (" …" if len(lost) > 8 else "")
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
        document, _ = taken_apart(files.read(path), path)
    except RememError as error:
        return str(error)
    if document is None:
        return "it is missing"
    found = {each.id: each.digest for each in document.items if each.id}
    entries = snapshot.standing_in(home, part)
    missing = [each.id for each in entries if each.id not in found]
    wanted = {each.id: item_digest(each, home) for each in entries}
    other = [id_ for id_ in wanted if found.get(id_, wanted[id_]) != wanted[id_]]
    extra = set(found) - {each.id for each in entries}
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
