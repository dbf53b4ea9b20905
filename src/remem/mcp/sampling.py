"""How is a client's own model asked? Over the connection on which the client has called.

Not every client offers its model, and the newest protocol has no way back to it; then there is
none, and whoever wanted it does without. The SDK marks its own method for this as going away
with that way, so the request is made by hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import anyio
import anyio.from_thread
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import (
    CreateMessageRequest,
    CreateMessageRequestParams,
    CreateMessageResult,
    SamplingMessage,
    TextContent,
)

from remem.errors import ModelError, shown

if TYPE_CHECKING:
    from remem.ports.models import Chat

_PATIENCE: Final = 120.0
"""Seconds for one answer; many clients ask a person first."""
_MOST_TOKENS: Final = 4_000


def client_chat(context: ServerRequestContext[Any]) -> Chat | None:
    """The model of the client that has called, for a worker thread; None if it offers none."""
    session = context.session
    offered = session.client_capabilities
    if offered is None or offered.sampling is None or not session.can_send_request:
        return None

    def chat(task: str, text: str) -> str:
        try:
            return anyio.from_thread.run(_asked, context, task, text)
        except TimeoutError as error:
            raise ModelError(f"the client's model gave no answer within {_PATIENCE:g} s") from error
        except (MCPError, ValueError) as error:
            raise ModelError(f"the client's model gave no answer: {shown(str(error))}") from error

    return chat


async def _asked(context: ServerRequestContext[Any], task: str, text: str) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    wishes = CreateMessageRequestParams(
        messages=[message], system_prompt=task, max_tokens=_MOST_TOKENS, temperature=0
    )
    with anyio.fail_after(_PATIENCE):
        answer = await context.session.send_request(
            CreateMessageRequest(params=wishes),
            CreateMessageResult,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )
    if not isinstance(answer.content, TextContent):
        raise ModelError("the client's model answered with something else than text")
    return answer.content.text
