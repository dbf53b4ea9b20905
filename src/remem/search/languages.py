"""The languages of a scope's files, and a hint if the configured model does not read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from remem.text.language import FULL_SUPPORT, language_of

if TYPE_CHECKING:
    from remem.ports.models import Embedder
    from remem.ports.passages import PassageReader

NAMES: Final = {
    "ar": "Arabic",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "es": "Spanish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "pl": "Polish",
    "pt": "Portuguese",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "zh": "Chinese",
}
_MIN_PASSAGES: Final = 5
_MIN_SHARE: Final = 0.05
"""A language with fewer passages may be that of a quotation, or a wrong guess."""
_MAX_NAMED: Final = 3


def language_hint(reader: PassageReader, embedders: Sequence[Embedder]) -> str | None:
    """Return a hint with the languages that no model reads, and a model that does; else None."""
    unread = unread_languages(reader, embedders)
    if not unread:
        return None
    (first, count), *others = unread.most_common(_MAX_NAMED)
    rest_text = "".join(f", {number:,} in {NAMES[language]}" for language, number in others)
    verb = "passage is" if count == 1 else "passages are"
    return (
        f"{count:,} {verb} in {NAMES[first]}{rest_text}; "
        "`remem models fetch multilingual` adds semantic search for them (91 MB)"
    )


def unread_languages(reader: PassageReader, embedders: Sequence[Embedder]) -> Counter[str]:
    """Return the number of passages in each language that no model supports well."""
    counts: Counter[str] = Counter()
    unread: dict[str, bool] = {}
    for path in reader.files():
        for _, passage in reader.of_file(path):
            language = language_of(passage.text)
            counts[language] += 1
            if language in NAMES and language not in unread:
                unread[language] = not any(
                    embedder.language_support(passage.text) >= FULL_SUPPORT
                    for embedder in embedders
                )
    min_passages = max(_MIN_PASSAGES, _MIN_SHARE * counts.total())
    return Counter(
        {
            language: count
            for language, count in counts.items()
            if unread.get(language) and count >= min_passages
        }
    )
