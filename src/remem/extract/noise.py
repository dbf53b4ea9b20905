"""Recognises what does not last: status, logs, templates, conversations, digests."""

from __future__ import annotations

import re
from typing import Final, Literal

from remem.text.words import has_grams, words

Shape = Literal["daily", "topic", "conversation", "digest", "machine"]

STATUS: Final = "status"
LOG: Final = "log"
TASK: Final = "task"
TEMPLATE: Final = "template"
PROMOTED: Final = "promoted by the host, says nothing that lasts"
CONVERSATION: Final = "conversation"
DIGEST: Final = "digest of what others published"
MACHINE: Final = "machine state"
CODE: Final = "code"
FLUSHED: Final = "flushed from a conversation: its home has it already"
PASSING: Final = "nothing in it says that it lasts"

_STATUS: Final = re.compile(
    r"^\W*(?:status|pending|in progress|waiting for|heartbeat|todo|wip|blocked|next up|offen|"
    r"erledigt|wartet auf|статус|в процессе|ожида\w+|estado|pendiente|en curso|statut|en attente|"
    r"状态|待处理|进行中|等待|状況|保留|作業中|対応中)\b\W"
    r"|heartbeat[_ ]ok|\bno (?:active|new|open|pending) \w+|nothing (?:new|to report)|all "
    r"(?:checks|tests) "
    r"(?:are )?(?:green|pass)|\b(?:build|tests?|checks?|jobs?)\b[^.]{0,30}\b(?:passed|passing|"
    r"green|failed)\b"
    r"|\b\d+ ?(?:→|->|=>) ?\d+\b|^\W*✅|✅\W*$|\b(?:deployed|merged|pushed|shipped)\W*$"
    r"|\b\d+(?:/\d+)? (?:tests? )?(?:passed|passing)\b|keine (?:neuen|offenen) |nichts neues"
    r"|без изменений|нет новых|sin novedades|rien à signaler|一切正常|无新|沒有新|没有新|无异常|"
    r"運行正常|"
    r"运行正常|测试(?:全部)?通过|已完成\W*$|異常なし|変化なし|問題なし|正常に(?:完了|動作)|"
    r"完了\W*$",
    re.IGNORECASE,
)
_EVENT: Final = re.compile(
    r"^\W*(?:\d{1,2}:\d\d|\[\d{1,2}:\d\d|(?:fixed|deployed|reviewed|merged|pushed|wrote|ran|met|"
    r"sent|read|built|"
    r"bought|paid|told|got|held|went|upgraded|updated|investigated|ordered|answered|called|"
    r"checked|cleaned|"
    r"drafted|compared|rewrote|measured|prepared|tried|set up|walked|booked|migrated|asked|"
    r"postponed|recorded|"
    r"restored|refactored|benchmarked|moved|noted|translated|closed|generated|explained|interview|"
    r"renewed|"
    r"planted|watched|sorted|filled|session|tested|added|removed|created|implemented|completed|"
    r"finished|started|"
    r"released|published|posted|received|worked|continued|debugged|installed|configured|lunch|"
    r"dinner|meeting|"
    r"call|spent|discussed|synced|cleaned|resolved|verified|attended|visited|shipped|rolled)\b)"
    r"|^\W*(?!need|used|based|united|limited|required|preferred|shared|related|named|called|"
    r"hundred|feed|"
    r"seed|speed|indeed|bleed|breed|greed|need|weed)[a-z]{3,}ed\b"
    r"|^\W*(?:[\w'’-]+ ){1,4}(?:called|sent|reports?|reported|said|asked|told|paid|met|wrote|"
    r"answered|took \d|"
    r"rolled back|was (?:down|up|late|sick)|went|came by|arrived|failed|finished|stopped by)\b"
    r"|\b\d\d:\d\d (?:to|bis|until|-|–) \d\d:\d\d\b|, \d+ minutes\W*$"
    r"|^\W*(?:今天|昨天|上午|下午|晚上|早上)|^\W*(?:完成|修复|部署|更新|提交|测试|合并)(?!之?[前后])了?|"
    r"了[。.]?$"
    r"|^\W*(?:今日|昨日|午前|午後)|(?:しました|した|行った|完了|済み)[。.]?$"
    r"|^\W*\w+(?:лся|лась|лись|ил|ила|или|ал|ала|али|ел|ела|ели)\b"
    r"|^\W*(?:heute|gestern|vormittags|nachmittags)\b|\b(?:wurde|wurden|habe|haben) .*(?:t|"
    r"en)[.!]?$"
    r"|^\W*(?:hoy|ayer|se (?:hizo|corrigió|actualizó|desplegó))\b|^\W*(?:aujourd['’]hui|hier|a "
    r"été)\b",
    re.IGNORECASE,
)
_SPEAKER: Final = re.compile(
    r"^[^\w\n]*(?:user|assistant|human|ai|system|tool)\W{0,3}[:：]", re.I | re.M
)
_DIGEST: Final = re.compile(
    r"\b(?:news|digest|rss|headlines|briefing|newsletter|hacker ?news|feed|web ?clip|presseschau|"
    r"nachrichten|новости|дайджест|noticias|actualités)\b|新闻|早报|晚报|资讯|ニュース",
    re.IGNORECASE,
)
_SESSION: Final = re.compile(
    r"^#\s*(?:Session|Conversation|Chat|会话|对话|Сессия)\b.{0,80}$", re.I | re.M
)
_MACHINE: Final = re.compile(r"(?:^|/)(?:dreaming|\.dreams|heartbeats?|cron|cycles|state|recall)/")
_DAILY: Final = re.compile(
    r"(?:^|/)(?:archive|diary|journal|logs?|tasks?|schedules?|daily|review|reviews)/|"
    r"20\d\d-?\d\d-?\d\d|20\d\d-\d\d\b|20\d\d-?W\d\d",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(
    r"^\s*(?:\[|\*\*|\()?\d{1,2}[:：]\d\d(?:[:：]\d\d)?(?: ?[ap]m\b)?"
    r"(?:\]|\*\*:?|\))?(?:\s*[-–—:·|])?\s+",
    re.IGNORECASE,
)
_LINK: Final = re.compile(r"\W*(?:\[[^\]]*\]\([^)]*\)|https?://\S+)\W*")


TELLING: Final = 2_000
"""What a statement is shows in so many characters of it; no expression is tried on more."""


def shape_of(path: str, text: str) -> Shape:
    """What kind of note a file is, by its place, its name and how it begins."""
    name = path.rsplit("/", 1)[-1]
    head = text[:4_000]
    if _MACHINE.search(path):
        return "machine"
    if len(_SPEAKER.findall(text)) >= 4 or (_SESSION.search(head) and _SPEAKER.search(text)):
        return "conversation"
    first = next((line for line in head.splitlines() if line.strip()), "")
    if _DIGEST.search(name.replace("-", " ").replace("_", " ")) or (
        first.startswith("#") and _DIGEST.search(first)
    ):
        return "digest"
    return "daily" if _DAILY.search(path) else "topic"


def is_status(text: str) -> bool:
    """Whether a line only tells how something stood at a moment."""
    return len(text) < 240 and _STATUS.search(text) is not None


def is_event(text: str) -> bool:
    return _EVENT.search(text[:TELLING]) is not None


def untimed(text: str) -> str:
    """A line of a day without the time in front, which says when it was written and not what."""
    return _CLOCK.sub("", text, count=1)


def is_link(text: str) -> bool:
    return _LINK.fullmatch(text) is not None


def is_code(text: str) -> bool:
    """Code that nothing introduces."""
    return text.startswith(("```", "~~~"))


def too_short(text: str) -> bool:
    return len(words(text)) < (5 if has_grams(text) else 4)
