"""Where the workspace and the home lie on the disk is the owner's business: answers and errors for
a group, a peer or an unknown session name files relative to them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final

from remem.errors import InvalidInput, RememError

Places = tuple[tuple[str, str], ...]
"""Texts, and what stands for each of them; a longer one comes before its own beginning."""

_SHORTEST: Final = 2
"""A home at `/` would be found in every path."""
_QUOTED: Final = frozenset(
    "path content text snippet context fact tags citation query message id ids".split()
)
"""Fields that repeat what was stored or asked, which stays as it was said. A caller could also
learn whether a guessed path is right, if it came back changed."""


def private_places(root: Path) -> Places:
    named = {str(root): "the workspace", os.path.realpath(root): "the workspace"}
    for home in (str(Path.home()), os.path.realpath(Path.home())):
        named.setdefault(home, "~")
    longest_first = sorted(named.items(), key=lambda each: -len(each[0]))
    found: list[tuple[str, str]] = []
    for place, name in longest_first:
        if len(place) >= _SHORTEST:
            found += [(f"{place}/", "" if name != "~" else "~/"), (place, name)]
    return tuple(found)


def without_places(text: str, places: Places) -> str:
    for place, name in places:
        text = text.replace(place, name)
    return text


def hide_in(error: RememError, places: Places) -> None:
    """Take the places out of an error; what is wrong with a value is about the caller's words."""
    if isinstance(error, InvalidInput):
        return
    error.args = tuple(
        without_places(arg, places) if isinstance(arg, str) else arg for arg in error.args
    )
    error.hint = without_places(error.hint, places) if error.hint else error.hint


def hidden(value: Any, places: Places) -> Any:
    """An answer in which no reason, note or trace names one of the places."""
    match value:
        case str():
            return without_places(value, places)
        case tuple() | list():
            return type(value)(hidden(each, places) for each in value)
        case Mapping():
            return {key: hidden(each, places) for key, each in value.items()}
        case _ if is_dataclass(value) and not isinstance(value, type):
            changed = {}
            for field in fields(value):
                old = getattr(value, field.name)
                if field.name not in _QUOTED and (new := hidden(old, places)) != old:
                    changed[field.name] = new
            return replace(value, **changed) if changed else value
        case _:
            return value
