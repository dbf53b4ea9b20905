"""Strings that were written to break programs: PostgreSQL answers them as SQLite does."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

from remem.app.opening import open_workspace
from remem.app.workspace import Workspace
from remem.embed.counters import EstimatedCounter
from remem.entries.draft import Memory, make_draft
from remem.errors import InvalidInput
from tests.conftest import NOW
from tests.hostile.corpora import corpora_folder, load
from tests.postgres import database_url

pytestmark = pytest.mark.hostile

ALL = os.environ.get("REMEM_HOSTILE_ALL") == "1"
SEED = os.environ.get("REMEM_HOSTILE_SEED", "1")
QUICK = 150
CHARACTERS = (
    "a NUL \0 inside",
    "\x01abcd looks like an escape of the store",
    "\x010000",
    "half a pair \ud800 and \udfff",
    "%(scope)s %s %% {} $1 ?",
    "'; DROP SCHEMA remem CASCADE; --",
    "\\x00 \\' E'\\'' $$ $tag$",
    '{1,2,NULL,"a\\"b"}',
)
"""What the wire, the placeholders, arrays and the escapes of the store could mistake."""


def can_be_stored(text: str) -> bool:
    try:
        make_draft(Memory(category="fact", content=text), "owner", NOW)
    except InvalidInput:
        return False
    return True


@pytest.fixture(scope="session")
def texts() -> list[str]:
    """The strings above, and where REMEM_CORPORA is set some of the sets there, or all of them."""
    found = list(CHARACTERS)
    if "REMEM_CORPORA" in os.environ:
        known = load(corpora_folder()).texts()
        found += known if ALL else Random(SEED).sample(known, QUICK)
    return [text for text in dict.fromkeys(found) if can_be_stored(text)]


@pytest.fixture
def both(tmp_path: Path) -> Iterator[list[Workspace]]:
    """The same workspace with SQLite and with PostgreSQL: same clock, same ids."""
    with ExitStack() as opened:
        yield [
            opened.enter_context(
                open_workspace(
                    tmp_path / name,
                    background=False,
                    keywords_only=True,
                    clock=lambda: NOW,
                    counter=EstimatedCounter(),
                    random_bytes=Random(7).randbytes,
                    environment={"REMEM_STORE": store, "HOME": str(tmp_path)},
                )
            )
            for name, store in (
                ("sqlite", "sqlite"),
                ("postgres", f"{database_url()}&workspace=hostile-{uuid4()}"),
            )
        ]


def test_every_string_comes_back_and_is_found_as_with_sqlite(
    both: list[Workspace], texts: list[str], tmp_path: Path
) -> None:
    for at in range(0, len(texts), 50):
        some = texts[at : at + 50]
        stored = [
            memory.store_many(
                {"category": "fact", "content": text, "context": text} for text in some
            )
            for memory in both
        ]
        assert stored[0] == stored[1]
        for text in some if ALL else some[::5]:
            one, other = (memory.recall(text, include_archived=True) for memory in both)
            assert one == other, text
    one, other = ([json.loads(line)["entry"] for line in memory.export()] for memory in both)
    assert one == other
    pages = [tmp_path / name / "memory/domains/facts.md" for name in ("sqlite", "postgres")]
    assert len({page.read_text().split("<!--")[0] for page in pages}) == 1


def test_a_string_as_tag_category_id_or_query_of_another_kind_is_answered_as_with_sqlite(
    both: list[Workspace], texts: list[str]
) -> None:
    for text in texts[: len(CHARACTERS) + 40]:
        one, other = (said(memory, text) for memory in both)
        assert one == other, text


def said(memory: Workspace, text: str) -> list[str]:
    """What a workspace says to a text in places that are not for texts."""
    found: list[str] = []
    try:
        memory.store(category="fact", content=f"Tagged: {text}", tags=[text[:40]])
        found.append(repr(memory.recall(text, tags=[text[:40]], categories=["fact"])))
        found.append(repr(memory.history(text[:40])))
    except InvalidInput as error:
        found.append(str(error))
    return found
