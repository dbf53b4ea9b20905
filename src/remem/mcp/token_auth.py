"""Whose memory is a call for? The token in it says so, and nothing else does.

One server can so answer several chats of a host that does not say which of them is asking.
The token is looked up and its session read anew for every call: a revoked token, a room that
has lost its name or a chat that is no longer the owner's is refused with the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from remem.app.tools.declare import Parameter
from remem.errors import RememError
from remem.files.private_places import Places, hide_in
from remem.mcp.sessions import Entered, Pool

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.files.sessions import SessionTokens
    from remem.model.scope import Session

SESSION_TOKEN: Final = Parameter(
    "session_token", "text", "the newest one in your context", required=True
)


class Reception:
    """Lets a call in by its token."""

    asks = (SESSION_TOKEN,)
    has_index = False

    def __init__(
        self,
        tokens: SessionTokens,
        session_of: Callable[[str], Session],
        open_: Callable[[Session, str], Workspace],
        pool: Pool | None = None,
        places: Places = (),
    ) -> None:
        """`session_of` reads a key, `open_` opens the memory of a session's conversation. `places`
        are not named to whoever has not shown whose call it is."""
        self._tokens = tokens
        self._session_of = session_of
        self._open = open_
        self._pool = pool or Pool()
        self._places = places

    @contextmanager
    def entered(self, given: Mapping[str, Any]) -> Iterator[Entered]:
        try:
            holder = self._tokens.holder(given.get(SESSION_TOKEN.name))
            session = self._session_of(holder.session)
        except RememError as error:
            hide_in(error, self._places)
            raise
        own = {name: value for name, value in given.items() if name != SESSION_TOKEN.name}
        with self._memory(session, holder.conversation) as workspace:
            yield workspace, own

    def prepare(self) -> None:
        """Nobody has said yet whose memory will be needed."""

    def close(self) -> None:
        self._pool.close()

    @contextmanager
    def _memory(self, session: Session, conversation: str) -> Iterator[Workspace]:
        open_ = partial(self._open, session, conversation)
        with self._pool.lent((session, conversation), open_) as workspace:
            yield workspace
