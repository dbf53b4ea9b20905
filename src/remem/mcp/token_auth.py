"""Token authentication: the session token of a call determines which memory the call can reach.

This lets one server serve several chats of a host that does not identify them. The token and its
session are looked up for every call, so a revoked token, a room that is no longer mapped or a chat
that is no longer the owner's is refused at once. The handle of a sub-agent is such a token too; its
session has only shared spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from remem.app.tools.declare import Parameter
from remem.files.private_paths import PrivatePaths, hide_paths_in_errors
from remem.mcp.sessions import WorkspaceCall, WorkspacePool
from remem.model.session import sub_agent_of

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.files.session_tokens import SessionTokens
    from remem.model.scope import Session

SESSION_TOKEN: Final = Parameter(
    "session_token", "text", "the newest one in your context", required=True
)


class TokenAuth:
    """Provides the workspace that belongs to a call's token."""

    extra_parameters = (SESSION_TOKEN,)
    has_index = False

    def __init__(
        self,
        tokens: SessionTokens,
        session_of: Callable[[str], Session],
        open_session: Callable[[Session, str], Workspace],
        pool: WorkspacePool | None = None,
        private_paths: PrivatePaths = (),
    ) -> None:
        """Set the functions that parse a session key and open a conversation's workspace.

        `private_paths` are removed from error messages until the token is verified.
        """
        self._tokens = tokens
        self._session_of = session_of
        self._open = open_session
        self._pool = pool or WorkspacePool()
        self._private_paths = private_paths

    @contextmanager
    def workspace_for(self, arguments: Mapping[str, Any]) -> Iterator[WorkspaceCall]:
        with hide_paths_in_errors(self._private_paths):
            subject = self._tokens.subject_of(arguments.get(SESSION_TOKEN.name))
            session = self._session_of(subject.session)
            if subject.handle is not None:
                session = sub_agent_of(session, subject.handle)
        tool_arguments = {
            name: value for name, value in arguments.items() if name != SESSION_TOKEN.name
        }
        open_ = partial(self._open, session, subject.conversation)
        with self._pool.borrow((session, subject.conversation), open_) as workspace:
            yield workspace, tool_arguments

    def prepare(self) -> None:
        """Do nothing, because no token is known yet."""

    def close(self) -> None:
        self._pool.close()
