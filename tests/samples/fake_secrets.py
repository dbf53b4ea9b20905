"""The secrets in a sample, and strings that only look like one.

All are drawn at run time: no key stands in this tree, and none of these ever opened anything.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from random import Random

_ALPHABETS = {
    "a": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "n": string.digits,
    "s": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
}
# Where a secret stands in a line, and its shape: a36 is 36 letters and digits, h hexadecimal.
_SECRETS = (
    ("- OpenAI key: {}", "sk-proj- a48"),
    ("- export ANTHROPIC_API_KEY={}", "sk-ant-api03- a80 AA"),
    ("- the bot answers as {}", "n10 :AA a33"),
    ("- GitHub token for the mirror {} (expires in March)", "ghp_ a36"),
    ("- GitLab: {}", "glpat- a20"),
    ("- Slack bot {}", "xoxb- n12 - n13 - a24"),
    ("- maps: AIza key {}", "AIza a35"),
    ("- AWS access {}", "AKIA s16"),
    ("- `hf login --token {}`", "hf_ a34"),
    ("- npm publish token {}", "npm_ a36"),
    ("- billing: {}", "sk_live_ a24"),
    ("- Authorization: Bearer {}", "eyJ a30 .eyJ a60 . a43"),
    ("- database: postgres://ledger:{}@db.example.net:5432/ledger", "a18"),
    ("- password: {}", "a14"),
    ("- 密码：{}", "a14"),
    ("- パスワード：{}", "a14"),
    ("- пароль: {}", "a14"),
    ('- {{"client_secret": "{}"}}', "h40"),
)
_LOOK_ALIKES = (
    ("- deployed commit {}", "h40"),
    ("- short commit {} is the good one", "h8"),
    ("- session {}", "h8 - h4 -4 h3 -a h3 - h12"),
    ("- sha256 of the image: {}", "h64"),
    ("- tests: 1{} passed, {} skipped", "n3"),
    ("- build 2026.{} took 14 minutes", "n4"),
    ("- the token budget is {} tokens a day", "n5"),
    ("- password: see the vault, shelf {}", "n2"),
    ("- order number {} arrives on Friday", "n12"),
)


@dataclass(frozen=True, slots=True)
class Planted:
    """A line, and the value in it that is, or is not, a secret."""

    line: str
    value: str


def secrets(seed: int) -> tuple[Planted, ...]:
    """One of each shape; no tool may ever show the value."""
    return _planted(_SECRETS, Random(f"{seed} secrets"))


def look_alikes(seed: int) -> tuple[Planted, ...]:
    """Harmless values, which must stay as they are."""
    return _planted(_LOOK_ALIKES, Random(f"{seed} look-alikes"))


def private_key(seed: int) -> str:
    """A key block that no program accepts."""
    random = Random(f"{seed} private key")
    body = "\n".join(_drawn("a64", random) for _ in range(6))
    kind = "OPENSSH PRIVATE " + "KEY"
    return f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----"


def _planted(rows: tuple[tuple[str, str], ...], random: Random) -> tuple[Planted, ...]:
    planted = []
    for line, shape in rows:
        value = "".join(_drawn(part, random) for part in shape.split(" "))
        planted.append(Planted(line.format(*(value,) * 2), value))
    return tuple(planted)


def _drawn(part: str, random: Random) -> str:
    """`a36` as 36 characters of that alphabet; anything else as it stands."""
    if part[0] in _ALPHABETS and part[1:].isdigit():
        return "".join(random.choices(_ALPHABETS[part[0]], k=int(part[1:])))
    return part
