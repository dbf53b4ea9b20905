"""Search the passages of memory files and transcripts."""
