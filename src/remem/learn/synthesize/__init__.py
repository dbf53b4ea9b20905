"""Synthesis: summaries of entities, and the pages on MEMORY.md and the recent days."""
