"""The workspace and session that a command works on."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from remem.cli.terminal import remark, say, terminal_width, warn
from remem.errors import ConfigError, NotAllowed, RememError, UnknownEntry
from remem.fast_dataclass import dataclass

if TYPE_CHECKING:
    from remem.app.workspace import Workspace
    from remem.files.layout import Layout

_KEYWORD_ONLY: Final = "keyword only: "


@dataclass(frozen=True, slots=True)
class CommandTarget:
    """The values of --workspace and --session."""

    workspace: str | None
    session: str

    def command(self, words: str) -> str:
        """Return a command line for the same workspace and session, ready to paste."""
        options = [("--workspace", self.workspace), ("--session", self.session)]
        texts = [
            f"{name} {shlex.quote(value)} " for name, value in options if value and value != "main"
        ]
        return f"remem {''.join(texts)}{words}"


def existing_workspace(target: CommandTarget, *, even_without_state: bool = False) -> Layout:
    """Return the workspace of a command; raise ConfigError if the folder is not a workspace.

    Creating one for a mistyped path would look like a lost memory. With `even_without_state`, the
    folder `.remem` may be missing, for commands that restore it.
    """
    from remem.app.environment import find_workspace
    from remem.files.layout import Layout

    root = find_workspace(target.workspace)
    folders = (".remem", "memory") if even_without_state else (".remem",)
    if not any((root / folder).is_dir() for folder in folders):
        raise ConfigError(
            f"{root} is not a remem workspace",
            hint=f"check the path, or make it one with `remem init {shlex.quote(str(root))}`",
        )
    return Layout(root)


def target_for(root: Path) -> CommandTarget:
    """Return the target of suggested commands; they name the workspace only if they must."""
    from remem.app.environment import find_workspace

    try:
        workspace = find_workspace(None)
    except ConfigError:
        workspace = None
    return CommandTarget(None if root == workspace else str(root), "main")


def make_default(root: Path) -> None:
    """Let commands outside of any workspace use this one."""
    from remem.app.environment import default_workspace, set_default_workspace

    before = default_workspace()
    if before == root:
        return
    try:
        set_default_workspace(root)
    except RememError as error:  # `--workspace` still names it
        remark(str(error))
        return
    instead = f" instead of {short_path(before)}" if before else ""
    say(f"default: outside of any workspace, `remem` uses {short_path(root)}{instead}")


def short_path(path: Path) -> str:
    """Return a path for people, with ~ for the home folder."""
    home = Path("~").expanduser()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)


def next_step(target: CommandTarget, words: str, purpose: str = "", *, quiet: bool = False) -> None:
    """Suggest the next command on stderr, unless `quiet`, which is set with --json.

    Only the owner's session gets suggestions, because they may contain the workspace's path.
    """
    if quiet or target.session != "main":
        return
    line = f"next: {target.command(words)}"
    line_with_purpose = f"{line}   {purpose}" if purpose else line
    width = terminal_width(err=True)
    fits = width is None or len(line_with_purpose) <= width
    say(line_with_purpose if fits else line, err=True, fold=False)  # a command is never folded
    if not fits and purpose:
        say(f"      {purpose}", err=True)


def suggest_connecting(target: CommandTarget, *, quiet: bool = False) -> None:
    """Suggest to connect the agents, unless one is connected already."""
    from remem.files.scopes import connected_hosts

    if not connected_hosts(existing_workspace(target)):
        next_step(target, "setup", "connects your agents", quiet=quiet)


def suggest_activating(target: CommandTarget, *, quiet: bool = False) -> None:
    """Suggest to activate the memory, unless it is active already."""
    from remem.setup.activate import is_active

    if not is_active(existing_workspace(target)):
        next_step(target, "activate", "tells agents to use this memory", quiet=quiet)


def require_owner(
    target: CommandTarget, command: str, hint: str = "use the main session, without --session"
) -> None:
    """Refuse a command for the whole workspace in every session but the owner's."""
    if target.session != "main":
        raise NotAllowed(f"`remem {command}` works only in the main session", hint=hint)


@contextmanager
def opened(target: CommandTarget) -> Iterator[Workspace]:
    """Open a workspace for the owner, and warn about problems at the end.

    All files are written when the block ends. A missing model is not among the problems: only
    answers that need a model warn about it (see `warn_keyword_only`).
    """
    from remem.files.private_paths import hide_paths_in_errors, strip_paths

    with _open(target) as workspace:
        private_paths = workspace.private_paths
        with hide_paths_in_errors(private_paths):
            try:
                yield workspace
            except UnknownEntry as error:
                from remem.cli.completion import similar_entries

                if error.id and (lines := similar_entries(workspace, error.id)):
                    error.hint = "\n  ".join(["perhaps you mean", *lines])
                raise
        problems = [problem for problem in workspace.problems if problem != workspace.keyword_only]
    for problem in problems:
        warn(strip_paths(problem, private_paths))


def _open(target: CommandTarget) -> Workspace:
    """Return the workspace of a command.

    `shared:SPACE` is the owner's session on a shared space.
    """
    from remem.app.opening import open_scope, open_workspace

    layout = existing_workspace(target)
    kind, _, name = target.session.partition(":")
    if kind == "shared":
        from remem.app.stores import postgres_address, space_list
        from remem.entries.spaces.listing import require_space
        from remem.model.scope import Scope

        spaces = space_list(layout, postgres_address(layout))
        return open_scope(layout, Scope("shared", require_space(spaces, name).name))
    return open_workspace(
        target.workspace, target.session, trust="owner", background=False, spaces_only=True
    )


def warn_keyword_only(workspace: Workspace, notes: Iterable[str]) -> None:
    """Warn that an answer was found by keywords only, unless the owner chose that."""
    reason = workspace.keyword_only
    if reason and any(note.startswith(_KEYWORD_ONLY) for note in notes):
        warn(reason)
