"""Marks of text that somebody else wrote, as data, and long quotations in running text.

The marks are mail headers, forwards, letters, chats, logs and leads.

The languages are those that conversations are learned from (English, German, French, Spanish,
Russian, Chinese, Japanese); mail programs' own words are known in a few more. All patterns are
matched against lines whose colons, spaces and quote markers were made plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from remem.model.authorship.evidence_words import EVIDENCE
from remem.model.authorship.lead_words import LEADS

SENDER: Final = (
    r"from|to|subject|reply-to|return-path|message-id|von|betreff|expéditeur|destinataire|objet|"
    r"remitente|destinatario|asunto|от кого|от|кому|тема письма|"
    r"发件人|寄件人|寄件者|收件人|收件者|主旨|"
    r"差出人|送信者|宛先|件名|mittente|oggetto|assunto|onderwerp|nadawca"
)
"""Header names that begin a mail by themselves."""
HEADER: Final = (
    SENDER + r"|cc|bcc|date|sent|received|x-[\w-]+|mime-version|content-type|an|kopie|datum|"
    r"gesendet(?: am)?|antwort an|de|à|copie|envoyé(?: le)?|para|fecha|enviado(?: el)?|копия|дата|"
    r"тема|отправлено|主题|抄送|日期|发送时间|時間|时间|日時|送信日時|日付|"
    r"da|a|data|inviato|enviad[ao] em|"
    r"van|aan|verzonden|od|do|temat|wysłano"
)
_FORWARDED: Final = (
    r"forwarded (?:message|mail|e-?mail)|begin forwarded|original (?:message|mail|e-?mail)|"
    r"(?:start|begin(?:ning)?) of (?:the )?(?:message|mail|e-?mail|quote|document|page)|"
    r"weitergeleitete (?:nachricht|e-?mail|mail)|anfang der weitergeleiteten|"
    r"ursprüngliche (?:nachricht|e-?mail|mail)|originalnachricht|message (?:transféré|réexpédié|"
    r"d['’]origine|original)|début du message|mensaje (?:reenviado|original)|"
    r"inicio del mensaje|пересылаемое (?:сообщение|письмо)|пересланное (?:сообщение|письмо)|"
    r"исходное (?:сообщение|письмо)|начало (?:переадресованного|пересылаемого) сообщения|"
    r"转发的?(?:邮件|消息|信息)|原始(?:邮件|信息|消息)|轉寄(?:的)?郵件|原始郵件|"
    r"転送(?:された)?(?:メッセージ|メール)|元のメッセージ|元のメール|"
    r"messaggio (?:inoltrato|originale)|mensagem (?:encaminhada|original)|"
    r"doorgestuurd bericht|oorspronkelijk bericht"
)
_SALUTATION: Final = (
    r"(?:hi|hey|hello|(?:my )?dear(?:est)?|coucou|внучек|мой дорог\w+|"
    r"good (?:morning|afternoon|evening)|greetings|to whom it may concern|"
    r"hallo|liebe[rs]?|sehr geehrte[rs]?|guten (?:tag|morgen|abend)|servus|moin|"
    r"bonjour|bonsoir|salut|ch(?:er|ère)s?|madame|monsieur|"
    r"hola|buen[oa]s (?:días|tardes|noches)|estimad[oa]s?|querid[oa]s?|"
    r"привет|здравствуйте?|добрый день|добрый вечер|уважаем\w+|дорог(?:ая|ой|ие))"
)
_ASSISTANT: Final = (
    r"claude|codex|chat ?gpt|gpt|gemini|assistant|openclaw|agent|bot|there|computer|buddy|"
    r"du|zusammen|again|assistent|ассистент"
)
_FAREWELL: Final = (
    r"(?:(?:kind|best|warm|many)(?:est)? (?:regards|wishes)|regards|best|cheers|"
    r"sincerely(?: yours)?|"
    r"yours (?:sincerely|truly|faithfully)|respectfully|all the best|take care|"
    r"(?:your )?(?:loving|faithful)|love|xoxo|kisses|bisous|alles liebe|un beso|besos|целую|"
    r"with (?:kind )?"
    r"regards|(?:viele|beste|liebe|schöne|herzliche|freundliche) grüße|(?:mit )?(?:freundlichen|"
    r"besten|lieben|herzlichen) grüßen|mfg|lg|vg|gruß|"
    r"cordialement|bien à (?:vous|toi)|sincères salutations|amicalement|meilleures salutations|"
    r"(?:un )?saludos?(?: cordiales)?|atentamente|un abrazo|cordialmente|"
    r"с уважением|с наилучшими пожеланиями|всего доброго|"
    r"此致|敬礼|敬禮|祝好|顺颂商祺|敬具|草々|よろしくお願いいたします|よろしくお願いします|"
    r"distinti saluti|atenciosamente|met vriendelijke groet)"
)
_CAPITALS: Final = r"[^\W\d_a-zà-ÿа-яё][\w.'’-]*(?: [^\W\d_a-zà-ÿа-яё][\w.'’-]*){0,3}"
_FOOTER: Final = (
    r"^-- $|^--$|\bsent from my\b|\bgesendet von mein|envoyé de mon|enviado desde mi|отправлено с|"
    r"\bunsubscribe\b|\ball rights reserved\b|©|\bprivacy (?:policy|notice)\b|\bcookie (?:policy|"
    r"settings|notice)\b|\bterms (?:of (?:use|service)|and conditions)\b|\bconfidential(?:ity)? "
    r"notice\b|\bintended (?:solely )?for the (?:addressee|recipient)|^\W*(?:read more|share this|"
    r"newsletter|menu|log ?in|sign up|subscribe|impressum|datenschutz\w*|agb|kontakt)\b\W*$|"
    r"\bpublished (?:on|by)\b|\b\d+ min(?:ute)? read\b|^\W*(?:§+\s?\d|\d+\.\d+\s|section \d|"
    r"article \d|artikel \d|clause \d)|"
    r"mentions légales|aviso legal|все права защищены|版权所有|著作権"
)
_ENDS: Final = (
    r"\W*(?:end of|ende de[rs]|fin d[ue]l?|конец|the end\b|end (?:mail|message|quote|forwarded|"
    r"document|page|paste)|eof\b|snip\b)|^(?:.{0,12}(?:结束|完)|.{0,20}(?:ここまで|終わり|以上))\W*$"
)
_PROMPT: Final = (
    r"(?:^|[.!?\n]\s*)(?:you are (?:now )?(?:an?|the|my)?\s?(?:\w+ ){0,4}(?:assistant|ai|agent|bot|"
    r"chatbot|model|expert|gpt|claude|system|secretary|butler)|act as |"
    r"your (?:role|task|job|goal) is|"
    r"du bist (?:jetzt )?(?:ein\w*|der|die|das|mein\w*)|tu es (?:une?|mon)|vous êtes une?|eres un|"
    r"ты\s?[—-]?\s?(?:мой )?(?:помощник|ассистент|бот)|你是(?:一[个名位])?|あなたは)"
)
_ROLE: Final = (
    r"(?:user|assistant|system|human|ai|developer|tool|bot|model|chatgpt|claude|instructions? to "
    r"(?:the )?(?:ai|assistant|agent))"
)
_LOG: Final = (
    r"\[?\d{4}[-/.]\d\d?[-/.]\d\d?[T ,]+\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:INFO|WARN(?:ING)?|ERROR|"
    r"DEBUG|TRACE|FATAL|NOTICE|CRITICAL)\b\]?[:\s]|Traceback \(most|\s*File \"|\s+at [\w.$<>]+\(|"
    r"\$ \S|PS [A-Z]:\\|npm (?:ERR|WARN)|(?:GET|POST|PUT|DELETE|PATCH) /|[\w.-]+@[\w.-]+:\S*[$#] |"
    r">>> |(?:\+\+\+|---) [ab]/|@@ -\d|diff --git|commit [0-9a-f]{7,}|"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d "
)
_TIME: Final = r"\d{1,2}[:.]\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DAY: Final = r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}"
_CHAT: Final = (
    rf"[\[(]?(?:{_DAY},?\s*)?{_TIME}[\])]?\s*[-–|]?\s*<?[^\W\d_][^:<>\n]{{0,40}}[>:]\s?\S"
    rf"|<[@+%]?[\w\[\]|-]{{2,24}}>\s\S"
    rf"|[^\W\d_][\w .'’-]{{0,40}}[,\s]*[\[(]?(?:{_DAY},?\s*)?{_TIME}[\])]?\s*:?\s*$"
    rf"|[^\W\d_][\w .'’-]{{0,40}}\s[\[(](?:{_DAY},?\s*)?{_TIME}[\])]\s?:\s?\S"
)
_NAMED: Final = (
    r"[-*•]?\s?(?:@?[A-ZÀ-ÞА-ЯЁ][\w.'’-]*(?: [A-ZÀ-ÞА-ЯЁ][\w.'’-]*){0,2}|[\u4e00-\u9fff]{2,4})"
    r":\s?\S"
)
_CONTINUED: Final = (
    r"\W*(?:continu(?:ed|ation|ing)|cont(?:['’]d|\.)|part \d|the (?:rest|second (?:half|part))|"
    r"\d\s?/\s?\d|fortsetzung|teil \d|der rest|weiter geht|suite\b|la suite|partie \d|continúa|"
    r"continuación|parte \d|продолжение|часть \d|续|接上|下半|第[二三四\d]部分|続き|つづき)|"
    r"\s*(?:…|\.\.\.)"
)
_ANNOUNCED: Final = (
    r"\b(?:i(?:['’]ll| will) (?:paste|send|post|copy)|pasting|in (?:two|three|several|\d) (?:parts|"
    r"messages|pieces)|next message|part (?:1|one)|1\s?/\s?\d|ich (?:schicke|kopiere|füge)|"
    r"nächste nachricht|in (?:zwei|drei|mehreren) teilen|"
    r"en (?:deux|plusieurs) (?:parties|messages)|"
    r"en (?:dos|varias) partes|в (?:двух|нескольких) (?:частях|сообщениях))|"
    r"分(?:两|几|三)(?:次|段|条)|を貼る|贴给你|te paso|"
    r"分けて(?:送|貼)"
)
_PASTE_PLEASE: Final = (
    r"\b(?:paste|share|send|provide|forward|copy|give|show)\b[^.?!]{0,60}\b(?:text|e-?mail|mail|"
    r"message|article|content|document|log|letter|draft|it here|page|thread|transcript)\b|"
    r"\b(?:schick|kopier)\w*\b[^.?!]{0,60}\b(?:text|mail|nachricht|artikel)|\bfüg\w*\b|einfügen|"
    r"\bpaste\b|go ahead|粘贴|贴|请(?:提供|发送)|встав(?:ь|ьте)|\bp[ée]ga\w*|\bcolle\w*|"
    r"貼って|貼り付けて|送って|\b(?:colle[zr]?|envoie|envoyez)\b[^.?!]{0,60}\b(?:texte|message|mail)|"
    r"\b(?:pega|envía)\w*\b[^.?!]{0,60}\b(?:texto|mensaje|correo)|пришли\w*[^.?!]{0,60}(?:текст|"
    r"письмо)"
)
_EVERYONE: Final = (
    r"\W*(?:@\w+|(?:hi |hello |dear )?(?:team|all|everyone|everybody|folks|colleagues|guys|"
    r"(?:dear |valued )?customers?|residents|students|employees|users)|an alle|liebe kolleg\w+|"
    r"(?:liebe )?kolleg\w+|leute|chers? (?:tous|collègues)|à tous|equipo|estimados|a todos|"
    r"коллеги|всем|各位\w{0,4}|大家|皆さん|皆様)\s?[,:!，：！、。]"
)


_PATTERNS: Final = {
    **EVIDENCE,
    **LEADS,
    "forwarded": _FORWARDED,
    "header": rf"(?:^|(?<=[\s>*_|]))(?P<name>{HEADER})[*_]{{0,2}}\s?:[*_]{{0,2}}(?=\s|\S)",
    "sender": rf"[\s>*_|-]*(?:{SENDER})[*_]{{0,2}}\s?:[*_]{{0,2}}\s*\S",
    "formal": r"\W*(?:(?:my )?dear(?:est)?|coucou|liebe[rs]?|sehr geehrte[rs]?|ch(?:er|ère)s?|"
    r"estimad[oa]s?|querid[oa]s?|уважаем\w+|дорог\w+|внучек|亲爱|尊敬)\b[^.!?\n]{2,40}[,!:，：]",
    "salutation": rf"\W*{_SALUTATION}(?P<to>(?:\s+[^\s,!:;.?]+){{0,4}})\s?[,!:;，！：]|"
    r"\W*(?:尊敬的|亲爱的|親愛的)[^\n:，,]{1,20}[:，,]|[^\n]{1,20}(?:様|さま|各位)\s*$|"
    r"\W*お世話になって",
    "assistant": rf"\s*(?:{_ASSISTANT})\b|\s*$",
    "farewell": rf"\W{{0,3}}{_FAREWELL}\s?[,!.，。]?(?:\s*(?-i:{_CAPITALS}))?\W*$",
    "farewell_inside": rf"[.!?。]\s*{_FAREWELL}\s?[,!.，]?\s*(?-i:{_CAPITALS})\W*$",
    "signed": rf"[.!?。]\s+{_FAREWELL}\s?,\s+(?-i:{_CAPITALS})",
    "footer": _FOOTER,
    "ends": _ENDS,
    "prompt": _PROMPT,
    "role": rf"[\W_]{{0,6}}(?:{_ROLE})(?:\s?\([^)]{{0,20}}\))?[*_]{{0,2}}\s?:|"
    r"\W{0,3}(?:<\|\w+\|>|\[/?INST\]|<<SYS>>|###\s?(?:instruction|system|user|response|human))",
    "continued": _CONTINUED,
    "announced": _ANNOUNCED,
    "paste_please": _PASTE_PLEASE,
    "everyone": _EVERYONE,
}
_EXACT: Final = {
    "log": _LOG,
    "chat": _CHAT,
    "timed": rf"[\[(]?{_TIME}[\])]?\s+[^\W\d_]\S*\s+\S|"
    r"[\[(][^\]\)]{0,40}\d:\d\d[^\]\)]{0,20}[\])]\s*\S|"
    r"[@\w][\w .@]{1,40} · \S.{0,20}$",
    "named": _NAMED,
    "role_inside": r"(?<=[.!?:\"”)\]]\s)"
    r"(?:User|Assistant|System|Human|AI|SYSTEM|USER|ASSISTANT)\s?:",
}


@cache
def mark(name: str) -> re.Pattern[str]:
    """The compiled pattern of this name; compiled when the first conversation is read."""
    if name in _EXACT:
        return re.compile(_EXACT[name])
    return re.compile(_PATTERNS[name], re.IGNORECASE)


_LONG: Final = 30
_WORDS: Final = 5
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_LONG_CJK: Final = 10
_LONGEST_TITLE: Final = 80
_LOOKED_BEHIND: Final = 60
_MARKS: Final = (
    r"“[^“”\"]*[”\"]|‚[^‚‘’]*[‘’]|„[^“”„\"]*[“”\"]|«[^«»]*»|»[^«»]*«|‹[^‹›]*›|「[^「」]*」|『[^『』]*』|《[^《》]*》|"
    r"‘[^‘’]*(?:’(?=\w)[^‘’]*)*’(?!\w)|\"[^\"]*\"|＂[^＂]*＂|''[^']{10,}''|"
    r"(?<![\w'])'(?=\w)[^'\n]*(?:'(?=\w)[^'\n]*)*'(?!\w)|``[^`]+``|`[^`]+`"
)
_UNCLOSED: Final = re.compile(r"[“„«「『‘](?=\S)|(?:^|(?<=\s))\"(?=\w)")
_QUOTATIONS_ENDS: Final = re.compile(r"[.!?](?=\s)|[。！？]|\n")


@cache
def _marks() -> re.Pattern[str]:
    return re.compile(_MARKS)


def units(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces at the ends of sentences, each with what it is: "" without a long
    quotation, "inside" if one is part of the sentence, "quoted" if it is nothing else.

    The pieces are the whole text in its order, without what is between them."""
    at = 0
    for start, end, kind in _quoting(text):
        if start > at and (before := text[at:start].strip()):
            yield before, ""
        if quoting := text[max(at, start) : end].strip():
            yield quoting, kind
        at = max(at, end)
    if rest := text[at:].strip():
        yield rest, ""


