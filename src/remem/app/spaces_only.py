"""The workspace of a session that has only shared spaces, without its own memory.

Sub-agents, scheduled runs and unknown sessions get this workspace. Whatever needs a memory of the
session itself is refused with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from remem.app.workspace import Workspace
from remem.errors import NotAllowed
from remem.files.private_paths import PrivatePaths, private_paths
from remem.model.scope import Scope, Session

if TYPE_CHECKING:
    from remem.app.composition import Services
    from remem.app.context import Models
    from remem.app.services.spaces import SpaceService


class SpacesWorkspace(Workspace):
    """A workspace in which only shared spaces can be used."""

    def __init__(self, spaces: SpaceService, models: Models, profile: str) -> None:
        self._spaces = spaces
        self._models = models
        self._profile = profile

    @property
    def services(self) -> Services:
        raise self._refusal()

    @property
    def session(self) -> Session:
        return self._spaces.session

    @property
    def scope(self) -> Scope:
        raise self._refusal()

    @property
    def profile(self) -> str:
        return self._profile

    @property
    def private_paths(self) -> PrivatePaths:
        return private_paths(self._spaces.layout.root)

    @property
    def problems(self) -> list[str]:
        return []

    @property
    def keyword_only(self) -> str | None:
        return None

    def end_conversation(self) -> None:
        """Do nothing: this conversation has no files to read."""

    def close(self) -> None:
        self._spaces.close()
        self._models.close()

    def _space_service(self) -> SpaceService:
        return self._spaces

    def _refusal(self) -> NotAllowed:
        return NotAllowed(self.session.reason or "this session has no memory of its own")
