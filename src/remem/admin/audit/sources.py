"""Count the tokens of every source of an audit, and those that every conversation loads."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from remem.files.host_files import FileContent, domain_files, note_files, owners_file, skill_files
from remem.files.layout import INDEX_FILE, Layout
from remem.model.arguments import AuditScope
from remem.model.host_loading import (
    CUT_BY_HOST,
    EVERY_CONVERSATION,
    HOST_FILES,
    MEMORY_MD,
    ON_DEMAND,
    HostFile,
    OmittedPart,
    loads_index,
    loads_memory_md,
    omitted_parts,
)
from remem.model.scope import Scope
from remem.text.markdown import Block, front_matter_size, lines_of, one_line, outline, raw_lines
from remem.text.secrets.mask import redact

TOP: Final = "(top)"
Count = Callable[[str], int]
Progress = Callable[[str], None]
TOOL_SCHEMAS: Final = "tool schemas"
_MAX_SECTIONS: Final = 30
_DATED: Final = re.compile(r"(?:.*/)?[^/]*\d{4}-\d\d-\d\d[^/]*\.md")
_SKILL_FIELD: Final = re.compile(r"^(name|description):[ \t]*(.*(?:\n[ \t]+.*)*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class FileSection:
    """Lines `start` to `end` of a file, counted from 1.

    The first line is the heading, except in the section above the first heading.
    """

    title: str
    start: int
    end: int


def sections(text: str) -> list[FileSection]:
    """Split a text into sections at the headings of one level, usually level 2.

    Every line is in exactly one section.
    """
    lines = text.count("\n") + 1
    headings = [block for block in outline(text) if block.kind == "heading"]
    level = _dividing_level(headings)
    starts = [
        (TOP, 1),
        *((heading.text or TOP, heading.start) for heading in headings if heading.level <= level),
    ]
    ends = [start - 1 for _, start in starts[1:]] + [lines]
    return [
        FileSection(title, start, end)
        for (title, start), end in zip(starts, ends, strict=True)
        if end >= start
    ]


def _dividing_level(headings: list[Block]) -> int:
    """Return the highest level with more than one heading, or else the highest level."""
    levels = Counter(heading.level for heading in headings)
    several = [level for level, number in levels.items() if number > 1]
    return min(several or levels, default=1)


@dataclass(frozen=True, slots=True)
class SourceCost:
    """The tokens of one source.

    `content` says what it contains, `when` it is loaded, and `part` to which part of an audit it
    belongs.
    """

    source: str
    tokens: int
    content: str
    when: str
    part: str

    @property
    def category(self) -> str:
        """Its content, and the time when it is loaded."""
        return f"{self.content}, {self.when}"


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that an audit has read, and the costs of all sources.

    `host` are the files that a host loads, by name, and `cuts` the parts of them that it drops.
    `problems` says which files could not be read. The text of notes is not kept.
    """

    host: dict[str, FileContent]
    cuts: dict[str, OmittedPart]
    skills: tuple[FileContent, ...]
    costs: tuple[SourceCost, ...]
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loading:
    """How conversations are loaded.

    `tools` are the descriptions of the tools in a `profile`, or empty if no host has them. `hosts`
    are the connected hosts; `activated` says whether AGENTS.md refers to the memory.
    """

    tools: str
    profile: str
    index_tokens: int
    activated: bool
    hosts: tuple[str, ...] = ()

    @property
    def has_index(self) -> bool:
        """Whether conversations start with the index."""
        return loads_index(self.hosts, is_activated=self.activated)

    @property
    def has_memory_md(self) -> bool:
        """Whether conversations start with MEMORY.md."""
        return loads_memory_md(self.hosts, is_activated=self.activated)


def gather_sources(
    layout: Layout, scope: Scope, count: Count, loading: Loading, report_progress: Progress
) -> Sources:
    """Read and count all sources; outside main, only the files of the scope itself."""
    problems: list[str] = []
    costs: list[SourceCost] = []
    host: dict[str, FileContent] = {}
    skills: tuple[FileContent, ...] = ()
    if scope.kind == "main":
        report_progress("reading the files that a host loads")
        for file in HOST_FILES:
            if content := owners_file(layout, file.name, problems):
                host[file.name] = content
        skills = tuple(skill_files(layout, problems))
        costs += _index_cost(loading)
    cut = omitted_parts({name: len(content.text) for name, content in host.items()})
    for file in HOST_FILES:
        if file.name in host:
            of_file = file_costs(file, host[file.name].text, cut[file.name], count)
            if file.name == MEMORY_MD and not loading.has_memory_md:
                of_file = [replace(cost, when=ON_DEMAND) for cost in of_file]
            costs += of_file
    costs += _skill_costs(skills, count)
    costs += _domain_costs(domain_files(layout, scope, problems), count)
    if scope.kind == "main":
        costs += _note_costs(note_files(layout, problems), count, report_progress)
    if loading.tools:
        name = f"memory tools ({loading.profile} profile)"
        costs.append(
            SourceCost(
                name, count(loading.tools), TOOL_SCHEMAS, EVERY_CONVERSATION, "system_prompt"
            )
        )
    return Sources(host, cut, skills, tuple(costs), tuple(problems))


