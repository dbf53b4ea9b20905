"""Curation: items that need a judgement, and the verdicts on them."""
