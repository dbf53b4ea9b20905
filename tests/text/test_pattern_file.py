"""Patterns and word lists are data: readable files that compile to what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import remem
from remem.text.pattern_file import PatternFile, pattern_file
from tests.tables import each_row

PACKAGE = Path(remem.__file__).parent
FILES = sorted(
    path.relative_to(PACKAGE).with_suffix("").as_posix()
    for path in [
        *PACKAGE.glob("extract/patterns/*.toml"),
        PACKAGE / "model/authorship/patterns.toml",
    ]
)
FILE = PatternFile(
    r"""
words = '''tea
  coffee'''
broken = '''
one|
  two(?: |$)'''
several = ['a', 'b|c']
nested = '^{greeting},'
exact = '(?-i:Tea)'

[parts]
name = 'Mara|Jonas'
greeting = 'hello {name}'
"""
)


def test_line_breaks_and_indentation_are_not_part_of_a_pattern() -> None:
    assert FILE.regex("broken").fullmatch("two ")
    assert FILE.words("words") == {"tea", "coffee"}


def test_an_array_matches_any_of_its_patterns() -> None:
    assert all(FILE.regex("several").fullmatch(letter) for letter in "abc")


def test_parts_are_groups_and_may_contain_parts() -> None:
    assert FILE.regex("nested").match("Hello Jonas, come in.")
    assert not FILE.regex("nested").match("Jonas, come in.")


def test_case_counts_only_where_a_pattern_says_so() -> None:
    assert FILE.regex("broken").match("ONE")
    assert not FILE.regex("exact").match("TEA")


def sources(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from sources(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from sources(item)


@each_row("name", FILES)
def test_every_pattern_of_a_file_compiles_and_every_part_is_used(name: str) -> None:
    text = (PACKAGE / f"{name}.toml").read_text(encoding="utf-8")
    file = pattern_file(name)
    parts = re.findall(r"^(\w+) = ", text.partition("[parts]")[2].partition("\n[")[0], re.MULTILINE)

    assert [part for part in parts if f"{{{part}}}" not in text] == []
    for key in re.findall(r"^(\w+) = ", text.partition("\n[")[0], re.MULTILINE):
        for source in sources(file[key]):
            assert file.compile(source)
