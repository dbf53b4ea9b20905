"""Find the named signals of a statement in its place, its form and its words.

Structure comes first: the file, the headings above, the label in front, the shape of the line. The
words are read in every language that remem supports. `remem.extract.judge` weighs the signals.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Final

from remem.extract.headings import (
    FIRST_UNSPACED,
    announced_kind,
    bare_title,
    description_of,
    is_biography,
    is_finished,
    names_projects,
    says_finished,
    topic_of,
)
from remem.extract.line_marks import named_cells
from remem.extract.noise import is_daily
from remem.fast_dataclass import dataclass
from remem.model.statement import Place
from remem.text.line_status import is_stamp, is_template, line_status
from remem.text.note_dates import mentions
from remem.text.pattern_file import pattern_file
from remem.text.words import fold, has_grams, words

MAX_READ: Final = 400
"""Only this many characters are read: the beginning shows what a statement is."""

_ANYWHERE: Final = ("technical", "emphasis", "moment")
"""Forms that are looked for in all of a line; the others begin it."""

_LASTING: Final = ("preference", "decision")
"""A heading of these kinds announces lasting content, even with a date."""

_STATED: Final = ("rule", "preference", "label_decision")
"""With one of these, a line with a date and an event is not a log entry."""

_MAX_BEFORE_DATE: Final = 5
_MIN_SERIES: Final = 4
_LONG: Final = 40
_MAX_PHRASE: Final = 4
_MIN_STEM: Final = 4
_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_COMPOUND: Final = re.compile(r"(?<=[\"“'])[a-z]+(?:-[a-z]+)+(?=[\"”'])")
"""A quoted compound such as “always-on” names a property; its parts state no rule."""
_MARKUP: Final = re.compile(r"\*\*|__|^[>\s]+", re.MULTILINE)
_BARE: Final = re.compile(
    r"\W*(?:(?:see|siehe|voir|ver|véase|см|见|参见|詳細は)\b\W*)?"
    r"(?:`[^`]+`|\[[^\]]*\]\([^)]*\)|https?://\S+|[~/.\w-]*/[\w./-]+|[\w-]+\.\w{1,5})\W*",
    re.IGNORECASE,
)
_KEY: Final = re.compile(
    r"[\W_]{0,4}([^:：\n]{1,48}?)[\W_]{0,4}(?:：|:(?=\s|\*|[^\x00-\x7f]|$))|[\[【]([^\]】]{1,24})[\]】]"
)
_NUMBER: Final = re.compile(
    r"(?<![\w.])[$€£]?\d[\d.,]*(?:%|[kKmM]\b)?(?:(?![\w-])|(?=[\u3040-\u9fff\uac00-\ud7af]))"
)
_UPDATED: Final = re.compile(
    r"[(（]\s*(?:updated?|added|as of|stand|aktualisiert|erweitert|更新于?|обновлено|mis à jour|"
    r"actualizado|atualizado)\b",
    re.IGNORECASE,
)
"""A section whose heading says when it was last maintained is not the section of a day."""
_STRUCK: Final = re.compile(r"~~(?=\S)[^~\n]{3,}~~")
_RULES: Final = frozenset({"rule", "preference", "prohibition"})
_COMPLETED: Final = re.compile(
    r"[:：]\W*✅|[:：]\W*(?:done|completed?|finished|launched|deployed|shipped|closed|erledigt|fertig|"
    r"abgeschlossen|terminée?|fini|completad[oa]|terminad[oa]|concluíd[oa]|готово|завершен\w*|выполнено|"
    r"已完成|已上线|完了|完成)",
    re.IGNORECASE,
)
_EXCLUDED: Final = {
    "under_decision": {"event", "dated", "keyed"},  # every decision is an event, and has a date
    "status": {"prohibition"},  # such as "no issues found"
}
"""Signals that do not count if another one is there."""
_MEANT: Final = _RULES | {"advice", "person"}
_LABELLED: Final = _RULES | {"label_decision", "label_insight"}
_TOGETHER: Final = (
    ("log_line", frozenset({"event", "dated"}), frozenset(_STATED)),
    ("past_day", frozenset({"dated", "moment"}), _RULES),
    ("small_talk", frozenset({"chatter", "moment"}), _MEANT),
    ("small_talk", frozenset({"chatter", "event"}), _MEANT),
    ("listed", frozenset({"short", "detail"}), _MEANT | {"keyed", "technical", "emphasis"}),
)
"""Signals that follow from others together, unless some are there that speak against them."""
_ASIDE: Final = re.compile(r"(?:[>\s]*([*_])(?![*_])[^*_\n]+\1\W*)+")
_QUOTED: Final = re.compile(r"\s*[\"“„«「].*[\"”“»」]\W*", re.DOTALL)
_SCHEDULED: Final = re.compile(
    r"\b(?:cron|schedules?|scheduled|zeitplan|calendrier|horarios?|расписани\w*)\b|定时|定期|スケジュール",
    re.IGNORECASE,
)
_PROMOTED: Final = re.compile(r"promoted from short-term memory\b", re.IGNORECASE)
"""The heading under which a host puts what it has promoted from daily notes."""
_ACTIVE: Final = re.compile(
    r"\b(?:active|current|ongoing|in progress|aktiv\w*|aktuell\w*|in arbeit|actifs?|en cours|"
    r"activ[oa]s?|ativ[oa]s?|em andamento|en curso|активн\w+|текущ\w+|в работе)\b|"
    r"当前|进行中|活跃|進行中|現在|진행",
    re.IGNORECASE,
)
_DETAIL: Final = re.compile(
    r"\b(?:files?|pages?|scripts?|resources?|links?|installed|references?|implementation|details?|results?|"
    r"notes?|sources?|examples?|beispiele?|quellen|ergebnis\w*|exemples?|ejemplos?|recursos?|"
    r"файлы|ресурсы)\b|资源|文件|成果|细节|示例|例$|参考|ファイル|参考",
    re.IGNORECASE,
)


def signals_of(text: str, place: Place) -> frozenset[str]:
    """Return the names of the signals that a statement gives."""
    text = text[:MAX_READ]
    cells = named_cells(text)
    if cells:  # the column names are the same in every row
        text = "; ".join(value for _, value in cells)
    plain = _MARKUP.sub("", text).strip()
    signals = {
        *_word_signals(plain),
        *_label_signals(plain),
        *_form_signals(text, plain),
        *_place_signals(place),
    }
    if signals >= {"under_project", "keyed"} and not signals.isdisjoint(("status", "todo")):
        signals.add("completed_state" if _COMPLETED.search(plain) else "project_state")
    signals -= {other for name in signals & set(_EXCLUDED) for other in _EXCLUDED[name]}
    for name, present, absent in _TOGETHER:
        if signals >= present and signals.isdisjoint(absent):
            signals.add(name)
    if (cells or text.startswith("|")) and "under_decision" not in signals:
        signals.add("row")
    if any(says_finished(value) for _, value in cells[1:]):
        signals.add("finished_row")
    about = description_of(text, place.headings)
    if about and signals.isdisjoint(_MEANT | _LABELLED if about == "section" else _LABELLED):
        signals.add("description")
    return frozenset(signals)


@dataclass(frozen=True, slots=True)
class _Phrases:
    """Phrases by the signals that they give: whole ones, beginnings of words, and parts of text."""

    whole: dict[str, set[str]]
    stems: dict[str, set[str]]
    parts: tuple[tuple[str, re.Pattern[str]], ...]


@cache
def _phrases() -> _Phrases:
    whole: dict[str, set[str]] = {}
    stems: dict[str, set[str]] = {}
    parts: dict[str, list[str]] = {}
    for name, phrases in pattern_file("extract/patterns/signals")["words"].items():
        for phrase in filter(None, map(str.strip, phrases.split(","))):
            if phrase[0] >= FIRST_UNSPACED or phrase == "NG":
                parts.setdefault(name, []).append(re.escape(phrase))
            elif phrase.endswith("*"):
                stems.setdefault(phrase[:-1], set()).add(name)
            else:
                whole.setdefault(phrase, set()).add(name)
    patterns = tuple((name, re.compile("|".join(phrases))) for name, phrases in parts.items())
    return _Phrases(whole, stems, patterns)


def _word_signals(plain: str) -> Iterator[str]:
    phrases = _phrases()
    plain = _COMPOUND.sub(" ", plain)
    text_words = [word.replace("’", "'") for word in _WORD.findall(plain.casefold())]
    for at, word in enumerate(text_words):
        for end in range(at + 1, min(at + _MAX_PHRASE, len(text_words)) + 1):
            yield from phrases.whole.get(" ".join(text_words[at:end]), ())
        for end in range(_MIN_STEM, len(word) + 1):
            yield from phrases.stems.get(word[:end], ())
    if not plain.isascii():
        for name, pattern in phrases.parts:
            if pattern.search(plain):
                yield name


@cache
def _patterns(table: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    patterns = pattern_file("extract/patterns/signals")
    return tuple((name, patterns.compile(sources)) for name, sources in patterns[table].items())


def _form_signals(text: str, plain: str) -> Iterator[str]:
    size = len(words(plain))
    forms = {
        "short": size < (5 if has_grams(plain) else 4),
        "long": size > _LONG,
        "sentence": size > 3 and plain.endswith((".", "。", "!", "！")),
        "introduction": plain.endswith((":", "：")),
        "bare": _BARE.fullmatch(plain),
        "quoted": _QUOTED.fullmatch(plain),
        "bold": text.lstrip("> ").startswith("**"),
        "numbers": len(_NUMBER.findall(plain)) > 2,
        "dated": mentions(plain),
        "struck": _STRUCK.search(text),
        "aside": _ASIDE.fullmatch(text),
        "over": line_status(text) != "current",
        "template": is_template(text) or is_stamp(text),
    }
    yield from (name for name, holds in forms.items() if holds)
    if _imperative().match(plain):
        yield "addressed"
    for name, pattern in _patterns("forms"):
        if pattern.search(plain) if name in _ANYWHERE else pattern.match(plain):
            yield name


@cache
def _imperative() -> re.Pattern[str]:
    patterns = pattern_file("extract/patterns/lasting")
    return patterns.compile(patterns["rule"]["imperative"])


def label_of(text: str) -> str:
    """Return the label in front of a statement, such as `Status`; empty if there is none.

    The first column of a table is not a label.
    """
    if named_cells(text):
        return ""
    key = _KEY.match(_MARKUP.sub("", text[:MAX_READ]).strip())
    return fold(key[1] or key[2]) if key else ""


def count_labels(lines: Iterable[tuple[str, tuple[str, ...]]]) -> Counter[str]:
    """Count in how many sections of a file each label occurs.

    `lines` are texts with their headings. A label that is repeated within one section counts once,
    because it may belong to a list.
    """
    labelled = {(label, headings) for text, headings in lines if (label := label_of(text))}
    return Counter(label for label, _ in labelled)


def _label_signals(plain: str) -> Iterator[str]:
    if key := _KEY.match(plain):
        yield "keyed"
        label = (key[1] or key[2]).strip(" `")
        for name, pattern in _patterns("labels"):
            if pattern.fullmatch(label):
                yield f"label_{name}"


def _place_signals(place: Place) -> Iterator[str]:
    yield from _path_signals(place.path)
    yield from _heading_signals(place.headings, place.labels)
    if _begins_with_date(place.headings[:1]) and not is_daily(place.path):
        yield "dated_section"
    if place.labels:
        yield "nested"
    if place.path == "USER.md" and any(map(is_biography, place.headings)):
        yield "biography"
    if len(place.headings) > 2:
        yield "deep" if len(place.headings) > 3 else "subsection"
    if place.alike >= _MIN_SERIES:
        yield "series"
    if place.days > 1:
        yield "repeated"


@lru_cache(maxsize=256)
def _path_signals(path: str) -> tuple[str, ...]:
    if path in ("USER.md", "MEMORY.md"):
        return ("user_file" if path == "USER.md" else "memory_file",)
    if not path or is_daily(path):
        return ()
    kinds = [kind for part in re.split(r"[/.]", path) if (kind := announced_kind(part))]
    return ("topic_file", *(f"path_{kind}" for kind in kinds[-1:] if kind != "log"))


def _begins_with_date(titles: tuple[str, ...]) -> bool:
    """Return whether a heading begins with a date."""
    return any(mention.start < _MAX_BEFORE_DATE for title in titles for mention in mentions(title))


@lru_cache(maxsize=4096)
def _heading_signals(headings: tuple[str, ...], labels: tuple[str, ...]) -> tuple[str, ...]:
    signals: list[str] = []
    titles = (*headings, *labels)
    above = titles[1:]  # the first is the title of the file
    kinds = [kind for title in reversed(titles) if (kind := announced_kind(title))]
    lasting = [kind for kind in kinds if kind != "log"]
    # The text that introduces a list says what to do daily more often than what was done today.
    if any(announced_kind(title) == "log" for title in _log_headings(headings)):
        signals.append("under_log")
    if any(map(_PROMOTED.match, headings)):
        signals.append("promoted")
    if lasting:
        signals.append(f"under_{lasting[0]}")
    nearest = titles[-1] if titles else ""
    for name, holds in (("finished", is_finished), ("active", _ACTIVE.search)):
        if any(holds(title) for title in above or titles):
            signals.append(name)
    todo = dict(_patterns("forms"))["todo"].match
    for name, says in (
        ("detail", _DETAIL.search),
        ("schedule", _SCHEDULED.search),
        ("todo", todo),
    ):
        if says(nearest):
            signals.append(name)
    signals += _date_signals(headings)
    return tuple(signals)


def _log_headings(headings: Sequence[str]) -> Sequence[str]:
    """Return the headings that may announce a log; above another topic, only the log of a day."""
    has_topic = len(headings) > 2 and topic_of(headings[-1]) is not None
    is_topic = has_topic and not any(_begins_with_date((title,)) for title in headings[1:])
    return headings[-1:] if is_topic else headings[1:]


def _date_signals(headings: Sequence[str]) -> Iterator[str]:
    """Yield what the dates in headings say about a line.

    A heading that begins with a date is the section of a day. A date at its end says when the
    section was written, which speaks against a report, but not against rules or ongoing work, and
    not against sections in it that have a heading of their own.
    """
    is_ongoing = any(names_projects(title) or _ACTIVE.search(title) for title in headings[1:])
    reports = dict(_patterns("forms"))["event"].match
    for title in headings[1:]:  # a bullet with details may well have a date
        kind = announced_kind(title)
        if not mentions(title) or _UPDATED.search(title) or kind in _LASTING:
            continue
        if _begins_with_date((title,)):
            yield "dated_section"
        elif title != headings[-1] and announced_kind(headings[-1]) != "log":
            yield "stamped_above"
        elif not is_ongoing and (kind != "instruction" or reports(bare_title(title))):
            yield "stamped_section"
