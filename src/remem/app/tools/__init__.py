"""Every tool, declared once; MCP, the command line and the reference are made from these."""
