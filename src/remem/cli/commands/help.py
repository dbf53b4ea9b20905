"""Commands about the command line itself: help, version and completion."""

from __future__ import annotations

from typing import Final

import click

from remem.cli.root import OneOf, RootGroup
from remem.errors import InvalidInput


def _complete_commands(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
    """Let a shell complete the name of a command, or of an action if a command is given."""
    root = ctx.find_root()
    words = [*ctx.params.get("words", ())]
    assert isinstance(root.command, RootGroup)
    group = root.command.get_command(root, words[0]) if words else root.command
    names = group.list_commands(root) if isinstance(group, click.Group) else []
    return [name for name in [*names, *([] if words else ["all"])] if name.startswith(incomplete)]


@click.command("help")
@click.argument("words", nargs=-1, metavar="[COMMAND]...", shell_complete=_complete_commands)
@click.pass_context
def help_(ctx: click.Context, words: tuple[str, ...]) -> None:
    """Explain a command, or list all of them.

    \b
    remem help recall
    remem help index pin
    remem help all
    """
    root = ctx.find_root()
    assert isinstance(root.command, RootGroup)
    if words == ("all",):
        formatter = root.make_formatter()
        root.command.write_all_commands(root, formatter)
        click.echo(formatter.getvalue().strip("\n"))
        return
    context: click.Context = root
    command: click.Command = root.command
    for word in words:
        if not isinstance(command, click.Group):
            raise InvalidInput(f"`remem {command.name}` has no actions", hint="give fewer words")
        name, subcommand, _ = command.resolve_command(context, [word])
        assert subcommand is not None
        command, context = subcommand, click.Context(subcommand, info_name=name, parent=context)
    click.echo(command.get_help(context))


@click.command()
def version() -> None:
    """Print the version of remem."""
    from remem import __version__

    click.echo(f"remem {__version__}")


@click.command()
@click.argument("shell", type=OneOf(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the script that completes commands in a shell.

    It completes commands, actions, options, categories, priorities, tags and ids of memories.

    \b
    eval "$(remem completion bash)"   # in ~/.bashrc
    eval "$(remem completion zsh)"    # in ~/.zshrc, after compinit
    remem completion fish | source    # in ~/.config/fish/config.fish
    """
    from click.shell_completion import get_completion_class

    complete = get_completion_class(shell)
    assert complete is not None
    click.echo(complete(ctx.find_root().command, {}, "remem", "_REMEM_COMPLETE").source())


COMMANDS: Final = {"help": help_, "version": version, "completion": completion}
