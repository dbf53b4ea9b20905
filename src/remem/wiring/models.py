"""Which models turn texts into vectors, or why is there none?"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from remem.config import Config
from remem.embedders.lazily import minilm_in, multilingual_in
from remem.embedders.model_files import installed
from remem.ports import Embedder
from remem.wiring.places import given_or_own, models_folder

MINILM: Final = "minilm"
MULTILINGUAL: Final = "multilingual"


def choose_embedders(
    config: Config, environment: Mapping[str, str] | None = None
) -> tuple[tuple[Embedder, ...], str | None]:
    """The models that encode: one for everything, or each for the languages that it knows; or
    why there is none."""
    match config.embedder:
        case "endpoint":
            return (_endpoint(config, given_or_own(environment)),), None
        case "none":
            return (), "embedder = 'none' is configured"
        case _ if local := _local_models(models_folder(environment)):
            return local, None
        case _:
            return (), "the local model is not on this machine; run `remem models fetch minilm`"


def standby_embedders(
    config: Config, environment: Mapping[str, str] | None = None
) -> tuple[Embedder, ...]:
    """Models whose vectors may still serve while those of another are made."""
    return _local_models(models_folder(environment)) if config.embedder == "endpoint" else ()


def _local_models(folder: Path) -> tuple[Embedder, ...]:
    """Where one knows a language no better than the other, the first is asked."""
    found: list[Embedder] = []
    if installed(MINILM, folder):
        found.append(minilm_in(folder / MINILM))
    if installed(MULTILINGUAL, folder):
        found.append(multilingual_in(folder / MULTILINGUAL))
    return tuple(found)


def _endpoint(config: Config, environment: Mapping[str, str]) -> Embedder:
    from remem.embedders.endpoint import Endpoint

    return Endpoint(
        config.endpoint_url,
        config.endpoint_model,
        api_key=environment.get(config.endpoint_key_variable) or None,
        timeout=config.endpoint_timeout,
    )
