"""Does somebody ask that something be remembered? Then what he wants kept, word for word.

"Please remember that …", "don't forget: …" and their like in several languages. What follows must
be a statement: "don't forget to …" is about what to do now, "do you remember …" asks.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_PLEASE: Final = (
    r"(?:(?:please|bitte|por favor|s['’]il (?:te|vous) pla[iî]t|пожалуйста)[,!]?\s+)?"
    r"(?:(?:can|could|would|will) you (?:please|kindly) |i(?:['’]d| would) like you to |"
    r"i (?:want|need) you to |you (?:should|must) )?(?:please )?(?:always )?"
)
_POLITE: Final = re.compile(r"\W*(?:please,? )?(?:can|could|would|will) you ", re.IGNORECASE)
"""Who asks in this way asks for no answer, whatever the mark at the end."""
_ENGLISH: Final = (
    r"(?:(?:remember|(?:don['’]t|do not|never) forget|keep in mind|bear in mind|note|take note|"
    r"make a (?:mental )?note(?: of this)?|write (?:this |it )?down|"
    r"(?:save|store|add|put|commit|record) (?:(?:this|it|the following) )?(?:to|in|into) "
    r"(?:your |the |my )?(?:long-term )?(?:memory|notes?)|save this|record this)"
    r"(?:,? that\b(?! (?:time|day|one|night|when|thing)\b)|,? this[:,]|[:,])\s*(?:please[:,]?\s+)?"
    r"|(?:remember|(?:don['’]t|do not) forget) (?=(?:i|we)(?:['’](?:m|re|ve|ll)| (?!told|asked|"
    r"said|need you|want you))|my (?:\w+ ){1,3}(?:is|are|has)\b)"
    r"|for (?:future reference|the record|your (?:memory|notes))[:,]\s*)"
)
_GERMAN: Final = (
    r"(?:(?:merke? dir|merken sie sich|vergiss|vergessen sie|denke?|denken sie|"
    r"notiere?(?: dir)?|notieren sie(?: sich)?|behalte?|behalten sie|beachte?|beachten sie)"
    r"(?: bitte| auch)*(?: nicht| daran| dran| im (?:kopf|hinterkopf|gedächtnis))?(?: bitte)?"
    r"(?:,? dass\s+|[:,]\s*(?!.*\b(?:zu \w+|\w+zu\w+en)[.!]?$)))"
)
_FRENCH: Final = (
    r"(?:n['’]oublie[zs]? (?:surtout )?pas|souviens-toi(?: bien)?|souvenez-vous|rappelle-toi|"
    r"rappelez-vous|retiens|retenez|note[zs]?(?: bien)?|sache[zs]?|"
    r"garde[zs]? (?:en tête|en mémoire|à l['’]esprit))(?:,? que\s+|,? qu['’]|\s?[:,]\s*)"
)
_SPANISH: Final = (
    r"(?:no (?:te |se )?olvides?|recuerd[ae]|acu[ée]rdate|ten(?:ga)? (?:en cuenta|presente)|"
    r"anot[ae]|apunta|apunte|tom[ae] nota)(?: por favor)?(?:,? (?:de )?que\s+|[:,]\s*)"
)
_RUSSIAN: Final = (
    r"(?:не забудь(?:те)?|запомни(?:те)?|име(?:й|йте) в виду|помни(?:те)?|учти(?:те)?|"
    r"запиши(?:те)?)(?:, пожалуйста)?(?:,? что\s+|[:,]\s*)"
)
_CHINESE_DEED: Final = (
    r"(?:给|去|买|打|交|带|联系|发|做|还|拿|取|订|预|叫|帮|把|要|准备|完成|回|检查|付|缴|寄|送|关|开|锁|"
    r"吃|喝|跟|和|向)"
)
_CHINESE: Final = (
    r"(?:请你?|麻烦你?|帮我|你要|你得|一定要|千万)*"
    r"(?:(?:记住|记一下|记下来?|牢记)[，,:：\s]*"
    rf"|(?:记得|别忘(?:了|记)|不要忘(?:了|记)|勿忘)[，,:：\s]*(?!{_CHINESE_DEED}|吗|[？?]))"
)
_JAPANESE_ASKS: Final = (
    r"(?:忘れないで|覚えておいて|覚えて|メモして(?:おいて)?|記憶して(?:おいて)?)"
    r"(?:ください|ね|くれ)?"
)
_JAPANESE: Final = rf"{_JAPANESE_ASKS}[、,:：。\s]+"
_JAPANESE_BEHIND: Final = (
    r"(?P<said>.{4,}?)(?:(?:だ|である)?という(?:こと|の)を?|ことを|と)、?"
    rf"{_JAPANESE_ASKS}[。！!]*$"
)


def kept_words(sentence: str) -> str | None:
    """What is to be remembered; None if nobody asks for that."""
    if asked := _before().match(sentence):
        rest = sentence[asked.end() :]
        return (rest.rstrip("?") if _POLITE.match(sentence) else rest) or None
    behind = _behind().match(sentence)
    return behind["said"] if behind else None


@cache
def _before() -> re.Pattern[str]:
    """Compiled when the first conversation comes."""
    spelled = "|".join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _RUSSIAN))
    return re.compile(rf"(?:{_PLEASE}(?:{spelled})|{_CHINESE}|{_JAPANESE})", re.IGNORECASE)


@cache
def _behind() -> re.Pattern[str]:
    return re.compile(_JAPANESE_BEHIND)
