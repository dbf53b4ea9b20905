"""Secrets that a sentence states: "My PIN is 4921", "the passphrase is …", "my code is …".

A number counts if the sentence names what it opens (a PIN, or the code of a door, an alarm or a
safe), or if it is somebody's code and nothing else is said about it. A plain word counts as a
password if the sentence says nothing else about one, and if it is not a word that describes
passwords, such as wrong, required, or in the vault. Several words count as a passphrase under the
same conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from remem.text.secrets.mask import MASK
from remem.text.secrets.shapes import SecretSpan
from remem.text.secrets.words import DESCRIPTIONS, PASSWORD_WORDS, PLACEHOLDERS, SENTENCE_WORDS

CODE_WORDS: Final = (
    *("pin", "code", "puk", "cvv", "cvc", "combination", "código", "geheimzahl", "код"),
    *("暗証", "コード", "码"),
)
_DOORS: Final = (
    r"(?:front |back |side |main )?(?:door|gate|alarm|garage|entry|entrance|access|unlock|lock|"
    r"safe|vault|keypad|locker|elevator|lift|building|house|office|card|bank|phone|sim|burglar|"
    r"intercom|key ?box|lock ?box|shed|gym|parking|barrier)"
)
_CODE_LABELS: Final = (
    rf"{_DOORS}(?: lock| door| card)?(?:['’]s)? ?(?:pin|code)(?: number)?"
    r"(?: (?:of|for|at|to) [^\n.:=\d]{1,40}?)?",
    r"(?:code|combination|pin)(?: number)? (?:for|of|to) (?:the |my |our |his |her |their )?"
    rf"{_DOORS}\b(?: \w+){{0,3}}?",
    r"(?:my|our|his|her|their|your|mi|\w+['’]s) (?:\w+ ){0,3}?pin(?: (?:code|number))?",
    r"(?-i:PIN)(?:[ -]?(?:code|nummer|number))?"
    r"(?: (?:for|of|to|für|von|zu|de|du|der|des|vom|del|della|от)\b[^\n.:=\d]{1,40}?)?",
    r"\bpin[ -]code|code pin|código pin|\bpuk\b|(?:safe|lock) combination|geheimzahl|digicode|"
    r"пин-?код|pin码|pinコード|暗証番号|(?:tür|tor|haus|alarm|garagen|tresor)-?code",
)
_LINK: Final = (
    r"\s*(?:(?:is|was|are|['’]s|ist|lautet|est|es|était)\s+(?:now |jetzt )?"
    r"|[:=：＝—–]\s*|是|为|は)?\s*"
)
_NUMBER: Final = (
    r"(?P<value>[A-Za-z*#]?\d(?:[ -]?\d){3,11}[A-Za-z]?[#*]?)(?![\w%€$]|[.,:/-]\d|\s*(?:lines?|"
    r"characters?|digits|times|words|entries|bytes|euros?|dollars?|years?|steps|km|kg)\b)"
)
_CARD: Final = (
    rf"\b(?:cvv2?|cvc2?|(?:card )?security code|prüfnummer){_LINK}(?P<value>\d{{3,4}})(?!\w)"
)
_COMBINATION: Final = (
    r"\b(?:(?:safe|lock|locker|vault)(?:['’]s)? combination|combination (?:of|to|for) "
    rf"[^\n.:=\d]{{1,30}}?){_LINK}(?P<value>\d{{1,2}}(?:[ -]\d{{1,2}}){{2,4}})(?!\w)"
)
_OWNED_CODE: Final = (
    r"(?<![\w-])(?:(?:my|our|your|his|her|their|mein|unser|dein|ihr|mon|notre|ton|votre) code|"
    r"(?:mi|nuestro|tu|su) código|(?:мой|наш|твой|ваш) код)"
    r"\s*(?:(?:is|ist|lautet|est|es)\s+(?:now |jetzt )?|[:=：＝—–]\s*)"
    rf"{_NUMBER}(?=\s*(?:[.!?,;)\n]|$)|\s+(?:and|but|und|et|y|и)\b)"
)
"""An owner is as good as the thing that the code opens: nobody owns an area code, which has a word
before it, and program code continues after the number."""

_WORDS: Final = "|".join(sorted(map(re.escape, PASSWORD_WORDS), key=len, reverse=True))
_OF: Final = r"(?: (?:for|of|to|für|zu[rm]?|vom|de|del|du|pour|para|от|для) [^\n:=.,]{1,40}?)?"
_IS: Final = r"\s+(?:is|was|ist|lautet|est|es)(?:\s+(?:now|jetzt|maintenant|ahora))?\s+"
_LABELS_FOR_PLAIN_WORDS: Final = (
    r"password|passwd|passphrase|passcode|pwd|passwort|kennwort|mot de passe|mdp|contraseña|clave|"
    r"wi-?fi key|пароль"
)
"""Labels in languages whose usual descriptions of passwords are listed below."""
_STATED: Final = (
    rf"(?:{_LABELS_FOR_PLAIN_WORDS}){_OF}(?:{_IS}|\s*[:：]\s*|\s+[—–-]\s+)"
    r"(?P<value>(?:(?![\u3040-\u30ff\u4e00-\u9fff])[^\W\d_]){4,24})"
    r"(?=\s*(?:[.!;,)\n]|$)|\s+(?:and|but|und|aber|et|mais|y|и)\s)"
)
_QUOTED: Final = (
    rf"(?:{_WORDS}){_OF}{_IS}"
    r"[\"“«'‘`「] ?(?P<value>(?!must|should|may|please)[^\"”»'’`」\n]{4,80}?) ?[\"”»'’`」]"
)
_DESCRIPTION: Final = (
    r".{2,}(?:ed|ing|able|ible|ful|less|ive|ous|ical|ted|bar|lich|iert|ement|ado|ada|ido|ida|ный|"
    r"ная|ое|ен|ена|ан|ана|ется|ются|ает|ит)$"
)
_PHRASE_WORDS: Final = (
    r"(?:pass|backup|secret|unlock|recovery|security) ?phrase|phrase de passe|"
    r"passfrase|passwort|password|passsatz|mot de passe|frase de contraseña|contraseña|пароль"
)
_PHRASE: Final = (
    rf"(?:{_PHRASE_WORDS}){_OF}"
    r"(?:\s+(?:is|was|ist|lautet|est|es|set to|=)(?:\s+(?:now|jetzt))?\s+|\s*[:：=]\s*)"
    r"(?P<value>[^\W_]{2,14}(?:[ ]{1,2}[^\W_]{2,14}){2,11})(?P<end>\s*(?:[.!;,)\n]|$))?"
)
_POSTAL: Final = re.compile(r"(?i:zip|postal|postcode|post code|address|plz|city|delhi|mumbai)")
_WORD: Final = re.compile(r"\S+")
_DIGIT: Final = re.compile(r"\d")
_NEVER: Final = "(?!)"


def stated_secrets(text: str) -> Iterator[SecretSpan]:
    """Yield every PIN, code, password and passphrase that a sentence states."""
    folded = text.lower()
    if has_digit(text) and any(word in folded for word in CODE_WORDS):
        yield from _stated_codes(text)
    if any(word in folded for word in PASSWORD_WORDS):
        yield from _stated_passwords(text)
        yield from _passphrases(text)
    elif "phrase" in folded:
        yield from _passphrases(text)


def has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


def _stated_codes(text: str) -> Iterator[SecretSpan]:
    for pattern in _code_patterns():
        for match in pattern.finditer(text):
            if not _POSTAL.search(text, max(0, match.start() - 40), match.end() + 40):
                yield SecretSpan(*match.span("value"), "code")


def _stated_passwords(text: str) -> Iterator[SecretSpan]:
    for pattern, is_description in _password_patterns():
        for match in pattern.finditer(text):
            if not _is_not_a_value(match["value"]) and not is_description.match(match["value"]):
                yield SecretSpan(*match.span("value"), "password")


def _passphrases(text: str) -> Iterator[SecretSpan]:
    """Yield three or more words up to the end of a sentence, or four or more within it."""
    for match in _passphrase_pattern().finditer(text):
        words = list(_WORD.finditer(text, *match.span("value")))
        sentence_words = (n for n, word in enumerate(words) if word[0].casefold() in SENTENCE_WORDS)
        count = next(sentence_words, len(words))
        complete = count == len(words) and match["end"] is not None
        first = words[0][0].casefold()
        is_description = _password_patterns()[0][1].match(first) or (
            count < 4 and first in DESCRIPTIONS
        )
        if count >= (3 if complete else 4) and not is_description:
            yield SecretSpan(words[0].start(), words[count - 1].end(), "passphrase")


def _is_not_a_value(value: str) -> bool:
    """Whether a value is a description of a password, a word for one, or an earlier redaction."""
    word = value.casefold()
    known = word in DESCRIPTIONS or word in PLACEHOLDERS or word in PASSWORD_WORDS
    return known or "***" in value or MASK in value


@cache
def _code_patterns() -> tuple[re.Pattern[str], ...]:
    labels = "|".join(_CODE_LABELS)
    numbered = rf"(?<![\w-])(?:{labels})(?:\s(?:here|today|again))?{_LINK}{_NUMBER}"
    return tuple(
        re.compile(expression, re.IGNORECASE)
        for expression in (numbered, _OWNED_CODE, _CARD, _COMBINATION)
    )


@cache
def _password_patterns() -> tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]:
    """Return pairs of patterns: where a password is stated, and what only looks like one."""
    pairs = ((_STATED, _DESCRIPTION), (_QUOTED, _NEVER))
    return tuple(
        (re.compile(stated, re.IGNORECASE), re.compile(excluded, re.IGNORECASE))
        for stated, excluded in pairs
    )


@cache
def _passphrase_pattern() -> re.Pattern[str]:
    return re.compile(_PHRASE, re.IGNORECASE)
