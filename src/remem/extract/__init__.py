"""Extraction of statements and lessons from text, by rules or by a language model."""
