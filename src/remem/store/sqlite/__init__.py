"""The embedded store: one SQLite file per scope, no server."""
