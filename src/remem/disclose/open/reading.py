"""Read the files that a gate, a message or another file names.

They pass the same access checks as files that are requested by path.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remem.disclose.gate_guard import GateGuard
from remem.disclose.get import read_resolved
from remem.disclose.open.intent import Keywords
from remem.disclose.path_access import Refusal, resolve_path
from remem.files.layout import markdown_in
from remem.files.memory_files import hard_link_rule
from remem.files.safe_open import UnsafePath
from remem.model.conversation import Tier, path_key
from remem.model.domain_routing import UNTRUSTED
from remem.model.scope import Session
from remem.text.words import fold, has_grams, words

_CONVENTION: Final = re.compile(r"conventions/[^\s`|()\[\]<>\"'，。；：、（）]+?\.md", re.I)


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """A file that was read; `path` is relative to the workspace."""

    path: str
    tier: Tier
    text: str


@dataclass(frozen=True, slots=True)
class ScopeReader:
    """Read the files of one scope."""

    session: Session
    guard: GateGuard

    def load(self, file: str) -> LoadedFile | str:
        """The file with the name that a gate uses, or the reason why it cannot be loaded.

        The conversation does not count it yet.
        """
        path = self.path_of(file)
        resolved = resolve_path(self.session, path, self.guard.layout)
        if isinstance(resolved, Refusal):
            return f"{path}: {resolved.code}"
        if path_key(resolved.parts[-1]).startswith(UNTRUSTED):
            return f"{path}: untrusted entries are not opened; memory_get shows them fenced"
        try:
            found = read_resolved(resolved, hard_link_rule(self.guard.layout, self.guard.scope))
        except UnsafePath:
            return f"{path}: MEMORY_PATH_NOT_ALLOWED"
        except OSError as error:
            return f"{path}: {error.strerror or error}"
        if found is None:
            return f"{path}: does not exist yet"
        text = found.data.decode(errors="replace").removeprefix("\ufeff")
        return LoadedFile(resolved.path, self.guard.tier(resolved.path), text)

    def path_of(self, file: str) -> str:
        inside = self.guard.relative_name(file)
        is_full_path = inside.startswith(("memory/", "/")) or inside == "MEMORY.md"
        return inside if is_full_path else f"{self.guard.folder}/{inside}"

    def projects_in(self, message: Keywords) -> list[str]:
        """The projects of main that a message mentions; the longest name first."""
        folder = self.guard.layout.memory / "main" / "projects"
        found = [
            name for name in markdown_in(folder) if _mentions(message, name.removesuffix(".md"))
        ]
        return [f"projects/{name}" for name in sorted(found, key=lambda name: (-len(name), name))]


def conventions_in(file: LoadedFile, message: Keywords) -> list[str]:
    """The conventions that a file refers to; those that the message is about come first."""
    names = dict.fromkeys(_CONVENTION.findall(file.text))
    return sorted(names, key=lambda name: -message.shared(name.partition("/")[2][:-3]))


def _mentions(message: Keywords, stem: str) -> bool:
    """Whether the words of a name occur in a message, next to each other and in order."""
    name = fold(stem.replace("-", " ").replace("_", " "))
    if has_grams(name):
        return name in message.text
    return _contains(words(message.text), words(name))


def _contains(words_: Sequence[str], phrase: Sequence[str]) -> bool:
    size = len(phrase)
    starts = range(len(words_) - size + 1)
    return bool(phrase) and any(list(words_[at : at + size]) == list(phrase) for at in starts)
