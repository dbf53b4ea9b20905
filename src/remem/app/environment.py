"""Paths, models and other values that depend on environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.config import Config
from remem.embed.model_files import is_installed
from remem.errors import ConfigError, quoted
from remem.files.disk import file_errors, make_folder
from remem.files.layout import Layout
from remem.model.scope import Scope
from remem.ports.models import Embedder, Reranker

if TYPE_CHECKING:
    from remem.files.host_folders import HostFolders
    from remem.files.own_memory import OwnMemory
    from remem.files.transcripts.locate import TranscriptListing

MINILM: Final = "minilm"
MULTILINGUAL: Final = "multilingual"
_NO_LOCAL_MODEL: Final = (
    "the local model is not on this machine (the owner can run `remem models fetch {name}`)"
)


def environment_or_default(environment: Mapping[str, str] | None) -> Mapping[str, str]:
    """Return the given environment, or the environment of the process if it is None.

    `os.environ` is not a default argument, because `help()` and error reports print defaults.
    """
    return os.environ if environment is None else environment


def find_workspace(
    path: str | os.PathLike[str] | None, environment: Mapping[str, str] | None = None
) -> Path:
    """Return the folder of the workspace.

    It is `path` or, without a path, the value of REMEM_WORKSPACE; else the nearest folder upwards
    that contains `.remem`; else the workspace that `remem setup` was last run for.
    """
    environment = environment_or_default(environment)
    if configured := path or environment.get("REMEM_WORKSPACE"):
        folder = expanded(configured).absolute()
        if ".." in folder.parts:  # checks that compare paths need one spelling per folder
            folder = Path(os.path.realpath(folder))
        with file_errors(folder, "inspected"):
            if folder.exists() and not folder.is_dir():
                raise ConfigError(f"{folder} is not a folder", hint="give the workspace's folder")
            (folder / ".remem").exists()  # raises if the folder may not be read
        return _require_utf8(folder)
    try:
        folder = Path.cwd()
    except OSError as error:
        raise ConfigError(
            f"the current folder cannot be found: {error.strerror}",
            hint="change to another folder, or name a workspace with --workspace",
        ) from error
    if folder_with_workspace := nearest_workspace(folder) or default_workspace(environment):
        return _require_utf8(folder_with_workspace)
    raise ConfigError(
        f"{folder} is not in a remem workspace",
        hint="`remem setup` makes one; choose an existing one with --workspace or REMEM_WORKSPACE",
    )


def expanded(path: str | os.PathLike[str]) -> Path:
    """Return a path with `~` replaced by the home folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ConfigError(
            f"the home folder in {quoted(os.fspath(path))} is unknown",
            hint="set HOME, or write the whole path",
        ) from error


def _require_utf8(folder: Path) -> Path:
    """Return a folder; raise ConfigError if databases and hosts' settings cannot hold its path."""
    name = str(folder)
    if "\0" in name or name != name.encode(errors="replace").decode():
        raise ConfigError(
            f"the path {quoted(name)} is not valid UTF-8", hint="rename the folder of the workspace"
        )
    return folder


def nearest_workspace(folder: Path) -> Path | None:
    """Return the workspace that a folder is in; None if it is in none."""
    return next((path for path in (folder, *folder.parents) if (path / ".remem").is_dir()), None)


