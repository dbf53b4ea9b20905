"""Which conversations may a scope remember? None, until the owner allows it for that scope."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from remem.config import Config
from remem.core.room_names import Rooms
from remem.core.scope import Scope, Session
from remem.core.session_key import read_session
from remem.errors import ConfigError, shown
from remem.notes.layout import Layout
from remem.notes.rooms import read_rooms
from remem.notes.transcripts.places import Listing, Places, transcripts_of


def allowed_transcripts(
    layout: Layout, config: Config, scope: Scope, environment: Mapping[str, str]
) -> Listing:
    """The transcripts that belong to a scope, if its conversations may be searched."""
    if str(scope) not in config.transcripts:
        return Listing()
    # Only a group needs the names of rooms: main works without them.
    rooms = read_rooms(layout.root) if scope.kind == "group" else Rooms()

    def whose(key: str) -> Session:
        return read_session(
            key, rooms, owner_peers=config.owner_peers, main_is_shared=config.main_is_shared
        )

    return transcripts_of(scope, layout.root, places_of(config, environment), whose)


def places_of(config: Config, environment: Mapping[str, str]) -> Places:
    """The homes of the hosts: as configured, as the hosts' own variables say, or the usual."""

    def home(configured: str, variable: str, usual: str) -> Path:
        path = configured or environment.get(variable) or usual
        try:
            return Path(path).expanduser()
        except RuntimeError as error:
            raise ConfigError(f"the home of {shown(path)} is unknown") from error

    return Places(
        openclaw=home(config.openclaw_home, "OPENCLAW_STATE_DIR", "~/.openclaw"),
        claude=home(config.claude_home, "CLAUDE_CONFIG_DIR", "~/.claude"),
        codex=home(config.codex_home, "CODEX_HOME", "~/.codex"),
        agents=config.openclaw_agents,
    )
