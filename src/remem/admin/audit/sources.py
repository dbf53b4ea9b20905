"""Where do the tokens go? Every source with its cost, and what of it each conversation pays.

Which sections has a memory file? Its lines, each in exactly one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from remem.files.host_files import Found, domain_files, note_files, owners_file, skill_files
from remem.files.layout import INDEX_FILE, Layout
from remem.model.arguments import AuditScope
from remem.model.host_loading import CUT, DEMAND, EVERY, HOST_FILES, MEMORY_MD, Cut, HostFile, cuts
from remem.model.scope import Scope
from remem.text.markdown import Block, outline
from remem.text.secrets.mask import redact

TOP: Final = "(top)"


@dataclass(frozen=True, slots=True)
class Section:
    """Lines `start` to `end`, counted from 1; the first is the heading, but for the top."""

    title: str
    start: int
    end: int


def sections(text: str) -> list[Section]:
    """The text cut at the headings of the level that divides it: usually the second."""
    lines = text.count("\n") + 1
    headings = [block for block in outline(text) if block.kind == "heading"]
    level = _dividing(headings)
    starts = [
        (TOP, 1),
        *((heading.text or TOP, heading.start) for heading in headings if heading.level <= level),
    ]
    ends = [start - 1 for _, start in starts[1:]] + [lines]
    return [
        Section(title, start, end)
        for (title, start), end in zip(starts, ends, strict=True)
        if end >= start
    ]


def _dividing(headings: list[Block]) -> int:
    """The highest level that has more than one heading; a single title divides nothing."""
    levels = Counter(heading.level for heading in headings)
    several = [level for level, number in levels.items() if number > 1]
    return min(several or levels, default=1)


Count = Callable[[str], int]
Progress = Callable[[str], None]

_MOST_SECTIONS: Final = 30
_DATED: Final = re.compile(r"(?:.*/)?[^/]*\d{4}-\d\d-\d\d[^/]*\.md")
_FIELD: Final = re.compile(r"^(name|description):[ \t]*(.*(?:\n[ \t]+.*)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Spent:
    """The tokens of one source; `part` is what the audit's scope selects by."""

    source: str
    tokens: int
    what: str
    when: str
    part: str

    @property
    def category(self) -> str:
        return f"{self.what}, {self.when}"


@dataclass(frozen=True, slots=True)
class Gathered:
    """Everything that was read for an audit; notes are counted and not kept."""

    host: dict[str, Found]
    cuts: dict[str, Cut]
    skills: tuple[Found, ...]
    spent: tuple[Spent, ...]
    trouble: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loading:
    """What an audit knows of the conversation: the tools' text, the index, whether a
    conversation already begins with it, and the hosts that are connected."""

    tools: str
    profile: str
    index_tokens: int
    activated: bool
    hosts: tuple[str, ...] = ()


def gather(
    layout: Layout, scope: Scope, count: Count, loading: Loading, tell: Progress
) -> Gathered:
    """Read and count; outside main, only what the scope itself holds."""
    trouble: list[str] = []
    spent: list[Spent] = []
    host: dict[str, Found] = {}
    skills: tuple[Found, ...] = ()
    if scope.kind == "main":
        tell("reading the files that a host loads")
        for file in HOST_FILES:
            if found := owners_file(layout, file.name, trouble):
                host[file.name] = found
        skills = tuple(skill_files(layout, trouble))
        spent += _index(loading)
    cut = cuts({name: len(found.text) for name, found in host.items()})
    for file in HOST_FILES:
        if file.name in host:
            spent += file_costs(file, host[file.name].text, cut[file.name], count)
    spent += _skills(skills, count)
    spent += _domains(domain_files(layout, scope, trouble), count)
    if scope.kind == "main":
        spent += _notes(note_files(layout, trouble), count, tell)
    if loading.tools:
        name = f"memory tools ({loading.profile} profile)"
        spent.append(Spent(name, count(loading.tools), "tool schemas", EVERY, "system_prompt"))
    return Gathered(host, cut, skills, tuple(spent), tuple(trouble))


def selected(spent: Sequence[Spent], scope: AuditScope) -> list[Spent]:
    """The costs that an audit of this scope speaks of, the largest first."""
    chosen = [each for each in spent if scope in ("all", each.part) and each.tokens]
    return sorted(chosen, key=lambda each: (-each.tokens, each.source))


