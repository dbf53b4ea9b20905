"""Terminal input and output: escaped text, tables, progress and questions."""

from __future__ import annotations

import re
import sys
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from remem.errors import InvalidInput

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ResultT = TypeVar("ResultT", bound="DataclassInstance")

_MIN_COLUMN: Final = 20
"""In a narrower column there is no room for sentences."""
_INDENT: Final = "      "
"""What a text begins with if it is printed below its row of a table."""
_WIDE: Final = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60"
_UNITS: Final = ((60, "min"), (60, "h"), (24, "d"))
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


def say(text: str, *, err: bool = False, fold: bool = True, **style: Any) -> None:
    """Print a text with control characters escaped; `style` is passed to `click.style`.

    On a terminal, lines are folded between words, unless `fold` is False: for files, diffs and
    commands, which people copy.
    """
    STATUS_LINE.clear()
    click.echo(styled(fit(text, err=err) if fold else text, **style), err=err)


def styled(text: str, **style: Any) -> str:
    """Escape a text and, on a terminal with colours, style it."""
    if not style or not sys.stdout.isatty():
        return visible(text)
    from remem.app.environment import has_colours

    return click.style(visible(text), **style) if has_colours() else visible(text)


def say_indented(text: str, **style: Any) -> None:
    """Print a text of one or more lines, indented."""
    say("\n".join(f"    {line}" for line in text.split("\n")), **style)


def fit(text: str, *, err: bool, room: int = 0) -> str:
    """Fold a text for the terminal that it is printed to, with `room` at the end of each line."""
    width = terminal_width(err=err)
    if width is None:
        return text
    width = max(width - room, _MIN_COLUMN)
    return "\n".join(part for line in text.split("\n") for part in _folded_line(line, width))


def _folded_line(line: str, width: int) -> list[str]:
    """Fold a line; later parts are indented like the line, or by two columns if it is not."""
    line = visible(line)
    if columns_of(line) <= width:
        return [line]
    body = line.lstrip(" ")
    indent = " " * (len(line) - len(body))
    next_indent = indent or "  "
    lines = folded(body, max(width - len(next_indent), 1))
    return [indent + lines[0], *(next_indent + rest for rest in lines[1:])]


def folded(text: str, width: int) -> list[str]:
    """Split a text between words into lines of at most `width` columns.

    Chinese and Japanese are split between characters. A longer word, such as a path, is kept whole.
    """
    lines, line = [], ""
    # A piece is a word with the space before it, or one character of a script without spaces.
    for piece in re.findall(rf"\s*(?:[{_WIDE}]|[^\s{_WIDE}]+)", text):
        if line and columns_of(line + piece) > width:
            lines.append(line)
            line = piece.lstrip()
        else:
            line += piece
    return [*lines, line]


def say_notes(notes: Sequence[str]) -> None:
    """Print the notes of an answer."""
    for note in notes:
        say(f"note: {note}", fg="yellow")


def remark(text: str) -> None:
    """Print a remark to stderr, so that it does not mix with the data on stdout."""
    say(f"remem: {text}", err=True)


def warn(text: str) -> None:
    """Print a warning to stderr."""
    remark(f"warning: {text}")


def respond(result: ResultT, as_json: bool, show: Callable[[ResultT], None]) -> None:
    """Print a result as JSON, in the form of the tools, or in readable form with `show`."""
    if as_json:
        from remem.search.answer.answer import answer_text

        click.echo(answer_text(result))
    else:
        show(result)


def print_json(results: DataclassInstance | Sequence[DataclassInstance]) -> None:
    """Print a result, or a list of results, as JSON in the form of the tools."""
    import json

    from remem.search.answer.answer import plain

    value = [plain(item) for item in results] if isinstance(results, Sequence) else plain(results)
    click.echo(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def say_table(rows: Sequence[Sequence[object]], indent: str = "") -> None:
    """Print rows in aligned columns; on a terminal, the last column is wrapped to its width."""
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(columns_of, column)) for column in zip(*texts, strict=True)]
    for row in texts:
        cells = [fitted(cell, width) for cell, width in zip(row[:-1], widths, strict=False)]
        first = indent + "".join(f"{cell}  " for cell in cells)
        say("\n".join(_wrapped(row[-1], first)), fold=False)


