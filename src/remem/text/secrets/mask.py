"""Mask the secrets in texts, wherever they are recognised or repeated."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from remem.fast_dataclass import dataclass

if TYPE_CHECKING:
    from remem.text.secrets.shapes import SecretSpan

MASK: Final = "…"
_MIN_SHOWN_LENGTH: Final = 18  # shorter secrets are masked completely
_FULLY_MASKED: Final = frozenset(
    {
        *("password", "password in a url", "passphrase", "code", "seed phrase", "recovery code"),
        *("2fa seed", "private key"),
    }
)
"""For these kinds, even a few letters would reveal too much."""
_MAX_REPEAT_LENGTH: Final = 400
_MAX_SHORT_LENGTH: Final = 30
_IDEOGRAPH: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_RUN: Final = re.compile(rf"[A-Za-z0-9]+|[{_IDEOGRAPH}]|(?:(?![{_IDEOGRAPH}_])[^\W\x00-\x7f])+")
_NUMBER_JOINTS: Final = frozenset("-.,:/+#_")  # between digits, these join two numbers into one


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text with its secrets masked, and the kinds of the secrets, each listed once."""

    text: str
    kinds: tuple[str, ...] = ()


def redact(text: str) -> Redaction:
    """Mask every secret in a text; redacting the result again changes nothing."""
    return redact_all((text,))[0]


@lru_cache(maxsize=1_000)
def redact_name(name: str) -> Redaction:
    """Redact a short text that occurs often, such as a speaker, a source or a tag; cached."""
    return redact(name)


def redact_all(
    texts: Sequence[str],
    *,
    known_secrets: KnownSecrets | None = None,
    keep: Collection[str] = (),
    keep_if_in: str = "",
) -> list[Redaction]:
    """Mask the secrets in several texts; a secret that is recognised in one is masked in all.

    `known_secrets` were recognised in other texts and are masked too. Secrets of the kinds in
    `keep` are left as they are, and so are secrets that occur in the text `keep_if_in`.
    """
    if not known_secrets and not any(map(_spans_in, texts)):
        return [Redaction(text) for text in texts]  # like nearly all texts
    results = [_mask_recognised(text, keep, keep_if_in) for text in texts]
    secrets = known_secrets or KnownSecrets({})
    for masked in results:
        secrets = secrets.with_more(masked.secrets)
    if not secrets:
        return [Redaction(text) for text in texts]
    return [_mask_repetitions(masked, secrets, keep, keep_if_in) for masked in results]


def secrets_in(texts: Iterable[str]) -> KnownSecrets:
    """Return the secrets that are recognised in some texts."""
    secrets: dict[str, str] = {}
    for text in texts:
        secrets |= _mask_recognised(text, (), "").secrets
    return KnownSecrets(secrets)


def mask(secret: str, kind: str = "") -> str:
    """Return the mask of a secret; a long key's shows both ends, so that its owner knows it."""
    if len(secret) < _MIN_SHOWN_LENGTH or kind in _FULLY_MASKED:
        return "***"
    return f"{secret[:6]}{MASK}{secret[-4:]}"


@dataclass(frozen=True, slots=True)
class _Masked:
    """A text, and the secrets that were masked in it, with their kinds."""

    text: str
    secrets: dict[str, str]


def _mask_recognised(text: str, keep: Collection[str], keep_if_in: str) -> _Masked:
    """Mask secrets until none is found; every round makes the text shorter."""
    secrets: dict[str, str] = {}
    while spans := [
        span
        for span in _spans_in(text)
        if span.kind not in keep and not (keep_if_in and text[span.start : span.end] in keep_if_in)
    ]:
        for span in spans:
            secrets.setdefault(text[span.start : span.end], span.kind)
        text = _apply_masks(text, spans)
    return _Masked(text, secrets)


def _spans_in(text: str) -> Sequence[SecretSpan]:
    return _find_in_short(text) if len(text) <= _MAX_SHORT_LENGTH else _find(text)


def _find(text: str) -> Sequence[SecretSpan]:
    may_have_secrets, find_secrets = _load_finders()
    return find_secrets(text) if may_have_secrets(text) else ()


