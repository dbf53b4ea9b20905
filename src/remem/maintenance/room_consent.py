"""May a room's conversations still be searched when it gets another name? What the owner allowed
goes along; or whoever is given the old name one day would inherit it."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any, Final

from remem.errors import RememError
from remem.maintenance.rewriting import rewrite
from remem.notes import files
from remem.notes.layout import Layout
from remem.notes.renaming import Renaming

_ALLOWED: Final = re.compile(r"^[ \t]*transcripts[ \t]*=[ \t]*\[[^\]]*\]", re.MULTILINE)


def allow_anew(layout: Layout, renaming: Renaming) -> None:
    """Write the room's new name into `transcripts`; every other byte of the settings stays.

    Settings that cannot be written so are left: `still_allowed` tells of them.
    """
    was, is_ = map(str, renaming.scopes)
    try:
        rewrite(layout, layout.config_file, lambda data: data and _renamed(data, was, is_))
    except RememError:  # a renaming is not kept half done because of it
        return


def still_allowed(layout: Layout, name: str) -> bool:
    """Whether the settings let the conversations of a room of this name be searched."""
    try:
        settings = _settings(files.read(layout.config_file) or b"")
    except RememError:  # whoever opens the workspace is told
        return False
    return f"group:{name}" in _names(settings)


def _renamed(data: bytes, was: str, is_: str) -> bytes:
    """The settings with one scope named anew; as they are, where only a person can tell how."""
    before = _settings(data)
    if was not in _names(before):
        return data
    new = json.dumps(is_, ensure_ascii=False)

    def named_anew(found: re.Match[str]) -> str:
        return found[0].replace(f'"{was}"', new).replace(f"'{was}'", new)

    text = _ALLOWED.sub(named_anew, data.decode()).encode()
    names = [is_ if each == was else each for each in _names(before)]
    return text if _settings(text) == {**before, "transcripts": names} else data


def _settings(data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode("utf-8"))
    except ValueError:
        return {}


def _names(settings: dict[str, Any]) -> list[Any]:
    names = settings.get("transcripts")
    return names if isinstance(names, list) else []
