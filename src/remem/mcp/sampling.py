"""Use the client's own model through MCP sampling.

Not every client offers sampling, and the newest protocol drops it. The SDK deprecates its own
method for it, so the request is built here.
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

from remem.errors import ModelError, quoted

if TYPE_CHECKING:
    from remem.ports.models import Chat

_TIMEOUT_SECONDS: Final = 120.0
"""Long enough for clients that ask a person for permission first."""
_MAX_TOKENS: Final = 4_000


def client_chat(context: ServerRequestContext[Any]) -> Chat | None:
    """Return the calling client's model, for use in a worker thread.

    Return None if the client does not offer sampling.
    """
    session = context.session
    capabilities = session.client_capabilities
    if capabilities is None or capabilities.sampling is None or not session.can_send_request:
        return None

    def chat(task: str, text: str) -> str:
        try:
            return anyio.from_thread.run(_sample, context, task, text)
        except TimeoutError as error:
            reason = f"did not answer within {_TIMEOUT_SECONDS:g} s"
            raise ModelError(f"the client's model {reason}") from error
        except (MCPError, ValueError) as error:
            raise ModelError(f"the client's model failed: {quoted(str(error))}") from error

    return chat


async def _sample(context: ServerRequestContext[Any], task: str, text: str) -> str:
    message = SamplingMessage(role="user", content=TextContent(type="text", text=text))
    parameters = CreateMessageRequestParams(
        messages=[message], system_prompt=task, max_tokens=_MAX_TOKENS, temperature=0
    )
    with anyio.fail_after(_TIMEOUT_SECONDS):
        answer = await context.session.send_request(
            CreateMessageRequest(params=parameters),
            CreateMessageResult,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )
    if not isinstance(answer.content, TextContent):
        raise ModelError("the client's model did not answer with text")
    return answer.content.text
