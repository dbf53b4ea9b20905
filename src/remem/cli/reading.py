"""What did the user pipe in? Text that must be UTF-8, read whole."""

from __future__ import annotations

import sys

from remem.errors import InvalidInput


def piped() -> bool:
    """Whether standard input is a pipe or a file rather than a person."""
    return not sys.stdin.isatty()


def standard_input() -> str:
    """All of it, without the line break that ends its last line."""
    data = sys.stdin.buffer.read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"standard input is not UTF-8: byte {error.start} is 0x{data[error.start]:02x}",
            hint="convert it first, for example with iconv",
        ) from None
    return text.removesuffix("\n").removesuffix("\r")
