"""Recognise what a heading announces: a kind of memory, a log, or a topic."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Final, Literal

from remem.model.entry import Category
from remem.text.note_dates import mentions
from remem.text.pattern_file import PatternFile, pattern_file
from remem.text.words import STOP_WORDS, fold

AnnouncedKind = Category | Literal["log"]

_EDGES: Final = " -–—:：·|*_~#,."
_BEFORE_DATE: Final = re.compile(
    r"(?<![\s–—-])[\s–—-]+(?:\w+ )?(?:as of|updated|since|stand|seit)$", re.IGNORECASE
)
_EMPTY_BRACKETS: Final = re.compile(
    r"[(（][\s,;:—–-]*(?:(?:(?:last )?updated?|added|更新|as of|stand)[\s,;:—–-]*)?[)）]",
    re.IGNORECASE,
)
"""What is left of "(updated 2026-03-12)" without its date."""
_REST_OF_RANGE: Final = re.compile(r"\A\s?[–—-]\s?\d{1,2}(?!\d)(?:,? 20\d\d)?")
"""What is left of "March 25–31, 2026" without its first date."""
_CLOCK: Final = re.compile(r"^\W{0,3}\d{1,2}[:：]\d\d\b(?: ?[AP]M\b)?", re.IGNORECASE)
_KINDS_THAT_ALWAYS_WIN: Final[tuple[AnnouncedKind, ...]] = (
    "preference",
    "decision",
    "insight",
    "instruction",
)
_MAX_WORDS: Final = 9
_MAX_PLAIN_WORDS: Final = 3
_MAX_STATUS_WORDS: Final = 3
_FINISHED: Final = re.compile(
    r"\b(?:completed|finished|done|archived?s?|changelog|removed|deprecated|historical|obsolete|"
    r"resolved|recent updates?|wins|achievements?|accomplishments?|erledigt|erfolge|réalisations|"
    r"logros|conquistas|достижени\w*|abgeschlossen|archiv|terminée?s?|concluíd[ao]s?|"
    r"completad[ao]s?|выполнено|завершен[оаы]?|завершён\w*|архив)\b|"
    r"已完成|成就|已归档|归档|最近更新|已移除|完了|アーカイブ|완료",
    re.IGNORECASE,
)
_PROJECTS: Final = re.compile(
    r"\b(?:projects?|projekte?n?|proyectos?|projetos?|projets?|проект\w*|initiatives?|in progress|"
    r"ongoing|current work|active work|laufende\w*|en cours|em andamento|en curso|в работе)\b|"
    r"项目|專案|进行中|進行中|プロジェクト|프로젝트",
    re.IGNORECASE,
)
_ONE_PROJECT: Final = re.compile(
    r"\b(?:project|projekt|proyecto|projeto|projet|проект)\b|(?:项目|專案|プロジェクト|프로젝트)\W*[:：]",
    re.IGNORECASE,
)
_PROCEDURE: Final = re.compile(
    r"\b(?:steps?|procedures?|workflows?|pipelines?|how to|runbooks?|schritte|ablauf|anleitung|"
    r"étapes?|procédures?|marche à suivre|pasos|procedimientos?|passos|"
    r"procedimentos?|fluxo|шаги|процедура|порядок)\b|步骤|流程|手順|フロー|절차",
    re.IGNORECASE,
)
_SCHEDULED_TASKS: Final = re.compile(r"\bcron\b|\bscheduled\b|定时|定期", re.IGNORECASE)
_AND: Final = re.compile(r"&|\b(?:and|und|et|y|e|и)\b|[与和と]", re.IGNORECASE)
_MAX_TAG_WORDS: Final = 2
_REST_OF_DATE: Final = re.compile(
    r"\d+|of|on|for|from|since|du|de|des|le|la|les|au|del|el|los|da|dos|das|der|vom|"
    r"von|am|im|seit|от|за|на|с",
    re.IGNORECASE,
)
_MAX_UNSPACED_TAG: Final = 8
_DESCRIPTION: Final = re.compile(r"\s*>\s*[^*`>\n]{3,60}")
"""A short quotation below a heading usually describes what the section is for."""
_MEMORY: Final = re.compile(r"\bmemory/|\bMEMORY\.md\b|\bmemory_[a-z]+\b")
_EXPLANATION: Final = re.compile(r"[(（:：/|,，;；→]|\s[-–—&+]\s|[)）]")
_ABOUT: Final = re.compile(
    r"^(?:about|über|à propos d[eu]s?|sobre|acerca de|о|об|про)\s+|^(?:关于|關於)\s*|"
    r"(?:について|에 대해)$"
)
_QUALIFIER: Final = re.compile(
    r"critical|current|installed|latest|recent|further|historical|aktive?\w?|neue?\w?|wichtige?\w?|"
    r"oberste\w?|unsere?\w?|principal\w*|critiques?|importante?s?|nouve\w+|actue\w+|nuev[oa]s?|"
    r"nov[oa]s?|atua\w+|главн\w+|нов\w+|最新|主要|新的"
)
_ADJECTIVE: Final = re.compile(r"\w+(?:ing|ed|al|ic|ive|ous|jor|ques?)|fin")
"""A word that qualifies a noun; alone it is not a topic."""
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_BRACKETS: Final = re.compile(r"[(（][^()（）]*[)）]")
_ORDINAL: Final = re.compile(r"\A\d{1,2}[.)、]\s*")
_EMPHASIS: Final = re.compile(r"\*\*|__|`")
_SENTENCE: Final = re.compile(
    r"[!?！？。\\\"“”„«»@~]|^\d+$|(?<!\w)(?:is|are|was|not|never|always|nicht|nie|immer|im|in|ne|pas|"
    r"toujours|no|nunca|siempre|não|sempre|не|the|it|your|as|every)(?!\w)"
)
"""Signs and words of sentences and phrases, which nobody chooses as a tag."""
FIRST_UNSPACED: Final = "\u2e80"
"""Characters from this code point on are treated as Chinese or Japanese, which do not put spaces
between words."""


def _patterns() -> PatternFile:
    return pattern_file("extract/patterns/headings")


@cache
def _kinds() -> dict[AnnouncedKind, re.Pattern[str]]:
    """Return a pattern for each kind.

    It matches the start of a word or, in scripts without spaces, any part of the heading.
    """
    kinds: dict[AnnouncedKind, re.Pattern[str]] = {}
    for kind, names in _patterns()["kinds"].items():
        stems = names.split()
        spaced = [stem.replace(".", r"[\s_-]+") for stem in stems if stem[0] < FIRST_UNSPACED]
        unspaced = [stem for stem in stems if stem[0] >= FIRST_UNSPACED]
        longest_first = "|".join(sorted(unspaced, key=len, reverse=True))
        kinds[kind] = re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})\w*|{longest_first}")
    return kinds


@lru_cache(maxsize=4096)
def announced_kind(title: str) -> AnnouncedKind | None:
    """Return the kind of memory that a heading announces; None if it only names a topic."""
    text = fold(bare_title(title)).replace("'", "")
    if not text:
        return "log" if mentions(title) else None
    if len(text.split()) > _MAX_WORDS:
        return None
    positions = {
        name: max(starts)
        for name, pattern in _kinds().items()
        if (starts := [match.start() for match in pattern.finditer(text)])
    }
    for name in _KINDS_THAT_ALWAYS_WIN:
        if name in positions:
            return name
    # Otherwise the kind mentioned last wins: the last word is usually the noun that the others
    # qualify.
    ranked = sorted((position, name) for name, position in positions.items())
    kind = ranked[-1][1] if ranked else None
    return "fact" if kind == "project" and _SCHEDULED_TASKS.search(text) else kind


def is_finished(title: str) -> bool:
    """Return whether a heading, or the state of a project, says that something is finished."""
    return _FINISHED.search(title) is not None


def says_finished(value: str) -> bool:
    """Return whether a table cell says in a few words that the subject of its row is finished."""
    unspaced = sum(character >= FIRST_UNSPACED for character in value)
    is_short = unspaced <= _MAX_UNSPACED_TAG and len(value.split()) <= _MAX_STATUS_WORDS
    return is_short and is_finished(value)


@lru_cache(maxsize=4096)
def names_projects(title: str) -> bool:
    """Return whether a heading announces projects, and not also goals or interests."""
    title = _BRACKETS.sub(" ", title)  # such as "Servers (7 projects)"
    is_projects = _PROJECTS.search(title) is not None and announced_kind(title) == "project"
    return is_projects and _AND.search(title) is None


@lru_cache(maxsize=4096)
def names_procedure(title: str) -> bool:
    """Return whether a heading announces steps that follow each other."""
    return _PROCEDURE.search(title) is not None


@lru_cache(maxsize=4096)
def lists_projects(title: str) -> bool:
    """Return whether a heading announces several projects, rather than naming one of them."""
    return names_projects(title) and (topic_of(title) is None or not _ONE_PROJECT.search(title))


@lru_cache(maxsize=4096)
def topic_of(title: str) -> str | None:
    """Return the heading as a topic; None if it only names a kind of memory or a day."""
    bare = bare_title(title)
    rest = fold(bare)
    if announced_kind(title) is not None:
        for pattern in _kinds().values():
            rest = pattern.sub(" ", rest)
    rest = _patterns().regex("says_nothing").sub(" ", rest)
    content = [
        part for part in re.findall(r"\w+", rest) if part not in STOP_WORDS and len(part) > 1
    ]
    return bare if content else None


@lru_cache(maxsize=4096)
def tag_of(title: str) -> str | None:
    """Return the heading as a tag that a person would choose; None if it would be a sentence.

    An explanation after the topic is left out: `Mail (work)` and `Mail: how it is sorted` are both
    `mail`. Words for kinds of memory say nothing about the topic: `Mail rules` is `mail`, and
    `Main project: Harbour` is `harbour`. A heading that names a file is about that file, not about
    a topic.
    """
    topic = topic_of(title)
    if topic is None or ".md" in topic.casefold():
        return None
    plain = _ORDINAL.sub("", _EMPHASIS.sub("", fold(topic)))
    parts = (part.strip() for part in _EXPLANATION.split(plain))
    tag = next(filter(topic_of, map(_subject, filter(None, parts))), "")
    unspaced = sum(character >= FIRST_UNSPACED for character in tag)
    is_short = unspaced <= _MAX_UNSPACED_TAG and len(tag.split()) <= _MAX_TAG_WORDS
    return tag if is_short and tag and not _SENTENCE.search(tag) else None


def _subject(text: str) -> str:
    """Return what a part of a heading is about.

    Words for kinds of memory are removed, and so are the numbers and prepositions at either end
    that remain of a removed date.
    """
    words = _ABOUT.sub("", _POSSESSIVE.sub("", text)).split()
    characters = [
        word for word in words if not _QUALIFIER.fullmatch(word) and not _PROJECTS.fullmatch(word)
    ]
    is_kind = bool(characters) and any(
        _kinds()[kind].fullmatch(characters[-1]) for kind in _KINDS_THAT_ALWAYS_WIN
    )
    characters = characters[:-1] if is_kind else characters
    while characters and _REST_OF_DATE.fullmatch(characters[-1]):
        characters.pop()
    while characters and _REST_OF_DATE.fullmatch(characters[0]):
        characters.pop(0)
    if len(characters) == 1 and len(words) > 1 and _ADJECTIVE.fullmatch(characters[0]):
        return ""
    return " ".join(characters).strip(_EDGES)


@lru_cache(maxsize=4096)
def bare_title(title: str) -> str:
    """Return the heading without its date, time, emoji and bracketed tags."""
    text = _CLOCK.sub(" ", title)
    for mention in reversed(mentions(text)):
        text = text[: mention.start] + " " + _REST_OF_RANGE.sub("", text[mention.end :], count=1)
    text = re.sub(r"\[[^\]]{1,24}\]|【[^】]{1,24}】", " ", text) or text
    text = _EMPTY_BRACKETS.sub(" ", text)
    characters = [character for character in text if not _is_decoration(character)]
    bare = " ".join("".join(characters).split()).strip(_EDGES)
    return _BEFORE_DATE.sub("", bare).strip(_EDGES)


@lru_cache(maxsize=1024)
def is_biography(title: str) -> bool:
    """Return whether a heading announces a part of somebody's biography, such as `Education`."""
    return _patterns().regex("biography").fullmatch(bare_title(title)) is not None


def description_of(text: str, headings: Sequence[str]) -> Literal["section", "file"] | None:
    """Return what a line only describes: its section, or its file.

    A file is described below a title such as `Long-term memory`. Directly below its title, it often
    says where memory is kept.
    """
    if _DESCRIPTION.fullmatch(text):
        return "section"
    nearest = headings[-1] if headings else ""
    is_title = bool(nearest) and topic_of(nearest) is None and announced_kind(nearest) is None
    is_about_memory = len(headings) == 1 and _MEMORY.search(text) is not None
    return "file" if is_about_memory or (is_title and text.startswith(">")) else None


def is_plain_heading(title: str) -> bool:
    """Return whether a heading names a kind of memory in a few words, such as `Critical rules`."""
    return len(without_brackets(bare_title(title)).split()) <= _MAX_PLAIN_WORDS


def without_brackets(title: str) -> str:
    """Return a heading without an explanation in brackets at its end."""
    return re.sub(r"\s*[(（][^()（）]*[)）]\s*$", "", title) or title


def _is_decoration(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk", "Cf") or character in "\ufe0f\u20e3"
