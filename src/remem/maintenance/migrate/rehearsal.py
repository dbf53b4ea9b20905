"""What would a migration do? It is done on a copy, and told without what is on the copy alone."""

from __future__ import annotations

from dataclasses import replace

from remem.maintenance.migrate.account import Migration
from remem.ports import Snapshot


def as_rehearsed(done: Migration, snapshot: Snapshot) -> Migration:
    """The account of a run on a copy: entries that do not exist yet have no id."""
    named = {line.id for file in done.files for line in file.lines}
    there = {each.id for each in snapshot.find(id_ for id_ in named if id_)}

    def kept(id_: str | None) -> str | None:
        return id_ if id_ in there else None

    files = [
        replace(file, lines=tuple(replace(line, id=kept(line.id)) for line in file.lines))
        for file in done.files
    ]
    reversals = [
        replace(
            each,
            earlier=replace(each.earlier, id=kept(each.earlier.id)),
            later=replace(each.later, id=kept(each.later.id)),
        )
        for each in done.reversals
    ]
    return replace(done, dry_run=True, files=tuple(files), reversals=tuple(reversals))
