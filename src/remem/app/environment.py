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


def given_or_own(environment: Mapping[str, str] | None) -> Mapping[str, str]:
    """The environment that was given, else the process's own.

    It is not a default argument: `help()` and error reports print those, secrets included.
    """
    return os.environ if environment is None else environment


def find_workspace(
    path: str | os.PathLike[str] | None, environment: Mapping[str, str] | None = None
) -> Path:
    """The folder given, that of REMEM_WORKSPACE, or the nearest one upwards with `.remem`."""
    given = path or given_or_own(environment).get("REMEM_WORKSPACE")
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


def models_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Where fetched models lie, shared by all workspaces of a user."""
    environment = given_or_own(environment)
    if given := environment.get("REMEM_MODELS"):
        return Path(given).expanduser()
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "remem" / "models"


def transcripts_for(
    layout: Layout, config: Config, scope: Scope, environment: Mapping[str, str] | None = None
) -> Listing:
    """The conversations that a scope may search: none, unless the settings allow them."""
    from remem.notes.transcripts.consent import allowed_transcripts

    return allowed_transcripts(layout, config, scope, given_or_own(environment))


def host_folders(
    config: Config, project: Path, environment: Mapping[str, str] | None = None
) -> HostFolders:
    """Where the hosts of this person keep their settings."""
    from remem.notes.host_folders import folders_of
    from remem.notes.transcripts.consent import places_of

    environment = given_or_own(environment)
    return folders_of(places_of(config, environment), project, environment)
