"""May this session open this path? Judged by its words, before anything is looked at.

First the walls: what lies outside the session's scope is refused whether or not it exists.
Then the rules of hosts: which names are memory files at all. Who may open it still meets the
file itself (`notes.beneath`): no link is followed, and no second name leads into another scope.

| session | opens                                                                       |
|---------|-----------------------------------------------------------------------------|
| main    | MEMORY.md, USER.md, dreams.md, memory/, brain/, life/, para/, extra paths   |
| group   | its gate and its own folder in memory/groups/                               |
| peer    | its own folder in memory/peers/                                             |
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.files.layout import Layout
from remem.files.walking import Place, is_workspace
from remem.model.fact import FACT_TREES
from remem.model.scope import Session, may_read

_CURATED: Final = ("MEMORY.md", "USER.md")
_DIARY: Final = "dreams.md"
_OWNERS_FOLDERS: Final = ("memory", *FACT_TREES)
_WALLED: Final = frozenset({("memory", "groups"), ("memory", "peers")})
_STATE: Final = ".remem"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a path stays closed, in the words of the host's contract."""

    code: str
    error: str


NOT_ALLOWED: Final = Refusal(
    "MEMORY_PATH_NOT_ALLOWED", "path is not an allowed Markdown memory file"
)


@dataclass(frozen=True, slots=True)
class Way:
    """How to reach a file that may be opened: `parts` below `folder`.

    `path` is its name in answers. The workspace itself may be a link, an extra folder may not.
    """

    path: str
    folder: Path
    parts: tuple[str, ...]
    follow_folder: bool = True


def may_open(
    session: Session, path: str, layout: Layout, extra: Sequence[Place] = ()
) -> Way | Refusal:
    """The way to a memory file, or why there is none. `extra` are the owner's own places."""
    if session.scope is None or not may_read(session, session.scope):
        return NOT_ALLOWED
    parts = _parts_below(path, layout.root)
    if session.scope.kind == "main":
        return _for_the_owner(path, parts, layout, extra) or NOT_ALLOWED
    if parts is None or not _is_own(parts, session, layout) or not _is_markdown(parts):
        return NOT_ALLOWED
    return Way("/".join(parts), layout.root, parts)


def is_within(parts: tuple[str, ...], folder: tuple[str, ...]) -> bool:
    return len(parts) > len(folder) and parts[: len(folder)] == folder


def _is_own(parts: tuple[str, ...], session: Session, layout: Layout) -> bool:
    assert session.scope is not None
    own = layout.domains(session.scope).parent.relative_to(layout.root).parts
    gate = (*own[:-1], f"{own[-1]}.md")
    return is_within(parts, own) or (session.scope.kind == "group" and parts == gate)


def _for_the_owner(
    path: str, parts: tuple[str, ...] | None, layout: Layout, extra: Sequence[Place]
) -> Way | None:
    if parts is None:
        return _extra_way(path, None, layout, extra)
    if _is_behind_a_wall(parts):
        return None
    if _is_the_owners(parts) and _is_markdown(parts):
        return Way("/".join(parts), layout.root, parts)
    return _extra_way(path, parts, layout, extra)


def _is_the_owners(parts: tuple[str, ...]) -> bool:
    if len(parts) == 1:
        return parts[0] in _CURATED or parts[0].casefold() == _DIARY
    return parts[0] in _OWNERS_FOLDERS


def _is_behind_a_wall(parts: tuple[str, ...]) -> bool:
    """Whether some file system could take these names for a folder of other scopes."""
    alike = tuple(_as_some_disks_see_it(part) for part in parts[:2])
    return alike in _WALLED or alike[0] == _STATE


def _extra_way(
    path: str, parts: tuple[str, ...] | None, layout: Layout, extra: Sequence[Place]
) -> Way | None:
    """A file in one of the extra places: any Markdown in a folder, or the one file."""
    asked = layout.root.joinpath(*parts) if parts is not None else _plain_absolute(path)
    if asked is None:
        return None
    name = "/".join(parts) if parts is not None else str(asked)
    for place in extra:
        if place.is_file and asked == place.path:
            return Way(name, asked.parent, (asked.name,))
        if place.is_file or not asked.is_relative_to(place.path) or asked.suffix != ".md":
            continue
        inside = asked.relative_to(place.path).parts
        between = [place.path.joinpath(*inside[:count]) for count in range(1, len(inside))]
        if not any(is_workspace(folder, layout) for folder in between):
            return Way(name, place.path, inside, follow_folder=False)
    return None


def _parts_below(path: str, root: Path) -> tuple[str, ...] | None:
    """The names on the way from the workspace; None for what leads out of it or hides its way."""
    if not path.startswith("/"):
        return _parts(path)
    absolute = _parts(path)
    if absolute is None:
        return None
    for start in dict.fromkeys((root, Path(os.path.realpath(root)))):
        own = start.parts[1:]
        if is_within(absolute, own):
            return absolute[len(own) :]
    return None


def _plain_absolute(path: str) -> Path | None:
    parts = _parts(path) if path.startswith("/") else None
    return Path("/", *parts) if parts else None


def _parts(path: str) -> tuple[str, ...] | None:
    if "\0" in path or "\\" in path or path.endswith("/"):
        return None
    parts = tuple(part for part in path.split("/") if part not in ("", "."))
    return None if not parts or ".." in parts else parts


def _is_markdown(parts: tuple[str, ...]) -> bool:
    return parts[-1].endswith(".md")


def _as_some_disks_see_it(name: str) -> str:
    """Without case, accents' spelling, invisible characters, and dots or spaces at the end."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    seen = "".join(each for each in folded if unicodedata.category(each) != "Cf")
    return seen.rstrip(" .")
