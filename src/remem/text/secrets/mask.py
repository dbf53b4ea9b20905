"""Masks the secrets of texts: every place where one is recognised, and every repetition of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from remem.text.secrets.shapes import Found

MASK: Final = "…"
_SHOWN_FROM: Final = 18  # characters; a shorter secret leaves nothing of itself
_WORDED: Final = frozenset(
    {
        *("password", "password in a url", "passphrase", "code", "seed phrase", "recovery code"),
        *("2fa seed", "private key"),
    }
)
"""Kinds of which a few letters give away too much."""
_LONGEST_REPEAT: Final = 400
_IDEOGRAPH: Final = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_RUN: Final = re.compile(rf"[A-Za-z0-9]+|[{_IDEOGRAPH}]|(?:(?![{_IDEOGRAPH}_])[^\W\x00-\x7f])+")
_JOINED: Final = frozenset("-.,:/+#_")  # between digits, these make one number of two


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets, and the kinds of secrets that it had, each once."""

    text: str
    kinds: tuple[str, ...] = ()


def redact(text: str) -> Redaction:
    """The text with every secret masked; redacting the result again changes nothing."""
    return redact_all((text,))[0]


@lru_cache(maxsize=1_000)
def redact_name(name: str) -> Redaction:
    """The same for short texts that come again and again: speakers, sources, tags."""
    return redact(name)


def redact_all(
    texts: Sequence[str],
    *,
    known: Secrets | None = None,
    keep: Collection[str] = (),
    already: str = "",
) -> list[Redaction]:
    """The texts of one call: a secret that one of them shows to be one is masked in all.

    `known` are secrets that other texts of the call showed to be such. Kinds in `keep` stay as
    they are, as does what stands in the text `already`.
    """
    found = [_searched(text, keep, already) for text in texts]
    secrets = known or Secrets({})
    for searched in found:
        secrets = secrets.with_more(searched.secrets)
    if not secrets:
        return [Redaction(text) for text in texts]
    return [_finished(searched, secrets, keep, already) for searched in found]


def secrets_in(texts: Iterable[str]) -> Secrets:
    """The secrets that some texts hold."""
    secrets: dict[str, str] = {}
    for text in texts:
        secrets |= _searched(text, (), "").secrets
    return Secrets(secrets)


def spotless(texts: Iterable[str]) -> frozenset[str]:
    """The texts, most of them as a rule, in which a quick look finds no trace of a secret."""
    suspicious, _ = _search()
    return frozenset(text for text in texts if not suspicious(text))


def mask(secret: str, kind: str = "") -> str:
    """Enough of a long key to recognise it by; nothing of a password or a short secret."""
    if len(secret) < _SHOWN_FROM or kind in _WORDED:
        return "***"
    return f"{secret[:6]}{MASK}{secret[-4:]}"


@dataclass(frozen=True, slots=True)
class _Searched:
    """A text, and the secrets that were masked in it with their kinds."""

    text: str
    secrets: dict[str, str]


def _searched(text: str, keep: Collection[str], already: str) -> _Searched:
    """Goes on until nothing is found: every round makes the text shorter."""
    suspicious, found_in = _search()
    if not suspicious(text):
        return _Searched(text, {})
    secrets: dict[str, str] = {}
    while found := [
        found
        for found in found_in(text)
        if found.kind not in keep and not (already and text[found.start : found.end] in already)
    ]:
        for each in found:
            secrets.setdefault(text[each.start : each.end], each.kind)
        text = _masked(text, found)
    return _Searched(text, secrets)


def _finished(
    searched: _Searched, secrets: Secrets, keep: Collection[str], already: str
) -> Redaction:
    """The text without repetitions. A mask can lay open what a longer match covered: then the text
    is searched again."""
    kinds = dict.fromkeys(searched.secrets.values())
    text, repeated = secrets.masked(searched.text)
    while repeated:
        kinds |= dict.fromkeys(repeated)
        again = _searched(text, keep, already)
        kinds |= dict.fromkeys(again.secrets.values())
        text, repeated = secrets.masked(again.text)
    return Redaction(text, tuple(kinds))


@cache
def _search() -> tuple[Callable[[str], bool], Callable[[str], list[Found]]]:
    """Hundreds of patterns: loaded for the first text, so that reading memory does without."""
    from remem.text.secrets.find import found_in, suspicious

    return suspicious, found_in


def _masked(text: str, found: Iterable[Found]) -> str:
    pieces, at = [], 0
    for each in found:
        pieces += [text[at : each.start], mask(text[each.start : each.end], each.kind)]
        at = each.end
    return "".join((*pieces, text[at:]))


class Secrets:
    """Known secrets with their kinds; finds their further occurrences, whole words only.

    Each secret is looked up by the first run of letters or digits in it, so that many secrets
    take hardly longer than one.
    """

    def __init__(self, kinds: Mapping[str, str]) -> None:
        self._kinds = kinds
        self._by_run: dict[str, set[tuple[int, int]]] = {}
        for secret in kinds:
            run = _RUN.search(secret) if len(secret) <= _LONGEST_REPEAT else None
            if run:
                self._by_run.setdefault(run[0], set()).add((run.start(), len(secret)))

    def __bool__(self) -> bool:
        return bool(self._kinds)

    def with_more(self, kinds: Mapping[str, str]) -> Secrets:
        """These and others; a secret that was known keeps its kind."""
        return self if kinds.keys() <= self._kinds.keys() else Secrets({**kinds, **self._kinds})

    def masked(self, text: str) -> tuple[str, list[str]]:
        """The text, and the kind of each repetition that was masked in it."""
        pieces: list[str] = []
        kinds: list[str] = []
        at = 0
        for start, end in self._places(text):
            if start >= at:
                secret = text[start:end]
                kinds.append(self._kinds[secret])
                pieces += [text[at:start], mask(secret, kinds[-1])]
                at = end
        return "".join((*pieces, text[at:])), kinds

    def _places(self, text: str) -> Iterator[tuple[int, int]]:
        for run in _RUN.finditer(text):
            for offset, length in sorted(self._by_run.get(run[0], ()), key=lambda one: -one[1]):
                start = run.start() - offset
                end = start + length
                if start >= 0 and text[start:end] in self._kinds and _is_whole(text, start, end):
                    yield start, end


def _is_whole(text: str, start: int, end: int) -> bool:
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if MASK in before + after:
        return False  # what an earlier mask left
    if before == "_":
        before = text[start - 2 : start - 1] if start > 1 else ""  # of emphasis, or of a name
    if after == "_":
        after = text[end + 1 : end + 2]
    if (_is_letter(before) and _is_letter(text[start])) or (
        _is_letter(text[end - 1]) and _is_letter(after)
    ):
        return False
    if not text[start:end].isdigit():
        return True
    longer = after in _JOINED and text[end + 1 : end + 2].isalnum()
    return not (longer or (before in _JOINED and bool(before)))


def _is_letter(character: str) -> bool:
    """Of a word with spaces around it; ideographs have none."""
    if not character.isalnum():
        return False
    return not ("\u3040" <= character <= "\u30ff" or "\u3400" <= character <= "\u9fff")
