"""Paths and models that depend on the environment: the workspace, model folders, host settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.config import Config
from remem.embed.model_files import is_installed
from remem.errors import ConfigError
from remem.files.layout import Layout
from remem.model.scope import Scope
from remem.ports.models import Embedder

if TYPE_CHECKING:
    from remem.files.host_folders import HostFolders
    from remem.files.transcripts.locate import Listing


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


def has_colours(environment: Mapping[str, str] | None = None) -> bool:
    """Whether the terminal shows colours and its user wants them (https://no-color.org)."""
    environment = given_or_own(environment)
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


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
    from remem.files.transcripts.locate import allowed_transcripts

    return allowed_transcripts(layout, config, scope, given_or_own(environment))


def host_folders(
    config: Config, project: Path, environment: Mapping[str, str] | None = None
) -> HostFolders:
    """Where the hosts of this person keep their settings."""
    from remem.files.host_folders import folders_of, host_homes

    environment = given_or_own(environment)
    return folders_of(host_homes(config, environment), project, environment)


MINILM: Final = "minilm"
MULTILINGUAL: Final = "multilingual"


def choose_embedders(
    config: Config, environment: Mapping[str, str] | None = None
) -> tuple[tuple[Embedder, ...], str | None]:
    """The models that encode: one for everything, or each for the languages that it knows; or
    why there is none."""
    match config.embedder:
        case "endpoint":
            return (_endpoint(config, given_or_own(environment)),), None
        case "none":
            return (), "embedder = 'none' is configured"
        case _ if local := _local_models(models_folder(environment)):
            return local, None
        case _:
            return (), "the local model is not on this machine; run `remem models fetch minilm`"


def standby_embedders(
    config: Config, environment: Mapping[str, str] | None = None
) -> tuple[Embedder, ...]:
    """Models whose vectors may still serve while those of another are made."""
    return _local_models(models_folder(environment)) if config.embedder == "endpoint" else ()


def _local_models(folder: Path) -> tuple[Embedder, ...]:
    """Where one knows a language no better than the other, the first is asked."""
    found: list[Embedder] = []
    if is_installed(MINILM, folder):
        from remem.embed.minilm import MiniLM

        found.append(MiniLM(folder / MINILM))
    if is_installed(MULTILINGUAL, folder):
        from remem.embed.multilingual import Multilingual

        found.append(Multilingual(folder / MULTILINGUAL))
    return tuple(found)


def _endpoint(config: Config, environment: Mapping[str, str]) -> Embedder:
    from remem.embed.endpoint import Endpoint

    return Endpoint(
        config.endpoint_url,
        config.endpoint_model,
        api_key=environment.get(config.endpoint_key_variable) or None,
        timeout=config.endpoint_timeout,
    )
