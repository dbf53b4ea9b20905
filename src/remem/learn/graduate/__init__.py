"""Graduation: propose lines for MEMORY.md that have proved themselves over time."""
