"""The doctor: check every scope of a workspace and, on request, repair it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from remem.admin.doctor.findings import Finding, qmd_findings
from remem.admin.doctor.location import workspace_findings
from remem.app.stores import postgres_address, space_list
from remem.config import Config
from remem.errors import RememError, StoreDamaged, StoreError
from remem.files import atomic
from remem.files.layout import Layout
from remem.files.rooms import read_rooms, unfinished_renaming
from remem.files.sessions import read_config
from remem.model.scope import MAIN, Scope
from remem.ops.layers import LayerCheck
from remem.ops.scope_check import ScopeCheck, checkable_scopes
from remem.store.sqlite.connection import require_safe_sqlite
from remem.store.sqlite.counter_file import reset_counters
from remem.store.sqlite.entries import SqliteStore

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The findings, the repairs that were made, and the findings that remain."""

    findings: tuple[Finding, ...]
    repairs: tuple[str, ...]
    remaining: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """Whether only notices remain."""
        return all(finding.severity == "notice" for finding in self.remaining)


def examine_workspace(
    layout: Layout,
    *,
    repair: bool,
    progress: Progress = lambda _: None,
    against: Path | None = None,
) -> Diagnosis:
    """Check the workspace; with `repair`, repair as much as possible and check again.

    With `against`, a backup, facts that are in it but no longer in the workspace are found too.
    """
    layers = LayerCheck(layout, against)
    findings = tuple(_all_findings(layout, layers, progress))
    if not repair:
        return Diagnosis(findings, (), findings)
    repairs = (*_all_repairs(layout, progress), *layers.repairs())
    return Diagnosis(findings, repairs, tuple(_all_findings(layout, layers, progress)))


def _all_findings(layout: Layout, layers: LayerCheck, progress: Progress) -> Iterator[Finding]:
    try:
        require_safe_sqlite()
    except StoreError as error:
        what, meaning = str(error.args[0]), "this version can corrupt a database"
        yield Finding("", "SQLite", "damage", what, meaning, error.hint or "")
    yield from workspace_findings(layout)
    config, problems = _config(layout)
    yield from problems
    yield from qmd_findings(layout, config)
    found: list[Finding] = []
    scopes = [MAIN]
    with _errors_in("memory", "groups and spaces cannot be checked", found):
        scopes = checkable_scopes(layout)
    yield from found
    for scope in scopes:
        progress(f"checking {scope}")
        check = ScopeCheck(layout, scope, config)
        findings = list(check.findings())
        yield from findings
        if all(finding.severity != "damage" for finding in findings):
            yield from layers.findings(scope, check.sources())


def _all_repairs(layout: Layout, progress: Progress) -> Iterator[str]:
    config, _ = _config(layout)
    for scope in checkable_scopes(layout):
        progress(f"repairing {scope}")
        try:
            for repair in ScopeCheck(layout, scope, config).repairs():
                yield f"{scope}: {repair}"
        except RememError as error:
            yield f"{scope}: not repaired: {error}"


def _config(layout: Layout) -> tuple[Config, list[Finding]]:
    """Return the settings, and findings about them, the rooms and the shared spaces.

    If the settings are invalid, the default settings are returned.
    """
    findings: list[Finding] = []
    config = Config()
    with _errors_in(".remem/config.toml", "nothing can be opened", findings):
        config = read_config(layout)
    store_is_known = not findings
    with _errors_in("memory/group_names.json", "no room has a memory", findings):
        read_rooms(layout.root)
    with _errors_in(".remem/renaming.json", "no room has a memory", findings):
        if unfinished_renaming(layout) is not None:
            what, meaning = "a renaming was interrupted", "the room's memory is closed until then"
            hint = "`remem rooms` finishes the renaming"
            findings.append(Finding("", "rooms", "damage", what, meaning, hint))
    if store_is_known:
        with _errors_in(".remem/spaces.json", "nobody can use a shared space", findings):
            findings += _unlisted_spaces(layout)
    return config, findings


def _unlisted_spaces(layout: Layout) -> list[Finding]:
    """Return a finding for each scope of a shared space that is not in the list of spaces."""
    listed_spaces = space_list(layout, postgres_address(layout)).read().listed
    return [
        Finding(
            str(scope),
            layout.relative(layout.state_folder(scope)),
            "notice",
            "it is not in the list of shared spaces",
            "nobody can read it",
            f"`remem spaces create {scope.name}` lets main use it again",
        )
        for scope in checkable_scopes(layout)
        if scope.kind == "shared" and scope.name not in listed_spaces
    ]


@contextmanager
def _errors_in(file: str, meaning: str, findings: list[Finding]) -> Iterator[None]:
    """Add an error to the findings instead of raising it."""
    try:
        yield
    except RememError as error:
        what, hint = str(error.args[0]), error.hint or "fix the file by hand"
        findings.append(Finding("", file, "damage", what, f"{meaning} until it is fixed", hint))


def set_damaged_aside(layout: Layout, scope: Scope) -> Path | None:
    """Move a damaged database aside, and return its new folder; None if it is intact.

    A database that is busy, too new or read-only is not moved.
    """
    database = layout.database(scope)
    if postgres_address(layout) is not None or not database.exists():
        return None
    try:
        SqliteStore(database).close()
    except StoreDamaged:
        folder = atomic.unused_path(database.parent, "damaged")
        for path in sorted(database.parent.glob(f"{database.name}*")):
            atomic.set_aside(path, folder / path.name)
        reset_counters(database)
        return folder
    return None
