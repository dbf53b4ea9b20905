"""Which parts make a memory? The only place that names concrete classes and the environment."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.config import Config, zone_of
from remem.core.entry import Trust
from remem.core.moments import stamp
from remem.core.scope import Scope, Session
from remem.counters import choose_counter
from remem.embedders.guard import Guarded
from remem.embedders.lazily import minilm_in, multilingual_in
from remem.embedders.model_files import installed
from remem.errors import ConfigError, StoreError
from remem.maintenance.initialise import claim, initialise, require_database
from remem.notes import files
from remem.notes.layout import Layout
from remem.notes.renaming import refuse_renaming
from remem.notes.scopes import known_scopes, leave_name
from remem.notes.whose import read_config, scope_of, session_of
from remem.ports import Chat, Clock, Embedder, Extractor, Store, TokenCounter
from remem.stores.passages import in_place_of, open_passages
from remem.stores.refusing import RefusingStore
from remem.stores.sqlite import SCHEMA, SqliteStore, holding
from remem.workspace import Parts, Workspace

if TYPE_CHECKING:
    from remem.maintenance.qmd import Qmd
    from remem.maintenance.validation import Tried
    from remem.notes.host_folders import HostFolders
    from remem.notes.transcripts.places import Listing

MINILM: Final = "minilm"
MULTILINGUAL: Final = "multilingual"


def open_workspace(
    path: str | os.PathLike[str] | None = None,
    session: str | Session = "main",
    *,
    trust: Trust = "owner",
    background: bool = True,
    anew: bool = False,
    profile: str = "core",
    conversation: str = "",
    by_words: bool = False,
    without_signals: Collection[str] = (),
    embedder: Embedder | Sequence[Embedder] | None = None,
    counter: TokenCounter | None = None,
    clock: Clock | None = None,
    random_bytes: Callable[[int], bytes] = os.urandom,
    environment: Mapping[str, str] = os.environ,
) -> Workspace:
    """A memory for one session, by its key; `path` is the workspace's folder.

    The folder becomes a workspace if it is none yet. A session that has no memory of its own
    (an unmapped room, an unknown key, a scheduled run) is refused, with the reason.
    A database that cannot be opened leaves the files: search and get work, `trouble` says
    what is wrong. `anew` begins an empty one although the files hold entries, for whoever
    restores them. `conversation` is the host's own id of this conversation. `by_words` leaves
    the model out, for whoever has no time to wait for it. `without_signals` are signals that
    recall does not rank by, for whoever measures what each is worth.
    """
    layout = Layout(find_workspace(path, environment))
    config = read_config(layout)
    who = session if isinstance(session, Session) else session_of(layout, config, session)
    scope = scope_of(who)
    refuse_renaming(layout, scope)
    for folder in (layout.state_folder(scope), layout.domains(scope)):
        files.refuse_links(layout.root, folder)
    if _may_write(layout.root):
        initialise(layout)
        files.make_folder(layout.state_folder(scope))
        leave_name(layout, scope)
    embedders, without = choose_embedders(config, environment)
    standby = standby_embedders(config, environment)
    if embedder is not None:
        given = tuple(embedder) if isinstance(embedder, Sequence) else (embedder,)
        embedders, standby, without = given, (), None
    if by_words:
        embedders, standby, without = (), (), "asked for by words alone"
    store = _open_store(layout, scope, anew=anew)
    passages = open_passages(layout.passages(scope))
    try:
        return Workspace(
            Parts(
                layout=layout,
                session=who,
                scope=scope,
                config=config,
                store=store,
                passages=passages,
                in_place_of_entries=lambda: in_place_of(store),
                transcripts=lambda: transcripts_for(layout, config, scope, environment),
                counter=counter or choose_counter(config.token_counter),
                embedders=tuple(Guarded(each, holding) for each in embedders),
                standby=tuple(Guarded(each, holding) for each in standby),
                without_model=without,
                clock=clock or system_clock,
                random_bytes=random_bytes,
                trust=trust,
                schema=SCHEMA,
                background=background,
                extractor=lambda: _extractor(config, environment),
                rules=lambda: _extractor(Config(), environment),
                zone=zone_of(config),
                self_test=_self_test,
                profile=profile,
                conversation=conversation,
                without_signals=frozenset(without_signals),
                chat=lambda: _chat(config, environment),
                qmd=_qmd(config, environment) if config.qmd else None,
            )
        )
    except BaseException:
        passages.close()
        store.close()
        raise


def _open_store(layout: Layout, scope: Scope, *, anew: bool) -> Store:
    """The record of a scope; one that cannot be had refuses, and does not take the rest along."""

    def connect() -> Store:
        if not anew:
            require_database(layout.database(scope), layout.domains(scope))
        store = SqliteStore(layout.database(scope))
        try:
            claim(store, scope)
        except BaseException:
            store.close()
            raise
        return store

    try:
        return connect()
    except StoreError as error:
        if not layout.root.is_dir():
            raise
        return RefusingStore(error, connect)


def _extractor(config: Config, environment: Mapping[str, str]) -> Extractor:
    """Who takes a text apart; loaded when a text is to be taken apart."""
    from remem.extractors.chosen import choose_extractor

    return choose_extractor(config, environment)


def _chat(config: Config, environment: Mapping[str, str]) -> Chat | None:
    from remem.extractors.chat import configured_chat

    return configured_chat(config, environment)


def _qmd(config: Config, environment: Mapping[str, str]) -> Qmd | None:
    from remem.maintenance.qmd import configured_qmd

    return configured_qmd(config, environment)


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


def owner_sessions(layout: Layout, *, rooms: bool = True) -> tuple[list[Session], list[Path]]:
    """A session on every scope, for the owner's commands over the whole workspace.

    The second list names folders whose scope cannot be told; without `rooms`, whose list may
    be unreadable, those may be more.
    """
    from remem.notes.rooms import read_rooms

    names = [line.name for line in read_rooms(layout.root).lines] if rooms else []
    scopes, nameless = known_scopes(layout, names)
    sessions = [owner_session(scope) for scope in scopes]
    return sessions, nameless


def owner_session(scope: Scope) -> Session:
    """The owner himself, at the memory of one scope."""
    assert scope.kind != "shared", "a shared space belongs to no session"
    return Session(scope.kind, "main", f"owner:{scope}", scope, None)


def models_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """Where fetched models lie, shared by all workspaces of a user."""
    if given := environment.get("REMEM_MODELS"):
        return Path(given).expanduser()
    cache = environment.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(cache).expanduser() / "remem" / "models"


def choose_embedders(
    config: Config, environment: Mapping[str, str] = os.environ
) -> tuple[tuple[Embedder, ...], str | None]:
    """The models that encode: one for everything, or each for the languages that it knows; or
    why there is none."""
    match config.embedder:
        case "endpoint":
            return (_endpoint(config, environment),), None
        case "none":
            return (), "embedder = 'none' is configured"
        case _ if local := _local_models(models_folder(environment)):
            return local, None
        case _:
            return (), "the local model is not on this machine; run `remem models fetch minilm`"


def standby_embedders(
    config: Config, environment: Mapping[str, str] = os.environ
) -> tuple[Embedder, ...]:
    """Models whose vectors may still serve while those of another are made."""
    return _local_models(models_folder(environment)) if config.embedder == "endpoint" else ()


def _local_models(folder: Path) -> tuple[Embedder, ...]:
    """Where one knows a language no better than the other, the first is asked."""
    found: list[Embedder] = []
    if installed(MINILM, folder):
        found.append(minilm_in(folder / MINILM))
    if installed(MULTILINGUAL, folder):
        found.append(multilingual_in(folder / MULTILINGUAL))
    if found:
        # The runtime reports home unless it is told not to, before it is loaded.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    return tuple(found)


def _endpoint(config: Config, environment: Mapping[str, str]) -> Embedder:
    from remem.embedders.endpoint import Endpoint

    return Endpoint(
        config.endpoint_url,
        config.endpoint_model,
        api_key=environment.get(config.endpoint_key_variable) or None,
        timeout=config.endpoint_timeout,
    )


def _self_test() -> Sequence[Tried]:
    """The tools stand above this module: they are looked up when the test runs."""
    tried: Sequence[Tried] = import_module("remem.selftest").self_test()
    return tried


def _may_write(folder: Path) -> bool:
    """Whether the folder, or the nearest one above it that exists, can be written."""
    while not folder.exists():
        folder = folder.parent
    return os.access(folder, os.W_OK)


def system_clock() -> str:
    return stamp(datetime.now(UTC))
