"""Do the files say what the records say? Compared bullet by bullet; nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from remem.core.homes import INDEX_MARK, domain_mark
from remem.core.scope import Scope
from remem.disclosure.index import make_index
from remem.errors import RememError
from remem.maintenance.doctor.finding import REPAIR, Finding
from remem.notes import files
from remem.notes.domain_file import taken_apart
from remem.notes.domain_format import item_digest
from remem.notes.layout import Layout
from remem.ports import Snapshot, Store, TokenCounter


def drift(
    store: Store, layout: Layout, scope: Scope, counter: TokenCounter, index_tokens: int
) -> Iterator[tuple[str, Finding]]:
    """Each file that differs from the store, by its mark in the outbox."""
    with store.read() as snapshot:
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
