"""The application: the `Workspace`, the code that opens it, and the table of tools."""
