"""Finds where somebody else's text begins in a line of running words.

After words that introduce it ("Anna wrote: …", "here is the ticket: …"), after a request that needs
a text ("translate this"), and where a mail, a chat or a letter was flattened into the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from remem.model.authorship.lines import CHAT, FORWARDED, LETTER, MAIL, PAGE, QUOTED, ROLES
from remem.model.authorship.marks import mark

INTRODUCED: Final = "introduced as such"
GIVEN: Final = "a text to work on"
ASKED_ABOUT: Final = "it follows a request about a text"
REPORTED: Final = "it is introduced as somebody else's words"

_LONGEST_LEAD: Final = 240
_TOPIC_WORDS: Final = 2
_TOPIC_SIGNS: Final = 6
_LABELLED: Final = re.compile(
    r"\b(?:rules?|decisions?|preferences?|conventions?|notes?|todos?|tasks?|reminders?|facts?|things?|"
    r"regeln?|entscheidung(?:en)?|vorlieben?|aufgaben?|notiz(?:en)?|règles?|décisions?|préférences?|"
    r"tâches?|reglas?|decisi(?:ón|ones)|preferencias?|tareas?|notas?|правил[оа]|решени[ея]|задач[аи])\b"
    r"|规则|规矩|规定|约定|决定|偏好|任务|ルール|決定|好み|タスク",
    re.IGNORECASE,
)
_LONGEST_SENTENCE: Final = 600
_MOST_COLONS: Final = 40
_SENTENCE_END: Final = re.compile(r"[.!?](?:[\"”’)]*)(?=\s|$)|[。！？]")
_COLON: Final = re.compile(r":(?!//)(?!\d)(?![)(DPp/](?:\s|$))|→|=>")
_QUOTE: Final = re.compile(r"(?<=[.!?:)\]\"”>…,]\s)>+\s?\S|(?:^|\s)>{2,}\s\S")
_FORWARD: Final = re.compile(r"[-–—_=*]{2,}\s*")
_FRONT: Final = re.compile(r"(?:^|\s)---\s+[\w-]+\s?:\s.{1,2000}?\s---(?:\s|$)")
_CHAT: Final = re.compile(
    r"(?:^|\s)[\[(]\d{1,2}:\d\d(?::\d\d)?[^\])]{0,20}[\])]\s?<?[^\W\d_][^:<>\n]{0,40}[>:]"
)
_INTRO: Final = re.compile(
    r"\b(?:here(?:['’]?s| is| are| comes)?|below|this|these|following|follows|attached|"
    r"pasted|pasting|paste|copying|"
    r"got|received|found|see|copied|forwarded|hier|folgend\w*|unten|dies\w{0,2}|bekam|bekommen|"
    r"erhalten|gefunden|voici|suivante?|ci-dessous|reçu|aquí|siguiente|abajo|recibí|este|esta|вот|"
    r"следующ\w+|ниже|этот?|эта|получил[аи]?)\b"
    r"|以下|下面|这[是封篇段条]?|收到|来自|これ|この|次の|下記|届いた|からの",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"\W*(?:\w+\W+){0,2}(?:from|by|via|von|aus|de|du|des|от|из)\b", re.IGNORECASE
)
_TOPICS: Final = frozenset(
    """answers replies responses drafts translations summaries antworten übersetzungen entwürfe
    réponses traductions respuestas traducciones ответы переводы""".split()
)
_ASKS: Final = re.compile(
    r"\?\s*[\"”’)]*$|？|^\W*(?:please|can|could|would|will|may|help|let['’]s|i need|i['’]d like|"
    r"i want|need|how (?:would|should|do)|what|hi|hey|ok|kannst|könn\w*|würd\w*|bitte|hilf|wie|was|"
    r"peux|pouvez|pourr\w*|merci de|aide|que|qu['’]|comment|puedes|podrías|por favor|ayúda\w*|qué|"
    r"cómo|можешь|можете|пожалуйста|помоги\w*|как|что|请|請|帮|幫|麻烦|能)",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(
    r"\b(?:this|these|the following|below|attached|dies\w{0,2}|das hier|folgend\w*|unten|ceci|"
    r"suivante?s?|ci-dessous|esto|siguientes?|abajo|это|следующ\w+|ниже)\b(?:\s\S+){0,3}\W*$|"
    r"以下|下面|这[个封篇段条]?|これ|この|次の|下記",
    re.IGNORECASE,
)
_SHOWS: Final = re.compile(
    r"\b(?:this|these|dies\w{0,2}|ce(?:tte|t|s)?|ceci|est[eao]s?|эт\w{1,2}|тут)\b|[这這]|この|これ",
    re.IGNORECASE,
)
_VERBATIM: Final = re.compile(
    r"\b(?:this|the following|as follows|word for word|verbatim|folgend\w*|wörtlich|wort für wort|"
    r"ceci|mot pour mot|ce qui suit|esto|lo siguiente|palabra por palabra|следующ\w+|"
    r"слово в слово|дословно)\b|以下|如下|原话|次の|下記",
    re.IGNORECASE,
)
_BEFORE_ORDERS: Final = ("", "and", "then", "now", "ok", "so", "just", "und", "et", "y", "и")
_CJK_ORDER: Final = re.compile(
    r"ください|下さい|くれ|お願い|して[。！!]?\s*$|[请請帮幫]|一下|[吧呢]"
)
_CJK: Final = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Cut:
    """The place in a line from which it is not plainly the speaker's.

    Without a `doubt` it is foreign: to the end of the turn, or of its `paragraph`. With a doubt
    only the lines `below` are foreign. `request` is where the sentence begins that asks for
    something to be done with a text. `opens` says that a text is announced.
    """

    at: int
    what: str
    doubt: str | None = None
    paragraph: bool = False
    request: int | None = None
    below: bool = False
    opens: bool = False


def cut_in(line: str, *, follows: bool) -> Cut | None:
    """The first such place; `follows` says that the turn has further lines."""
    found = [cut for cut in _cuts(line, follows=follows) if cut is not None]
    return min(found, key=lambda cut: cut.at, default=None)


def _cuts(line: str, *, follows: bool) -> Iterator[Cut | None]:
    yield _flat_mail(line)
    if found := _QUOTE.search(line):
        yield Cut(found.start(), QUOTED)
    for forward in mark("forwarded").finditer(line):
        if dashes := _FORWARD.search(line[max(0, forward.start() - 20) : forward.start()]):
            yield Cut(max(0, forward.start() - 20) + dashes.start(), FORWARDED)
    if found := _FRONT.search(line):
        yield Cut(found.start(), PAGE)
    if found := mark("role_inside").search(line):
        yield Cut(found.start(), ROLES)
    if found := _CHAT.search(line):
        yield Cut(found.start(), CHAT)
    yield _lead(line)
    yield from _sentences_that_ask(line, follows=follows)


def _flat_mail(line: str) -> Cut | None:
    """Two different headers, of which one begins a mail."""
    headers = [found for found in mark("header").finditer(line) if not found["name"][0].islower()]
    names = {found["name"].lower() for found in headers}
    first = headers[0] if headers else None
    if first is None or not any(
        mark("sender").match(line, header.start("name")) for header in headers
    ):
        return None
    addressed = re.match(r"[^:]{1,12}:\W{0,4}[^@:]{0,60}@", line[first.start("name") :])
    return Cut(first.start("name"), MAIL) if len(names) > 1 or addressed else None


def _lead(line: str) -> Cut | None:
    for colon in islice(_COLON.finditer(line), _MOST_COLONS):
        begin = max(0, colon.start() - _LONGEST_LEAD)
        ends = _SENTENCE_END.finditer(line, begin, colon.start())
        lead = line[max((end.end() for end in ends), default=begin) : colon.start()]
        if cut := _judged(lead, colon.end()):
            return cut
    return None


def _judged(lead: str, at: int) -> Cut | None:
    own = mark("own_lead").match(lead) or mark("whenever").match(lead)
    says = mark("says").search(lead)
    if says and not mark("self").search(lead[: says.start()]):
        if own:
            return Cut(at, INTRODUCED, REPORTED)
        return Cut(at, INTRODUCED, paragraph=True, opens=True)
    page, intro = mark("page").search(lead), _INTRO.search(lead)
    if page and not own and (intro or _FROM.match(lead, page.end())):
        return Cut(at, INTRODUCED, opens=True)
    if own:
        return None
    on_text, on_any = mark("work_on_text").search(lead), mark("work_on_any").search(lead)
    verb = on_text or on_any
    if lead.strip(" *_-•").lower() in _TOPICS:
        return None
    if verb is None:
        return None if _is_own_lead(lead) else Cut(at, INTRODUCED, REPORTED, opens=True)
    asked = _ASKS.search(lead.strip()) or _is_order(lead, verb.start())
    if asked and (on_text or intro or page):
        return Cut(at, INTRODUCED, opens=True)
    return Cut(at, INTRODUCED, ASKED_ABOUT) if asked or not _is_own_lead(lead) else None


def _is_own_lead(lead: str) -> bool:
    """Whether words before a colon name a topic or a kind of statement, or the speaker is in them;
    others introduce something that may be anybody's."""
    if mark("came").search(lead):
        return False
    return (
        (len(lead.split()) <= _TOPIC_WORDS and len(_CJK.findall(lead)) <= _TOPIC_SIGNS)
        or mark("self_speaks").search(lead) is not None
        or mark("about_me").search(lead) is not None
        or _LABELLED.search(lead) is not None
    )


