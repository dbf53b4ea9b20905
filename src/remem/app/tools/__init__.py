"""Declarations of all tools, from which MCP, the command line and the reference are made."""
