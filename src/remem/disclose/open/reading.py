"""How is a file reached that a gate, a message or another file names? Through the same walls
as one that is asked for by its path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from remem.disclose.gate_guard import Entry
from remem.disclose.get import found_at
from remem.disclose.open.intent import Telling
from remem.disclose.path_access import Refusal, may_open
from remem.files.layout import markdown_in
from remem.files.memory_files import second_names
from remem.files.safe_open import Astray
from remem.model.conversation import Tier, same_file
from remem.model.domain_routing import UNTRUSTED
from remem.model.scope import Session
from remem.text.words import fold, has_grams, words

_CONVENTION: Final = re.compile(r"conventions/[^\s`|()\[\]<>\"'，。；：、（）]+?\.md", re.I)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A file that was read; `path` is its name in the workspace."""

    path: str
    tier: Tier
    text: str


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the files of one scope."""

    session: Session
    entry: Entry

    def sheet(self, file: str) -> Sheet | str:
        """The file that a gate calls so, or why there is none. Nothing is counted here."""
        path = self.path_of(file)
        way = may_open(self.session, path, self.entry.layout)
        if isinstance(way, Refusal):
            return f"{path}: {way.code}"
        if same_file(way.parts[-1]).startswith(UNTRUSTED):
            return f"{path}: what strangers said is not opened; memory_get shows it fenced"
        try:
            found = found_at(way, second_names(self.entry.layout, self.entry.scope))
        except Astray:
            return f"{path}: MEMORY_PATH_NOT_ALLOWED"
        except OSError as error:
            return f"{path}: {error.strerror or error}"
        if found is None:
            return f"{path}: not written yet"
        text = found.data.decode(errors="replace").removeprefix("\ufeff")
        return Sheet(way.path, self.entry.tier(way.path), text)

    def path_of(self, file: str) -> str:
        inside = self.entry.inside(file)
        whole = inside.startswith(("memory/", "/")) or inside == "MEMORY.md"
        return inside if whole else f"{self.entry.folder}/{inside}"

    def projects_in(self, message: Telling) -> list[str]:
        """The projects of main that a message names; the longest name first."""
        folder = self.entry.layout.memory / "main" / "projects"
        named = [name for name in markdown_in(folder) if _names(message, name.removesuffix(".md"))]
        return [f"projects/{name}" for name in sorted(named, key=lambda name: (-len(name), name))]


def conventions_in(sheet: Sheet, message: Telling) -> list[str]:
    """The conventions that a file refers to; those that the message is about come first."""
    found = dict.fromkeys(_CONVENTION.findall(sheet.text))
    return sorted(found, key=lambda each: -message.shared(each.partition("/")[2][:-3]))


def _names(message: Telling, stem: str) -> bool:
    """Whether every word of a name occurs in a message, in its order."""
    name = fold(stem.replace("-", " ").replace("_", " "))
    if has_grams(name):
        return name in message.text
    return _within(words(name), words(message.text))


def _within(some: Sequence[str], all_: Sequence[str]) -> bool:
    return bool(some) and any(
        list(all_[at : at + len(some)]) == list(some) for at in range(len(all_) - len(some) + 1)
    )
