"""Secrets in texts: what they look like, and how they are masked before a text goes anywhere.

`formats` is the table of vendors' tokens; `shapes` finds what has a telling shape, `fields` values
by their names, `sentences` what prose states, `recovery` seeds and recovery codes; `find` asks them
all, and `mask` masks what they find.
"""

from remem.core.secrets.mask import (
    Redaction,
    Secrets,
    mask,
    redact,
    redact_all,
    redact_name,
    secrets_in,
    spotless,
)

__all__ = [
    "Redaction",
    "Secrets",
    "mask",
    "redact",
    "redact_all",
    "redact_name",
    "secrets_in",
    "spotless",
]
