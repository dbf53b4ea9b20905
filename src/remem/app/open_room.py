"""The loading protocol: opening the files of a room that a message needs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from remem.app.flush import Flushes
from remem.errors import EmbedderError, InvalidInput, shown

if TYPE_CHECKING:
    from remem.disclose.open.result import OpenResult
    from remem.ports.models import Embedder, Floats, ModelIdentity
    from remem.search.query.embedding import TimeLimit


class Opens(Flushes):
    """Loading what a message needs, and no more."""

    def open(self, message: str) -> OpenResult:
        """The gate and the one file that a message needs, with a trace of each step.

        A conversation gets a few files at most; `end_conversation` resets the count.
        """
        from remem.disclose.open.protocol import OpenContext, open_room  # nothing else needs it

        if not isinstance(message, str) or not message.strip():
            raise InvalidInput(
                f"message {shown(message)} says nothing", hint="give the user's message"
            )
        parts = self._parts
        how = OpenContext(
            parts.session,
            self._gate_guard,
            parts.counter,
            parts.config.memory_budget,
            self._likeness,
        )
        return open_room(how, message)

    def _likeness(self, message: str, phrases: Sequence[str]) -> Sequence[float] | str:
        """How near the message is to each phrase; or why no model can say so, in time."""
        from remem.search.query.embedding import UNSUPPORTED_LANGUAGE

        if not self._parts.embedders:
            return self._parts.without_model or "no model is configured"
        texts = (message, *phrases)
        model = max(
            self._parts.embedders, key=lambda embedder: min(map(embedder.language_support, texts))
        )
        try:
            if not all(map(model.language_support, texts)):
                return UNSUPPORTED_LANGUAGE
            return self._patience(lambda: self._compared(model, message, phrases)) or ()
        except EmbedderError as error:
            return str(error.args[0])

    def _compared(self, model: Embedder, message: str, phrases: Sequence[str]) -> list[float]:
        if sum(map(len, self._known_phrases.values())) > 2000:
            self._known_phrases.clear()
        known = self._known_phrases.setdefault(model.identity, {})
        fresh = [phrase for phrase in dict.fromkeys(phrases) if phrase not in known]
        if fresh:
            made = model.embed(fresh)
            known |= {text: vector.pooled for text, vector in zip(fresh, made, strict=True)}
        asked = model.embed_query(message).pooled
        return [float(known[phrase] @ asked) for phrase in phrases]

    @cached_property
    def _patience(self) -> TimeLimit:
        from remem.search.passages.search import MODEL_TIMEOUT_SECONDS
        from remem.search.query.embedding import TimeLimit

        return TimeLimit(MODEL_TIMEOUT_SECONDS)

    @cached_property
    def _known_phrases(self) -> dict[ModelIdentity, dict[str, Floats]]:
        """The vectors of triggers: a gate's stay the same from message to message."""
        return {}
