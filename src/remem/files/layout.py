"""Paths inside a workspace, and the names of domain files and topics; no file is opened here."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from remem.errors import ConfigError, quoted
from remem.fast_dataclass import dataclass
from remem.files.disk import list_folder
from remem.model.domain_routing import STEMS, UNTRUSTED, original_stem
from remem.model.scope import MAIN, Scope, ScopeKind, earlier_folder_name, folder_name
from remem.text.path_escapes import printable
from remem.text.words import fold

INDEX_FILE: Final = "INDEX.md"
FACT_TREES: Final = ("brain", "life", "para")
"""Folders that may contain facts; new entities are created in the first."""

EXCHANGE_RECORD: Final = "exchange.json"
"""The file next to a database that is being replaced by a repaired one."""
_FOLDER_OF_KIND: Final = {"group": "groups", "peer": "peers", "shared": "shared"}
_DOMAIN_FILE: Final = re.compile(r"(?P<stem>.+?)(?:-(?P<part>[0-9]{1,9}))?\.md")
_CONFLICT_COPY: Final = re.compile("conflict", re.IGNORECASE)
_NUMBER_AT_END: Final = re.compile(r"-[0-9]+$")
_NAMES_OF_OWN_FILES: Final = frozenset({*STEMS.values(), UNTRUSTED, "index"})


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one workspace."""

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
        return self.own_folder / "config.toml"

    @property
    def key_file(self) -> Path:
        """The workspace's secret key; see `workspace_key`."""
        return self.own_folder / "workspace.key"

    @property
    def own_folder(self) -> Path:
        """remem's own folder: settings, databases, copies."""
        return self.root / ".remem"

    @property
    def git_ignore(self) -> Path:
        return self.own_folder / ".gitignore"

    @property
    def spaces_file(self) -> Path:
        """The shared spaces, and who may use them; it belongs to no scope."""
        return self.own_folder / "spaces.json"

    @property
    def tokens(self) -> Path:
        """The digests of session tokens with their sessions; they belong to no scope."""
        return self.own_folder / "tokens"

    @property
    def conversations(self) -> Path:
        """Records of what conversations have read so far.

        A conversation can move to another room, so its record belongs to no scope, but names the
        room.
        """
        return self.own_folder / "conversations"

    def is_initialised(self) -> bool:
        """Return whether nothing is missing that `initialise` would create."""
        folders = self.state_folder(MAIN), self.domains(MAIN)
        files = self.config_file, self.git_ignore, self.key_file
        return all(path.exists() for path in (*folders, *files))

    def state_folder(self, scope: Scope) -> Path:
        """Return the folder of remem's own files about a scope."""
        if scope.kind == "main":
            return self.own_folder / "main"
        return self.own_folder / self._path_of(scope)

    def _path_of(self, scope: Scope) -> Path:
        """Return the folder of a scope, relative both to `.remem` and to `memory`.

        A folder that an earlier version named by another rule keeps its name.
        """
        name, earlier = folder_name(scope.name), earlier_folder_name(scope.name)
        if name != earlier:
            paths = (folder / earlier for folder in self.folders_of_kind(scope.kind))
            if any(path.exists() or path.with_name(f"{earlier}.md").exists() for path in paths):
                name = earlier
        return Path(_FOLDER_OF_KIND[scope.kind]) / name

    def folders_of_kind(self, kind: ScopeKind) -> tuple[Path, Path]:
        """Return the state folder and the memory folder of all scopes of a kind; not for main."""
        return self.own_folder / _FOLDER_OF_KIND[kind], self.memory / _FOLDER_OF_KIND[kind]

    def database(self, scope: Scope) -> Path:
        return self.state_folder(scope) / "entries.db"

    def passages(self, scope: Scope) -> Path:
        return self.state_folder(scope) / "passages.db"

    def refresh_lock(self, scope: Scope) -> Path:
        """Return the lock that is held while the passages are refreshed."""
        return self.state_folder(scope) / "refresh.lock"

    def token_counts(self, scope: Scope) -> Path:
        """Return the file of token counts, which make the next command faster."""
        return self.state_folder(scope) / "token-counts"

    def conflicts(self, scope: Scope) -> Path:
        """Return the folder for copies of files that a person saved while remem wrote them."""
        return self.state_folder(scope) / "conflicts"

    def aside(self, scope: Scope) -> Path:
        """Return the folder for old versions of files that remem has replaced.

        They are kept because an editor may still save into them.
        """
        return self.state_folder(scope) / "aside"

    def domains(self, scope: Scope) -> Path:
        """Return the folder of a scope's domain files."""
        if scope.kind == "main":
            return self.memory / "domains"
        return self.memory / self._path_of(scope) / "domains"

    def relative(self, path: Path) -> str:
        """Return a path relative to the workspace, as answers and records name it."""
        return path.relative_to(self.root).as_posix()

    def scope_folder(self, scope: Scope) -> str:
        """Return the folder of a scope's own files, relative to the workspace."""
        return "memory/main" if scope.kind == "main" else self.relative(self.domains(scope).parent)

    def gate(self, scope: Scope) -> Path | None:
        """Return the gate of a scope, with its rules and routing; a peer has none."""
        if scope.kind == "main":
            return self.memory / "main" / "index.md"
        if scope.kind != "group":
            return None
        path = self.memory / self._path_of(scope)
        return path.with_name(f"{path.name}.md")

    @property
    def flush_state(self) -> Path:
        """The file with the time of main's last flush."""
        return self.flush_state_of(MAIN)

    def flush_state_of(self, scope: Scope) -> Path:
        """Return the file with the time of a scope's last flush, among the scope's own files."""
        if scope.kind == "main":
            return self.memory / "flush-state.json"
        return self.memory / self._path_of(scope) / "flush-state.json"

    def is_projection(self, path: str | None, scope: Scope) -> bool:
        """Return whether remem generates the file at a path from the entries of a scope.

        The path is relative to the workspace.
        """
        file = self.root / (path or "")
        return file.parent == self.domains(scope) or file == self.index_file

    def domain_path(self, scope: Scope, stem: str, part: int = 1) -> Path:
        return self.domains(scope) / domain_file(stem, part)


