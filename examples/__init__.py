"""Programs that show remem at work."""
