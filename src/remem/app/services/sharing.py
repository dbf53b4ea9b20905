"""The owner's commands for shared spaces: create, grant, share and unshare, and their log."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from remem.app.context import SessionContext
from remem.entries.spaces.listing import (
    create_space,
    delete_space,
    deleted_spaces,
    grant_space,
    require_space,
    revoke_space,
)
from remem.entries.spaces.log import Action, SpaceUse, log_use, uses_of
from remem.entries.spaces.shares import (
    FACT_SOURCE,
    SHARES,
    Share,
    begin_share,
    begin_withdrawal,
    copy_of,
    end_share,
    end_withdrawal,
    find_share,
    forget_space,
    put_copy,
    shares_of,
    unfinished_shares,
)
from remem.entries.spaces.storing import waiting_proposals
from remem.errors import InvalidInput, UnknownEntry, quoted
from remem.files.locks import exclusive_lock, exclusive_lock_within
from remem.files.spaces import has_space_files, remove_space_files
from remem.model.entity import category_of
from remem.model.entry import Entry, is_entry_id
from remem.model.scope import Level, Scope
from remem.ports.entries import Store
from remem.ports.records import Where
from remem.ports.spaces import Space, SpaceList

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.files.facts import KnownFacts
    from remem.model.fact import Fact
    from remem.ports import StoreDependencies


@dataclass(frozen=True, slots=True)
class SpaceSummary:
    """A space, who may use it, and what is in it.

    `outdated` counts copies whose original has changed since.
    """

    name: str
    created_at: str
    grants: dict[str, Level]
    entries: int = 0
    proposals: int = 0
    outdated: int = 0


@dataclass(frozen=True, slots=True)
class SharedCopy:
    """A memory of main, and its copy in a space."""

    id: str
    space: str
    copy: str
    content: str
    trust: str


@dataclass(frozen=True, slots=True)
class UnsharedEntry:
    """An entry that is no longer in a space; `also_in` lists files that still contain its text."""

    id: str
    space: str
    also_in: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DeletedSpaceReport:
    """A space that was deleted; `kept` lists files of its folder that remem did not write."""

    name: str
    entries: int
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SharingService:
    """Manages the shared spaces of a workspace. Only the owner can use it, in main.

    `open_space` opens a space with the owner's trust.
    """

    context: SessionContext
    store: Store
    deps: StoreDependencies
    known_facts: Callable[[], KnownFacts | None]
    open_space: Callable[[Scope], AbstractContextManager[Workspace]]

    def create(self, name: str) -> Space:
        self._require_owner()
        with exclusive_lock(self._lock):
            self._remove_deleted()
        space = create_space(self._space_list, name, self.context.now())
        self._log(name, "create")
        return space

    def grant(self, name: str, grantee: str, level: str = "read") -> Space:
        self._require_owner()
        space = grant_space(self._space_list, name, _grantee(grantee), level)
        self._log(name, "grant", f"{_grantee(grantee)} {level}")
        return space

    def revoke(self, name: str, grantee: str) -> Space:
        self._require_owner()
        space = revoke_space(self._space_list, name, _grantee(grantee))
        self._log(name, "revoke", _grantee(grantee))
        return space

    def summaries(self) -> list[SpaceSummary]:
        """Return every space of the workspace, with its size."""
        self._require_owner()
        with self.store.read() as snapshot:
            shares = snapshot.records(SHARES).values()
            originals = snapshot.find(share.source for share in shares)
        outdated = [
            share.space
            for share in shares
            if is_entry_id(share.source) and _is_outdated(originals.get(share.source), share)
        ]
        return [
            replace(self._summary(space), outdated=outdated.count(space.name))
            for _, space in sorted(self._space_list.read().listed.items())
        ]

    def _summary(self, space: Space) -> SpaceSummary:
        summary = SpaceSummary(space.name, space.created_at, space.grants)
        with (
            self.open_space(Scope("shared", space.name)) as workspace,
            workspace.services.store.read() as snapshot,
        ):
            live = sum(tally.entries for tally in snapshot.tally("all", Where()).values())
            return replace(summary, entries=live, proposals=len(waiting_proposals(snapshot)))

    def delete(self, name: str) -> DeletedSpaceReport:
        """Delete a space with everything in it; the originals in main stay.

        Nobody can use it from the next call on. A tombstone lets other machines remove their files
        too.
        """
        self._require_owner()
        entries = self._summary(require_space(self._space_list, name)).entries
        with exclusive_lock(self._lock):
            delete_space(self._space_list, name, self.context.now(), entries)
            return DeletedSpaceReport(name, entries, self._remove(name))

    def _remove_deleted(self) -> None:
        """Finish deletions that were interrupted, or that another machine has begun."""
        for name in deleted_spaces(self._space_list):
            if has_space_files(self.context.layout, name):
                self._remove(name)

    def _remove(self, name: str) -> tuple[str, ...]:
        """Remove everything of a deleted space; return files that remem did not write."""
        self._space_list.remove_entries(name)
        self.store.write(lambda tx: forget_space(tx, name))
        return remove_space_files(self.context.layout, name)

    def log(self, name: str) -> list[SpaceUse]:
        """Return every use of a space, oldest first."""
        self._require_owner()
        require_space(self._space_list, name)
        with (
            self.open_space(Scope("shared", name)) as workspace,
            workspace.services.store.read() as snapshot,
        ):
            return uses_of(snapshot)

    def share(self, id_: str, space: str) -> SharedCopy:
        """Copy an entry or a fact of main to a space; sharing it again updates the copy."""
        self._require_owner()
        require_space(self._space_list, space)
        source = self._source(id_)
        if source is None:
            raise UnknownEntry(
                f"no entry or fact has the id {quoted(id_)}",
                hint="`remem recall` and `remem fact list` show ids",
            )
        if source.archived or source.superseded_by:
            raise InvalidInput(
                f"{id_} is archived or was replaced", hint="share the entry that is current"
            )
        with exclusive_lock(self._lock):
            now, random_bytes = self.context.now(), self.deps.random_bytes
            share = self.store.write(lambda tx: begin_share(tx, id_, space, now, random_bytes))
            copy = self._copy(share, source)
        return SharedCopy(id_, space, share.copy, copy.content, copy.trust)

    def unshare(self, id_: str, space: str) -> UnsharedEntry:
        """Remove a copy, or a memory that an agent stored, from a space.

        A copy is given by its own id or by the id of its original. A tombstone prevents the text
        from being stored there again.
        """
        self._require_owner()
        require_space(self._space_list, space)
        with exclusive_lock(self._lock):
            with self.store.read() as snapshot:
                share = find_share(snapshot, id_, space)
            if share is None:
                return self._erase(id_, space)
            share = self.store.write(partial(begin_withdrawal, share=share))
            return self._withdraw(share)

    def unshare_all(self, id_: str) -> list[UnsharedEntry]:
        """Remove every copy of a memory that is to be erased in main."""
        with self.store.read() as snapshot:
            shares = shares_of(snapshot, id_)
        return [self.unshare(id_, share.space) for share in shares]

    def finish_interrupted(self) -> None:
        """Finish interrupted shares and deletions, unless another process is at work on them."""
        with exclusive_lock_within(self._lock, 0) as acquired:
            if not acquired:
                return
            self._remove_deleted()
            with self.store.read() as snapshot:
                unfinished = unfinished_shares(snapshot)
            listed_spaces = self._space_list.read().listed if unfinished else {}
            for share in unfinished:
                source = self._source(share.source)
                if share.space not in listed_spaces:
                    self.store.write(partial(end_withdrawal, share=share))
                elif share.state == "withdrawing" or source is None:
                    self._withdraw(share)
                else:
                    self._copy(share, source)

    def _copy(self, share: Share, source: Entry) -> Entry:
        """Store the copy in the space: the second and last step of sharing."""
        now = self.context.now()
        copy = copy_of(source, share, now, self.deps)
        with self.open_space(Scope("shared", share.space)) as workspace:
            services = workspace.services
            topics = services.deps.topics
            services.store.write(lambda tx: put_copy(tx, copy, now, topics, "owner"))
            services.sync.after_write()
        if not self.store.write(lambda tx: end_share(tx, share, source)):
            self._withdraw(share)  # it was withdrawn or erased meanwhile
        return copy

    def _withdraw(self, share: Share) -> UnsharedEntry:
        """Erase the copy in the space: the second and last step of unsharing."""
        try:
            report = self._erase(share.copy, share.space)
        except UnknownEntry:  # the copy was never stored
            report = UnsharedEntry(share.source, share.space)
        self.store.write(lambda tx: end_withdrawal(tx, share))
        return replace(report, id=share.source)

    def _erase(self, id_: str, space: str) -> UnsharedEntry:
        use = SpaceUse(self.context.now(), "owner", "unshare", (id_,))
        with self.open_space(Scope("shared", space)) as workspace:
            services = workspace.services
            report = services.erasure.erase(id_)
            if report.erased:
                services.store.write(lambda tx: log_use(tx, use))
        return UnsharedEntry(id_, space, report.also_in)

    def _source(self, id_: str) -> Entry | None:
        """Return an entry of main, or a fact as an entry that names its source."""
        with self.store.read() as snapshot:
            entry = snapshot.find([id_]).get(id_)
        if entry is not None:
            return entry
        known_facts = self.known_facts()
        facts = [fact for fact in known_facts.facts if fact.id == id_] if known_facts else []
        if len(facts) > 1:
            raise InvalidInput(
                f"several facts have the id {quoted(id_)}", hint="give them different ids first"
            )
        if not facts or known_facts is None:
            return None
        return _entry_of_fact(facts[0], known_facts, self.context.now())

    @property
    def _space_list(self) -> SpaceList:
        return self.context.space_list()

    @property
    def _lock(self) -> Path:
        return self.context.layout.state_folder(self.context.scope) / "sharing.lock"

    def _log(self, space: str, action: Action, detail: str = "") -> None:
        use = SpaceUse(self.context.now(), "owner", action, (), detail)
        with self.open_space(Scope("shared", space)) as workspace:
            workspace.services.store.write(lambda tx: log_use(tx, use))

    def _require_owner(self) -> None:
        self.context.require_owner("manage shared spaces", "remem spaces")
        self.context.require_main("shared spaces are managed in main")


def _grantee(text: str) -> str:
    """Return the grantee, with an agent's name in lower case, as session keys write it."""
    return text.lower() if text.lower().startswith("agent:") else text


def _entry_of_fact(fact: Fact, known_facts: KnownFacts, now: str) -> Entry:
    """Return a fact as an entry that names its source.

    Its trust is `agent` at most, because a file of facts does not say who stated them.
    """
    entity, since = known_facts.root(fact.entity), fact.since or now
    return Entry(
        id=fact.id,
        category=category_of(fact, entity.kind),
        content=fact.fact,
        context=f"fact {fact.id} of {entity.name}",
        created_at=since,
        updated_at=since,
        tags=(entity.name,),
        source=FACT_SOURCE,
        # A superseded fact may lack the id of its successor; any text marks it as superseded.
        superseded_by=fact.superseded_by or ("?" if fact.superseded else None),
    )


def _is_outdated(original: Entry | None, share: Share) -> bool:
    return original is None or not original.live or original.version != share.version
