"""Loads the test set of secrets and of harmless lines that look like secrets (tests/data/secrets).

Keys are stored as recipes and drawn when they are loaded, so that the repository contains no string
in the shape of a complete key. The draw depends on nothing but the line's id and the value's name.
"""

from __future__ import annotations

import base64
import json
import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "data" / "secrets"
PARTS = ("open", "held")
PIECE = 8
"""A piece of a secret of this many characters must not survive."""
_DRAWN_IN_PIECE = 6
"""A piece counts if so many of its characters were drawn: `sk-proj-` alone gives nothing away."""

_LOWER_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
ALPHABETS = {
    "alnum": string.ascii_letters + string.digits,
    "letters": string.ascii_letters,
    "digits": string.digits,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "lowernum": string.ascii_lowercase + string.digits,
    "uppernum": string.ascii_uppercase + string.digits,
    "base32": _LOWER_BASE32.upper(),
    "base32low": _LOWER_BASE32,
    "base58": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "base64": string.ascii_letters + string.digits + "+/",
    "base64url": string.ascii_letters + string.digits + "-_",
    "bech32": _BECH32.upper(),
    "bech32low": _BECH32,
}
_PASSWORD_CLASSES = (string.ascii_lowercase, string.ascii_uppercase, string.digits, "!#%*+-=?@^_~")
_FIELD = re.compile(r"<json (\{.*?\})>|<(\w+) (\d+)(?: ([^>]*))?>")


@dataclass(frozen=True, slots=True)
class Value:
    """A drawn value; `drawn` says for each character whether it came from the draw."""

    text: str
    drawn: tuple[bool, ...]

    def pieces(self) -> Iterator[str]:
        """The parts that must not survive: short values as a whole, others in every window."""
        if len(self.text) <= PIECE:
            yield self.text
            return
        for start in range(len(self.text) - PIECE + 1):
            if sum(self.drawn[start : start + PIECE]) >= _DRAWN_IN_PIECE:
                yield self.text[start : start + PIECE]


@dataclass(frozen=True, slots=True)
class Line:
    """One memory to store; `values` are its secrets, and a harmless line has none."""

    id: str
    part: str
    kind: str
    language: str
    content: str
    context: str | None
    tags: tuple[str, ...]
    values: tuple[Value, ...]
    around: tuple[str, ...]
    """The text between the secrets."""
    insist: bool = False

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.content, *((self.context,) if self.context else ()), *self.tags)

    def survivors(self, texts: Iterable[str]) -> list[str]:
        """The pieces of this line's secrets that these texts still contain."""
        said, own = "\0".join(texts), "\0".join(self.around)
        pieces = dict.fromkeys(piece for value in self.values for piece in value.pieces())
        return [piece for piece in pieces if piece in said and piece not in own]


def secrets(part: str = "all") -> list[Line]:
    return list(_lines("secrets", part))


def harmless(part: str = "all") -> list[Line]:
    return list(_lines("harmless", part))


def rows(name: str, part: str) -> list[dict[str, Any]]:
    """The lines of one file as they are written, with recipes instead of values."""
    text = (FOLDER / f"{name}-{part}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _lines(name: str, part: str) -> Iterator[Line]:
    for wanted in PARTS if part == "all" else (part,):
        yield from map(line_of, rows(name, wanted))


def line_of(row: dict[str, Any]) -> Line:
    """The line with every placeholder replaced by the value that its recipe gives."""
    recipes = {**row.get("values", {}), **row.get("plain", {})}
    drawn = {name: draw(recipe, f"{row['id']}:{name}") for name, recipe in recipes.items()}
    names = "|".join(map(re.escape, drawn)) or "(?!)"
    placeholder = re.compile(rf"\{{({names})\}}")

    def filled(text: str) -> str:
        return placeholder.sub(lambda found: drawn[found[1]].text, text)

    secret = set(row.get("values", {}))
    around = []
    for text in (row["text"], row.get("context") or "", *row.get("tags", ())):
        blanked = placeholder.sub(
            lambda found: "\0" if found[1] in secret else drawn[found[1]].text, text
        )
        around += [piece for piece in blanked.split("\0") if piece]
    return Line(
        id=row["id"],
        part=row["part"],
        kind=row["kind"],
        language=row["language"],
        content=filled(row["text"]),
        context=filled(row["context"]) if row.get("context") else None,
        tags=tuple(map(filled, row.get("tags", ()))),
        values=tuple(drawn[name] for name in row.get("values", {})),
        around=tuple(around),
        insist=row.get("insist", False),
    )


def draw(recipe: str, seed: str) -> Value:
    """Expands a recipe: literal text and fields such as `<hex 32>` (see the README of the data)."""
    random = Random(seed)
    characters: list[tuple[str, bool]] = []
    width = end = 0
    for field in _FIELD.finditer(recipe):
        characters += [(character, False) for character in recipe[end : field.start()]]
        end = field.end()
        if field[1]:
            encoded = base64.urlsafe_b64encode(field[1].encode()).decode().rstrip("=")
            characters += [(character, False) for character in encoded]
            continue
        kind, count, extra = field[2], int(field[3]), field[4]
        if extra and extra.startswith("/"):
            width = int(extra[1:])
        characters += [(character, True) for character in _drawn(random, kind, count, extra)]
    characters += [(character, False) for character in recipe[end:]]
    if width:
        characters = [
            pair
            for place, character in enumerate(characters)
            for pair in ([("\n", False)] if place and place % width == 0 else []) + [character]
        ]
    return Value(
        "".join(character for character, _ in characters), tuple(drawn for _, drawn in characters)
    )


def _drawn(random: Random, kind: str, count: int, extra: str | None) -> str:
    if kind == "password":
        picked = [random.choice(class_) for class_ in _PASSWORD_CLASSES]
        picked += random.choices("".join(_PASSWORD_CLASSES[:3]), k=count - len(picked))
        random.shuffle(picked)
        return "".join(picked)
    if kind == "uuid":
        digits = "".join(random.choices(ALPHABETS["hex"], k=32))
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    if kind == "word":
        return random.choice(_words("passphrase")).capitalize()
    if kind in ("words", "bip39"):
        words = random.choices(_words("passphrase" if kind == "words" else kind), k=count)
        if extra == "numbered":
            rest = (f" {place}. {word}" for place, word in enumerate(words[1:], 2))
            return words[0] + "".join(rest)
        return {None: " ", "": " ", ",": ", "}.get(extra, extra or " ").join(words)
    if kind not in ALPHABETS:
        raise ValueError(f"unknown alphabet {kind!r} in a recipe; known: {', '.join(ALPHABETS)}")
    return "".join(random.choices(ALPHABETS[kind], k=count))


@cache
def _words(name: str) -> tuple[str, ...]:
    return tuple((FOLDER / f"{name}-words.txt").read_text(encoding="utf-8").split())
