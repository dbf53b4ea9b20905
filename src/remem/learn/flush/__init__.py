"""Flush: write what a conversation taught into memory, exactly once."""