_find_in_short = lru_cache(maxsize=1_000)(_find)
"""Sources, speakers and tags recur in every memory."""


def _mask_repetitions(
    masked: _Masked, secrets: KnownSecrets, keep: Collection[str], keep_if_in: str
) -> Redaction:
    """Mask known secrets wherever they are repeated in a text.

    A mask can uncover a secret that was part of a longer match, so the text is searched again.
    """
    kinds = dict.fromkeys(masked.secrets.values())
    text, kinds_masked = secrets.mask_in(masked.text)
    while kinds_masked:
        kinds |= dict.fromkeys(kinds_masked)
        masked_again = _mask_recognised(text, keep, keep_if_in)
        kinds |= dict.fromkeys(masked_again.secrets.values())
        text, kinds_masked = secrets.mask_in(masked_again.text)
    return Redaction(text, tuple(kinds))


@cache
def _load_finders() -> tuple[Callable[[str], bool], Callable[[str], list[SecretSpan]]]:
    """Import the finders on first use, because they compile hundreds of patterns."""
    from remem.text.secrets.find import find_secrets, may_have_secrets

    return may_have_secrets, find_secrets


def _apply_masks(text: str, spans: Iterable[SecretSpan]) -> str:
    pieces, at = [], 0
    for span in spans:
        pieces += [text[at : span.start], mask(text[span.start : span.end], span.kind)]
        at = span.end
    return "".join((*pieces, text[at:]))


class KnownSecrets:
    """Secrets with their kinds; it finds and masks other occurrences of them as whole words.

    Secrets are looked up by their first run of letters or digits, so that a search for many secrets
    takes hardly longer than one for a single secret.
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._kinds = kinds
        self._by_run: dict[str, set[tuple[int, int]]] = {}
        for secret in kinds:
            run = _RUN.search(secret) if len(secret) <= _MAX_REPEAT_LENGTH else None
            if run:
                self._by_run.setdefault(run[0], set()).add((run.start(), len(secret)))

    def __bool__(self) -> bool:
        return bool(self._kinds)

    def with_more(self, kinds: Mapping[str, str]) -> KnownSecrets:
        """Return these secrets together with others; a secret in both keeps its present kind."""
        return (
            self if kinds.keys() <= self._kinds.keys() else KnownSecrets({**kinds, **self._kinds})
        )

    def mask_in(self, text: str) -> tuple[str, list[str]]:
        """Mask the occurrences of these secrets in a text; also return the kind of each."""
        pieces: list[str] = []
        kinds: list[str] = []
        at = 0
        for start, end in self._occurrences(text):
            if start >= at:
                secret = text[start:end]
                kinds.append(self._kinds[secret])
                pieces += [text[at:start], mask(secret, kinds[-1])]
                at = end
        return "".join((*pieces, text[at:])), kinds

    def _occurrences(self, text: str) -> Iterator[tuple[int, int]]:
        for run in _RUN.finditer(text):
            for offset, length in sorted(
                self._by_run.get(run[0], ()), key=lambda candidate: -candidate[1]
            ):
                start = run.start() - offset
                end = start + length
                if start >= 0 and text[start:end] in self._kinds and _is_whole(text, start, end):
                    yield start, end


def _is_whole(text: str, start: int, end: int) -> bool:
    """Return whether text[start:end] is not part of a longer word or number."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if MASK in before + after:
        return False  # left over from an earlier mask
    if before == "_":
        before = text[start - 2 : start - 1] if start > 1 else ""  # emphasis, or part of a name
    if after == "_":
        after = text[end + 1 : end + 2]
    if (_is_letter(before) and _is_letter(text[start])) or (
        _is_letter(text[end - 1]) and _is_letter(after)
    ):
        return False
    if not text[start:end].isdigit():
        return True
    longer = after in _NUMBER_JOINTS and text[end + 1 : end + 2].isalnum()
    return not (longer or (before in _NUMBER_JOINTS and bool(before)))


def _is_letter(character: str) -> bool:
    """Return whether a character belongs to a word between spaces; ideographs do not."""
    if not character.isalnum():
        return False
    return not ("\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff")
