"""Terminal input and output: escaped text, tables, progress and questions."""

from __future__ import annotations

import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from remem.errors import InvalidInput, NotAllowed

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ResultT = TypeVar("ResultT", bound="DataclassInstance")

_MIN_COLUMN: Final = 20
"""In a narrower column there is no room for sentences."""
_BELOW: Final = "      "
_DIRECTION_CONTROLS: Final = frozenset("LRE LRO RLE RLO PDF LRI RLI FSI PDI".split())

json_option: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print the result as JSON."
)
yes_option: Final = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")


def visible(text: str) -> str:
    """Escape control characters, so that a stored text cannot control the terminal."""
    return "".join(
        character if _is_harmless(character) else ascii(character)[1:-1] for character in text
    )


def _is_harmless(character: str) -> bool:
    if character in "\n\t":
        return True
    control = unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")
    return not control and unicodedata.bidirectional(character) not in _DIRECTION_CONTROLS


def say(text: str, *, err: bool = False, **style: Any) -> None:
    """Print a text with control characters escaped; `style` is passed to `click.style`."""
    click.echo(styled(text, **style), err=err)


def styled(text: str, **style: Any) -> str:
    """Escape a text and, on a terminal with colours, style it."""
    if not style or not sys.stdout.isatty():
        return visible(text)
    from remem.app.environment import has_colours

    return click.style(visible(text), **style) if has_colours() else visible(text)


def say_indented(text: str, **style: Any) -> None:
    say("\n".join(f"    {line}" for line in text.split("\n")), **style)


def say_notes(notes: Sequence[str]) -> None:
    for note in notes:
        say(f"note: {note}", fg="yellow")


def remark(text: str) -> None:
    """Print a remark to stderr, so that it does not mix with the data on stdout."""
    say(f"remem: {text}", err=True)


def warn(text: str) -> None:
    remark(f"warning: {text}")


def respond(result: ResultT, as_json: bool, show: Callable[[ResultT], None]) -> None:
    """Print a result as JSON, in the form of the tools, or in readable form with `show`."""
    if as_json:
        from remem.search.answer.answer import answer_text

        click.echo(answer_text(result))
    else:
        show(result)


def say_table(rows: Sequence[Sequence[object]], indent: str = "") -> None:
    """Print rows in aligned columns; on a terminal, the last column is wrapped to its width."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(columns_of, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        cells = [fitted(cell, width) for cell, width in zip(row[:-1], widths, strict=False)]
        first = indent + "".join(f"{cell}  " for cell in cells)
        say("\n".join(_wrapped(row[-1], first)))


def _wrapped(text: str, first: str) -> list[str]:
    """Wrap a text that begins after `first`; further lines are indented to the same column."""
    width = terminal_width()
    if width is None or columns_of(first + text) <= width:
        return [(first + text).rstrip()]
    import textwrap  # output to a file or a pipe is not wrapped

    if width - len(first) < _MIN_COLUMN:  # below the row, if there is no room next to it
        below = textwrap.wrap(text, max(width - len(_BELOW), 1), break_on_hyphens=False)
        return [first.rstrip(), *(f"{_BELOW}{line}" for line in below)]
    lines = textwrap.wrap(text, width - len(first), break_on_hyphens=False) or [""]
    return [
        ((first if number == 0 else " " * len(first)) + line).rstrip()
        for number, line in enumerate(lines)
    ]


def terminal_width() -> int | None:
    """Return the width of the terminal; None if the output goes to a file or a pipe."""
    if not sys.stdout.isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def fitted(text: str, width: int) -> str:
    """Return the text cut or padded to a width; East Asian characters take two columns."""
    while columns_of(text) > width:
        text = f"{text[:-2]}…"
    return text + " " * (width - columns_of(text))


def columns_of(text: str) -> int:
    """Return the width of a text in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


@contextmanager
def progress(delay: float = 1.0) -> Iterator[Callable[[str], None]]:
    """Yield a function that reports the current step in one line of a terminal's stderr.

    Nothing is shown in the first `delay` seconds, and the line is cleared at the end.
    """
    started, shown = time.monotonic(), False

    def report(step: str) -> None:
        nonlocal shown
        if sys.stderr.isatty() and time.monotonic() - started >= delay:
            click.echo(f"\r\x1b[K{visible(step)} …", nl=False, err=True)
            shown = True

    try:
        yield report
    finally:
        if shown:
            click.echo("\r\x1b[K", nl=False, err=True)


def confirm(question: str, *, default: bool = False) -> bool:
    """Ask a yes/no question; the end of the input means no."""
    try:
        return click.confirm(question, default=default, err=True)
    except click.Abort:
        click.echo(err=True)
        return False


def approval(question: str, *, yes: bool, dry_run: bool = False) -> Callable[[str], bool]:
    """Return a function that shows a diff and returns whether the change is approved."""

    def approve(diff: str) -> bool:
        if diff:
            say(diff.removesuffix("\n"))
        return not dry_run and (yes or confirm(question))

    return approve


def nothing_changed(command: str, *, dry_run: bool = False) -> None:
    """End a command whose change was not approved; raise NotAllowed unless it was a dry run."""
    if not dry_run:
        raise NotAllowed("nothing was changed", hint=f"`{command}` does it without asking")
    click.echo("nothing was changed", err=True)


def is_piped() -> bool:
    """Return whether standard input is a pipe or a file rather than a terminal."""
    return not sys.stdin.isatty()


def text_argument(value: str | None, name: str) -> str:
    """Return the text of an argument; `-`, or nothing in a pipe, reads standard input."""
    if value is None and not is_piped():
        raise click.UsageError(f"Missing argument '{name.upper()}'.")
    return standard_input() if value is None or value == "-" else value


def standard_input() -> str:
    """Return all of standard input, without the line break that ends its last line."""
    data = sys.stdin.buffer.read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"standard input is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}",
            hint="convert it first, for example with iconv",
        ) from None
    return text.removesuffix("\n").removesuffix("\r")
