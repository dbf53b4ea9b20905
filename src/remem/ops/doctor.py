"""What ails a workspace? Every scope is examined and, where wanted, repaired."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from remem.admin.doctor.findings import Finding, qmd_findings
from remem.admin.doctor.location import place
from remem.config import Config
from remem.errors import RememError, StoreDamaged, StoreError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.rooms import read_rooms, unfinished_renaming
from remem.files.sessions import read_config
from remem.model.scope import Scope
from remem.ops.layers import LayersOf
from remem.ops.scope_check import Case, sessions_of
from remem.store.sqlite.connection import require_sound_sqlite
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.high_water import forget

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found, what was done about it, and what is left."""

    findings: tuple[Finding, ...]
    repairs: tuple[str, ...]
    remaining: tuple[Finding, ...]

    @property
    def well(self) -> bool:
        return all(finding.severity == "notice" for finding in self.remaining)


def examine_workspace(
    layout: Layout, *, repair: bool, tell: Tell = lambda _: None, against: Path | None = None
) -> Diagnosis:
    """Look at everything; with `repair`, mend what can be mended and look again. `against` is a
    backup that facts are compared with."""
    layers = LayersOf(layout, against)
    found = tuple(_all_findings(layout, layers, tell))
    if not repair:
        return Diagnosis(found, (), found)
    repairs = (*_all_repairs(layout, tell), *layers.repairs())
    return Diagnosis(found, repairs, tuple(_all_findings(layout, layers, tell)))


def _all_findings(layout: Layout, layers: LayersOf, tell: Tell) -> Iterator[Finding]:
    try:
        require_sound_sqlite()
    except StoreError as error:
        yield Finding("", "SQLite", "damage", str(error.args[0]), "see there", error.hint or "")
    yield from place(layout)
    config, trouble = _config(layout)
    yield from trouble
    yield from qmd_findings(layout, config)
    for session in sessions_of(layout):
        tell(f"looking at {session.scope}")
        assert session.scope is not None
        case = Case(layout, session, session.scope, config)
        found = list(case.findings())
        yield from found
        if all(finding.severity != "damage" for finding in found):
            yield from layers.findings(session.scope, case.sources())


def _all_repairs(layout: Layout, tell: Tell) -> Iterator[str]:
    config, _ = _config(layout)
    for session in sessions_of(layout):
        tell(f"repairing {session.scope}")
        assert session.scope is not None
        case = Case(layout, session, session.scope, config)
        try:
            for done in case.repaired():
                yield f"{session.scope}: {done}"
        except RememError as error:
            yield f"{session.scope}: not repaired: {error}"


def _config(layout: Layout) -> tuple[Config, list[Finding]]:
    """The settings, or the usual ones and what is wrong with them; the rooms' names too."""
    findings: list[Finding] = []
    config = Config()
    try:
        config = read_config(layout)
    except RememError as error:
        findings.append(_unusable(".remem/config.toml", error, "nothing can be opened"))
    try:
        read_rooms(layout.root)
    except RememError as error:
        findings.append(_unusable("memory/group_names.json", error, "no room has a memory"))
    try:
        if unfinished_renaming(layout) is not None:
            what, meaning = "a renaming was cut short", "the room's memory stays closed until then"
            findings.append(
                Finding("", "rooms", "damage", what, meaning, "`remem rooms` finishes the renaming")
            )
    except RememError as error:
        findings.append(_unusable(".remem/renaming.json", error, "no room has a memory"))
    return config, findings


def _unusable(part: str, error: RememError, meaning: str) -> Finding:
    hint = error.hint or "mend the file by hand"
    return Finding("", part, "damage", str(error.args[0]), f"{meaning} until it is mended", hint)


def set_damaged_aside(layout: Layout, scope: Scope) -> Path | None:
    """Move a database that is not sound out of the way, whole; a sound one stays.

    Only damage counts: a file that is busy, too new or not ours to write is left alone.
    """
    database = layout.database(scope)
    if not database.exists():
        return None
    try:
        SqliteStore(database).close()
    except StoreDamaged:
        folder = atomic.unused(database.parent, "damaged")
        for path in sorted(database.parent.glob(f"{database.name}*")):
            atomic.set_aside(path, folder / path.name)
        forget(database)
        return folder
    return None
