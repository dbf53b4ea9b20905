"""Decide whether a line of a note is sure to last.

Most of a note reports a day, and its wording alone does not tell what stays true. A line is
therefore learned only on evidence that an event does not have: its own label says what it is, it is
a rule addressed to the reader, it names somebody and their standing wish or role, or its heading
and its words agree. Lines that are tied to a moment, reported as done or repeated within the note
are not learned. They stay searchable, and curation offers the likely ones.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from remem.extract.headings import announced_kind, topic_of
from remem.extract.judge import judge
from remem.extract.noise import is_daily
from remem.model.statement import Place
from remem.text.pattern_file import pattern_file
from remem.text.words import words

_REPORTS: Final = frozenset(
    {"event", "status", "log_line", "todo", "hedge", "struck", "over", "template", "introduction"}
    | {"quoted", "bare", "finished", "series", "numbers", "long", "chatter"}
)
_LABELS: Final[dict[str, tuple[str, ...]]] = {
    "rule": ("rule", "advice", "emphasis"),
    "preference": (),
    "decision": ("rule", "emphasis"),
    "lesson": ("rule", "advice", "emphasis", "insight"),
}
"""The labels that name the kind of a line, and the signals that must confirm them."""

_KINDS: Final = ("preference", "instruction", "decision", "insight")
_OWN_PAGES: Final = "memory/main/"
_KINDS_IN_NAMES: Final = ("preference", "instruction", "decision", "person")
_PAGE_KINDS: Final = ("preference", "instruction", "person", "project", "fact")
_NOT_A_PAGE: Final = re.compile(r"template|example|readme|^MEMORY$|^USER$", re.IGNORECASE)
_DAY_NOTE: Final = re.compile(
    r"memory/(?:(?:daily|journal|diary|notes|logs?|archive|20\d\d|\d\d|20\d\d-\d\d)/)*"
    r"20\d\d-?\d\d-?\d\d(?:[-_ ](?:[^\W\d_]+|\d{1,6}))?\.md"
)
"""A name longer than a date and one word or number is the title of a document."""
_MIN_WORDS: Final = 5
_MARKUP: Final = re.compile(r"\*\*|__|`|^[>\s\-*•]+")
_KEY: Final = re.compile(r"\W{0,4}([^:：\n]{1,60}?)\W{0,4}(?:：|:(?=\s|$))\s*")
_VERDICT: Final = re.compile(r"(?:[A-Z]{4,}(?:\s|$))*[A-Z]{4,}\s*(?:[—–:-]|$)")
"""A verdict such as `APPROVED — as it is` is about a subject that the line does not name."""
_DATE: Final = re.compile(r"\W*20\d\d-\d\d-\d\d(?:[ T]\d\d:\d\d)?\W+")


def may_contain(path: str) -> bool:
    """Return whether a file may contain lines that are sure to last.

    Such files are daily notes, pages of main, and files named after rules, wishes, decisions or
    people. The content of other documents is only searched.
    """
    if _DAY_NOTE.fullmatch(path) or path.startswith(_OWN_PAGES):
        return True
    kinds = {announced_kind(part) for part in re.split(r"[/.]", path)}
    return not is_daily(path) and not kinds.isdisjoint(_KINDS_IN_NAMES)


def is_page(path: str, owners_files: str) -> bool:
    """Return whether a file in `memory/` is kept like MEMORY.md: a page on one topic.

    `owners_files` is the text of USER.md and MEMORY.md. A page is named in it, or it is named after
    rules, wishes, people, projects or lasting facts. Notes of a day, logs and templates are not.
    """
    folder, *parts = path.removesuffix(".md").split("/")
    if folder != "memory" or not parts or path.startswith(_OWN_PAGES) or is_daily(path):
        return False
    kinds = {announced_kind(part) for part in parts}
    if "log" in kinds or _NOT_A_PAGE.search(parts[-1]):
        return False
    name = re.escape(f"{parts[-1]}.md")
    is_named = re.search(rf"(?<![\w-]){name}\b", owners_files) is not None
    return is_named or not kinds.isdisjoint(_PAGE_KINDS)


def evidence(text: str, place: Place, signals: frozenset[str]) -> str | None:
    """Return why a line of a note lasts; None if that is not certain."""
    plain = _DATE.sub("", _MARKUP.sub("", text).strip(), count=1)
    if len(words(plain)) < _MIN_WORDS or not signals.isdisjoint(_REPORTS):
        return None
    titles = (*place.headings[1:], *place.labels)
    routine = any(_matches("moment", "routine", title) for title in titles)
    if routine or _matches("moment", "words", plain) or _begins("moment", "reported", plain):
        return None
    kind = _kind_by_label(*_split_label(plain))
    planned = any(_matches("moment", "planned", title) for title in titles)
    if kind and not (planned and kind == "decision"):
        return f"its label says that it is a {kind}"
    return None if planned else _evidence_in_words(plain, place, signals)


def is_standing_wish(text: str) -> bool:
    """Return whether a line says explicitly what somebody always or never wants.

    It names the person and the wish, or its label says that it is a rule or a preference. A label
    with code names a field or a file, whose rules belong to one piece of work.
    """
    plain = _DATE.sub("", _MARKUP.sub("", text).strip(), count=1)
    if not _matches("standing", "words", plain) or _matches("moment", "words", plain):
        return False
    label, body = _split_label(plain)
    if label and "`" not in text[: text.find(body)]:
        kinds = ("rule", "preference")
        return (
            any(_is_whole("label", kind, label) for kind in kinds)
            and len(words(body)) >= _MIN_WORDS
        )
    return _begins("wish", "wants", plain) or _begins("wish", "prefers", plain)


def _evidence_in_words(plain: str, place: Place, signals: frozenset[str]) -> str | None:
    """Return why a line without a label lasts; None if that is not certain."""
    wants = _begins("wish", "wants", plain) and _matches("standing", "words", plain)
    if wants or _begins("wish", "prefers", plain):
        return "says what somebody wants in general"
    rules = all(any(_is_whole("label", kind, above) for kind in _LABELS) for above in place.labels)
    if rules and _begins("rule", "imperative", plain):
        return "is a rule for its reader"
    if _begins("person", "is", plain):
        return "says who somebody is"
    return _evidence_in_heading(plain, place, signals)


def _evidence_in_heading(plain: str, place: Place, signals: frozenset[str]) -> str | None:
    """Return a reason if the heading only names a kind of memory, and the line's words agree."""
    if place.labels or not place.headings or topic_of(place.headings[-1]) is not None:
        return None
    kind = announced_kind(place.headings[-1])
    standing = _matches("standing", "words", plain)
    if kind == "preference":
        agrees = standing or not _begins("wish", "wants", plain)
    else:
        decided = "decided" in signals and _names_subject(kind, plain)
        agrees = decided or (
            "rule" in signals and (standing or kind in ("instruction", "decision"))
        )
    return f"is under “{place.headings[-1][:60]}”" if agrees and kind in _KINDS else None


