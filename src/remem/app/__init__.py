"""The Workspace, how it is opened, and the tools that every surface offers."""


def ignore_progress(*_progress: object) -> None:
    """Do nothing: the default for callbacks that report progress."""