def domain_file(stem: str, part: int = 1) -> str:
    """Return the name of a domain file: `preferences.md`, or `preferences-2.md` for its part 2."""
    return f"{stem}.md" if part == 1 else f"{stem}-{part}.md"


def stem_and_part(filename: str) -> tuple[str, int] | None:
    """Return the stem and part of a domain file's name; None if it is not such a name."""
    match = _DOMAIN_FILE.fullmatch(filename) if printable(filename) == filename else None
    if match is None:
        return None
    stem, part = match["stem"], int(match["part"] or 1)
    if _NUMBER_AT_END.search(stem):
        # `facts_conflict-20261118-071534.md` ends with a time, not with the number of a part.
        whole = filename.removesuffix(".md")
        return (
            (whole, 1) if original_stem(whole) != whole and _CONFLICT_COPY.search(whole) else None
        )
    return (stem, part) if part > 0 and domain_file(stem, part) == filename else None


def check_topics(topics: Iterable[str]) -> tuple[str, ...]:
    """Return the configured topics; ConfigError unless every topic can name a separate file.

    Names that differ only in case are the same file on some disks, and `facts-2` would be mistaken
    for the second part of `facts`.
    """
    folded_topics: dict[str, str] = {}
    for topic in topics:
        _check_topic(topic)
        if topic.casefold() in folded_topics:
            other = folded_topics[topic.casefold()]
            raise ConfigError(
                f"the topics {quoted(other)} and {quoted(topic)} name the same file",
                hint="rename one of them in the setting `topics`",
            )
        folded_topics[topic.casefold()] = topic
    return tuple(folded_topics.values())


def _check_topic(topic: str) -> None:
    if not _is_valid_topic(topic):
        raise ConfigError(
            f"the topic {quoted(topic)} cannot name a file",
            hint="use up to 40 letters, digits, - and _, starting with a letter or digit",
        )
    if topic.casefold() in _NAMES_OF_OWN_FILES:
        raise ConfigError(
            f"the topic {quoted(topic)} is the name of a file that remem writes",
            hint="choose another name for the topic",
        )
    if _NUMBER_AT_END.search(topic):
        raise ConfigError(
            f"the topic {quoted(topic)} looks like a numbered part of another file",
            hint="add a word after the number, or remove the number",
        )


def _is_valid_topic(topic: str) -> bool:
    kinds = [unicodedata.category(character)[0] for character in topic]
    return (
        0 < len(topic) <= 40
        and unicodedata.normalize("NFC", topic) == topic
        and kinds[0] in "LN"
        and all(k in "LNM" or c in "-_" for k, c in zip(kinds, topic, strict=True))
    )


def markdown_file_for(folder: Path, name: str) -> str:
    """Return the Markdown file for a name.

    It is an existing one, in any spelling, or else a safe new name.
    """
    file = fold(name).replace(" ", "-")
    stems = {
        fold(name),
        *(folder_name(spelling) for spelling in (name, file)),
        *(earlier_folder_name(spelling) for spelling in (name, file)),
    }
    existing = (path for path in markdown_in(folder) if fold(path.removesuffix(".md")) in stems)
    return next(existing, f"{folder_name(file)}.md")


def markdown_in(folder: Path) -> list[str]:
    """Return the names of the Markdown files directly in a folder, sorted.

    Symbolic links do not count.
    """
    files = (entry.name for entry in list_folder(folder) if entry.is_file(follow_symlinks=False))
    return [name for name in files if name.endswith(".md")]
