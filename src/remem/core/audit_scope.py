"""What may an audit look at? All of it, or one of its parts."""

from __future__ import annotations

from typing import Final, Literal, get_args

AuditScope = Literal["all", "memory_md", "domains", "system_prompt"]
AUDIT_SCOPES: Final[tuple[AuditScope, ...]] = get_args(AuditScope)
