"""What ails one scope, and how is it mended? Its database, its passages, its domain files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Final

from remem.admin.doctor.findings import (
    REPAIR,
    Finding,
    differences,
    drift,
    judged,
    recovery_findings,
)
from remem.admin.doctor.location import made_private, state_of
from remem.app.environment import transcripts_for
from remem.app.opening import open_workspace, owner_sessions, system_clock
from remem.config import Config
from remem.embed.counters import choose_counter
from remem.entries.rebuild import entries_in_files
from remem.errors import (
    NotAllowed,
    RememError,
    StoreDamaged,
    StoreError,
    StoreReadOnly,
    WordsDamaged,
)
from remem.files import atomic
from remem.files.database_swap import finish
from remem.files.layout import Layout
from remem.model.domain_routing import home_of
from remem.model.entry import Entry
from remem.model.scope import Scope, Session
from remem.ops.repair import mend
from remem.ports.records import Examined
from remem.search.refresh.reading import Sources
from remem.search.refresh.refresh import Refresh
from remem.setup.init import require_database
from remem.store.fallback import MemoryPassages
from remem.store.sqlite.entries import SqliteStore
from remem.store.sqlite.examine import examine
from remem.store.sqlite.examine_derived import examine_passages
from remem.store.sqlite.passages import SqlitePassages
from remem.store.sqlite.process_lock import alone

_PASSAGE_LOCKS: Final = "passages-"


def sessions_of(layout: Layout) -> list[Session]:
    try:
        return owner_sessions(layout)[0]
    except RememError:  # the mapping of rooms is told of as a finding of its own
        return owner_sessions(layout, rooms=False)[0]


@dataclass(frozen=True, slots=True)
class Case:
    """One scope before the doctor."""

    layout: Layout
    session: Session
    scope: Scope
    config: Config

    @property
    def _database(self) -> Path:
        return self.layout.database(self.scope)

    def findings(self) -> Iterator[Finding]:
        yield from state_of(self.layout, self.scope)
        yield from self._passages()
        name = self._database.relative_to(self.layout.root).as_posix()
        try:
            require_database(self._database, self.layout.domains(self.scope))
            if not self._database.exists():
                return
            found = self._examined()
            yield from judged(found, str(self.scope), name, system_clock())
            if found.sound:
                yield from self._recovery(name)
                yield from (each for _, each in self._drift())
        except RememError as error:
            what, hint = str(error.args[0]), error.hint or REPAIR
            yield Finding(str(self.scope), name, "damage", what, "it cannot be used", hint)

    def _examined(self) -> Examined:
        """A database that says it is another's is that other's, or its note is damaged."""
        try:
            found = examine(self._database)
        except StoreReadOnly:  # one that lost even its schema with its log gets it again
            SqliteStore(self._database).close()
            found = examine(self._database)
        if found.owner in (None, str(self.scope)) or not found.sound:
            return found
        if any(found.owner == str(session.scope) for session in sessions_of(self.layout)):
            raise NotAllowed(
                f"the database of {self.scope} belongs to {found.owner}",
                hint="put each database back into its own folder",
            )
        return replace(found, structure=("it does not say whose it is",))

    def _passages(self) -> Iterator[Finding]:
        """What is wrong with search over files, which can be made anew at any time."""
        path = self.layout.passages(self.scope)
        if not path.exists():
            return
        name = path.relative_to(self.layout.root).as_posix()
        try:
            found = examine_passages(path) or self._differing(path)
        except (StoreDamaged, WordsDamaged) as error:
            found = [str(error.args[0])]
        except StoreError as error:  # busy, of a later remem: not damage
            what, hint = str(error.args[0]), error.hint or "try again"
            yield Finding(str(self.scope), name, "notice", what, "it cannot be judged now", hint)
            return
        for what in found:
            meaning = "search over memory files may miss something; no file is concerned"
            repair = f"{REPAIR} reads the files anew"
            yield Finding(str(self.scope), name, "drift", what, meaning, repair)

    def _differing(self, path: Path) -> list[str]:
        kept, fresh = SqlitePassages(path), MemoryPassages()
        try:
            Refresh(fresh, self.sources(), self.layout.refresh_lock(self.scope))()
            return list(differences(kept, fresh))
        finally:
            kept.close()
            fresh.close()

    def sources(self) -> Sources:
        allowed = str(self.scope) in self.config.transcripts
        return Sources(
            self.layout,
            self.scope,
            self.config.extra_paths,
            partial(transcripts_for, self.layout, self.config, self.scope) if allowed else None,
        )

    def repaired(self) -> Iterator[str]:
        """Each thing that was done."""
        yield from made_private(self.layout, self.scope)
        yield from self._sound_database()
        if any(passage.severity == "drift" for passage in self._passages()):
            self._set_passages_aside()
            yield "the memory files are read anew"
        with open_workspace(self.layout.root, self.session, background=False) as workspace:
            if self._database.exists() and examine(self._database).derived:
                done = workspace.rebuild()
                yield f"search was made anew from {done.entries} entries"
            workspace.refresh()
            if recovery := workspace.settle_recovery():
                yield from recovery.sentences
            marks = [mark for mark, each in self._drift() if each.severity == "drift"]
            if marks:
                workspace.write_again(marks)
                yield f"{len(marks)} files were brought into step"

    def _sound_database(self) -> Iterator[str]:
        with alone(self._database.parent):
            if finish(self._database):
                yield "an exchange that was cut short is finished"
            for left in self._database.parent.glob("mending.*"):
                shutil.rmtree(left)  # a copy that never came into its place
        try:
            require_database(self._database, self.layout.domains(self.scope))
            if not self._database.exists() or self._examined().sound:
                return
        except StoreError as error:
            if self._database.exists() and self._database.stat().st_size:
                raise error
        with alone(self._database.parent):
            yield from mend(self._database, self._twins(), self._home_of)
            for path, why in self._unreadable():
                yield f"{path.name}: NOT restored: {why}"

    def _set_passages_aside(self) -> None:
        path = self.layout.passages(self.scope)
        folder = atomic.unused(path.parent, "damaged-passages")
        with alone(path.parent, _PASSAGE_LOCKS):
            for each in sorted(path.parent.glob(f"{path.name}*"), reverse=True):
                atomic.set_aside(each, folder / each.name)

    def _twins(self) -> dict[str, Entry]:
        """The entries that the domain files hold."""
        counter = choose_counter(self.config.token_counter)
        found = entries_in_files(self.layout, self.scope, system_clock())
        return {
            each.id: replace(each, token_estimate=counter.count(each.content))
            for _, each in found
            if isinstance(each, Entry)
        }

    def _unreadable(self) -> Iterator[tuple[Path, str]]:
        """What stands in domain files and is no entry that can be restored."""
        found = entries_in_files(self.layout, self.scope, system_clock())
        return ((path, each) for path, each in found if isinstance(each, str))

    def _home_of(self, entry: Entry) -> str:
        return home_of(entry, self.config.topics)

    def _recovery(self, name: str) -> list[Finding]:
        store = SqliteStore(self._database)
        try:
            return list(recovery_findings(store, self.scope, name))
        finally:
            store.close()

    def _drift(self) -> list[tuple[str, Finding]]:
        store = SqliteStore(self._database)
        try:
            counter = choose_counter(self.config.token_counter)
            tokens = self.config.index_tokens
            return list(drift(store, self.layout, self.scope, counter, tokens))
        finally:
            store.close()
