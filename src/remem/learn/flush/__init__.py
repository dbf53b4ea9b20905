"""Flush: write the lessons of a conversation into memory, each exactly once."""
