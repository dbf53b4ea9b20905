"""Domain files: entries written as Markdown bullets, and the edits that a person makes there."""