def _sentences_that_ask(line: str, *, follows: bool) -> Iterator[Cut]:
    start = 0
    ends = [end.end() for end in _SENTENCE_END.finditer(line)]
    if not ends or line[ends[-1] :].strip():
        ends.append(len(line))
    for end in ends:
        sentence = line[start : min(end, start + _LONGEST_SENTENCE)]
        if start and (found := _letter(sentence)):
            yield Cut(start + found, LETTER)
        last = not line[end:].strip()
        if cut := _asking(sentence, start, end, last=last, follows=follows) or _question(
            sentence, start, end, last=last, follows=follows
        ):
            yield cut
        if start == 0 and mark("farewell_inside").search(line):
            salutation = mark("salutation").match(line)
            if salutation and salutation["to"] and not mark("assistant").match(salutation["to"]):
                yield Cut(0, LETTER)
        start = end


def _letter(sentence: str) -> int | None:
    """Where a letter begins behind a sentence: with a salutation by name."""
    found = mark("salutation").match(sentence)
    if found is None or found["to"] is None or mark("assistant").match(found["to"]):
        return None
    return len(sentence) - len(sentence.lstrip())


def _asking(sentence: str, start: int, end: int, *, last: bool, follows: bool) -> Cut | None:
    """A request that needs a text: the text follows it, or was there before."""
    if mark("whenever").match(sentence) or mark("own_lead").match(sentence):
        return None
    on_text = mark("work_on_text").search(sentence)
    on_any = mark("work_on_any").search(sentence)
    verb = on_text or on_any
    if verb is None or not (_ASKS.search(sentence.strip()) or _is_order(sentence, verb.start())):
        return None
    above = mark("above").search(sentence)
    if on_text and (mark("this").search(sentence) or above):
        return Cut(end, GIVEN, ASKED_ABOUT, request=start, below=not above)
    if on_text and follows and not sentence.strip().endswith(","):
        return Cut(end, GIVEN, ASKED_ABOUT, request=None)
    if last and _is_order(sentence, verb.start()) and mark("this").search(sentence):
        return Cut(end, GIVEN, ASKED_ABOUT, request=start)
    if above or _POINTS.search(sentence):
        return Cut(end, GIVEN, ASKED_ABOUT, request=start if above else None)
    return None