def default_workspace(environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the workspace for commands that are run outside of any, if it still exists."""
    from remem.files.atomic import read

    name = os.fsdecode(read(_default_file(environment)) or b"").removesuffix("\n")
    return Path(name) if name and (Path(name) / ".remem").is_dir() else None


def set_default_workspace(root: Path) -> None:
    """Choose the workspace for commands that are run outside of any workspace."""
    from remem.files.atomic import replace_file

    file = _default_file(None)
    make_folder(file.parent)
    replace_file(file, os.fsencode(f"{root}\n"))


def _default_file(environment: Mapping[str, str] | None) -> Path:
    environment = environment_or_default(environment)
    settings = environment.get("XDG_CONFIG_HOME") or home_folder(environment) / ".config"
    return expanded(settings) / "remem" / "workspace"


def has_colours() -> bool:
    """Return whether the terminal shows colours and its user wants them (https://no-color.org)."""
    environment = environment_or_default(None)
    return not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def home_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return the user's home folder."""
    configured = environment_or_default(environment).get("HOME")
    return Path(configured) if configured else expanded("~")


def models_folder(environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder of downloaded models, shared by all workspaces of a user."""
    environment = environment_or_default(environment)
    if configured := environment.get("REMEM_MODELS"):
        return expanded(configured)
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return expanded(cache) / "remem" / "models"


def transcripts_for(
    layout: Layout, config: Config, scope: Scope, environment: Mapping[str, str] | None = None
) -> TranscriptListing:
    """Return the conversations that a scope may search; none unless the settings allow it."""
    from remem.files.transcripts.locate import allowed_transcripts

    return allowed_transcripts(layout, config, scope, environment_or_default(environment))


def own_memories_for(
    layout: Layout, config: Config, environment: Mapping[str, str] | None = None
) -> list[OwnMemory]:
    """Return the agents' own memories that main searches, because `extra_paths` names them."""
    from remem.files.own_memory import own_memories
    from remem.files.project_folder import project_of
    from remem.files.walking import resolve_extra_paths

    if not config.extra_paths:
        return []
    folders = host_folders(config, layout.root, environment)
    searched = [extra.path for extra in resolve_extra_paths(layout, config.extra_paths)[0]]
    home = home_folder(environment)
    memories = own_memories(
        folders.claude, folders.codex, lambda folder: project_of(folder, layout.root, home)
    )
    return [memory for memory in memories if any(map(memory.path.is_relative_to, searched))]


def host_folders(
    config: Config, project: Path, environment: Mapping[str, str] | None = None
) -> HostFolders:
    """Return the folders in which the user's hosts keep their settings."""
    from remem.files.host_folders import folders_of, host_homes

    environment = environment_or_default(environment)
    return folders_of(host_homes(config, environment), project, environment)


def choose_embedders(
    config: Config, environment: Mapping[str, str] | None = None
) -> tuple[tuple[Embedder, ...], str | None]:
    """Return the embedding model that a workspace uses, or no model and the reason.

    `auto` chooses the multilingual model if it is installed, and else the English one. One model
    embeds all texts, because vectors of different models cannot be compared.
    """
    match config.embedder:
        case "endpoint":
            return (_endpoint(config, environment_or_default(environment)),), None
        case "folder":
            from remem.embed.folder_model import FolderModel

            return (FolderModel(expanded(config.model_folder)),), None
        case "none":
            return (), "embedder = 'none' is configured"
        case "auto":
            name = MINILM
            local_models = _local_models(models_folder(environment), MULTILINGUAL, MINILM)
        case name:
            local_models = _local_models(models_folder(environment), name)
    return local_models[:1], None if local_models else _NO_LOCAL_MODEL.format(name=name)


def standby_embedders(
    config: Config, environment: Mapping[str, str] | None = None
) -> tuple[Embedder, ...]:
    """Return the models whose vectors are used until the configured model has made its own."""
    match config.embedder:
        case "none":
            return ()
        case "endpoint" | "folder":
            return _local_models(models_folder(environment), MULTILINGUAL, MINILM)
        case "auto":
            return _local_models(models_folder(environment), MULTILINGUAL, MINILM)[1:]
        case name:
            others = [other for other in (MULTILINGUAL, MINILM) if other != name]
            return _local_models(models_folder(environment), *others)


def _local_models(folder: Path, *names: str) -> tuple[Embedder, ...]:
    """Return the models with these names that are installed."""
    embedders: list[Embedder] = []
    for name in names:
        if not is_installed(name, folder):
            continue
        if name == MINILM:
            from remem.embed.minilm import MiniLM

            embedders.append(MiniLM(folder / name))
        else:
            from remem.embed.multilingual import Multilingual

            embedders.append(Multilingual(folder / name))
    return tuple(embedders)


def choose_reranker(
    config: Config, environment: Mapping[str, str] | None = None
) -> Reranker | None:
    """Return the configured reranker; None without one."""
    if not config.rerank_url:
        return None
    from remem.embed.rerank_endpoint import RerankEndpoint

    return RerankEndpoint(
        config.rerank_url,
        api_key=environment_or_default(environment).get(config.rerank_key_variable) or None,
        timeout=config.rerank_timeout,
    )


def _endpoint(config: Config, environment: Mapping[str, str]) -> Embedder:
    from remem.embed.endpoint import Endpoint

    return Endpoint(
        config.endpoint_url,
        config.endpoint_model,
        api_key=environment.get(config.endpoint_key_variable) or None,
        timeout=config.endpoint_timeout,
    )
