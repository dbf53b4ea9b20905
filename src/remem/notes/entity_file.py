"""What are the entities called, and which of them are one? Kept in `brain/entities.json`.

An object with a member for each entity that has more to say than its folder's name: its name,
kind and aliases, and into which other it was merged. A person may edit it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from remem.core.entity import Entity, kind_by_place
from remem.errors import FileError
from remem.notes import files

NAMES_FILE: Final = "brain/entities.json"

_NAME, _KIND, _ALIASES, MERGED_INTO = "name", "kind", "aliases", "mergedInto"


@dataclass(frozen=True, slots=True)
class Names:
    """What the file says of each entity, by its id; `trouble` is why it says nothing."""

    said: Mapping[str, Mapping[str, Any]]
    trouble: str | None = None

    def entity(self, id_: str, files_: tuple[str, ...]) -> Entity:
        said = self.said.get(id_, {})
        aliases = said.get(_ALIASES)
        into = said.get(MERGED_INTO)
        return Entity(
            id=id_,
            name=_text(said.get(_NAME)) or id_.rpartition("/")[2].replace("-", " "),
            kind=_text(said.get(_KIND)) or kind_by_place(id_),
            aliases=tuple(each for each in aliases if isinstance(each, str) and each.strip())
            if isinstance(aliases, list)
            else (),
            files=files_,
            merged_into=into if isinstance(into, str) and into else None,
        )


def read_names(root: Path) -> Names:
    """The file as it is; where it cannot be read, entities go by their folders' names."""
    path = root / NAMES_FILE
    try:
        files.refuse_links(root, path)
        data = files.read(path)
        text = "" if data is None else files.text_of(data, path)
    except FileError as error:
        return Names({}, str(error))
    return names_in(text)


def names_in(text: str) -> Names:
    if not text.strip("\ufeff \t\r\n"):
        return Names({})
    try:
        value = json.loads(text.lstrip("\ufeff"))
    except json.JSONDecodeError as error:
        where = f"at line {error.lineno}, column {error.colno}"
        return Names({}, f"{NAMES_FILE} is not JSON {where}; it is kept as it is")
    except RecursionError:
        return Names({}, f"{NAMES_FILE} is nested too deep; it is kept as it is")
    if not isinstance(value, dict):
        return Names({}, f"{NAMES_FILE} is not an object; it is kept as it is")
    return Names({id_: said for id_, said in value.items() if isinstance(said, dict)})


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
