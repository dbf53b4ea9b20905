"""What is a tool? A name, a purpose, parameters and a function; each surface is made from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from remem.workspace import Workspace

Kind = Literal["text", "choice", "integer", "number", "boolean", "texts", "objects"]
Profile = Literal["legacy", "core", "full"]
PROFILES: Final[tuple[Profile, ...]] = get_args(Profile)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One value that a tool takes; `choices` also bounds each text of a list.

    `refusal` is the exact sentence for a missing or unfit value where a host expects one.
    """

    name: str
    kind: Kind
    help: str
    required: bool = False
    default: str | float | None = None
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    refusal: str | None = None
    fields: tuple[Parameter, ...] = ()
    """What each object of a list may hold; the workspace judges each object by itself."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One ability of a workspace, as a host sees it.

    `returns` says where the type of its result stands, as `module:name`: a command that runs
    one tool does not load what all the others return.
    """

    name: str
    command: str
    title: str
    purpose: str
    parameters: tuple[Parameter, ...]
    returns: str
    run: Callable[[Workspace, Mapping[str, Any]], DataclassInstance]
    read_only: bool
    destructive: bool
    idempotent: bool
    profiles: tuple[Profile, ...] = ("core",)

    @property
    def result(self) -> type[DataclassInstance]:
        module, _, name = self.returns.partition(":")
        found: type[DataclassInstance] = getattr(import_module(module), name)
        return found

    @property
    def summary(self) -> str:
        """The first sentence of the purpose."""
        return self.purpose.partition(". ")[0].rstrip(".")
