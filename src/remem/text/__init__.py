"""Text tools: words, language, tokens, dates, Markdown, secrets. Pure functions."""
