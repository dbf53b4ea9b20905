"""Which parts make a memory? The only place that names concrete classes and the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from remem.config import Config, parse_config
from remem.core.entry import Trust
from remem.core.moments import stamp
from remem.core.room_names import Rooms
from remem.core.scope import Scope, Session, may_read
from remem.core.session_key import Room, read_key, read_session
from remem.counters import choose_counter
from remem.embedders.fetch import installed
from remem.embedders.guard import Guarded
from remem.errors import ConfigError, NotAllowed, StoreDamaged
from remem.maintenance.initialise import initialise
from remem.notes import files
from remem.notes.layout import Layout, check_topics
from remem.notes.rooms import read_rooms
from remem.notes.scopes import known_scopes, leave_name
from remem.ports import Clock, Embedder, TokenCounter
from remem.stores.sqlite import SCHEMA, SqliteStore, holding
from remem.workspace import Parts, Workspace

MINILM: Final = "minilm"


def open_workspace(
    path: str | os.PathLike[str] | None = None,
    session: str | Session = "main",
    *,
    trust: Trust = "owner",
    background: bool = True,
    embedder: Embedder | None = None,
    counter: TokenCounter | None = None,
    clock: Clock | None = None,
    random_bytes: Callable[[int], bytes] = os.urandom,
    environment: Mapping[str, str] = os.environ,
) -> Workspace:
    """A memory for one session, by its key; `path` is the workspace's folder.

    The folder becomes a workspace if it is none yet. A session that has no memory of its own
    (an unmapped room, an unknown key, a scheduled run) is refused, with the reason.
    """
    layout = Layout(find_workspace(path, environment))
    config = read_config(layout)
    who = session if isinstance(session, Session) else session_of(layout, config, session)
    scope = scope_of(who)
    for folder in (layout.state_folder(scope), layout.domains(scope)):
        files.refuse_links(layout.root, folder)
    if _may_write(layout.root):
        initialise(layout)
        files.make_folder(layout.state_folder(scope))
        leave_name(layout, scope)
    embedders, without = ((embedder,), None) if embedder else choose_embedders(config, environment)
    guarded = tuple(Guarded(each, holding) for each in embedders)
    store = SqliteStore(layout.database(scope))
    try:
        return Workspace(
            Parts(
                layout=layout,
                session=who,
                scope=scope,
                config=config,
                store=store,
                counter=counter or choose_counter(config.token_counter),
                embedders=guarded,
                without_model=without,
                clock=clock or system_clock,
                random_bytes=random_bytes,
                trust=trust,
                schema=SCHEMA,
                background=background,
            )
        )
    except BaseException:
        store.close()
        raise


def find_workspace(
    path: str | os.PathLike[str] | None, environment: Mapping[str, str] = os.environ
) -> Path:
    """The folder given, that of REMEM_WORKSPACE, or the nearest one upwards with `.remem`."""
    given = path or environment.get("REMEM_WORKSPACE")
    if given:
        folder = Path(given).expanduser().absolute()
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


def read_config(layout: Layout) -> Config:
    data = files.read(layout.config_file)
    if data is None:
        return Config()
    try:
        config = parse_config(data.decode(), str(layout.config_file))
    except UnicodeDecodeError as error:
        raise ConfigError(f"{layout.config_file} is not UTF-8 (byte {error.start})") from error
    check_topics(config.topics)
    return config


def session_of(layout: Layout, config: Config, key: str) -> Session:
    """The session of a key. Only a room needs the list of rooms: main works without it."""
    in_room = isinstance(read_key(key)[1], Room)
    return read_session(
        key,
        read_rooms(layout.root) if in_room else Rooms(),
        owner_peers=config.owner_peers,
        main_is_shared=config.main_is_shared,
    )


def scope_of(session: Session) -> Scope:
    """The scope a session reads and writes; those without one get nothing, and the reason."""
    if session.scope is None or not may_read(session, session.scope):
        raise NotAllowed(session.reason or "this session has no memory")
    return session.scope


def owner_sessions(layout: Layout) -> tuple[list[Session], list[Path]]:
    """A session on every scope, for the owner's commands over the whole workspace.

    The second list names folders whose scope cannot be told.
    """
    names = [line.name for line in read_rooms(layout.root).lines]
    scopes, nameless = known_scopes(layout, names)
    sessions = [_owner_session(scope) for scope in scopes]
    return sessions, nameless


def _owner_session(scope: Scope) -> Session:
    assert scope.kind != "shared", "a shared space belongs to no session"
    return Session(scope.kind, "main", f"owner:{scope}", scope, None)


def set_damaged_aside(layout: Layout, scope: Scope) -> Path | None:
    """Move a database that is not sound out of the way, whole; a sound one stays.

    Only damage counts: a file that is busy, too new or not ours to write is left alone.
    """
    database = layout.database(scope)
    if not database.exists():
        return None
    try:
        SqliteStore(database).close()
    except StoreDamaged:
        folder = files.unused(database.parent, "damaged")
        for path in sorted(database.parent.glob(f"{database.name}*")):
            files.set_aside(path, folder / path.name)
        return folder
    return None


def models_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where fetched models lie, shared by all workspaces of a user."""
    if given := environment.get("REMEM_MODELS"):
        return Path(given).expanduser()
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "remem" / "models"


def choose_embedders(
    config: Config, environment: Mapping[str, str] = os.environ
) -> tuple[tuple[Embedder, ...], str | None]:
    """The wanted model first, then one whose vectors may still serve; or why there is none."""
    local = _local_models(models_folder(environment))
    match config.embedder:
        case "endpoint":
            return (_endpoint(config, environment), *local), None
        case "none":
            return (), "embedder = 'none' is configured"
        case _ if local:
            return local, None
        case _:
            return (), "the local model is not on this machine; run `remem models fetch minilm`"


def _local_models(folder: Path) -> tuple[Embedder, ...]:
    if not installed(MINILM, folder):
        return ()
    from remem.embedders.minilm import MiniLM

    # The runtime reports home unless it is told not to, before it is loaded.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    return (MiniLM(folder / MINILM),)


def _endpoint(config: Config, environment: Mapping[str, str]) -> Embedder:
    from remem.embedders.endpoint import Endpoint

    return Endpoint(
        config.endpoint_url,
        config.endpoint_model,
        api_key=environment.get(config.endpoint_key_variable) or None,
        timeout=config.endpoint_timeout,
    )


def _may_write(folder: Path) -> bool:
    """Whether the folder, or the nearest one above it that exists, can be written."""
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK)


def system_clock() -> str:
    return stamp(datetime.now(UTC))
