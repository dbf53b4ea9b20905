"""Secrets that restore access: seed phrases of wallets, two-factor seeds, recovery codes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from remem.text.language import function_words
from remem.text.secrets.shapes import SecretSpan
from remem.text.secrets.values import SEED_WORDS

_SEED_NAMES: Final = (
    r"(?:seed|recovery|mnemonic|wallet|backup|secret)[ -]?(?:phrase|words?|mnemonic|seed)|"
    r"mnemonic|bip-?39|seed"
)
_SEED_NAMED: Final = (
    rf"(?:{_SEED_NAMES})\b[^\n:=]{{0,40}}?(?:\s+(?:is|are|was)\s+|\s*[:=]\s*)[\"'“]?"
    r"(?P<value>(?:(?:\d{1,2}[.)] ?)?[a-z]{3,8}[\s,]{1,3}){11,23}"
    r"(?:\d{1,2}[.)] ?)?[a-z]{3,8})(?!\w)"
)
_SEED_WORD: Final = re.compile(r"(?:\d{1,2}[.):]?)?([A-Za-z]{3,8})[,.;]?|\d{1,2}[.):]?")
_MIN_SEED_WORDS: Final = 12  # in the shortest seed phrases
_MIN_DISTINCT_WORDS: Final = 8  # a phrase is random, so hardly any word occurs twice
_MAX_FUNCTION_WORDS: Final = 2  # of twelve; a sentence has more, a phrase hardly any
_TOTP: Final = (
    r"(?:2fa|totp|otp|mfa|two-factor|2-factor|authenticator|两步验证|二段階認証)\b[^\n:=]{0,30}?(?:seed|secret|key|code|setup|"
    r"schlüssel|clé|clave|chave|chiave|ключ|密钥|シークレット|キー)?"
    r"[^\n:=]{0,30}?(?:\s+(?:is|was)\s+|\s*[:=：]\s*|\s+)[\"'`]?"
    r"(?P<value>(?-i:[A-Z2-7]{16,64}|[a-z2-7]{16,64})=*|"
    r"(?:(?-i:[A-Z2-7]{4}|[a-z2-7]{4})[ -]?){3,15}(?-i:[A-Z2-7]{4}|[a-z2-7]{4})=*)(?!\w)"
)
RECOVERY_WORDS: Final = (
    *("recovery", "backup", "rescue", "emergency", "scratch", "one-time", "2fa", "reset", "unlock"),
    *("filevault", "security", "secours", "récupération", "recuperación", "respaldo", "recupero"),
    *("recuperação", "wiederherstellung", "notfall", "herstel", "zapasow", "резервн", "恢复"),
    *("备用", "备份", "リカバリー", "バックアップ", "復旧", "복구", "백업"),
)
_RECOVERY_NAMES: Final = "|".join(RECOVERY_WORDS)
_RECOVERY: Final = re.compile(
    rf"(?:(?:{_RECOVERY_NAMES})[\w-]{{0,4}}?[ -]?(?:codes?|keys?|schlüssel|код\w{{0,2}}|码|"
    r"代码|コード|キー|코드)|"
    r"(?:codes?|clés?|códigos?|claves?|codici|codice|chaves?|kody?) (?:de |di |d['’])?"
    rf"(?:{_RECOVERY_NAMES}))"
    r"(?:[^\n:=：]{0,60}?[:=：]|[^\n:=]{0,40}?(?:\s(?:is|are|sind|ist|lauten|lautet|est|sont|son|es)\b|"
    r"是|は))?",
    re.IGNORECASE,
)
_ONE_CODE: Final = re.compile(
    r"[\s,;•*|/\"'`(\[-]{0,6}(?:\d{1,2}[.)]\s)?(?:and |und |or )?"
    r"((?=[A-Za-z ]*\d)[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5,}|"
    r"(?=[A-Za-z-]*\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,8}|\d{6,10}|\d{4} \d{4}(?!\d)|"
    r"(?=[A-Za-z]{0,14}\d)[A-Za-z0-9]{8,16})(?![\w-])"
)
SEED_HINTS: Final = ("seed", "mnemonic", "phrase", "2fa", "totp", "otp", "mfa", "authenticator")
_TOKEN: Final = re.compile(r"[^\s,-]+")


def recovery_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield every seed and recovery code in a text."""
    folded = text.lower()
    if any(word in folded for word in RECOVERY_WORDS):
        yield from _recovery_codes(text)
    if any(word in folded for word in SEED_HINTS):
        for pattern, kind in _seed_patterns():
            for match in pattern.finditer(text):
                value = match["value"]
                if kind == "seed phrase" or value.isupper() or any(map(str.isdigit, value)):
                    yield SecretSpan(*match.span("value"), kind)
    if has_seed_words(folded):
        yield from _seed_phrases(text)


def has_seed_words(folded: str) -> bool:
    """Return whether a text has twelve words in a row that could be a seed phrase.

    Two of every twelve words are looked up first, which rules out most texts quickly; two, because
    one of them may be a number.
    """
    words = folded.replace(",", " ").replace("-", " ").split()
    if not any(
        words[at] in SEED_WORDS or words[at + 1] in SEED_WORDS
        for at in range(_MIN_SEED_WORDS - 2, len(words) - 1, _MIN_SEED_WORDS)
    ):
        return False
    row = 0
    for word in words:
        if word in SEED_WORDS:
            row += 1
            if row == _MIN_SEED_WORDS:
                return True
        elif word[0].isalpha():
            row = 0
    return False


def _recovery_codes(text: str) -> Iterator[SecretSpan]:
    """Yield all codes that follow a label, one after the other."""
    for label in _RECOVERY.finditer(text):
        at = label.end()
        while code := _ONE_CODE.match(text, at):
            yield SecretSpan(*code.span(1), "recovery code")
            at = code.end()


def _seed_phrases(text: str) -> Iterator[SecretSpan]:
    """Yield twelve or more words in a row that are all words of seed phrases."""
    row: list[re.Match[str]] = []
    for token in (*_TOKEN.finditer(text), None):
        word = token and _SEED_WORD.fullmatch(text, *token.span())
        if word and word[1] and word[1].lower() in SEED_WORDS:
            row.append(word)
        elif token is None or (not word and any(map(str.isalpha, token[0]))):
            if len(row) >= _MIN_SEED_WORDS and _is_random(row):
                yield SecretSpan(row[0].start(1), row[-1].end(1), "seed phrase")
            row = []


def _is_random(row: list[re.Match[str]]) -> bool:
    """Return whether the words look random: most are distinct, and few are function words."""
    words = [word[1].lower() for word in row]
    count = sum(word in function_words()["en"] for word in words)
    has_few_function_words = count * _MIN_SEED_WORDS <= _MAX_FUNCTION_WORDS * len(words)
    return has_few_function_words and len(set(words)) >= _MIN_DISTINCT_WORDS


@cache
def _seed_patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    pairs = ((_SEED_NAMED, "seed phrase"), (_TOTP, "2fa seed"))
    return tuple((re.compile(expression, re.IGNORECASE), kind) for expression, kind in pairs)