def _question(sentence: str, start: int, end: int, *, last: bool, follows: bool) -> Cut | None:
    """A question that points at a text, or one behind which a new line begins: what follows may be
    what it is about. Likewise when somebody says "the following"."""
    says = mark("says").search(sentence)
    told = says and not mark("self").search(sentence[: says.start()])
    if (told or mark("came").search(sentence)) and _VERBATIM.search(sentence):
        return Cut(end, GIVEN, REPORTED)
    if not sentence.strip().rstrip('"”’)*_').endswith(("?", "？")):
        return None
    about = mark("page").search(sentence) or not mark("speaks").search(sentence)
    if (last and follows) or _SHOWS.search(sentence) or (start == 0 and about):
        return Cut(end, GIVEN, ASKED_ABOUT)
    return None


def asks(text: str) -> bool:
    """Whether words ask for something."""
    verb = mark("work_on_text").search(text) or mark("work_on_any").search(text)
    asked = "?" in text or "？" in text or _ASKS.search(text)
    return bool(asked) or (verb is not None and _is_order(text, verb.start()))


def _is_order(sentence: str, verb: int) -> bool:
    """Whether the verb comes first, as in an order; in Chinese and Japanese it may be anywhere."""
    before = sentence[:verb].strip(" ,-*•").lower()
    return before in _BEFORE_ORDERS or _CJK_ORDER.search(sentence) is not None
