"""Entries: store, lifecycle, erasure, import and export, domain files and vectors."""