def _quoting(text: str) -> Iterator[tuple[int, int, str]]:
    at = 0
    for start, end in _spans(text):
        if start < at:
            continue
        begin = max((m.end() for m in _QUOTATIONS_ENDS.finditer(text, at, start)), default=at)
        done = _QUOTATIONS_ENDS.search(text, end)
        stop = done.end() if done else len(text)
        lead, behind = text[begin:start].strip(), text[end:stop][:_LOOKED_BEHIND]
        quoted = not lead.strip("-*•> ") or _says(lead) or _says(behind)
        if _closes(text[start:end]) and not _says(behind):
            stop = end  # the quotation ends its sentence
        yield begin, stop, "quoted" if quoted else "inside"
        at = stop


def _closes(quotation: str) -> bool:
    return quotation.rstrip("\"'”“»«’」』›‹` ").endswith((".", "!", "?", "。", "！", "？"))


def _says(words: str) -> bool:
    """Whether the words around a quotation say whose it is, and it is not the speaker's."""
    says = mark("says").search(words)
    return says is not None and mark("self").search(words[: says.start()]) is None


def _spans(text: str) -> list[tuple[int, int]]:
    """Where long quotations are; one that is never closed goes to the end."""
    found = [m.span() for m in _marks().finditer(text)]
    long = [span for span in found if _is_long(text[span[0] : span[1]])]
    open_ = next(
        (
            m.start()
            for m in _UNCLOSED.finditer(text)
            if not any(a <= m.start() < b for a, b in found)
        ),
        None,
    )
    if open_ is not None and _is_long(text[open_:]):
        long = [span for span in long if span[0] < open_]
        long.append((open_, len(text)))
    return long


def _is_long(quotation: str) -> bool:
    if _is_title(quotation):
        return False
    if _CJK.search(quotation):
        return len(quotation) > _LONG_CJK
    return len(quotation) >= _LONG or len(quotation.split()) >= _WORDS


def _is_title(quotation: str) -> bool:
    """Whether it names a work: its words are written large, and it is no sentence."""
    inside = quotation[1:-1].strip()
    if not inside or len(inside) > _LONGEST_TITLE or inside[-1] in ".!?:;,":
        return False
    words = [part for part in inside.split() if len(part) > 3]
    return len(words) > 1 and all(word[0].isupper() or word[0].isdigit() for word in words)
