"""The token audit: what a memory costs, what in it is redundant, and what to do about it."""
