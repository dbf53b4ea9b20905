"""Open a workspace: choose its concrete classes according to the settings, and connect them.

Also list a workspace's scopes, for commands that cover all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.app import stores
from remem.app.context import Models, Resources, SessionContext
from remem.app.environment import (
    environment_or_default,
    find_workspace,
    own_memories_for,
    transcripts_for,
)
from remem.app.settings import OpeningSettings
from remem.app.workspace import Workspace
from remem.config import timezone_of
from remem.errors import ConfigError, StoreError, StoreMissing
from remem.files import atomic
from remem.files.disk import is_writable, make_folder
from remem.files.layout import Layout
from remem.files.private_paths import hide_paths_in_errors, private_paths
from remem.files.scopes import known_scopes, record_scope_name
from remem.files.sessions import read_config, scope_of, session_of
from remem.model.entry import Trust
from remem.model.scope import MAIN, Scope, Session
from remem.ports import Clock
from remem.ports.entries import Store
from remem.ports.models import Embedder, TokenCounter
from remem.store.reopening import ReopeningStore, ReplaceableStore
from remem.store.sqlite.schema import SCHEMA
from remem.text.timestamps import format_time

if TYPE_CHECKING:
    from remem.ports.passages import PassageStore
    from remem.ports.spaces import SpaceList
    from remem.setup.validate.result import ToolResult
    from remem.store.postgres.address import Address

_REOPENED_NOTICE: Final = (
    "the database was removed or replaced while it was open, and was reopened; "
    "run `remem doctor` to check it"
)
_OWNER_KEYS: Final = ("main", "agent:main:main")


def all_scopes(layout: Layout, *, rooms: bool = True) -> tuple[list[Scope], list[Path]]:
    """Return the scopes of a workspace, and the folders whose scope is unknown.

    Pass `rooms=False` if the room list may be unreadable; fewer scopes may then be known.
    """
    from remem.files.rooms import read_rooms

    names = [line.name for line in read_rooms(layout.root).lines] if rooms else []
    return known_scopes(layout, names)


def open_scope(
    layout: Layout, scope: Scope, *, start_empty: bool = False, clock: Clock | None = None
) -> Workspace:
    """Open one scope for owner commands that cover the whole workspace."""
    own_scope = MAIN if scope.kind == "shared" else scope
    assert own_scope.kind != "shared"
    session = Session(own_scope.kind, "main", f"owner:{scope}", own_scope, None)
    return _open(
        OpeningSettings(layout, read_config(layout), clock or system_clock, background=False),
        session,
        scope,
        start_empty=start_empty,
    )


def open_workspace(
    path: str | os.PathLike[str] | None = None,
    session: str | Session = "main",
    *,
    create: bool = True,
    trust: Trust = "owner",
    background: bool = True,
    start_empty: bool = False,
    profile: str = "core",
    conversation: str = "",
    project: str | os.PathLike[str] | None = None,
    keywords_only: bool = False,
    without_signals: Collection[str] = (),
    embedder: Embedder | Sequence[Embedder] | None = None,
    counter: TokenCounter | None = None,
    clock: Clock | None = None,
    random_bytes: Callable[[int], bytes] = os.urandom,
    environment: Mapping[str, str] | None = None,
    spaces_only: bool = False,
) -> Workspace:
    """Open the memory of one session.

    A folder that is not a workspace yet becomes one, unless `create` is False. If the database
    cannot be opened, `search` and `get` still work on the files, and `problems` gives the reason.

    Args:
        path: The workspace's folder. The default is REMEM_WORKSPACE, or the nearest folder upwards
            that has `.remem` in it, or the one that `remem setup` was last run for.
        session: The key of the session, such as `main` or `agent:main:telegram:group:-100123`.
        create: Make the folder a workspace if it is not one. Pass False to refuse a mistyped path.
        trust: Whose words are stored: `owner`, or `agent` for a program that acts for them.
        background: Write files and make vectors on threads. If False, this happens within each
            call, for short-lived programs.
        start_empty: Create an empty database even if the files contain entries, which can then be
            restored into it.
        profile: The tools that a host is offered: `legacy`, `core`, `full` or `mcp-memory`.
        conversation: The host's id of this conversation.
        project: The folder that this conversation is about; only in main. New entries get it as a
            tag, and recall prefers entries with that tag.
        keywords_only: Search by keywords without a model, for callers that cannot wait.
        without_signals: Ranking signals that recall ignores, to measure what each is worth.
        embedder: One or several embedding models, instead of the configured one.
        counter: A token counter, instead of the configured one.
        clock: A function that returns the time as an ISO string in UTC.
        random_bytes: A function that returns the given number of random bytes.
        environment: Variables such as REMEM_WORKSPACE; by default the variables of the process.
        spaces_only: Open a session without its own memory even if no shared space is granted to
            it; only the tools of shared spaces answer it.

    Returns:
        A `Workspace`, to be closed or used in a `with` block.

    Raises:
        NotAllowed: The session has no memory (an unmapped room, an unknown key, a scheduled run),
            and no shared space is granted to it.
        ConfigError: The folder or a setting is invalid.
    """
    environment = environment_or_default(environment)
    layout = Layout(find_workspace(path, environment))
    if not create and not (layout.root / ".remem").is_dir():
        raise ConfigError(
            f"{layout.root} is not a remem workspace",
            hint="check the path, or create it with `remem init` or create=True",
        )
    is_owner = session in _OWNER_KEYS or getattr(session, "kind", None) == "main"
    with hide_paths_in_errors(() if is_owner else private_paths(layout.root)):
        config = read_config(layout)
        caller = session if isinstance(session, Session) else session_of(layout, config, session)
        settings = OpeningSettings(
            layout,
            config,
            clock or system_clock,
            trust=trust,
            background=background,
            profile=profile,
            conversation=conversation,
            keywords_only=keywords_only,
            without_signals=frozenset(without_signals),
            embedder=embedder,
            counter=counter,
            random_bytes=random_bytes,
            environment=environment,
        )
        if caller.scope is None:
            from remem.entries.spaces.listing import spaces_of  # lazy: most sessions have a memory

            address = stores.postgres_address(layout, config, environment)
            space_list = stores.space_list(layout, address)
            if spaces_only or spaces_of(space_list, caller):
                return _open_spaces(settings, caller, space_list)
        return _open(settings, caller, scope_of(caller), start_empty=start_empty, project=project)


def _open(
    settings: OpeningSettings,
    session: Session,
    scope: Scope,
    *,
    start_empty: bool = False,
    project: str | os.PathLike[str] | None = None,
) -> Workspace:
    """Open a scope that the session may use."""
    layout, config, clock = settings.layout, settings.config, settings.clock
    if scope.kind == "group":
        from remem.files.rooms import refuse_renaming  # lazy: most sessions are in main

        refuse_renaming(layout, scope)
    for folder in (layout.state_folder(scope), layout.domains(scope)):
        atomic.refuse_links(layout.root, folder)
    if is_writable(layout.root):
        _prepare(layout, scope)
    models = settings.chosen_models()
    address = stores.postgres_address(layout, config, settings.environment)
    store = _open_store(layout, scope, clock, address, start_empty=start_empty)
    return Workspace(
        Resources(
            context=SessionContext(
                layout,
                session,
                scope,
                config,
                settings.trust,
                clock,
                lambda: stores.space_list(layout, address),
                address is not None,
                zone=timezone_of(config),
                conversation=settings.conversation,
                project=settings.project_of(project, scope),
                profile=settings.profile,
            ),
            store=store,
            passages=lambda: _open_passages(layout.passages(scope)),
            models=models,
            counter=settings.counter_for(scope),
            random_bytes=settings.random_bytes,
            background=settings.background,
            schema=SCHEMA,
            store_name=stores.describe(address),
            store_copy=lambda: stores.temporary_copy(layout, scope, address, store),
            fallback_passages=lambda: _fallback_for(store),
            transcripts=lambda: transcripts_for(layout, config, scope, settings.environment),
            own_memories=lambda: own_memories_for(layout, config, settings.environment),
            extractor=settings.extractor,
            rule_extractor=settings.rule_extractor,
            chat=settings.chat,
            self_test=_self_test,
            open_space=_space_opener(settings, session, models),
            qmd=settings.qmd(),
            graph_server=settings.graph_server,
            without_signals=settings.without_signals,
            owns_models=settings.models is None,
        )
    )


def _space_opener(
    settings: OpeningSettings, session: Session, models: Models
) -> Callable[[Scope, Trust], Workspace]:
    """Return a function that opens a shared space with the models of its session.

    A space has no threads in the background: its files are written within each call.
    """

    def open_(scope: Scope, trust: Trust) -> Workspace:
        assert scope.kind == "shared", "any other scope belongs to one session"
        space = replace(settings, trust=trust, background=False, models=models)
        return _open(space, session, scope)

    return open_


def _open_spaces(settings: OpeningSettings, session: Session, space_list: SpaceList) -> Workspace:
    """Open the shared spaces of a session without its own memory."""
    from remem.app.services.spaces import SpaceService  # lazy: most sessions have a memory
    from remem.app.spaces_only import SpacesWorkspace
    from remem.entries.spaces.listing import trust_in_spaces

    models = settings.chosen_models()
    trust = trust_in_spaces(session, settings.trust)
    open_space = _space_opener(settings, session, models)
    service = SpaceService(
        settings.layout,
        space_list,
        session,
        trust,
        settings.clock,
        settings.counter_for(None),
        settings.random_bytes,
        lambda scope: open_space(scope, trust),
        settings.conversation,
    )
    return SpacesWorkspace(service, models, settings.profile)


def _prepare(layout: Layout, scope: Scope) -> None:
    """Create the folders and files that every scope needs; existing ones are not changed."""
    if not layout.is_initialised():
        from remem.setup.init import initialise  # lazy: a workspace is initialised once

        initialise(layout)
    make_folder(layout.state_folder(scope))
    record_scope_name(layout, scope)


def _open_store(
    layout: Layout, scope: Scope, clock: Clock, address: Address | None, *, start_empty: bool
) -> Store:
    """Open a scope's entry store.

    If that fails, the store raises the error when used, and everything else works without it.
    """
    reopened = False

    def connect() -> ReplaceableStore:
        if reopened and not layout.root.is_dir():
            raise StoreMissing(
                "the folder of this workspace was removed", hint="put it back, then try again"
            )
        store = stores.connect(layout, scope, address, start_empty=start_empty)
        try:
            if reopened:
                from remem.entries.notices import add_notice  # lazy: rarely needed

                store.write(lambda tx: add_notice(tx, clock(), _REOPENED_NOTICE))
        except BaseException:
            store.close()
            raise
        return store

    def prepare() -> None:
        nonlocal reopened
        reopened = True
        if layout.root.is_dir():
            _prepare(layout, scope)

    try:
        return ReopeningStore(None, connect, prepare)
    except StoreError as error:
        if not layout.root.is_dir():
            raise
        return ReopeningStore(error, connect, prepare)


def _open_passages(path: Path) -> PassageStore:
    from remem.store.fallback import open_passages  # not every command reads passages

    return open_passages(path)


def _fallback_for(store: Store) -> PassageStore | None:
    from remem.store.fallback import fallback_for

    return fallback_for(store)


def _self_test() -> Sequence[ToolResult]:
    """Run the self-test. It is imported by name, because its module imports this one."""
    results: Sequence[ToolResult] = import_module("remem.app.selftest").self_test()
    return results


def system_clock() -> str:
    """Return the current time in its stored form."""
    return format_time(datetime.now(UTC))