def _kind_by_label(label: str, body: str) -> str | None:
    """Return the kind that the label of a line names, if the line's words agree."""
    if not label or len(words(body)) < _MIN_WORDS or body.rstrip().endswith(("?", "？")):
        return None
    if _VERDICT.match(body):
        return None
    signals = judge(body, Place()).signals
    for kind, confirming in _LABELS.items():
        if _is_whole("label", kind, label) and (
            not confirming or not signals.isdisjoint(confirming) or _names_subject(kind, body)
        ):
            return kind
    return None


def _names_subject(kind: str | None, body: str) -> bool:
    """Return whether a decision can be understood without the lines around it."""
    return kind == "decision" and _begins("decision", "names_subject", body)


def _split_label(text: str) -> tuple[str, str]:
    key = _KEY.match(text)
    return (key[1], text[key.end() :]) if key else ("", text)


@cache
def _pattern(table: str, name: str) -> re.Pattern[str]:
    patterns = pattern_file("extract/patterns/lasting")
    return patterns.compile(patterns[table][name])


def _begins(table: str, name: str, text: str) -> bool:
    return _pattern(table, name).match(text) is not None


def _matches(table: str, name: str, text: str) -> bool:
    return _pattern(table, name).search(text) is not None


def _is_whole(table: str, name: str, text: str) -> bool:
    return _pattern(table, name).fullmatch(text) is not None
