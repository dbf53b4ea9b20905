"""Decide whether two names may denote the same thing, and why.

The result is only a proposal: a person decides whether two entities are merged. The reasons are the
ways in which notes write one name differently.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import combinations
from typing import Final

from remem.model.entity import Entity, key_of
from remem.text.pattern_file import pattern_file
from remem.text.typos import single_typos

_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_CAMEL: Final = re.compile(r"(?<=[a-zß-ÿ])(?=[A-Z][a-zß-ÿ])")
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "ø": "oe", "å": "aa"})
_BRACKETS: Final = re.compile(r"\S\s*[(（]([^()（）]+)[)）]\s*$")
_MIN_IN_BRACKETS: Final = 3
_FIRST_UNSPACED: Final = "\u2e80"
_MIN_TYPO_LETTERS: Final = 5
_MIN_ACRONYM: Final = 3
_SMALL_WORDS: Final = frozenset(
    "of the and for de da do du des la le les et y e und der die".split()
)
_GENERIC: Final = frozenset(
    """project projekt projet proyecto projeto проект app repo
    项目 項目 专案 專案 プロジェクト""".split()
)


@dataclass(frozen=True, slots=True)
class SameName:
    """Two entities that may be the same, by their ids, and the reason."""

    entity: str
    other: str
    reason: str


def proposals(entities: Iterable[Entity]) -> list[SameName]:
    """Return the pairs of entities that may be the same; merged and declined ones are left out."""
    roots = [entity for entity in entities if entity.merged_into is None]
    pairs = []
    for one, other in combinations(roots, 2):
        if one.id in other.distinct_from or other.id in one.distinct_from:
            continue
        if one.kind and other.kind and one.kind != other.kind:
            continue
        if reason := _reason_of(one, other, roots):
            pairs.append(SameName(one.id, other.id, reason))
    return pairs


def same_name(a: str, b: str) -> str | None:
    """Return why two names may denote the same thing; None if nothing suggests it."""
    one, other = _parts(a), _parts(b)
    if not one or not other:
        return None
    if _numbers(a) != _numbers(b) or _other_titles(a, b):
        return None
    if key_of(a) == key_of(b):
        return "the names are equal"
    if _same_in_brackets(a, b):
        return "one has the other in brackets"
    checks = (
        ("spelled with different letters", _same_letters),
        ("the same words in another order", _same_words),
        ("written in another script", _same_sound),
        ("one has initials", _same_initials),
        ("one is a short form", _same_with_short_form),
        ("one is the acronym of the other", _is_acronym),
        ("one letter differs", _one_typo),
    )
    return next((reason for reason, holds in checks if holds(one, other)), None)


def _reason_of(one: Entity, other: Entity, all_entities: Sequence[Entity]) -> str | None:
    names, others = (one.name, *one.aliases), (other.name, *other.aliases)
    for a in names:
        for b in others:
            if reason := same_name(a, b):
                return f"{a!r} and {b!r}: {reason}"
    short, long = sorted((one, other), key=lambda entity: len(_parts(entity.name)))
    if _is_first_name_of(short, long, all_entities):
        return f"only {long.name!r} is called {short.name!r}"
    return None


def _is_first_name_of(short: Entity, long: Entity, all_entities: Sequence[Entity]) -> bool:
    """Return whether a single name is the first name of exactly one known person."""
    (name, *more), full = _parts(short.name) or ("",), _parts(long.name)
    if more or len(full) < 2 or long.kind not in ("", "person") or full[0] != name:
        return False
    same = [
        entity
        for entity in all_entities
        if (parts := _parts(entity.name)) and len(parts) > 1 and name in parts
    ]
    return same == [long]


@lru_cache(maxsize=4096)
def _parts(name: str) -> tuple[str, ...]:
    """Return the words of a name, without accents, titles, legal forms and words like "project"."""
    spaced = _CAMEL.sub(" ", unicodedata.normalize("NFKC", name))
    words = [word.casefold() for word in _WORD.findall(spaced)]
    data = pattern_file("model/same_name")
    dropped = {*data["titles"], *data["legal_forms"], *_GENERIC}
    parts = [_without_title(word) for word in words if word not in dropped] or words
    return tuple(_plain_letters(word) for word in parts)


def _without_title(word: str) -> str:
    """Return a word without what Chinese and Japanese attach to a name, such as an honorific."""
    data = pattern_file("model/same_name")
    for ending in (*data["title_endings"], *data["legal_forms"], *_GENERIC):
        if not ending.isascii() and word.endswith(ending) and len(word) > len(ending) + 1:
            return word.removesuffix(ending)
    for beginning in (*data["legal_forms"], *_GENERIC):
        if not beginning.isascii() and word.startswith(beginning) and len(word) > len(beginning):
            return word.removeprefix(beginning)
    return word


def _plain_letters(word: str) -> str:
    """Return a word with one form of each letter: no accents, two letters for an umlaut."""
    word = word.translate(_character_variants())
    if _has_kana(word):
        return word  # marks on kana change the sound
    folded = word.translate(_UMLAUTS)
    letters = unicodedata.normalize("NFKD", folded)
    plain = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return unicodedata.normalize("NFC", plain)


@cache
def _character_variants() -> dict[int, str]:
    groups = pattern_file("model/same_name").words("character_variants")
    return {ord(variant): group[0] for group in groups for variant in group[1:]}


def _has_kana(word: str) -> bool:
    return any("\u3040" <= letter <= "\u30ff" for letter in word)


def _numbers(name: str) -> list[str]:
    """Return the numbers in a name; names with different numbers are never the same."""
    return re.findall(r"\d+", unicodedata.normalize("NFKC", name))


def _other_titles(a: str, b: str) -> bool:
    """Return whether two names have different titles, as `Frau Keller` and `Herr Keller` have."""
    titles = set(pattern_file("model/same_name")["titles"])
    one, other = ({word.casefold() for word in _WORD.findall(name)} & titles for name in (a, b))
    return bool(one and other and not one & other)


def _same_in_brackets(a: str, b: str) -> bool:
    """Return whether one name is a short form with the other, the full name, in brackets.

    Only Chinese and Japanese names count: in other languages, brackets often say where something
    is.
    """
    brackets = _BRACKETS.search(a), _BRACKETS.search(b)
    if bool(brackets[0]) == bool(brackets[1]):
        return False
    inner, other = (
        (brackets[0][1], b) if brackets[0] else (brackets[1][1], a) if brackets[1] else ("", "")
    )
    full = _joined_letters(_parts(inner))
    is_long = len(full) >= _MIN_IN_BRACKETS and full >= _FIRST_UNSPACED
    return is_long and full == _joined_letters(_parts(other))


def _same_letters(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether names are equal without spaces and accents, and with ä, ae and a as one."""
    return _joined_letters(one) == _joined_letters(other)


