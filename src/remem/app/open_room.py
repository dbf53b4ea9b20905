"""How does a conversation come to its room's files? By the loading protocol, for a message."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from remem.app.flush import Flushes
from remem.errors import EmbedderError, InvalidInput, shown

if TYPE_CHECKING:
    from remem.disclose.open.result import Disclosed
    from remem.ports.models import Embedder, Floats, ModelIdentity
    from remem.search.query.embedding import Patience


class Opens(Flushes):
    """Loading what a message needs, and no more."""

    def open(self, message: str) -> Disclosed:
        """The gate and the one file that a message needs, with a trace of each step.

        A conversation gets a few files at most; `end_conversation` begins anew.
        """
        from remem.disclose.open.protocol import Opening, open_room  # nothing else needs it

        if not isinstance(message, str) or not message.strip():
            raise InvalidInput(
                f"message {shown(message)} says nothing", hint="give the user's message"
            )
        parts = self._parts
        how = Opening(
            parts.session, self._entry, parts.counter, parts.config.memory_budget, self._likeness
        )
        return open_room(how, message)

    def _likeness(self, message: str, phrases: Sequence[str]) -> Sequence[float] | str:
        """How near the message is to each phrase; or why no model can say so, in time."""
        from remem.search.query.embedding import UNREAD

        if not self._parts.embedders:
            return self._parts.without_model or "no model is configured"
        texts = (message, *phrases)
        model = max(self._parts.embedders, key=lambda each: min(map(each.reads, texts)))
        try:
            if not all(map(model.reads, texts)):
                return UNREAD
            return self._patience(lambda: self._compared(model, message, phrases)) or ()
        except EmbedderError as error:
            return str(error.args[0])

    def _compared(self, model: Embedder, message: str, phrases: Sequence[str]) -> list[float]:
        if sum(map(len, self._known_phrases.values())) > 2000:
            self._known_phrases.clear()
        known = self._known_phrases.setdefault(model.identity, {})
        fresh = [each for each in dict.fromkeys(phrases) if each not in known]
        if fresh:
            made = model.embed(fresh)
            known |= {text: each.pooled for text, each in zip(fresh, made, strict=True)}
        asked = model.embed_query(message).pooled
        return [float(known[phrase] @ asked) for phrase in phrases]

    @cached_property
    def _patience(self) -> Patience:
        from remem.search.passages.search import PATIENCE
        from remem.search.query.embedding import Patience

        return Patience(PATIENCE)

    @cached_property
    def _known_phrases(self) -> dict[ModelIdentity, dict[str, Floats]]:
        """The vectors of triggers: a gate's stay the same from message to message."""
        return {}
