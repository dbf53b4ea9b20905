"""Questions to the user: yes or no, a line of text, and whether a change may be made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import click

from remem.cli.terminal import STATUS_LINE, fit, say
from remem.errors import NotAllowed

_CHOICES: Final = " [y/N]: "
"""What click prints after a question."""


def confirm(question: str, *, default: bool = False) -> bool:
    """Ask a yes/no question; if the input has ended, the answer is no."""
    text = fit(question, err=True, room=len(_CHOICES))
    return bool(_answer(lambda: click.confirm(text, default=default, err=True)))


def ask_for_text(question: str) -> str:
    """Ask for a line of text; if the input has ended, the answer is empty."""
    text = fit(question, err=True)
    answer = _answer(lambda: click.prompt(text, default="", show_default=False, err=True))
    return str(answer or "").strip()


def _answer(ask: Callable[[], object]) -> object:
    """Return the answer to a question, or None if the input has ended; Ctrl-C ends the command."""
    STATUS_LINE.clear()
    try:
        return ask()
    except click.Abort as error:
        click.echo(err=True)
        if isinstance(error.__context__, KeyboardInterrupt):  # click raises Abort for both
            raise KeyboardInterrupt from None
        return None


def approval(
    question: str, *, yes: bool, dry_run: bool = False, default: bool = False
) -> Callable[[str], bool]:
    """Return a function that shows a diff and returns whether the change is approved.

    A text behind the diff, after an empty line, is shown as a remark. `default` is the answer if
    the user only presses Enter.
    """

    def approve(diff: str) -> bool:
        if diff:
            change, blank, remarks = diff.removesuffix("\n").partition("\n\n")
            say(change, fold=False)
            if blank:
                say(f"\n{remarks}")
        return not dry_run and (yes or confirm(question, default=default))

    return approve


def nothing_changed(command: str, *, dry_run: bool = False) -> None:
    """End a command whose change was not approved; raise NotAllowed unless it was a dry run."""
    if not dry_run:
        raise NotAllowed("nothing was changed", hint=f"`{command}` does it without asking")
    say("nothing was changed", err=True)
