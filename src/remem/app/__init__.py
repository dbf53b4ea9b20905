"""The application: the Workspace, how it is opened, and every tool, declared once."""
