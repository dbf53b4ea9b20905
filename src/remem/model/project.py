"""The project that a memory comes from, recorded as a tag: `project:~/src/atlas`.

An entry without such a tag is general. An entry with several belongs to each of these projects.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from remem.text.words import fold

PROJECT_PREFIX: Final = "project:"
_MAX_TAG_LENGTH: Final = 200


def project_tag(folder: str) -> str | None:
    """Return the tag of a folder such as `~/src/atlas`, or None if it would be too long."""
    tag = f"{PROJECT_PREFIX}{folder}"
    return tag if len(tag) <= _MAX_TAG_LENGTH else None


def projects_in(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags that name a project."""
    return tuple(tag for tag in tags if fold(tag).startswith(PROJECT_PREFIX))


def without_projects(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the tags that do not name a project."""
    return tuple(tag for tag in tags if not fold(tag).startswith(PROJECT_PREFIX))


def with_project(tags: tuple[str, ...], project: str | None) -> tuple[str, ...]:
    """Return tags with the tag of the current project, if any, unless they name a project."""
    return tags if project is None or projects_in(tags) else (*tags, project)


def merge_tags(old: tuple[str, ...], new: tuple[str, ...]) -> tuple[str, ...]:
    """Return the tags of a statement that was made twice, with different tags.

    It is general, without a project, if it was general one of the two times.
    """
    merged = tuple(dict.fromkeys((*old, *new)))
    return merged if projects_in(old) and projects_in(new) else without_projects(merged)


def is_of_project(tags: Iterable[str], project: str) -> bool:
    """Return whether an entry with these tags belongs to a project, given by its tag."""
    folded = fold(project)
    return any(fold(tag) == folded for tag in projects_in(tags))


def is_of_other_project(tags: Iterable[str], project: str | None) -> bool:
    """Return whether an entry with these tags belongs only to other projects than this one."""
    projects = projects_in(tags)
    return bool(projects) and (project is None or not is_of_project(projects, project))


def project_names(tags: Iterable[str]) -> str:
    """Return the folders of the projects that the tags name, as a text for people and models."""
    return ", ".join(tag[len(PROJECT_PREFIX) :] for tag in projects_in(tags))
