"""How does a memory get in? Validated, redacted, compared with what is known, written."""
