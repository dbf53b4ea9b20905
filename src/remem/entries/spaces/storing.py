"""Store in a shared space: detect conflicts, and keep proposals until they are accepted.

An entry is replaced only by a writer that knows its current version; anybody else gets both texts.
A writer that is not the owner proposes what would speak in the owner's name: an instruction, a
critical entry, and the replacement of the owner's own words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.entries.receipt import is_privileged
from remem.entries.spaces.log import Action, SpaceUse, forget_declined, log_use
from remem.entries.store import ERASED, store_operation
from remem.errors import InvalidInput, NotAllowed, UnknownEntry, quoted
from remem.model.entry import ID_PREFIX, Draft, Entry, Trust, new_id
from remem.model.erased_text import ErasedText
from remem.ports import StoreDependencies
from remem.ports.entries import EntryReader, Transaction
from remem.ports.state import Namespace
from remem.text.similarity import folded_hash
from remem.text.untrusted import fence_untrusted

_MAX_WAITING: Final = 200
_PREFIX: Final = "prop-"
_CHANGED: Final = "it was changed meanwhile"
_FOR_THE_OWNER: Final = (
    "instructions, critical entries and changes to the owner's words wait for the owner"
)


@dataclass(frozen=True, slots=True)
class VersionConflict:
    """Two texts for one memory: `current`, which another writer stored, and `yours`."""

    id: str
    version: int
    current: str
    yours: str


@dataclass(frozen=True, slots=True)
class SharedReceipt:
    """The result of storing in a space.

    With `proposed`, `id` is the id of a proposal, and `reason` says what it waits for. With a
    `conflict`, nothing was stored: merge both texts, and store again with the conflict's version.
    """

    id: str
    space: str
    category: str
    stored: bool
    proposed: bool
    deduplicated: bool
    token_cost: int
    author: str
    version: int = 1
    superseded: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    reason: str | None = None
    conflict: VersionConflict | None = None


@dataclass(frozen=True, slots=True)
class SpaceProposal:
    """A memory that waits to be accepted.

    `at` is the time when it was proposed. `parent` is the session that gave the author its handle,
    and may accept it too.
    """

    id: str
    at: str
    author: str
    draft: Draft
    expected_version: int | None = None
    parent: str = ""


PROPOSALS: Final[Namespace[SpaceProposal]] = Namespace("proposal", SpaceProposal)
"""The proposals of a space, by their ids."""


@dataclass(frozen=True, slots=True)
class SharedWrite:
    """One memory to be stored in a space by an author.

    The draft's `source` names the author. `trust` is the trust in the caller, not in the memory.
    `expected_version` is the version that the author has read of the entry to be replaced, and
    `parent` the session that gave the author its handle. Without `may_write` it can only be
    proposed.
    """

    space: str
    draft: Draft
    author: str
    now: str
    deps: StoreDependencies
    trust: Trust = "agent"
    expected_version: int | None = None
    parent: str = ""
    may_write: bool = False

    def __call__(self, tx: Transaction) -> SharedReceipt:
        """Store the memory, or propose it, or report a conflict."""
        if conflict := self.find_conflict(tx):
            return self.receipt(conflict.id, reason=_CHANGED, conflict=conflict)
        if not self.may_write:
            return self._propose(tx, "it waits until it is accepted")
        if self.trust != "owner" and speaks_for_the_owner(tx, self.draft):
            return self._propose(tx, _FOR_THE_OWNER)
        return self.store(tx, "store", self.author)

    def accept(self, tx: Transaction, proposal: str, who: str) -> SharedReceipt:
        """Store a proposed memory with the name and trust of its author, and remove the proposal.

        If there is a conflict, the proposal is kept.
        """
        _require_waiting(tx, proposal)
        if self.trust != "owner" and speaks_for_the_owner(tx, self.draft):
            raise NotAllowed(
                f"only the owner can accept {proposal}: {_FOR_THE_OWNER}",
                hint="ask the owner to accept or decline it",
            )
        if conflict := self.find_conflict(tx):
            return self.receipt(conflict.id, reason=_CHANGED, conflict=conflict)
        tx.put_record(PROPOSALS, proposal, None)
        return self.store(tx, "accept", who)

    def store(self, tx: Transaction, action: Action, who: str) -> SharedReceipt:
        """Store the memory and log it, in one transaction."""
        receipt = store_operation(self.draft, self.now, self.deps)(tx)
        if receipt.stored:
            log_use(tx, SpaceUse(self.now, who, action, (receipt.id,)))
        return self.receipt(
            receipt.id,
            stored=receipt.stored,
            deduplicated=receipt.deduplicated,
            version=receipt.version,
            superseded=receipt.superseded,
            reason=receipt.reason,
        )

    def _propose(self, tx: Transaction, reason: str) -> SharedReceipt:
        """Keep the memory as a proposal, unless the author has already made it."""
        if tombstones := tx.tombstones(wording_hash=folded_hash(self.draft.content)):
            return self.receipt(tombstones[0].id, reason=ERASED)
        waiting = tx.records(PROPOSALS)
        new = SpaceProposal(
            "", self.now, self.author, self.draft, self.expected_version, self.parent
        )
        for id_, proposal in waiting.items():
            if proposal == replace(new, id=id_, at=proposal.at):
                return self.receipt(id_, proposed=True, deduplicated=True, reason=reason)
        if sum(proposal.author == self.author for proposal in waiting.values()) >= _MAX_WAITING:
            raise NotAllowed(
                f"{_MAX_WAITING} proposals of {self.author} are already waiting",
                hint="wait until some of them are accepted or declined",
            )
        id_ = _PREFIX + new_id(self.deps.random_bytes).removeprefix(ID_PREFIX)
        tx.put_record(PROPOSALS, id_, replace(new, id=id_))
        log_use(tx, SpaceUse(self.now, self.author, "propose", (id_,)))
        return self.receipt(id_, proposed=True, reason=reason)

    def find_conflict(self, tx: Transaction) -> VersionConflict | None:
        """Return the conflict if the author has not read the present version of an entry."""
        for id_ in self.draft.supersedes:
            entry = tx.find([id_]).get(id_)
            if entry is None:
                raise UnknownEntry(
                    f"no entry of this space has the id {quoted(id_)}",
                    hint="memory_shared_recall shows ids",
                )
            current = _latest(tx, entry)
            if current.id != id_ or current.version != self.expected_version:
                return self._conflict_with(current)
        return None

    def _conflict_with(self, current: Entry) -> VersionConflict:
        text = current.content
        if current.trust == "untrusted":
            text = fence_untrusted(text, self.deps.random_bytes(6).hex())
        return VersionConflict(current.id, current.version, text, self.draft.content)

    def receipt(
        self,
        id_: str,
        *,
        stored: bool = False,
        proposed: bool = False,
        deduplicated: bool = False,
        version: int = 1,
        superseded: tuple[str, ...] = (),
        reason: str | None = None,
        conflict: VersionConflict | None = None,
    ) -> SharedReceipt:
        """Return the receipt for an entry or a proposal of the space."""
        return SharedReceipt(
            id=id_,
            space=self.space,
            category=self.draft.category,
            stored=stored,
            proposed=proposed,
            deduplicated=deduplicated,
            token_cost=self.deps.counter.count(self.draft.content),
            author=self.author,
            version=conflict.version if conflict else version,
            superseded=superseded,
            redacted=self.draft.redacted,
            reason=reason,
            conflict=conflict,
        )


def speaks_for_the_owner(reader: EntryReader, draft: Draft) -> bool:
    """Return whether only the owner may put this into a space."""
    replaced_entries = reader.find(draft.supersedes).values()
    return is_privileged(draft) or any(entry.trust == "owner" for entry in replaced_entries)


def require_version(supersedes: Sequence[str], expected_version: int | None) -> None:
    """Raise InvalidInput if an entry is to be replaced by somebody who may not have read it."""
    if supersedes and expected_version is None:
        raise InvalidInput(
            "expected_version is missing: it is required together with supersedes",
            hint="read the entry by its id first, and pass the version that you have read",
        )
    if expected_version is not None and not supersedes:
        raise InvalidInput(
            "expected_version is the version of the entry in supersedes, which is missing",
            hint="name the entry to be replaced in supersedes, or leave out expected_version",
        )


def waiting_proposals(reader: EntryReader) -> list[SpaceProposal]:
    """Return the proposals of a space, oldest first."""
    return sorted(reader.records(PROPOSALS).values(), key=lambda item: (item.at, item.id))


def decline(tx: Transaction, proposal: SpaceProposal, who: str, now: str) -> None:
    """Remove a proposal; the log keeps its words until they are erased."""
    _require_waiting(tx, proposal.id)
    tx.put_record(PROPOSALS, proposal.id, None)
    detail = f"{proposal.author}: {proposal.draft.content}"
    log_use(tx, SpaceUse(now, who, "decline", (proposal.id,), detail))


def unknown_proposal(id_: str) -> UnknownEntry:
    """Return the error for a proposal that does not exist, or that the session may not see."""
    return UnknownEntry(f"no proposal {quoted(id_)} waits for you", hint="list the proposals first")


def _require_waiting(reader: EntryReader, id_: str) -> None:
    """Raise UnknownEntry if a proposal was accepted, declined or erased meanwhile."""
    if reader.record(PROPOSALS, id_) is None:
        raise unknown_proposal(id_)


def forget_proposals(tx: Transaction, erased_text: ErasedText) -> None:
    """Remove the proposals of an erased text, waiting and declined."""
    for id_, proposal in tx.records(PROPOSALS).items():
        if erased_text.matches_line(proposal.draft.content):
            tx.put_record(PROPOSALS, id_, None)
    forget_declined(tx, erased_text)


def _latest(reader: EntryReader, entry: Entry) -> Entry:
    """Return the last in the chain of entries that replaced an entry."""
    ids = {entry.id}
    while entry.superseded_by and entry.superseded_by not in ids:
        newer = reader.find([entry.superseded_by]).get(entry.superseded_by)
        if newer is None:
            break
        entry = newer
        ids.add(entry.id)
    return entry