def _joined_letters(words: Sequence[str]) -> str:
    text = "".join(words)
    for double, single in (("ae", "a"), ("oe", "o"), ("ue", "u")):
        text = text.replace(double, single)
    return text


def _same_words(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether the words are the same; names without spaces count as two words."""
    short, long = sorted((one, other), key=len)
    if len(short) == 1 and len(long) == 2 and short[0] >= _FIRST_UNSPACED:
        return short[0] == long[1] + long[0]
    return len(one) > 1 and sorted(one) == sorted(other)


def _same_sound(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether a name in Cyrillic letters is equal to one in Latin letters."""
    latin, others = _latin(one), _latin(other)
    if (latin, others) == (list(one), list(other)):
        return False
    return list(map(_sound, latin)) == list(map(_sound, others))


def _latin(words: Sequence[str]) -> list[str]:
    letters = pattern_file("model/same_name")["latin_letters"]
    return ["".join(letters.get(letter, letter) for letter in word) for word in words]


def _sound(word: str) -> str:
    """Return a spelling that is equal for the usual ways to write a Russian name in Latin."""
    for spelling, sound in _SOUNDS:
        word = word.replace(spelling, sound)
    return word


_SOUNDS: Final = (
    ("shch", "s"),
    ("yo", "e"),
    ("jo", "e"),
    ("yu", "iu"),
    ("ju", "iu"),
    ("ya", "ia"),
    ("ja", "ia"),
    ("kh", "h"),
    ("zh", "j"),
    ("ks", "x"),
    ("y", "i"),
    ("ii", "i"),
    ("ie", "e"),
)


def _same_initials(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether the last words are equal, and one name has initials for other words."""
    if len(one) < 2 or len(other) < 2 or one[-1] != other[-1] or one == other:
        return False
    pairs = list(zip(one[:-1], other[:-1], strict=False))
    abbreviated = any(len(a) == 1 or len(b) == 1 for a, b in pairs)
    agree = all(a == b or (min(len(a), len(b)) == 1 and a[0] == b[0]) for a, b in pairs)
    return abbreviated and agree


def _same_with_short_form(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether the first words are forms of one first name, and the others are equal."""
    if tuple(one[1:]) != tuple(other[1:]) or one[0] == other[0]:
        return False
    forms = _forms()
    return bool(forms.get(one[0], set()) & forms.get(other[0], set()))


@cache
def _forms() -> dict[str, set[str]]:
    """Return, for each first name and short form, the full names that it can stand for."""
    forms: dict[str, set[str]] = {}
    for full, shorts in pattern_file("model/same_name")["short_forms"].items():
        for name in (full, *shorts):
            forms.setdefault(_plain_letters(name), set()).add(full)
    return forms


def _is_acronym(one: Sequence[str], other: Sequence[str]) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) != 1 or len(short[0]) < _MIN_ACRONYM:
        return False
    initials = ["".join(word[0] for word in long)]
    initials.append("".join(word[0] for word in long if word not in _SMALL_WORDS))
    return len(long) >= _MIN_ACRONYM and short[0] in initials


def _one_typo(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether names of several words differ only by a typo in one long word.

    The last letter must be equal, because in many languages it distinguishes people.
    """
    if len(one) != len(other) or len(one) < 2:
        return False
    differing = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    if len(differing) != 1:
        return False
    (a, b) = differing[0]
    if min(len(a), len(b)) < _MIN_TYPO_LETTERS or a[-1] != b[-1]:
        return False
    return b in single_typos(a)
