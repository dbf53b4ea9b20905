"""Where does it lie: the workspace, the models, a host's settings, the conversations?"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from remem.config import Config
from remem.core.scope import Scope
from remem.errors import ConfigError
from remem.notes.layout import Layout

if TYPE_CHECKING:
    from remem.notes.host_folders import HostFolders
    from remem.notes.transcripts.places import Listing


def find_workspace(
    path: str | os.PathLike[str] | None, environment: Mapping[str, str] = os.environ
) -> Path:
    """The folder given, that of REMEM_WORKSPACE, or the nearest one upwards with `.remem`."""
    given = path or environment.get("REMEM_WORKSPACE")
    if given:
        folder = Path(given).expanduser().absolute()
        if ".." in folder.parts:  # or one folder had two spellings, and walls compare them
            folder = Path(os.path.realpath(folder))
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{folder} is not a folder", hint="name the workspace's folder")
        return folder
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / ".remem").is_dir():
            return folder
    raise ConfigError(
        f"{here} is in no workspace",
        hint="run `remem init` here, or name one with --workspace or REMEM_WORKSPACE",
    )


def models_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where fetched models lie, shared by all workspaces of a user."""
    if given := environment.get("REMEM_MODELS"):
        return Path(given).expanduser()
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "remem" / "models"


def transcripts_for(
    layout: Layout, config: Config, scope: Scope, environment: Mapping[str, str] = os.environ
) -> Listing:
    """The conversations that a scope may search: none, unless the settings allow them."""
    from remem.notes.transcripts.consent import allowed_transcripts

    return allowed_transcripts(layout, config, scope, environment)


def host_folders(
    config: Config, project: Path, environment: Mapping[str, str] = os.environ
) -> HostFolders:
    """Where the hosts of this person keep their settings."""
    from remem.notes.host_folders import folders_of
    from remem.notes.transcripts.consent import places_of

    return folders_of(places_of(config, environment), project, environment)
