"""Which file is called that? A person's own spelling of a name comes first.

Where does everything lie in a workspace? Arithmetic on paths; nothing is opened.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from remem.errors import ConfigError, shown
from remem.files.disk import explained
from remem.model.domain_routing import STEMS, UNTRUSTED
from remem.model.scope import MAIN, Scope, ScopeKind, folder_name
from remem.text.odd_names import printable
from remem.text.words import fold

INDEX_FILE: Final = "INDEX.md"

_PLURALS: Final = {"group": "groups", "peer": "peers", "shared": "shared"}
_DOMAIN_FILE: Final = re.compile(r"(?P<stem>.+?)(?:-(?P<part>[0-9]+))?\.md")
_NUMBERED: Final = re.compile(r"-[0-9]+$")
_RESERVED: Final = frozenset({*STEMS.values(), UNTRUSTED, "index"})


@dataclass(frozen=True, slots=True)
class Layout:
    """The places of one workspace."""

    root: Path

    @property
    def memory(self) -> Path:
        return self.root / "memory"

    @property
    def index_file(self) -> Path:
        """The always-loaded index; it belongs to main."""
        return self.memory / INDEX_FILE

    @property
    def config_file(self) -> Path:
        return self.root / ".remem" / "config.toml"

    @property
    def key_file(self) -> Path:
        """The workspace's secret key; see `workspace_key`."""
        return self.root / ".remem" / "workspace.key"

    @property
    def own_folder(self) -> Path:
        """What remem keeps for itself: settings, databases, copies."""
        return self.root / ".remem"

    @property
    def git_ignore(self) -> Path:
        return self.root / ".remem" / ".gitignore"

    @property
    def tokens(self) -> Path:
        """Whom each session token stands for; it belongs to no scope."""
        return self.root / ".remem" / "tokens"

    @property
    def conversations(self) -> Path:
        """What each conversation has read so far. A conversation can move to another room, so
        its record lies in no scope; it says which room it is about."""
        return self.root / ".remem" / "conversations"

    def state_folder(self, scope: Scope) -> Path:
        """What remem keeps for itself about a scope."""
        if scope.kind == "main":
            return self.root / ".remem" / "main"
        return self.root / ".remem" / _inside(scope)

    def all_of(self, kind: ScopeKind) -> tuple[Path, Path]:
        """Where the state, and where the files, of every scope of a kind lie; not for main."""
        return self.root / ".remem" / _PLURALS[kind], self.memory / _PLURALS[kind]

    def database(self, scope: Scope) -> Path:
        return self.state_folder(scope) / "entries.db"

    def passages(self, scope: Scope) -> Path:
        return self.state_folder(scope) / "passages.db"

    def refresh_lock(self, scope: Scope) -> Path:
        """Held by whoever brings the passages up to date."""
        return self.state_folder(scope) / "refresh.lock"

    def conflicts(self, scope: Scope) -> Path:
        """Saves of a person that met a write of ours."""
        return self.state_folder(scope) / "conflicts"

    def aside(self, scope: Scope) -> Path:
        """Files that were swapped out and may still be open in an editor."""
        return self.state_folder(scope) / "aside"

    def domains(self, scope: Scope) -> Path:
        if scope.kind == "main":
            return self.memory / "domains"
        return self.memory / _inside(scope) / "domains"

    def gate(self, scope: Scope) -> Path | None:
        """The first file of a scope, with its rules and routing; a peer has none."""
        if scope.kind == "main":
            return self.memory / "main" / "index.md"
        if scope.kind != "group":
            return None
        return self.memory / _PLURALS["group"] / f"{folder_name(scope.name)}.md"

    @property
    def flush_state(self) -> Path:
        """When main was last flushed."""
        return self.flush_state_of(MAIN)

    def flush_state_of(self, scope: Scope) -> Path:
        """When a scope was last flushed: beside its own files."""
        if scope.kind == "main":
            return self.memory / "flush-state.json"
        return self.memory / _inside(scope) / "flush-state.json"

    def is_projection(self, path: str | None, scope: Scope) -> bool:
        """Whether remem writes this file, named relative to the workspace, from its store."""
        file = self.root / (path or "")
        return file.parent == self.domains(scope) or file == self.index_file

    def domain_path(self, scope: Scope, stem: str, part: int = 1) -> Path:
        return self.domains(scope) / domain_file(stem, part)


def domain_file(stem: str, part: int = 1) -> str:
    """`preferences.md`, and `preferences-2.md` for what no longer fits into it."""
    return f"{stem}.md" if part == 1 else f"{stem}-{part}.md"


def stem_and_part(filename: str) -> tuple[str, int] | None:
    """The inverse of `domain_file`; None for a name that it never gives, such as one that is
    not UTF-8."""
    match = _DOMAIN_FILE.fullmatch(filename) if printable(filename) == filename else None
    if match is None or _NUMBERED.search(match["stem"]):
        return None
    stem, part = match["stem"], int(match["part"] or 1)
    return (stem, part) if part > 0 and domain_file(stem, part) == filename else None


def check_topics(topics: Iterable[str]) -> tuple[str, ...]:
    """The configured topics, if each can name a file of its own; else ConfigError.

    Names that differ only in case are one file on some disks, and `facts-2` would be
    taken for the second part of `facts`.
    """
    seen: dict[str, str] = {}
    for topic in topics:
        _check_topic(topic)
        if topic.casefold() in seen:
            twin = seen[topic.casefold()]
            raise ConfigError(f"the topics {shown(twin)} and {shown(topic)} name the same file")
        seen[topic.casefold()] = topic
    return tuple(seen.values())


def _check_topic(topic: str) -> None:
    if not _can_name_a_file(topic):
        raise ConfigError(
            f"the topic {shown(topic)} cannot name a file",
            hint="use up to 40 letters, digits, - and _, beginning with a letter or digit",
        )
    if topic.casefold() in _RESERVED:
        raise ConfigError(f"the topic {shown(topic)} is the name of a file that remem writes")
    if _NUMBERED.search(topic):
        raise ConfigError(
            f"the topic {shown(topic)} looks like a numbered part of another file",
            hint="put a word behind the number, or leave it out",
        )


def _can_name_a_file(topic: str) -> bool:
    kinds = [unicodedata.category(character)[0] for character in topic]
    return (
        0 < len(topic) <= 40
        and unicodedata.normalize("NFC", topic) == topic
        and kinds[0] in "LN"
        and all(k in "LNM" or c in "-_" for k, c in zip(kinds, topic, strict=True))
    )


def _inside(scope: Scope) -> Path:
    return Path(_PLURALS[scope.kind]) / folder_name(scope.name)


def file_called(folder: Path, name: str) -> str:
    """The name of the Markdown file for a name: the one that is there, else a safe new one."""
    wanted = {fold(name), folder_name(name), folder_name(fold(name).replace(" ", "-"))}
    found = sorted(each for each in markdown_in(folder) if fold(each.removesuffix(".md")) in wanted)
    return found[0] if found else f"{folder_name(fold(name).replace(' ', '-'))}.md"


def markdown_in(folder: Path) -> list[str]:
    """The Markdown files that lie directly in a folder; links are none."""
    with explained(folder, "listed"):
        try:
            with os.scandir(folder) as found:
                files = [
                    dir_entry for dir_entry in found if dir_entry.is_file(follow_symlinks=False)
                ]
        except (FileNotFoundError, NotADirectoryError):
            return []
    return sorted(file.name for file in files if file.name.endswith(".md"))
