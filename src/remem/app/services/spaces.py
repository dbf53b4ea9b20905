"""Shared spaces, as a session uses them: recall, store, propose, and decide on proposals.

What the session may do is looked up for every call, so that a revoked grant ends at once. A space
that the session may not use looks exactly like one that does not exist.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from remem.entries.receipt import refuse_privileges
from remem.entries.spaces.listing import spaces_of, trust_in_spaces, unknown_space
from remem.entries.spaces.log import SpaceUse, log_read
from remem.entries.spaces.storing import (
    SharedReceipt,
    SharedWrite,
    SpaceProposal,
    decline,
    require_version,
    unknown_proposal,
    waiting_proposals,
)
from remem.errors import InvalidInput, NotAllowed, quoted
from remem.model.arguments import whole_number
from remem.model.entry import Entry, granted_trust
from remem.model.scope import (
    LEVELS,
    Level,
    Scope,
    Session,
    reader_name,
    writer_name,
)
from remem.search.answer.shared import AnswerOfSpace, SharedAnswer, merge_answers
from remem.search.query.question import RecallOptions, parse_request
from remem.text.untrusted import fence_untrusted

if TYPE_CHECKING:
    from remem.app.context import Resources
    from remem.app.workspace import Workspace
    from remem.entries.draft import Memory
    from remem.files.layout import Layout
    from remem.model.entry import Trust
    from remem.ports import Clock
    from remem.ports.entries import Transaction
    from remem.ports.models import TokenCounter
    from remem.ports.spaces import SpaceList

_MAX_VERSION: Final = 1_000_000
_AUTHORS: Final = ("owner", "agent:", "subagent:")
NO_SPACES: Final = "no shared space is granted to this session"


@dataclass(frozen=True, slots=True)
class WaitingProposal:
    """A proposal that waits for a decision, for display."""

    id: str
    space: str
    at: str
    author: str
    category: str
    content: str
    priority: str = "medium"
    context: str | None = None
    supersedes: str | None = None
    trust: str | None = None


@dataclass(frozen=True, slots=True)
class Proposals:
    """The proposals that this session may decide on, and what it has just decided."""

    waiting: tuple[WaitingProposal, ...]
    accepted: tuple[SharedReceipt, ...] = ()
    declined: tuple[str, ...] = ()


@dataclass
class SpaceService:
    """The shared spaces of one session. Spaces are opened on first use and stay open."""

    layout: Layout
    space_list: SpaceList
    session: Session
    trust: Trust
    clock: Clock
    counter: TokenCounter
    random_bytes: Callable[[int], bytes]
    open_space: Callable[[Scope], Workspace]
    conversation: str = ""
    _workspaces: dict[str, Workspace] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def permitted_spaces(self) -> dict[str, Level]:
        """Return the spaces that the session may use now, with its level."""
        return spaces_of(self.space_list, self.session)

    def workspace_of(self, space: str) -> Workspace:
        """Return the memory of a space; the caller must have checked the session's level."""
        with self._lock:
            if space not in self._workspaces:
                self._workspaces[space] = self.open_space(Scope("shared", space))
            return self._workspaces[space]

    def close(self) -> None:
        with self._lock:
            workspaces = list(self._workspaces.values())
            self._workspaces.clear()
        for workspace in workspaces:
            workspace.close()

    def recall(
        self, query: str, now: str | None, spaces: Sequence[str] | None, options: RecallOptions
    ) -> SharedAnswer:
        """Recall from the permitted spaces; `spaces` can only leave some of them out."""
        request = parse_request(query, options)
        permitted = self.permitted_spaces()
        notes = self._notes(permitted, spaces or ())
        answers = []
        for name in permitted:
            if spaces is not None and name not in spaces:
                continue
            answer, log_problem = self._recall_from(name, query, now, options)
            answers.append(answer)
            if log_problem:
                notes.append(log_problem)
        return merge_answers(
            answers, query, request.token_budget, self.counter, limit=request.limit, notes=notes
        )

    def _recall_from(
        self, space: str, query: str, now: str | None, options: RecallOptions
    ) -> tuple[AnswerOfSpace, str | None]:
        services = self.workspace_of(space).services
        answer = services.recall.recall(query, now, options)
        ids = tuple(recalled.id for recalled in answer.entries)
        with services.store.read() as snapshot:
            authors = {id_: author_of(entry) for id_, entry in snapshot.find(ids).items()}
        log_problem = log_read(services.store, SpaceUse(self.clock(), self._reader, "read", ids))
        return AnswerOfSpace(space, answer, authors), log_problem

    def _notes(self, permitted_spaces: Iterable[str], requested_spaces: Sequence[str]) -> list[str]:
        notes = [
            f"not among your spaces: {quoted(name)}"
            for name in requested_spaces
            if name not in permitted_spaces
        ]
        if not permitted_spaces:
            notes.append(self.session.reason or NO_SPACES)
        return notes

    def store(
        self, space: str, memory: Memory, expected_version: int | None = None
    ) -> SharedReceipt:
        """Store a memory in a space, or propose it where the session may not write."""
        from remem.entries.draft import make_draft  # not needed by reading commands

        if expected_version is not None:
            whole_number(expected_version, 1, _MAX_VERSION, "expected_version")
        require_version(memory.get("supersedes") or (), expected_version)
        granted_trust(self.trust, memory.get("trust"))
        author, now = self.writer, self.clock()
        draft = make_draft({**memory, "source": author}, self.trust, now)
        refuse_privileges(draft)
        level = self.require_level(space, "propose")
        services = self.workspace_of(space).services
        write = SharedWrite(
            space,
            draft,
            author,
            now,
            services.deps,
            self.trust,
            expected_version,
            self.session.parent.key if self.session.parent else "",
            may_write=level == "write",
        )
        receipt = services.store.write(write)
        services.sync.after_write()
        return receipt

    def proposals(
        self,
        accept: Sequence[str] = (),
        decline: Sequence[str] = (),
        spaces: Sequence[str] | None = None,
    ) -> Proposals:
        """Accept or decline proposals, and list those that are still waiting.

        The owner can decide on all proposals, an agent only on those of its own sub-agents, in
        spaces that it may write to. In each space, all decisions take effect or none.
        """
        if not self.permitted_spaces():
            raise NotAllowed(self.session.reason or NO_SPACES)
        if both := sorted(set(accept) & set(decline)):
            raise InvalidInput(
                f"{both[0]} cannot be accepted and declined at once",
                hint="name it once, to accept or to decline it",
            )
        decidable = self._decidable(spaces)
        known_ids = {proposal.id for _, proposal in decidable}
        for id_ in (*accept, *decline):
            if id_ not in known_ids:
                raise unknown_proposal(id_)
        receipts: dict[str, SharedReceipt] = {}
        for space in dict.fromkeys(space for space, _ in decidable):
            in_space = {proposal.id: proposal for name, proposal in decidable if name == space}
            receipts |= self._decide(
                space,
                [in_space[id_] for id_ in dict.fromkeys(accept) if id_ in in_space],
                [in_space[id_] for id_ in dict.fromkeys(decline) if id_ in in_space],
            )
        still_waiting = self._decidable(spaces)
        return Proposals(
            tuple(self._waiting_proposal(space, proposal) for space, proposal in still_waiting),
            tuple(receipts[id_] for id_ in dict.fromkeys(accept)),
            tuple(dict.fromkeys(decline)),
        )

    def _decidable(self, spaces: Sequence[str] | None) -> list[tuple[str, SpaceProposal]]:
        """Return the waiting proposals that this session may decide on, with their spaces."""
        decidable = []
        for space, level in self.permitted_spaces().items():
            if level != "write" or (spaces and space not in spaces):
                continue
            with self.workspace_of(space).services.store.read() as snapshot:
                waiting = waiting_proposals(snapshot)
            decidable += [(space, proposal) for proposal in waiting if self._may_decide(proposal)]
        return decidable

    def _may_decide(self, proposal: SpaceProposal) -> bool:
        return self.trust == "owner" or proposal.parent == self.session.key

    def _decide(
        self, space: str, accepted: Sequence[SpaceProposal], declined: Sequence[SpaceProposal]
    ) -> dict[str, SharedReceipt]:
        """Accept and decline proposals in one transaction; return the receipts by proposal."""
        if not accepted and not declined:
            return {}
        services, now = self.workspace_of(space).services, self.clock()
        writes = {
            proposal.id: SharedWrite(
                space,
                replace(proposal.draft, created_at=proposal.draft.created_at or proposal.at),
                proposal.author,
                now,
                services.deps,
                self.trust,
                proposal.expected_version,
            )
            for proposal in accepted
        }

        def operation(tx: Transaction) -> dict[str, SharedReceipt]:
            receipts = {id_: write.accept(tx, id_, self.writer) for id_, write in writes.items()}
            for proposal in declined:
                decline(tx, proposal, self.writer, now)
            return receipts

        receipts = services.store.write(operation)
        services.sync.after_write()
        return receipts

    def _waiting_proposal(self, space: str, proposal: SpaceProposal) -> WaitingProposal:
        draft = proposal.draft
        content, untrusted = draft.content, draft.trust == "untrusted"
        if untrusted:
            content = fence_untrusted(content, self.random_bytes(6).hex())
        return WaitingProposal(
            id=proposal.id,
            space=space,
            at=proposal.at,
            author=proposal.author,
            category=draft.category,
            content=content,
            priority=draft.priority,
            context=None if untrusted else draft.context,
            supersedes=draft.supersedes[0] if draft.supersedes else None,
            trust="untrusted" if untrusted else None,
        )

    def require_level(self, space: str, level: Level) -> Level:
        """Return the session's level in a space; NotAllowed if it is lower than `level`."""
        permitted = self.permitted_spaces()
        if not permitted and self.session.reason:
            raise NotAllowed(self.session.reason)
        granted = permitted.get(space)
        if granted is None:
            raise unknown_space(space)
        if LEVELS.index(granted) < LEVELS.index(level):
            raise NotAllowed(
                f"this session may only {granted} in the shared space {quoted(space)}",
                hint=f"the owner can allow more: `remem spaces grant {space} WHO {level}`",
            )
        return granted

    @property
    def _reader(self) -> str:
        return reader_name(self.session, is_owner=self.trust == "owner")

    @property
    def writer(self) -> str:
        return writer_name(self.session, is_owner=self.trust == "owner")


def space_service(resources: Resources) -> SpaceService:
    """Return the shared spaces of a session that also has its own memory."""
    context = resources.context
    trust = trust_in_spaces(context.session, context.trust)
    return SpaceService(
        context.layout,
        context.space_list(),
        context.session,
        trust,
        context.clock,
        resources.counter,
        resources.random_bytes,
        lambda scope: resources.open_space(scope, trust),
        context.conversation,
    )


def author_of(entry: Entry) -> str:
    """Return the author of an entry in a space; `file` for a line that was written by hand."""
    return entry.source if entry.source.startswith(_AUTHORS) else "file"
