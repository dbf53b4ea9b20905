"""Find the secrets in a text, and quickly rule out texts that have none.

Every secret comes with a hint that a plain search finds: a long word, a word for a password or a
key, or part of a URL or a command. A text without any hint has no secret.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from remem.text.secrets.fields import labelled_secrets, lower_in_place
from remem.text.secrets.positions import HINTS, secrets_by_position
from remem.text.secrets.recovery import SEED_HINTS, has_seed_words, recovery_secrets
from remem.text.secrets.sentences import CODE_WORDS, has_digit, stated_secrets
from remem.text.secrets.shapes import SecretSpan, has_long_word, secrets_by_format
from remem.text.secrets.values import LABEL_WORDS


def find_secrets(text: str) -> list[SecretSpan]:
    """Return the secrets in a text in order; overlapping ones are merged into one.

    It has the kind of the one that starts first. If several start at the same position, a kind
    given by a format takes precedence over one given by a label, and that over one given by a
    sentence.
    """
    finders = (
        secrets_by_format,
        secrets_by_position,
        labelled_secrets,
        stated_secrets,
        recovery_secrets,
    )
    spans = (span for finder in finders for span in finder(text))
    merged: list[SecretSpan] = []
    for span in sorted(spans, key=lambda span: span.start):
        last = merged[-1] if merged else None
        if last and span.start < last.end:
            merged[-1] = SecretSpan(last.start, max(last.end, span.end), last.kind)
        else:
            merged.append(span)
    return merged


def may_have_secrets(text: str) -> bool:
    """Return whether a text has a hint that it may contain a secret."""
    if has_long_word(text):
        return True
    folded = lower_in_place(text)
    hints = _ASCII_HINTS if text.isascii() else _HINTS
    for hint in hints:  # faster than a regular expression
        if hint in folded:
            return True
    return has_seed_words(folded) or (
        any(map(folded.__contains__, _CODE_HINTS)) and has_digit(text)
    )


def _without_implied(hints: Iterable[str]) -> tuple[str, ...]:
    """Drop hints that contain a shorter hint, since a text with them has the shorter one too."""
    kept: list[str] = []
    for candidate in sorted(set(hints), key=lambda hint: (len(hint), hint)):
        if not any(hint in candidate for hint in kept):
            kept.append(candidate)
    return tuple(kept)


_HINTS: Final = _without_implied(
    ("pass", "key", "wiederherstellungs", *LABEL_WORDS, *HINTS, *SEED_HINTS)
)
_ASCII_HINTS: Final = tuple(filter(str.isascii, _HINTS))
_CODE_HINTS: Final = _without_implied(CODE_WORDS)
