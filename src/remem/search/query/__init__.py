"""Understand a question: options, terms, dates, names and its embedding."""
