"""Patterns of the extraction rules: words and sentence shapes, by language."""
