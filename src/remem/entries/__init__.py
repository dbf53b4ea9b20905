"""Entries: storing, lifecycle, erasing, transfer, domain files and vectors."""
