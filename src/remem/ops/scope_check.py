"""Check and repair one scope: its database, its passages and its domain files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from remem.admin.doctor.findings import (
    REPAIR,
    Finding,
    database_findings,
    drift_findings,
    passage_differences,
    recovery_findings,
)
from remem.admin.doctor.location import make_scope_private, scope_findings
from remem.app.environment import transcripts_for
from remem.app.opening import all_scopes, open_scope, system_clock
from remem.app.stores import open_store, postgres_address, require_database
from remem.config import Config
from remem.embed.counters import choose_counter
from remem.entries.rebuild import entries_in_files
from remem.errors import (
    FullTextIndexDamaged,
    NotAllowed,
    RememError,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
    counted,
)
from remem.files import atomic
from remem.files.database_swap import finish
from remem.files.layout import Layout
from remem.model.domain_routing import domain_stem
from remem.model.entity import ITEMS
from remem.model.entry import Entry
from remem.model.scope import Scope
from remem.ops.repair import repair_database
from remem.ports.records import Examination
from remem.search.refresh.reading import SourceFiles
from remem.search.refresh.refresh import ReadProblem, Refresh
from remem.store.fallback import MemoryPassages
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.examine import examine
from remem.store.sqlite.examine_derived import examine_passages
from remem.store.sqlite.passages import SqlitePassages
from remem.store.sqlite.process_lock import exclusive_access

_PASSAGE_LOCKS: Final = "passages-"


def checkable_scopes(layout: Layout) -> list[Scope]:
    """Return all scopes; if the list of rooms is broken, those that can be found without it."""
    try:
        return all_scopes(layout)[0]
    except RememError:  # reported as a separate finding
        return all_scopes(layout, rooms=False)[0]


@dataclass(frozen=True, slots=True)
class ScopeCheck:
    """Checks and repairs one scope."""

    layout: Layout
    scope: Scope
    config: Config

    @property
    def _database(self) -> Path:
        return self.layout.database(self.scope)

    def findings(self) -> Iterator[Finding]:
        """Yield the findings about the scope, the layers of its memory aside."""
        yield from scope_findings(self.layout, self.scope)
        yield from self._passages()
        name = self.layout.relative(self._database)
        try:
            address = postgres_address(self.layout, self.config)
            if address is not None:
                name = str(address)
                yield from (finding for _, finding in self._drift())
                return
            require_database(self._database, self.layout.domains(self.scope))
            if not self._database.exists():
                return
            examination = self._examine()
            yield from database_findings(examination, str(self.scope), name, system_clock())
            if examination.intact:
                yield from self._recovery(name)
                yield from (finding for _, finding in self._drift())
        except RememError as error:
            what, hint = str(error.args[0]), error.hint or REPAIR
            yield Finding(str(self.scope), name, "damage", what, "it cannot be used", hint)

    def _examine(self) -> Examination:
        """Examine the database; the name of an unknown scope in it counts as damage.

        Raise NotAllowed if it belongs to another known scope, because it is in the wrong folder.
        """
        try:
            examination = examine(self._database)
        except StoreReadOnly:  # opening restores a schema that was lost with the log
            SqliteStore(self._database).close()
            examination = examine(self._database)
        if examination.scope in (None, str(self.scope)) or not examination.intact:
            return examination
        if examination.scope in map(str, checkable_scopes(self.layout)):
            raise NotAllowed(
                f"the database of {self.scope} belongs to {examination.scope}",
                hint="put each database back into its own folder",
            )
        return replace(examination, structure=("the name of its scope is damaged",))

    def _passages(self) -> Iterator[Finding]:
        """Yield the findings about the passages."""
        path = self.layout.passages(self.scope)
        if not path.exists():
            return
        name = self.layout.relative(path)
        unread: Sequence[ReadProblem] = ()
        try:
            problems = list(examine_passages(path))
            if not problems:
                problems, unread = self._compare_passages(path)
        except (StoreDamaged, FullTextIndexDamaged) as error:
            problems = [str(error.args[0])]
        except StoreError as error:  # busy, or written by a later version of remem: not damage
            what, hint = str(error.args[0]), error.hint or "try again"
            yield Finding(str(self.scope), name, "notice", what, "it could not be checked", hint)
            return
        for file in unread:
            meaning, repair = "recall and search find nothing in it", "make it readable, or move it"
            yield Finding(str(self.scope), file.path, "notice", file.reason, meaning, repair)
        for what in problems:
            meaning = "search may miss some lines; the files themselves are not affected"
            repair = f"{REPAIR} reads the files again"
            yield Finding(str(self.scope), name, "drift", what, meaning, repair)

    def _compare_passages(self, path: Path) -> tuple[list[str], Sequence[ReadProblem]]:
        """Return the differences from the files, and what of them could not be read."""
        with closing(SqlitePassages(path)) as stored, closing(MemoryPassages()) as fresh:
            report = Refresh(fresh, self.sources(), self.layout.refresh_lock(self.scope))()
            unread = [file for file in report.problems if not file.path.endswith(ITEMS)]
            return list(passage_differences(stored, fresh)), unread

    def sources(self) -> SourceFiles:
        """Return the files that search reads in this scope."""
        allowed = str(self.scope) in self.config.transcripts
        return SourceFiles(
            self.layout,
            self.scope,
            self.config.extra_paths,
            partial(transcripts_for, self.layout, self.config, self.scope) if allowed else None,
        )

    def repairs(self) -> Iterator[str]:
        """Repair the scope, and yield sentences about the repairs."""
        yield from make_scope_private(self.layout, self.scope)
        in_files = postgres_address(self.layout, self.config) is None
        if in_files:
            yield from self._repair_database()
        if any(finding.severity == "drift" for finding in self._passages()):
            self._set_passages_aside()
            yield "the memory files were read again"
        with open_scope(self.layout, self.scope) as workspace:
            if in_files and self._database.exists() and examine(self._database).derived:
                rebuilt = workspace.maintenance.rebuild()
                yield f"search was rebuilt from {counted(rebuilt.entries, 'entry', 'entries')}"
            workspace.refresh()
            if recovery := workspace.services.maintenance.clear_recovery():
                yield from recovery.sentences
            keys = [key for key, finding in self._drift() if finding.severity == "drift"]
            if keys:
                workspace.services.maintenance.rewrite_files(keys)
                yield f"{counted(len(keys), 'file was', 'files were')} rewritten from the database"

    def _repair_database(self) -> Iterator[str]:
        with exclusive_access(self._database.parent):
            if finish(self._database):
                yield "an interrupted repair was finished"
            for leftover in self._database.parent.glob("mending.*"):
                shutil.rmtree(leftover)  # the copy of an interrupted repair
        try:
            require_database(self._database, self.layout.domains(self.scope))
            if not self._database.exists() or self._examine().intact:
                return
        except StoreError as error:
            if self._database.exists() and self._database.stat().st_size:
                raise error
        with exclusive_access(self._database.parent):
            entries = list(entries_in_files(self.layout, self.scope, system_clock()))
            counter = choose_counter(self.config.token_counter)
            in_files = {
                entry.id: replace(entry, token_estimate=counter.count(entry.content))
                for _, entry in entries
                if isinstance(entry, Entry)
            }
            topics = self.config.topics
            yield from repair_database(
                self._database, in_files, lambda entry: domain_stem(entry, topics)
            )
            for path, problem in entries:
                if isinstance(problem, str):
                    yield f"{path.name}: NOT restored: {problem}"

    def _set_passages_aside(self) -> None:
        path = self.layout.passages(self.scope)
        folder = atomic.unused_path(path.parent, "damaged-passages")
        with exclusive_access(path.parent, _PASSAGE_LOCKS):
            for file in sorted(path.parent.glob(f"{path.name}*"), reverse=True):
                atomic.set_aside(file, folder / file.name)

    def _recovery(self, name: str) -> list[Finding]:
        with closing(SqliteStore(self._database)) as store:
            return list(recovery_findings(store, self.scope, name))

    def _drift(self) -> list[tuple[str, Finding]]:
        counter = choose_counter(self.config.token_counter)
        tokens = self.config.index_tokens
        with open_store(self.layout, self.scope) as store:
            return list(drift_findings(store, self.layout, self.scope, counter, tokens))