def costs_in_scope(costs: Sequence[SourceCost], scope: AuditScope) -> list[SourceCost]:
    """Return the costs that belong to an audit scope, the largest first."""
    in_scope = [cost for cost in costs if scope in ("all", cost.part) and cost.tokens]
    return sorted(in_scope, key=lambda cost: (-cost.tokens, cost.source))


def tokens_at_start(costs: Iterable[SourceCost]) -> int:
    """Return the tokens of the sources that every conversation loads."""
    return sum(cost.tokens for cost in costs if cost.when == EVERY_CONVERSATION)


def file_costs(file: HostFile, text: str, cut: OmittedPart, count: Count) -> list[SourceCost]:
    """Return the costs of a host's file: of the part that is loaded, and of the part that is not.

    MEMORY.md is counted section by section.
    """
    part = "memory_md" if file.name == MEMORY_MD else "system_prompt"
    loaded = [text[: cut.head], text[cut.tail :]]
    if file.name == MEMORY_MD:
        rows = _section_costs(text, cut, count)
    else:
        rows = [(file.name, sum(count(piece) for piece in loaded if piece))]
    costs = [
        SourceCost(source, tokens, file.content, EVERY_CONVERSATION, part)
        for source, tokens in rows
    ]
    if middle := cut.middle(text):
        costs.append(
            SourceCost(f"{file.name} (middle)", count(middle), file.content, CUT_BY_HOST, part)
        )
    return costs


def memory_costs(text: str, others: dict[str, int], count: Count) -> list[SourceCost]:
    """Return the costs of MEMORY.md with this text; `others` are the lengths of other files."""
    cut = omitted_parts({**others, MEMORY_MD: len(text)})[MEMORY_MD]
    [file] = (file for file in HOST_FILES if file.name == MEMORY_MD)
    return file_costs(file, text, cut, count)


def _section_costs(text: str, cut: OmittedPart, count: Count) -> list[tuple[str, int]]:
    costs: dict[str, int] = {}
    lines = raw_lines(text)
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
    largest, rest = ranked[:_MAX_SECTIONS], ranked[_MAX_SECTIONS:]
    if rest:
        largest.append((f"{MEMORY_MD} § {len(rest)} more", sum(tokens for _, tokens in rest)))
    return largest


def _title(title: str) -> str:
    return one_line(redact(" ".join(title.split())).text, 60)


def _index_cost(loading: Loading) -> list[SourceCost]:
    when = EVERY_CONVERSATION if loading.has_index else ON_DEMAND
    return [
        SourceCost(f"memory/{INDEX_FILE}", loading.index_tokens, "index", when, "system_prompt")
    ]


def _skill_costs(skills: Sequence[FileContent], count: Count) -> list[SourceCost]:
    if not skills:
        return []
    summaries = sum(count(skill_summary(skill)) for skill in skills)
    full = sum(count(skill.text) for skill in skills)
    return [
        SourceCost(
            f"skills (name and description of {len(skills)})",
            summaries,
            "skills",
            EVERY_CONVERSATION,
            "system_prompt",
        ),
        SourceCost("skills/*/SKILL.md", full, "skills", ON_DEMAND, "skills"),
    ]


def skill_summary(skill: FileContent) -> str:
    """Return the line of a skill that every conversation loads."""
    lines = lines_of(skill.text)
    front_matter = "\n".join(lines[: front_matter_size(lines)])
    fields = {name: " ".join(value.split()) for name, value in _SKILL_FIELD.findall(front_matter)}
    folder = skill.path.split("/")[-2]
    description = fields.get("description", "").lstrip(">|- ").strip("\"'")
    name = fields.get("name", "").strip("\"'") or folder
    return f"{name}: {description}"


def _domain_costs(files: Iterable[FileContent], count: Count) -> list[SourceCost]:
    return [
        SourceCost(file.path, count(file.text), "entries", ON_DEMAND, "domains") for file in files
    ]


def _note_costs(
    files: Iterable[FileContent], count: Count, report_progress: Progress
) -> list[SourceCost]:
    costs: dict[str, list[int]] = {}
    for number, file in enumerate(files, 1):
        if number % 50 == 0:
            report_progress(f"counting notes: {number}")
        kind = "daily notes" if _DATED.fullmatch(file.path) else "other notes"
        costs.setdefault(kind, []).append(count(file.text))
    return [
        SourceCost(f"memory/ ({kind}: {len(tokens)})", sum(tokens), kind, ON_DEMAND, "notes")
        for kind, tokens in sorted(costs.items())
    ]
