"""A store in PostgreSQL, for teams: one database holds the scopes of many workspaces."""
