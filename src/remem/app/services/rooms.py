"""Load the files of a room for a message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Final

from remem.app.context import Models, SessionContext
from remem.disclose.gate_guard import GateGuard
from remem.disclose.open.protocol import OpenContext, open_room
from remem.disclose.open.result import OpenResult
from remem.errors import EmbedderError, InvalidInput, quoted
from remem.fast_dataclass import dataclass
from remem.ports.models import Embedder, Floats, ModelIdentity, TokenCounter
from remem.search.query.embedding import UNSUPPORTED_LANGUAGE, TimeLimit

_MAX_CACHED_PHRASES: Final = 2000


@dataclass
class RoomService:
    """Loads the gate of a room and the one file that a message needs."""

    context: SessionContext
    models: Models
    counter: TokenCounter
    gate_guard: GateGuard
    time_limit: TimeLimit
    _phrases: dict[ModelIdentity, dict[str, Floats]] = field(default_factory=dict, init=False)

    def open(self, message: str) -> OpenResult:
        if not isinstance(message, str) or not message.strip():
            raise InvalidInput(
                f"message {quoted(message)} is empty", hint="give the user's message"
            )
        session, budget = self.context.session, self.context.config.memory_budget
        open_context = OpenContext(
            session, self.gate_guard, self.counter, budget, self.similarities
        )
        return open_room(open_context, message)

    def similarities(self, message: str, phrases: Sequence[str]) -> Sequence[float] | str:
        """Return the similarity of the message to each phrase, or why it cannot be computed.

        The result is empty if the model takes too long.
        """
        if not self.models.embedders:
            return self.models.unavailable or "no model is configured"
        texts = (message, *phrases)
        model = max(
            self.models.embedders,
            key=lambda embedder: min(map(embedder.language_support, texts)),
        )
        try:
            if not all(map(model.language_support, texts)):
                return UNSUPPORTED_LANGUAGE
            return self.time_limit(lambda: self._compare(model, message, phrases)) or ()
        except EmbedderError as error:
            return str(error.args[0])

    def _compare(self, model: Embedder, message: str, phrases: Sequence[str]) -> list[float]:
        """Return the cosine of the message with each phrase; the phrases' vectors are cached."""
        if sum(map(len, self._phrases.values())) > _MAX_CACHED_PHRASES:
            self._phrases.clear()
        vectors_by_phrase = self._phrases.setdefault(model.identity, {})
        new_phrases = [
            phrase for phrase in dict.fromkeys(phrases) if phrase not in vectors_by_phrase
        ]
        if new_phrases:
            vectors = model.embed(new_phrases)
            vectors_by_phrase |= {
                text: vector.pooled for text, vector in zip(new_phrases, vectors, strict=True)
            }
        query = model.embed_query(message).pooled
        return [float(vectors_by_phrase[phrase] @ query) for phrase in phrases]
