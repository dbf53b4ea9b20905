"""Decide whether a question asks about the present or the past, in the languages of remem."""

from __future__ import annotations

import re
from typing import Final, Literal

Tense = Literal["present", "past", "open"]
"""present: what holds now. past: what held before. open: the question does not say."""

_PRESENT: Final = re.compile(
    r"\b(?:now(?:adays)?|current(?:ly)?|these days|at (?:the moment|present)|still|latest|newest"
    r"|any ?more|most recent(?:ly)?|as of today|up to date"
    r"|inzwischen|mittlerweile|derzeit|aktuell\w*|momentan|jetzt|heutzutage|noch immer|neueste\w*"
    r"|actuel(?:le)?(?:ment)?|maintenant|désormais|en ce moment|aujourd'hui"
    r"|actual(?:es|mente)?|ahora|hoy en día|todavía"
    r"|agora|atual(?:mente)?|hoje em dia|ainda|neste momento"
    r"|сейчас|теперь|текущ\w+|актуальн\w+|нынешн\w+)\b"
    r"|现在|目前|如今|当前|现行|最新|眼下|現在|今は|今の|いま|最近は|지금|현재|요즘|최신",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:before(?: (?:that|then|we|the (?:switch|move|change|migration)))?$|used to"
    r"|previous(?:ly)?|former(?:ly)?|original(?:ly)?|back then|in the past|at first"
    r"|initial(?:ly)?|earlier|once"
    r"|prior|old(?:er)?|until then|in the beginning|no longer"
    r"|früher\w*|vorher|ehemal\w+|ursprünglich\w*|damals|zuvor|bisherig\w+|anfangs|einst"
    r"|avant|auparavant|autrefois|ancien(?:ne)?s?|à l'origine|précédent\w*|initialement"
    r"|antes|anterior\w*|antiguamente|originalmente|al principio|antigu[oa]s?"
    r"|anteriormente|antigamente|no início|antig[oa]s?"
    r"|раньше|прежде|прежн\w+|бывш\w+|изначально|сначала|тогда)\b"
    r"|(?:what|which|who|where|how)\b.*\b(?:did|was|were)\b.*\bbefore\b"
    r"|以前|之前|原来|原先|过去|当初|曾经|早先|かつて|前は|前の|元々|もともと|昔|当時|当初|이전|예전|과거|원래",
    re.IGNORECASE,
)


def tense_of(question: str) -> Tense:
    """Return the time that a question asks about; words for the past are the stronger sign."""
    if _PAST.search(question):
        return "past"
    return "present" if _PRESENT.search(question) else "open"
