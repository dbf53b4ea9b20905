"""Check that a sentence says no more than the points it is based on.

A language model may rephrase points, but not add new ones. So nearly every content word of a
sentence must come from them, and every number, name and negation must be exactly theirs, with the
names in the same order. When in doubt, the sentence is rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from remem.text.words import STOP_WORDS, content_words, fold, same_stem

_NEGATIONS: Final = frozenset(
    """no not never none nor neither without cannot nobody nothing hardly t isn doesn don won can
    wasn aren didn nicht kein keine keinen keiner nie niemals ohne ne pas jamais sans aucun nunca
    jamás sin ninguno ningún не нет никогда без ни""".split()
)
_NEGATING_CHARACTERS: Final = re.compile("[不没沒無无未非勿别莫]|ない|ません|ず(?=に)")
_CONNECTIVES: Final = frozenset(
    """currently now since also both still while later earlier before after until then first last
    today already again together because however though although named called known made said
    recently additionally moreover further""".split()
)
_NAME: Final = re.compile(r"[^\W\d_][\w'’.-]*")
_CLAUSE_END: Final = re.compile(r"[.;:!?](?:\s|$)|[,，、。；：！？()（）\n]|\s[–—-]\s")
_NUMBER: Final = re.compile(r"\d+(?:[.,:/-]\d+)*")
_MAX_ADDED_SHARE: Final = 0.2
_MIN_COVERED_SHARE: Final = 0.7
"""A sentence must cover this share of each point, because what it leaves out would be lost."""


def why_unsupported(
    sentence: str, points: Sequence[str], subjects: Iterable[str] = (), *, may_shorten: bool = False
) -> str | None:
    """Return why a sentence is not supported by its points, or None if it is.

    The sentence may also use the words of `subjects`, such as names and headings around the points.
    With `may_shorten`, it may leave out clauses and details, because its points stay readable.
    """
    if not points:
        return "no source was given"
    source = " ".join((*points, *subjects))
    if missing := set(_NUMBER.findall(sentence)) - set(_NUMBER.findall(source)):
        return f"it contains a number that is not in its sources: {min(missing)}"
    if negations(sentence) != negations(
        " ".join(_related_clauses(points, sentence) if may_shorten else points)
    ):
        return "it adds or drops a negation"
    if reason := _name_problem(sentence, source, points):
        return reason
    sentence_words, source_words = content_words(sentence), set(content_words(source))
    if not sentence_words:
        return "it has no content"
    added = [
        word
        for word in sentence_words
        if word not in _CONNECTIVES and not _is_among(word, source_words)
    ]
    if len(added) > _MAX_ADDED_SHARE * len(sentence_words):
        return f"it contains words that are not in its sources: {', '.join(added[:5])}"
    subject_words = set(content_words(" ".join(subjects)))
    if not may_shorten and any(
        _covered_share(point, sentence_words, subject_words) < _MIN_COVERED_SHARE
        for point in points
    ):
        return "it leaves out much of one of its sources"
    return None


def _related_clauses(points: Sequence[str], sentence: str) -> list[str]:
    """Return the clauses of the points that share words with a sentence."""
    sentence_words = set(content_words(sentence))
    clauses = [clause for point in points for clause in _CLAUSE_END.split(point)]
    return [clause for clause in clauses if _shares_words(clause, sentence_words)]


def _shares_words(clause: str, words: set[str]) -> bool:
    return any(_is_among(word, words) for word in content_words(clause))


def _covered_share(point: str, sentence_words: Sequence[str], ignored: set[str]) -> float:
    """Return the share of a point's content words that are in a sentence, except ignored words."""
    point_words = [word for word in content_words(point) if word not in ignored]
    return (
        sum(_is_among(word, set(sentence_words)) for word in point_words) / len(point_words)
        if point_words
        else 1.0
    )


def negations(text: str) -> int:
    """Count the negations in a text."""
    negations_found = [word for word in re.findall(r"[^\W\d_]+", fold(text)) if word in _NEGATIONS]
    return len(negations_found) + len(_NEGATING_CHARACTERS.findall(text))


def _name_problem(sentence: str, source: str, points: Sequence[str]) -> str | None:
    """Return what is wrong with the names in a sentence, or None.

    Names are capitalised words; their order says who does what to whom.
    """
    names = [
        name for name in _names(sentence) if name not in _CONNECTIVES and name not in STOP_WORDS
    ]
    known = {_bare_name(part) for part in _NAME.findall(source)}
    for position, name in enumerate(names):
        # the first word is capitalised even if it is not a name
        starts_sentence = position == 0 and fold(sentence).startswith(name)
        if not (_is_among(name, known) if starts_sentence else name in known):
            return f"it contains a name that is not in its sources: {name}"
    for point in points:
        point_names = [name for name in _names(point) if name in names]
        sentence_names = [name for name in names if name in point_names]
        if len(points) == 1 and list(dict.fromkeys(sentence_names)) != list(
            dict.fromkeys(point_names)
        ):
            return "the names are in a different order"
    return None


def _names(text: str) -> list[str]:
    return [_bare_name(part) for part in _NAME.findall(text) if part[:1].isupper()]


def _bare_name(name: str) -> str:
    return fold(name).rstrip(".-'’").removesuffix("'s").removesuffix("’s")


def _is_among(word: str, known_words: set[str]) -> bool:
    """Return whether the word, or one that differs only in its ending, is known."""
    return word in known_words or any(same_stem(word, other) for other in known_words)
