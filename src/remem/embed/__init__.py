"""Embedding models and token counters behind their ports."""