def every_conversation(spent: Iterable[Spent]) -> int:
    return sum(each.tokens for each in spent if each.when == EVERY)


def file_costs(file: HostFile, text: str, cut: Cut, count: Count) -> list[Spent]:
    """A host's file: what is loaded, section by section for MEMORY.md, and what is cut away."""
    part = "memory_md" if file.name == MEMORY_MD else "system_prompt"
    loaded = [text[: cut.head], text[cut.tail :]]
    if file.name == MEMORY_MD:
        rows = _by_section(text, cut, count)
    else:
        rows = [(file.name, sum(count(piece) for piece in loaded if piece))]
    spent = [Spent(source, tokens, file.what, EVERY, part) for source, tokens in rows]
    if middle := cut.middle(text):
        spent.append(Spent(f"{file.name} (the middle)", count(middle), file.what, CUT, part))
    return spent


def memory_costs(text: str, others: dict[str, int], count: Count) -> list[Spent]:
    """What a MEMORY.md with this text would cost beside files of these lengths."""
    cut = cuts({**others, MEMORY_MD: len(text)})[MEMORY_MD]
    return file_costs(HOST_FILES[-1], text, cut, count)


def _by_section(text: str, cut: Cut, count: Count) -> list[tuple[str, int]]:
    costs: dict[str, int] = {}
    lines = _lines(text)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    for section in sections(text):
        start, end = offsets[section.start - 1], offsets[min(section.end, len(lines))]
        pieces = text[start : min(end, cut.head)], text[max(start, cut.tail) : end]
        tokens = sum(count(piece) for piece in pieces if piece)
        name = f"{MEMORY_MD} § {_title(section.title)}"
        costs[name] = costs.get(name, 0) + tokens
    ranked = sorted(costs.items(), key=lambda item: -item[1])
    few, rest = ranked[:_MOST_SECTIONS], ranked[_MOST_SECTIONS:]
    if rest:
        few.append((f"{MEMORY_MD} § {len(rest)} more", sum(tokens for _, tokens in rest)))
    return few


def _lines(text: str) -> list[str]:
    """Split at LF alone, as sections count them."""
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [text.rpartition("\n")[2]]


def _title(title: str) -> str:
    short = redact(" ".join(title.split())).text
    return short if len(short) <= 60 else f"{short[:59]}…"


def _index(loading: Loading) -> list[Spent]:
    when = EVERY if loading.activated else DEMAND
    return [Spent(f"memory/{INDEX_FILE}", loading.index_tokens, "index", when, "system_prompt")]


def _skills(skills: Sequence[Found], count: Count) -> list[Spent]:
    if not skills:
        return []
    listed = sum(count(listing(skill)) for skill in skills)
    whole = sum(count(skill.text) for skill in skills)
    return [
        Spent(
            f"skills (name and description of {len(skills)})",
            listed,
            "skills",
            EVERY,
            "system_prompt",
        ),
        Spent("skills/*/SKILL.md", whole, "skills", DEMAND, "skills"),
    ]


def listing(skill: Found) -> str:
    """The line that every conversation loads of a skill."""
    text = skill.text
    fields: dict[str, str] = {}
    if text.startswith("---"):
        matter = text[3:].partition("\n---")[0]
        fields = {name: " ".join(value.split()) for name, value in _FIELD.findall(matter)}
    folder = skill.path.split("/")[-2]
    about = fields.get("description", "").lstrip(">|- ").strip("\"'")
    return f"{fields.get('name', '').strip(chr(34) + chr(39)) or folder}: {about}"


def _domains(found: Iterable[Found], count: Count) -> list[Spent]:
    return [Spent(each.path, count(each.text), "entries", DEMAND, "domains") for each in found]


def _notes(found: Iterable[Found], count: Count, tell: Progress) -> list[Spent]:
    costs: dict[str, list[int]] = {}
    for number, each in enumerate(found, 1):
        if number % 50 == 0:
            tell(f"counting notes: {number}")
        kind = "daily notes" if _DATED.fullmatch(each.path) else "other notes"
        costs.setdefault(kind, []).append(count(each.text))
    return [
        Spent(f"memory/ ({kind}: {len(each)})", sum(each), kind, DEMAND, "notes")
        for kind, each in sorted(costs.items())
    ]
