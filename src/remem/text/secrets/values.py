"""Decide whether a value looks like a secret, or is only a placeholder for one.

Words for passwords and keys, and words that are never a secret, are in `words.toml`.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from remem.text.pattern_file import pattern_file
from remem.text.secrets.mask import MASK

_FILE: Final = pattern_file("text/secrets/words")

PASSWORD_WORDS: Final[tuple[str, ...]] = tuple(_FILE["password_words"])
SECRET_WORDS: Final[tuple[str, ...]] = (
    *_FILE["secret_words"],
    *(
        f"{prefix}{separator}key"
        for prefix in _FILE["keys"].split()
        for separator in ("", "_", "-", " ")
    ),
)
KEY_WORDS: Final[tuple[str, ...]] = tuple(_FILE["key_words"].split())
LABEL_WORDS: Final = frozenset({*PASSWORD_WORDS, *SECRET_WORDS})  # a label, never a value
PLACEHOLDERS: Final = _FILE.words("placeholders")
SAMPLE_WORDS: Final[tuple[str, ...]] = tuple(_FILE["samples"])
SENTENCE_WORDS: Final = _FILE.words("sentence_words")
DESCRIPTIONS: Final = _FILE.words("descriptions")
SEED_WORDS: Final = _FILE.words("seed_words")

SecretKind = Literal["password", "secret", "key"]
"""The value after a `key` is a secret only if it looks random, because tables and caches have keys
too."""
Position = Literal["assigned", "stated", "direct", "bare"]
"""assigned: in code or configuration. stated: in a sentence or list. direct: right after its label.
bare: a few words after it."""

_RANDOM: Final = re.compile(
    r"(?=\S*[A-Za-z]) (?=\S*\d\S*\d) [\w+/=.~-]{16,} | (?=(?:\S*?[a-z][A-Z]){4}) [A-Za-z]{20,}",
    re.VERBOSE | re.ASCII,
)
# What a value must look like; values in code or configuration are matched more loosely.
_PATTERNS: Final[dict[tuple[SecretKind, Position], re.Pattern[str]]] = {
    ("password", "stated"): re.compile(
        r"\d{4,64} | (?=\S*[^\W\d_]) (?=\S*[\d!@#$%^&*?~+=]) \S{6,}"
        r"| (?!(?:[A-Z]?[a-z]+)(?:[A-Z][a-z]{2,})+\Z) (?=(?:\S*?[a-z][A-Z]){2}) [A-Za-z]{8,}"
        r"| [A-Za-z]{2,}(?:[-_.][A-Za-z]{2,}){2,}(?:[-_.]?\d{1,4})? | (?:[A-Z][a-z]{2,}){4,}",
        re.VERBOSE,
    ),
    ("password", "assigned"): re.compile(
        r"\d{4,64} | (?=\S*\D) \S{4,} | (?=[^\n]{5,80}\Z) \S+(?:[ ]\S+){1,9}", re.VERBOSE
    ),
    ("secret", "stated"): re.compile(r"(?=\S*[^\W\d_]) (?=\S*\d\S*\d) \S{12,}", re.VERBOSE),
    ("secret", "assigned"): re.compile(
        r"(?=\S*[^\W\d_]) (?=\S*\d) \S{8,} | (?=[A-Z]*[a-z]) (?=[a-z]*[A-Z]) [A-Za-z+/=]{24,}"
        r"| \d{16,} | [a-z]{16,}",
        re.VERBOSE,
    ),
    ("key", "stated"): _RANDOM,
    ("key", "assigned"): _RANDOM,
    ("password", "bare"): re.compile(
        r"(?![A-Z]?[a-z]+\d{1,2}\b) (?=\S*[a-z]) (?=\S*\d) (?=\S*[A-Z!@#$%^&*?~+]) \S{8,}"
        r"| (?!(?:[A-Z]?[a-z]+)(?:[A-Z][a-z]{2,})+\Z) (?=(?:\S*?[a-z][A-Z]){2}) [A-Za-z]{8,}",
        re.VERBOSE,
    ),
    ("password", "direct"): re.compile(
        r"(?!sha|md5|aes|rsa|base|utf|bcrypt|argon|oauth|pbkdf) (?=[a-z0-9]{8,}\Z) [a-z]{4,}\d{2,}",
        re.VERBOSE,
    ),
    ("secret", "direct"): re.compile(
        r"(?=\S*[a-z]) (?=\S*[A-Z]) (?=\S*\d\S*\d) [\w+/=.~-]{12,}", re.VERBOSE | re.ASCII
    ),
    ("key", "direct"): _RANDOM,
    ("secret", "bare"): _RANDOM,
    ("key", "bare"): _RANDOM,
}
_IDENTIFIER: Final = re.compile(
    r"(?:[A-Za-z]{1,24}\d{0,3}|\d{1,10})(?:[-_./:](?:[A-Za-z]{1,24}\d{0,3}|\d{1,10}))+"
)
_GROUPED_CODE: Final = re.compile(r"(?=(?:\S*\d){3})[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){3,}")
_KEY_ID: Final = re.compile(r"(?:0x)?[0-9A-F]{16}|[0-9A-F]{40}")  # names a public key
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NOT_SECRET: Final = re.compile(
    r"""
      \$\{.* | \$\(.* | \$[A-Za-z_]+ | \$[A-Z][A-Z0-9_]* | %\w+%        # variables
    | [{\[(<].* | [\w.]+[(\[].*                                        # templates, code
    | [A-Za-z_]\w{0,23}(?:\.[A-Za-z_]\w{0,23}){1,2}                     # names in code
    | %\(.* | @\w+@ | \#\{.* | __\w+__ | ENC\[.* | .*\.\.\. | (?i:sha\d+|md5):.*
    | ![a-z]+                                                          # YAML tags
    | (?:[a-z][a-z0-9+.-]*://|(?:env|file|vault|op|ssm|keyring):).*    # where it is stored
    | (?:/|~/|\.{1,2}/|[A-Za-z]:\\).*                                  # a path
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+                                     # an e-mail address
    | (?i:[a-z_-]*password[a-z_-]*)                                    # the word “password” itself
    | \d{4}-\d\d-\d\d.* | v?\d+(?:[.,:/-]\d+)+\w{0,3}                  # dates, versions, ranges
    | [\w-]+\.(?:txt|md|pem|key|json|ya?ml|toml|env|py|js|ts|sh|cfg|ini|pub|crt|p12|pfx|gpg|enc)
    """,
    re.VERBOSE,
)


def looks_secret(value: str, kind: SecretKind, position: Position) -> bool:
    """Return whether the value after a label of that kind is a secret."""
    if not _PATTERNS[kind, position].fullmatch(value) or is_placeholder_value(value):
        return False
    if kind == "password":
        return not SENTENCE_WORDS.intersection(value.lower().split())
    if (
        position != "assigned"
        and _IDENTIFIER.fullmatch(value)
        and not _GROUPED_CODE.fullmatch(value)
    ):
        return False
    if kind == "key" and _KEY_ID.fullmatch(value):
        return False
    weak = position in ("direct", "bare") or (kind == "key" and position == "stated")
    return not (weak and _UUID.fullmatch(value))


def is_placeholder_value(value: str) -> bool:
    """Return whether a value is a placeholder, a reference to a secret, or an earlier redaction."""
    folded = value.lower().strip("$%{}<>[]()_-*.")
    return (
        folded in PLACEHOLDERS
        or folded in LABEL_WORDS
        or MASK in value
        or "***" in value
        or _NOT_SECRET.fullmatch(value) is not None
        or len(set(folded)) < 3
        or (len(value) > 8 and is_sample(value) and not value.isdigit())
    )


def is_sample(secret: str) -> bool:
    """Return whether a key is a sample: it says "example" or has only a few different letters."""
    folded = secret.lower()
    return len(set(folded[-24:])) < 6 or any(word in folded for word in SAMPLE_WORDS)
