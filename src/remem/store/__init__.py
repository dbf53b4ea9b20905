"""Databases that hold entries and passages; the only code that contains SQL."""
