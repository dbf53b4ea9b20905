"""How does a memory get in? Validated, redacted, compared with what is known, written."""

from remem.remember.draft import Memory, draft
from remem.remember.run import Receipt, Remembering, remember

__all__ = ["Memory", "Receipt", "Remembering", "draft", "remember"]
