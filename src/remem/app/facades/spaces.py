"""Shared spaces, as sessions use them and as the owner manages them: `workspace.spaces`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Unpack

if TYPE_CHECKING:
    from remem.app.services.sharing import (
        DeletedSpaceReport,
        SharedCopy,
        SharingService,
        SpaceSummary,
        UnsharedEntry,
    )
    from remem.app.services.spaces import Proposals, SpaceService
    from remem.entries.draft import Memory
    from remem.entries.spaces.log import SpaceUse
    from remem.entries.spaces.storing import SharedReceipt
    from remem.files.session_tokens import IssuedHandle
    from remem.model.scope import Level
    from remem.ports.spaces import Space
    from remem.search.answer.shared import SharedAnswer
    from remem.search.query.question import RecallOptions


class SpacesFacade:
    """Memories that several sessions share.

    A session may `recall`, `store`, decide on `proposals` and `give_handle` in the spaces that are
    granted to it. The other methods are for the owner only, in main.
    """

    def __init__(
        self, session: Callable[[], SpaceService], owner: Callable[[], SharingService]
    ) -> None:
        self._session = session
        self._owner = owner

    def recall(
        self,
        query: str = "",
        *,
        spaces: Sequence[str] | None = None,
        now: str | None = None,
        **options: Unpack[RecallOptions],
    ) -> SharedAnswer:
        """Find the entries of this session's shared spaces that answer a question, best first.

        Args:
            query: A question in plain words, or ids.
            spaces: Only these spaces. A name can only leave spaces out, never add one.
            now: ISO time from which "last week" and the like are counted.
            **options: The options of `recall`.

        Returns:
            The answer of `recall`, with the space and the author of every entry. It is empty if no
            space is granted to this session.
        """
        return self._session().recall(query, now, spaces, options)

    def store(
        self, space: str, *, expected_version: int | None = None, **memory: Unpack[Memory]
    ) -> SharedReceipt:
        """Store a memory in a shared space, or propose it where this session may not write.

        Args:
            space: One of the spaces of this session.
            expected_version: The version of the entry in `supersedes` that was read.
            **memory: The fields of `store`.

        Returns:
            A receipt with the id of the entry or of the proposal, or with a conflict: both texts.
        """
        return self._session().store(space, memory, expected_version)

    def proposals(
        self,
        *,
        accept: Sequence[str] = (),
        decline: Sequence[str] = (),
        spaces: Sequence[str] | None = None,
    ) -> Proposals:
        """List the proposals that are waiting in shared spaces, and accept or decline some of them.

        Args:
            accept: Ids of proposals to store, under the name of their author.
            decline: Ids of proposals to remove.
            spaces: Only these spaces.
        """
        return self._session().proposals(accept, decline, spaces)

    def give_handle(
        self,
        name: str,
        *,
        spaces: Sequence[str],
        level: Level = "read",
        tools: Sequence[str] | None = None,
        expires_in: str = "2h",
    ) -> IssuedHandle:
        """Give a sub-agent access to shared spaces; the handle is its `session_token`.

        Args:
            name: A name for the sub-agent; it is named as the author of what it stores.
            spaces: Spaces of this session.
            level: `read` (default), `propose` or `write`, at most what this session may do.
            tools: Only these tools, instead of all that the level needs.
            expires_in: How long it is valid, such as `30m`; at most a day. It also ends with this
                conversation.
        """
        from remem.app.services.handles import give_handle

        return give_handle(
            self._session(), name, spaces, level=level, tools=tools, expires_in=expires_in
        )

    def summaries(self) -> list[SpaceSummary]:
        """Return every space of the workspace, with its grants and its size. Owner only."""
        return self._owner().summaries()

    def create(self, name: str) -> Space:
        """Create a space; nobody but the owner can use it before it is granted. Owner only."""
        return self._owner().create(name)

    def grant(self, name: str, grantee: str, level: str = "read") -> Space:
        """Let others use a space. Groups and peers can only read. Owner only.

        Args:
            name: The space.
            grantee: A kind of session (`main`, `groups`, `peers`, `subagents`, `unknown`), one of
                them (`group:NAME`, `peer:ID`), or the sub-agents of one agent (`agent:NAME`).
            level: `read` (default), `propose` or `write`.
        """
        return self._owner().grant(name, grantee, level)

    def revoke(self, name: str, grantee: str) -> Space:
        """Revoke a grant; it ends with the next call. Owner only."""
        return self._owner().revoke(name, grantee)

    def delete(self, name: str) -> DeletedSpaceReport:
        """Delete a space with everything in it, for everybody; the originals in main stay.

        Owner only.

        Returns:
            The number of its entries, and the files in its folder that remem did not write and has
            left there.
        """
        return self._owner().delete(name)

    def share(self, id_: str, space: str) -> SharedCopy:
        """Copy an entry or a fact of main to a space; sharing it again updates the copy.

        Owner only.
        """
        return self._owner().share(id_, space)

    def unshare(self, id_: str, space: str) -> UnsharedEntry:
        """Remove a copy, or a memory that an agent stored, from a space. Owner only.

        A copy is given by its own id or by the id of its original. A tombstone prevents the text
        from being stored there again.
        """
        return self._owner().unshare(id_, space)

    def log(self, name: str) -> list[SpaceUse]:
        """Return every use of a space, oldest first. Owner only."""
        return self._owner().log(name)
