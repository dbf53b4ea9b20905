"""Remove absolute paths from answers and errors for everybody but the owner.

Only the owner may see where the workspace and the home folder are on the disk. A group, a peer or
an unknown session sees paths relative to them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final

from remem.errors import InvalidInput, RememError

PrivatePaths = tuple[tuple[str, str], ...]
"""Paths and their replacements, longer paths first."""

_MIN_LENGTH: Final = 2
"""Shorter paths are not hidden: a home folder `/` would match in every path."""
_REPEATED_FIELDS: Final = frozenset(
    "path content text snippet context fact tags citation query message id ids".split()
)
"""Fields that repeat what was stored or asked, and are not changed: otherwise a caller could guess
a path and see from the answer whether it is right."""


def private_paths(root: Path) -> PrivatePaths:
    """Return the paths of the workspace `root` and of the home folder."""
    names = {str(root): "the workspace", os.path.realpath(root): "the workspace"}
    for home in (str(Path.home()), os.path.realpath(Path.home())):
        names.setdefault(home, "~")
    longest_first = sorted(names.items(), key=lambda item: -len(item[0]))
    paths: list[tuple[str, str]] = []
    for path, name in longest_first:
        if len(path) >= _MIN_LENGTH:
            paths += [(f"{path}/", "" if name != "~" else "~/"), (path, name)]
    return tuple(paths)


def strip_paths(text: str, paths: PrivatePaths) -> str:
    """Return a text with the private paths replaced."""
    for path, name in paths:
        text = text.replace(path, name)
    return text


@contextmanager
def hide_paths_in_errors(paths: PrivatePaths) -> Iterator[None]:
    """Remove private paths from errors, except from InvalidInput.

    That one is about the caller's own values.
    """
    try:
        yield
    except InvalidInput:
        raise
    except RememError as error:
        error.args = tuple(
            strip_paths(arg, paths) if isinstance(arg, str) else arg for arg in error.args
        )
        error.hint = strip_paths(error.hint, paths) if error.hint else error.hint
        raise


def hide_paths(value: Any, paths: PrivatePaths) -> Any:
    """Return an answer without private paths in its texts, except those in `_REPEATED_FIELDS`."""
    match value:
        case str():
            return strip_paths(value, paths)
        case tuple() | list():
            return type(value)(hide_paths(item, paths) for item in value)
        case Mapping():
            return {key: hide_paths(item, paths) for key, item in value.items()}
        case _ if is_dataclass(value) and not isinstance(value, type):
            changed = {}
            for field in fields(value):
                old = getattr(value, field.name)
                if field.name not in _REPEATED_FIELDS and (new := hide_paths(old, paths)) != old:
                    changed[field.name] = new
            return replace(value, **changed) if changed else value
        case _:
            return value
