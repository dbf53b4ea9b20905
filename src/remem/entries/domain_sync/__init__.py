"""Keep a scope's domain files and its store in sync."""
