"""Consolidation: store and reinforce what was said in several conversations."""
