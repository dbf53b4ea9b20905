"""What do quick vectors alone find? As right after an import, before the model has read a text."""

from __future__ import annotations

from collections.abc import Sequence

from bench.measured_model import MeasuredModel
from remem.errors import EmbedderError
from remem.ports.models import Embedding


class QuickOnly(MeasuredModel):
    """Every text keeps its quick vector; questions are the model's own."""

    def embed(self, texts: Sequence[str]) -> list[Embedding]:
        made = self._real.embed_quickly(texts)
        if made is None:
            raise EmbedderError(
                f"{self._real.identity.name} has no quick vectors",
                hint="run `remem models fetch minilm`",
            )
        return made

    def embed_quickly(self, texts: Sequence[str]) -> None:
        """Those that `embed` makes are quick."""