def _wrapped(text: str, first: str) -> list[str]:
    """Wrap a text that begins after `first`; further lines are indented to the same column."""
    width = terminal_width()
    if width is None or columns_of(first + text) <= width:
        return [(first + text).rstrip()]
    room = width - columns_of(first)
    if room < _MIN_COLUMN:  # below the row, if there is no room next to it
        lines = folded(text, max(width - len(_INDENT), 1))
        return [first.rstrip(), *(_INDENT + line for line in lines)]
    lines = folded(text, room)
    return [first + lines[0], *(" " * columns_of(first) + line for line in lines[1:])]


def terminal_width(*, err: bool = False) -> int | None:
    """Return the width of the terminal; None if the output goes to a file or a pipe."""
    if not (sys.stderr if err else sys.stdout).isatty():
        return None
    from shutil import get_terminal_size

    return get_terminal_size().columns


def fitted(text: str, width: int) -> str:
    """Return the text cut or padded to a width; East Asian characters take two columns."""
    if columns_of(text) > width:
        text = text[:width]  # a character has at least one column, apart from accents
        while columns_of(text) > width - 1:
            text = text[:-1]
        text += "…"
    return text + " " * (width - columns_of(text))


def columns_of(text: str) -> int:
    """Return the width of a text in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


class _StatusLine:
    """The line of a terminal's stderr that shows progress; whatever is printed next clears it."""

    _is_shown = False

    def show(self, text: str, width: int) -> None:
        click.echo(f"\r\x1b[K{fitted(text, width - 1).rstrip()}", nl=False, err=True)
        self._is_shown = True

    def clear(self) -> None:
        if self._is_shown:
            click.echo("\r\x1b[K", nl=False, err=True)
        self._is_shown = False


STATUS_LINE: Final = _StatusLine()


@contextmanager
def progress(delay: float = 1.0) -> Iterator[Callable[[str], None]]:
    """Yield a function that reports the current step in one line of a terminal's stderr.

    Nothing is shown in the first `delay` seconds, and the line is cleared at the end.
    """
    show_from = time.monotonic() + delay

    def report(step: str) -> None:
        width = terminal_width(err=True)
        if width is not None and time.monotonic() >= show_from:
            STATUS_LINE.show(f"{visible(step)} …", width)

    try:
        yield report
    finally:
        STATUS_LINE.clear()


def is_piped() -> bool:
    """Return whether standard input is a pipe or a file rather than a terminal."""
    return not sys.stdin.isatty()


def text_argument(value: str | None, name: str) -> str:
    """Return the text of an argument; if it is `-`, or missing in a pipe, read standard input."""
    text = standard_input() if value == "-" or (value is None and is_piped()) else value
    if text is None or (name == "id" and not text):
        hint = " `remem list` shows the ids of memories." if name == "id" else ""
        raise click.UsageError(f"Missing argument '{name.upper()}'.{hint}")
    return as_utf8(text, name)


def as_utf8(text: str, name: str) -> str:
    """Decode an argument as UTF-8; Python keeps bytes that do not fit the locale as surrogates."""
    if not any("\udc80" <= character <= "\udcff" for character in text):
        return text
    try:
        data = text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # half of another pair: no bytes that a shell passed
        return text
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        byte = f"byte {error.start} is 0x{data[error.start]:02x}"
        raise InvalidInput(
            f"{name} is not UTF-8: {byte}",
            hint="pipe it in, converted: `… | iconv -f latin1 -t utf-8 | remem …`",
        ) from None


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


def ago(moment: str) -> str:
    """Return how long ago a time was, or its date if it was more than 30 days ago."""
    from datetime import UTC, datetime

    from remem.text.timestamps import parse_time

    elapsed = (datetime.now(UTC) - parse_time(moment)).total_seconds()
    if elapsed < 60:
        return "now"
    if elapsed > 30 * 24 * 3600:
        return moment[:10]
    value, unit = elapsed, ""
    for size, name in _UNITS:
        if value < size:
            break
        value, unit = value / size, name
    return f"{int(value)} {unit} ago"
