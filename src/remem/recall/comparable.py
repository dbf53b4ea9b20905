"""Can this vector be compared with those of its model? One that cannot would spoil them all."""

from __future__ import annotations

from math import isfinite

from remem.errors import EmbedderMismatch
from remem.ports import Floats, ModelIdentity


def require_comparable(vector: Floats, identity: ModelIdentity) -> None:
    if vector.shape != (identity.dimension,):
        raise EmbedderMismatch(
            f"a vector of shape {vector.shape} is not one of {identity}",
            hint="the model behind the embedder has changed; restart remem",
        )
    if not isfinite(float(vector @ vector)):
        raise EmbedderMismatch(f"a vector of {identity} holds something that is not a number")
