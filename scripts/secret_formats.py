"""List the token prefixes of a gitleaks rule set that the table of remem does not have.

    python scripts/secret_formats.py PATH_TO_gitleaks.toml

The table is src/remem/text/secrets/formats.toml. A rule counts if its tokens begin with a text of
three characters or more; rules that recognise a token by a word before it are covered by
`remem.text.secrets.fields`. Only facts are compared: no expression is copied.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from remem.text.secrets.shapes import COMPOSED, FORMATS, SOURCES

MIN_LENGTH = 3
_FLAGS = re.compile(r"\(\?i\)")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rules", type=Path, metavar="PATH_TO_gitleaks.toml")
    path = parser.parse_args().rules
    try:
        rules = tomllib.loads(path.read_text(encoding="utf-8")).get("rules", [])
    except (OSError, ValueError) as error:
        print(f"{path} cannot be read: {error}", file=sys.stderr)
        return 2
    known = {prefix for row in FORMATS for prefix in row.prefixes}
    composed = " ".join(shape["hints"] for shape in COMPOSED).split()
    known |= {hint for hint in composed if len(hint) >= MIN_LENGTH}
    new = {rule["id"]: unknown for rule in rules if (unknown := _unknown(rule, known))}
    commit, date = SOURCES["gitleaks"]
    print(f"{len(rules)} rules; the table has {len(known)} prefixes (gitleaks {commit}, {date})")
    print(f"{len(new)} rule{'' if len(new) == 1 else 's'} with a prefix that the table lacks")
    for name, prefixes in new.items():
        print(f"  {name}: {', '.join(sorted(prefixes))}")
    return 0


def _unknown(rule: dict[str, Any], known: set[str]) -> set[str]:
    prefixes = {prefix for prefix in _prefixes(rule.get("regex", "")) if len(prefix) >= MIN_LENGTH}
    folded = {text.lower() for text in known}
    return {
        prefix
        for prefix in prefixes
        if not any(
            one.startswith(prefix.lower()) or prefix.lower().startswith(one) for one in folded
        )
    }


def _prefixes(expression: str) -> set[str]:
    """The texts with which every match begins; none if a match can begin with anything."""
    try:
        # Go writes flags in the middle, \z for the end, and named classes, which Python does not.
        python = _FLAGS.sub("", expression).replace(r"\z", r"\Z").replace("[[:alnum:]]", "[a-z]")
        return set(_beginnings(list(parser.parse(python))))
    except re.error:
        return set()


def _beginnings(parts: list[Any]) -> Iterator[str]:
    """How the texts begin that a parsed expression matches, as far as letters are fixed."""
    if not parts:
        yield ""
        return
    (code, value), rest = parts[0], parts[1:]
    if code is codes.LITERAL:
        yield from (chr(value) + more for more in _beginnings(rest))
    elif code is codes.AT:
        yield from _beginnings(rest)
    elif code is codes.SUBPATTERN:
        yield from _beginnings([*value[-1], *rest])
    elif code is codes.BRANCH:
        for branch in value[1]:
            yield from _beginnings([*branch, *rest])
    elif code is codes.IN and all(kind is codes.LITERAL for kind, _ in value) and len(value) < 5:
        for _, letter in value:
            yield from (chr(letter) + more for more in _beginnings(rest))
    else:
        yield ""


if __name__ == "__main__":
    sys.exit(main())
