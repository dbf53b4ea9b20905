"""Plan the page `main/longterm.md`, which condenses MEMORY.md, below its headings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Final

from remem.extract.headings import topic_of, without_brackets
from remem.files.host_files import owners_file
from remem.files.layout import Layout
from remem.files.start_files import owner_language
from remem.learn.synthesize.daily import ANNOUNCES, MAX_TOPIC_LENGTH, TIME, gist
from remem.learn.synthesize.plan import PagePlan
from remem.model.entry import PRIORITIES, Category, headings_in, needs_heading
from remem.model.host_loading import MEMORY_MD
from remem.model.page import LONGTERM, Point
from remem.model.section import LABELLED, section_title, sections_in
from remem.model.statement import ExtractedStatement, SourceDocument
from remem.ports.models import Extractor
from remem.text.labels import label, labels
from remem.text.secrets.mask import redact
from remem.text.similarity import folded_hash
from remem.text.tokens import estimate
from remem.text.words import fold

_LONGTERM_TOKENS: Final = 1_500
_LONGTERM_MARK_TOKENS: Final = 8
"""The tokens of the source behind each line."""
_TITLES: Final[dict[Category, str]] = {
    "instruction": "rules",
    "preference": "preferences",
    "person": "people",
    "decision": "decisions",
    "project": "projects",
    "insight": "lessons",
    "fact": "facts",
}
"""The keys of the page's headings if MEMORY.md has none, in the order of the page."""
_ORDER: Final = tuple(_TITLES)


def longterm_plan(
    layout: Layout, extractor: Extractor, today: str, problems: list[str]
) -> PagePlan | None:
    """Return the page about MEMORY.md; None if it contains no lasting statement."""
    content = owners_file(layout, MEMORY_MD, problems)
    if content is None or not content.text.strip():
        return None
    document = SourceDocument(MEMORY_MD, content.text, today, curated=True)
    lasting = _lasting_statements(extractor.extract(document).statements)
    if not lasting:
        return None
    language = owner_language(layout)
    chosen = _choose(lasting)
    key = "from_memory_md" if len(chosen) < len(lasting) else "all_of_memory_md"
    lead = label(key, language, "texts").format(count=len(chosen), all=len(lasting))
    return PagePlan(
        path=LONGTERM,
        title=label("longterm", language),
        about=MEMORY_MD,
        made_from=MEMORY_MD,
        lead=lead,
        points=_longterm_points(chosen, language),
        language=language,
        titles=frozenset(chain(*map(labels, _TITLES.values()))),
    )


def _lasting_statements(statements: Sequence[ExtractedStatement]) -> list[ExtractedStatement]:
    """Return the statements that are current and likely to last, each once.

    Status lines, code and lines that only announce others are left out.
    """
    found: dict[int, ExtractedStatement] = {}
    for statement in statements:
        current = statement.likely and statement.status == "current"
        text = gist(statement.content) if current and "status" not in statement.tags else ""
        if text and not ANNOUNCES.search(text):
            found.setdefault(folded_hash(text), statement)
    return list(found.values())


def _choose(lasting: Sequence[ExtractedStatement]) -> list[ExtractedStatement]:
    """Return the most important statements that fit into the page's tokens.

    Among equal priorities the categories take turns, each with its latest statements first.
    """
    room, chosen = _LONGTERM_TOKENS, []
    for statement in _ranked(lasting):
        room -= estimate(_with_subject(statement)) + _LONGTERM_MARK_TOKENS
        if room < 0:
            break
        chosen.append(statement)
    return chosen


def _ranked(lasting: Sequence[ExtractedStatement]) -> list[ExtractedStatement]:
    latest = sorted(lasting, key=lambda statement: statement.day or "", reverse=True)
    counts: Counter[tuple[str, str]] = Counter()
    ranks: list[tuple[int, int, int, ExtractedStatement]] = []
    for statement in latest:
        kind = (statement.priority, statement.category)
        priority = PRIORITIES.index(statement.priority)
        ranks.append((priority, counts[kind], _ORDER.index(statement.category), statement))
        counts[kind] += 1
    return [statement for *_, statement in sorted(ranks, key=lambda rank: rank[:3])]


def _longterm_points(statements: Sequence[ExtractedStatement], language: str) -> list[Point]:
    """Return the statements as points, grouped by the main headings of MEMORY.md in its order.

    Statements without a heading come first, in the page and in each group. If MEMORY.md has no
    headings, the statements are grouped by category.
    """
    in_order = sorted(statements, key=lambda statement: statement.lines)
    contexts = {str(number): statement.context for number, statement in enumerate(in_order)}
    titles = [section[0] if section else "" for section in sections_in(contexts).values()]
    if not any(titles):
        in_order.sort(key=lambda statement: (_ORDER.index(statement.category), statement.lines))
        titles = [label(_TITLES[statement.category], language) for statement in in_order]
    subtitles = map(_subtitle, in_order, titles)
    places = list(zip(titles, subtitles, strict=True))
    members = Counter(places)
    points = [
        _point(statement, title, subtitle if members[title, subtitle] > 1 else "")
        for statement, (title, subtitle) in zip(in_order, places, strict=True)
    ]
    groups = list(dict.fromkeys(["", *(point.group for point in points)]))
    subgroups = list(dict.fromkeys(["", *(point.subgroup for point in points)]))
    return sorted(
        points, key=lambda point: (groups.index(point.group), subgroups.index(point.subgroup))
    )


def _subtitle(statement: ExtractedStatement, title: str) -> str:
    """Return the nearest heading of a statement; empty if it is the one of its group."""
    headings = headings_in(statement.context)
    subtitle = section_title(headings[-1]) if headings else ""
    return "" if fold(subtitle) == fold(title) else subtitle


def _point(statement: ExtractedStatement, title: str, subtitle: str) -> Point:
    source = f"{MEMORY_MD}#L{statement.lines[0]}"
    text = _with_subject(statement, subtitle or title)
    subgroup = redact(subtitle).text
    return Point(source, text, redact(title).text, statement.day, subgroup=subgroup)


def _with_subject(statement: ExtractedStatement, above: str = "") -> str:
    """Return the gist of a statement, after its heading if it cannot be understood without it.

    That is so for a label with its value, and for a few words. The heading is left out if it is the
    one `above` the statement on the page.
    """
    text, headings = gist(statement.content), headings_in(statement.context)
    if statement.label or not headings or not (needs_heading(text) or LABELLED.match(text)):
        return text
    if section_title(headings[-1]) == above:
        return text
    title = without_brackets(topic_of(headings[-1]) or "").strip("()（）")
    title = TIME.sub("", title, count=1)
    is_subject = 0 < len(title) <= MAX_TOPIC_LENGTH and fold(title) not in fold(text)
    return f"{title} – {text}" if is_subject else text
