"""The click group of all commands: lazy imports, global options, suggestions and errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import click

from remem.errors import RememError

GLOBAL_OPTIONS: Final = ("--workspace", "--session")
_SYNONYMS: Final = {
    "add": "store",
    "remember": "store",
    "save": "store",
    "ask": "recall",
    "find": "recall",
    "query": "recall",
    "ls": "list",
    "log": "recent",
    "show": "history",
    "cat": "get",
    "read": "get",
    "change": "edit",
    "update": "edit",
    "rm": "forget",
    "remove": "forget",
    "delete": "forget",
    "install": "setup",
    "start-server": "serve",
    "server": "serve",
    "mcp": "serve",
    "check": "doctor",
    "reindex": "rebuild",
}
"""Words that people may type instead of the name of a command."""


class HelpFormatter(click.HelpFormatter):
    """Formats help for terminals that are narrower than click's minimum of 50 columns too."""

    def __init__(self, width: int | None = None, max_width: int | None = None) -> None:
        from shutil import get_terminal_size  # only help needs it

        columns = min(get_terminal_size().columns, max_width or 80)
        super().__init__(width=width or columns - 2, max_width=max_width)

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        super().write_dl(rows, min(col_max, self.width // 3), col_spacing)


class OneOf(click.Choice[str]):
    """One of several words; a misspelled value gets a suggestion."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__(tuple(words), case_sensitive=False)

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        from difflib import get_close_matches  # only a wrong value needs it

        message = super().get_invalid_choice_message(value, ctx)
        match = next(iter(get_close_matches(str(value).casefold(), self.choices, n=1)), None)
        return f"{message} Did you mean {match!r}?" if match else message


class RootGroup(click.Group):
    """Imports a command when it is used, and handles the errors of all commands.

    `sections` maps titles to the names of commands, `daily` are the commands that `remem --help`
    lists, `load` imports a command, and `summaries` has the help of commands that are slow to
    import.
    """

    def __init__(
        self,
        *args: Any,
        sections: Mapping[str, tuple[str, ...]],
        daily: tuple[str, ...],
        load: Callable[[str], click.Command],
        summaries: Mapping[str, str],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._sections = sections
        self._daily = daily
        self._load = load
        self._summaries = summaries

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [name for names in self._sections.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self._load(cmd_name) if cmd_name in self.list_commands(ctx) else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name in self.list_commands(ctx) or name.startswith("-"):
            name_found, command, rest = super().resolve_command(ctx, args)
            return name_found, command, _texts_last(command, rest) if command else rest
        from difflib import get_close_matches  # only a wrong name needs it

        matches = get_close_matches(name, [*self.list_commands(ctx), *_SYNONYMS], n=1)
        word = name if name in _SYNONYMS else next(iter(matches), None)
        hint = (
            f"Did you mean `remem {_SYNONYMS.get(word, word)}`?"
            if word
            else "`remem help all` lists the commands."
        )
        raise click.UsageError(f"There is no command {name!r}. {hint}", ctx)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._global_options_first(ctx, args))

    def _global_options_first(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move global options that come after a command to the front, where click expects them.

        An option stays where it is if the command has one of the same name, as `serve` does.
        """
        end = args.index("--") if "--" in args else len(args)
        moved_options: list[str] = []
        rest: list[str] = []
        index = 0
        while index < len(args):
            name, equals, _value = args[index].partition("=")
            is_global = index < end and name in GLOBAL_OPTIONS and not self._is_own(ctx, rest, name)
            if is_global and not equals and index + 1 == len(args) and not ctx.resilient_parsing:
                raise click.BadOptionUsage(name, f"Option {name!r} requires an argument.", ctx)
            length = (1 if equals else 2) if is_global else 1
            (moved_options if is_global else rest).extend(args[index : index + length])
            index += length
        return moved_options + rest

    def _is_own(self, ctx: click.Context, words: list[str], option: str) -> bool:
        """Return whether the command that the words name has an option with this name."""
        command: click.Command | None = self
        for word in words:
            if isinstance(command, click.Group) and not word.startswith("-"):
                command = command.get_command(ctx, word)
        if command is None or command is self:
            return False
        return any(option in parameter.opts for parameter in command.params)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Daily commands"):
            formatter.write_dl([(name, self._summary(ctx, name)) for name in self._daily])

    def write_all_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write every command, by topic."""
        for title, names in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, self._summary(ctx, name)) for name in names])

    def _summary(self, ctx: click.Context, name: str) -> str:
        command = None if name in self._summaries else self.get_command(ctx, name)
        return command.get_short_help_str(limit=200) if command else self._summaries[name]

    def invoke(self, ctx: click.Context) -> Any:
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
            return result
        except RememError as error:
            from remem.cli.terminal import say

            say(f"remem: {error.args[0]}", err=True)
            if error.hint:
                say(f"hint: {error.hint}", err=True)
            raise click.exceptions.Exit(1) from error
        except click.UsageError as error:
            raise _with_suggestion(error) from None
        except BrokenPipeError as error:
            _drop_output()
            raise click.exceptions.Exit(141) from error
        except OSError as error:
            from remem.cli.terminal import say

            where = f"{os.fsdecode(error.filename)}: " if error.filename else ""
            say(f"remem: {where}{error.strerror or error}", err=True)
            try:
                sys.stdout.flush()
            except OSError:  # such as a full disk, to which Python would write again at its end
                _drop_output()
            raise click.exceptions.Exit(1) from error
        except KeyboardInterrupt as error:
            raise click.exceptions.Exit(130) from error


def _texts_last(command: click.Command, args: list[str]) -> list[str]:
    """Move texts that begin with a dash behind `--`, so that click does not read them as options.

    A text has several words. Values of options stay where they are, and so do options that contain
    their value, such as `--context="two words"`.
    """
    options = [option for option in command.params if isinstance(option, click.Option)]
    names = tuple(name for option in options for name in (*option.opts, *option.secondary_opts))
    with_value = {name for option in options if not option.is_flag for name in option.opts}
    end = args.index("--") if "--" in args else len(args)
    texts: list[str] = []
    rest: list[str] = []
    for index, argument in enumerate(args[:end]):
        is_value = index > 0 and args[index - 1] in with_value
        is_text = argument.startswith("-") and len(argument.split(maxsplit=1)) > 1
        is_text = is_text and not is_value and not argument.startswith(names)
        (texts if is_text else rest).append(argument)
    return [*rest, "--", *texts, *args[end + 1 :]] if texts else args


def _drop_output() -> None:
    """Discard what was printed but could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _with_suggestion(error: click.UsageError) -> click.UsageError:
    """Return the error with a suggestion if there is one, folded for the terminal."""
    from difflib import get_close_matches

    from remem.cli.terminal import fit

    message = error.format_message()
    if isinstance(error, click.MissingParameter):
        if error.param is not None and error.param.human_readable_name == "ID":
            message += " `remem list` shows the ids of memories."
        elif isinstance(error.param, click.Argument) and isinstance(error.param.type, click.Choice):
            choices = ", ".join(error.param.type.choices)
            message = f"Missing argument '{error.param.human_readable_name}', one of: {choices}."
    elif message.startswith("No such command") and error.ctx:
        group = error.ctx.command
        if isinstance(group, click.Group):
            message += f" `remem {group.name}` has: {', '.join(group.list_commands(error.ctx))}."
    elif isinstance(error, click.NoSuchOption) and not error.possibilities:
        close = get_close_matches(error.option_name, GLOBAL_OPTIONS, n=1)
        if close:
            message += f" Did you mean {close[0]!r}?"
        elif error.ctx and any(
            isinstance(param, click.Argument) for param in error.ctx.command.params
        ):
            message += " Write `--` before a text that begins with a dash."
    return click.UsageError(fit(message, err=True, room=len("Error: ")), error.ctx)
