"""How foreign text gives itself away, as data: mail headers, forwards, letters, chats, logs, leads.

The languages are those that conversations are learned from (English, German, French, Spanish,
Russian, Chinese, Japanese); mail programs' own words are known in a few more. All patterns are
matched against lines whose colons, spaces and quote markers were made plain.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

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
_WROTE: Final = (
    r"\bwrote\b|\bwrites\b|\bschrieb\b|\bschreibt\b|\ba écrit\b|\bécrit\b|\bescribió\b|\bescribe\b|"
    r"\bнаписал[аи]?\b|\bпишет\b|\bпишут\b|写道|写信|來信|来信|書きました|書いた|"
    r"\bha scritto\b|\bescreveu\b|\bschreef\b|\bnapisał\w*"
)
_SAYS: Final = (
    _WROTE + r"|\b(?:says|(?:they|people|you) say|(?<!that )(?<!having )said|asks|asked|tells|told|"
    r"reads|replied|replies|answered|posted|commented|messaged|e-?mailed|texted|claims|claimed|"
    r"insists|insisted|states that|stated|instructs|instructed|sent|quot(?:es?|ing)|according to|"
    r"goes like this|got (?:this|the following))\b"
    r"|\b(?:sagte?n?|sagen|gesagt|meinte?|fragte?|bittet|bat|antwortete?|behauptet|steht|"
    r"geschrieben|geschickt|schickte|schickt|laut|zufolge)\b"
    r"|\b(?:dit|disait|demandé?|répond|répondu|envoyé|selon|d['’]après)\b"
    r"|\b(?:dice|dijo|dicho|pide|pidió|respondió|responde|pregunta|preguntó|envió|según)\b"
    r"|\b(?:говорит|говорят|сказал[аи]?|просит|попросил[аи]?|ответил[аи]?|спрашивает|прислал[аи]?|"
    r"отправил[аи]?|сообщает|согласно)\b"
    r"|说(?!明|法)|表示|告诉|要求我|问我|回复|回覆|发来|發來|发给|声称|と言|言いました|言った|によると|届いた|届きました|"
    r"曰く|書いて|書かれ|送ってきた"
)
_SPEAKS_SELF: Final = (
    r"\b(?:i|we|i['’]ve|i['’]ll|i['’]m|ich|wir|je|j['’]|nous|yo|nosotros|я|мы)\b(?: \w+){0,2} ?$"
    r"|(?:我|我们|私|僕|俺)(?:\w{0,2})$"
)
_PAGE: Final = (
    r"\b(?:e-?mails?|mails?|messages?|msgs?|dms?|letters?|articles?|(?:web ?)?pages?|web ?sites?|"
    r"(?:blog ?)?posts?|blogs?|readme(?:\.md)?|tickets?|issues?|comments?|threads?|logs?|outputs?|"
    r"traces?|stack ?traces?|texts?|documents?|docs?|files?|contents?|snippets?|quotes?|quotation|"
    r"excerpts?|passages?|paragraphs?|abstracts?|transcripts?|conversations?|chats?|reviews?|"
    r"newsletters?|notices?|announcements?|specs?|polic(?:y|ies)|terms|contracts?|"
    r"job (?:ads?|postings?|descriptions?)|cvs?|résumés?|tweets?|stories|story|papers?|slack|sms|"
    r"whatsapp|memos?|minutes|wikis?|faqs?|lyrics|poems?|recipes?|prompts?|templates?|scripts?|"
    r"pull requests?|prs?|commits?|screenshots?|clipboard|feedback|repl(?:y|ies)|invoices?|"
    r"code|config|drafts?|bod(?:y|ies)|response)\b"
    r"|\b(?:e-?mails?|mails?|nachrichten?|schreiben|brief\w{0,2}|artikel\w?|(?:web)?seiten?|"
    r"beitr(?:ag|äge)|kommentare?|protokoll\w*|ausgabe|text\w{0,2}|dokument\w{0,2}|dateien?|datei|"
    r"auszug|zitat\w?|vertrag|stellenanzeige|rundschreiben|verlauf|anfrage|antwort|meldung)\b"
    r"|\b(?:courriels?|messages?|lettres?|articles?|billets?|commentaires?|journal|sortie|textes?|"
    r"fichiers?|extraits?|citation|contrat|annonce|réponse|courrier)\b"
    r"|\b(?:correos?|mensajes?|cartas?|artículos?|páginas?|entradas?|comentarios?|registros?|"
    r"salida|textos?|documentos?|archivos?|fragmentos?|citas?|contratos?|anuncios?|respuesta)\b"
    r"|\b(?:письм[оаеу]|сообщени[еяю]|стать[яюи]|страниц[аыу]|пост\w?|комментари\w+|лог\w?|вывод\w?|"
    r"текст\w?|документ\w?|файл\w?|отрыв\w+|цитат\w+|договор\w?|вакансия|ответ\w?|переписк\w+)\b"
    r"|邮件|郵件|电邮|信件|来信|消息|短信|文章|网页|網頁|页面|帖子|评论|日志|输出|文本|文档|文件|原文|引文|"
    r"合同|公告|通知|聊天记录|工单|回复"
    r"|メール|メッセージ|手紙|記事|ページ|投稿|コメント|ログ|出力|テキスト|文書|文章|ファイル|引用|契約|"
    r"返信|お知らせ|会話"
)
_WORK_ON_TEXT: Final = (
    r"\b(?:translat\w+|summari[sz]\w+|sum up|proof-?read\w*|re-?writ\w+|rephras\w+|paraphras\w+|"
    r"repl(?:y|ies|ying)|respond\w*|response|draft\w*|polish\w*|shorten\w*|tl;?dr|condense|"
    r"answer (?:to )?(?:this|the|him|her|them)|spell-?check|transcribe|quote)\b"
    r"|\b(?:übersetz\w*|fass\w* .{0,60}zusammen|zusammenfass\w*|korrigier\w*|umformulier\w*|"
    r"formulier\w*|antwort\w*|beantwort\w*|kürz\w+|redigier\w*|gegenles\w*|korrekturles\w*|"
    r"entwirf|entwerf\w*)\b"
    r"|\b(?:tradui\w+|résum\w+|corrig\w+|reformul\w+|répon\w+|réponse|rédig\w+|raccourci\w+|relis|"
    r"relire)\b"
    r"|\b(?:traduc\w+|traduzca|resum\w+|corri[gj]\w+|reformul\w+|reescrib\w+|respond\w+|respuesta|"
    r"contest\w+|redact\w+)\b"
    r"|\b(?:перевед\w+|перевод|перевест\w+|резюмир\w+|подытож\w+|исправ\w+|перефразир\w+|ответ\w*|"
    r"перепиш\w+|сократи\w*|кратко изложи\w*)\b"
    r"|翻译|翻譯|总结|總結|概括|摘要|润色|校对|改写|回复|回覆|答复|缩写"
    r"|訳して|翻訳|要約|まとめて|校正|添削|書き直|返信|返事|言い換え"
)
_WORK_ON_ANY: Final = (
    r"\b(?:fix|explain|review|check|look(?:ing)? at|read|analy[sz]e|extract|convert|format|improve|"
    r"critique|classify|debug|refactor|think (?:of|about)|make of|mean|edit|correct|handle|process|"
    r"see|parse|clean up|help (?:me )?with|deal with|comment on|evaluate|understand)\b"
    r"|\b(?:erklär\w*|prüf\w*|überprüf\w*|schau\w*|lies|lesen|analysier\w*|verbesser\w*|bedeutet|"
    r"hältst|bewert\w*|reparier\w*|behebe?)\b"
    r"|\b(?:expliqu\w+|vérifi\w+|regard\w+|lis|lire|analys\w+|amélior\w+|pense[sz]?|répar\w+)\b"
    r"|\b(?:explica\w*|revis\w+|mira|lee|leer|analiz\w+|mejor\w+|opinas|arregl\w+)\b"
    r"|\b(?:объясни\w*|провер\w+|посмотри\w*|прочита\w+|проанализир\w+|улучш\w+|думаешь|почини\w*)\b"
    r"|解释|检查|看看|看一下|阅读|分析|改进|修改|修复|怎么看|説明|確認|見て|読んで|分析|改善|直して|どう思"
)
_THIS: Final = (
    r"\b(?:this|these|that|it|the following|following|below|beneath|attached|here|the (?:mail|"
    r"e-?mail|text|message|article|letter|post|ticket|thread|page|document|log|comment|paragraph)|"
    r"(?:an?|his|her|their|my \w+['’]s|\w+['’]s) (?:mail|e-?mail|message|letter|note|post|reply))\b"
    r"|\b(?:dies\w{0,2}|das|folgend\w*|unten|hier|darauf|(?:die|den|der|das|eine|seine|ihre) (?:e-?"
    r"mail|mail|nachricht|text|brief|artikel))\b"
    r"|\b(?:ceci|cela|ça|ce(?:tte|t)? \w+|suivante?s?|ci-dessous|voici|y)\b"
    r"|\b(?:est[oea]s?|siguientes?|abajo|aquí|lo|l[oa] siguiente)\b"
    r"|(?:\b(?:это\w?|этот|эту|эти|следующ\w+|ниже|вот)\b)"
    r"|以下|下面|这[个封篇段条]?|這[個封篇段條]?|此|これ|この|次の|下記|以下の"
)
_ABOVE: Final = (
    r"\b(?:above|preceding|previous (?:text|message|mail|paragraphs?)|oben(?:stehend\w*)?|obige\w*|"
    r"ci-dessus|précédent\w*|arriba|anterior(?:es)?|выше|предыдущ\w+)\b|上面|上述|以上|前面|上記|上の"
)
_OWN_LEAD: Final = (
    r"(?:\W|\b(?:ok(?:ay)?|so|and|also|please|but|first|second|btw|oh|und|bitte|et|y|и|"
    r"one more thing|another thing|for you|to)\b)*"
    r"(?:(?:a |one |two |three |some |here (?:are|is) |these are |this is |the |new |general |"
    r"das sind |hier sind |hier ist |voici |estas son |вот )*(?:my|our|meine?|unsere?|mes|mon|ma|"
    r"nos|notre|mis?|nuestr[ao]s?|мои|моё|мой|наши|我的|我们的|私の)"
    r"\s*(?:new |own |current |personal |"
    r"neuen? |eigenen? |nouvelles? |nuevas? |новые )*"
    r"(?:rules?|preferences?|conventions?|instructions?|decisions?|answers?|plans?|notes?|setup|"
    r"workflow|style|wish(?:es)?|requests?|regeln?|vorlieben|wünsche|entscheidung(?:en)?|règles?|"
    r"préférences?|consignes|décisions?|reglas?|preferencias?|decisi(?:ón|ones)|правила|правило|"
    r"предпочтения|решени[ея]|规则|规矩|偏好|决定|要求|ルール|好み|決まり)"
    r"|(?:rules?|conventions?|instructions?|regeln?|règles?|reglas?|правила) (?:for you|für dich|"
    r"pour toi|para ti|для тебя)"
    r"|remember|(?:please )?note|don['’]t forget|keep in mind|merke?|vergiss|notiere?|retiens|"
    r"n['’]oublie|recuerd[ae]|anota|запомни|не забудь|记住|记得|覚え)"
)
_WHENEVER: Final = (
    r"\W*(?:(?:please|bitte|por favor|пожалуйста)[, ]+)?"
    r"(?:when(?:ever)?|if|for|from now on|always|never|every time|in (?:future|all)|before|after|"
    r"wenn|falls|bei|für|vor|nach|immer|nie|ab (?:jetzt|sofort)|quand|si|pour|avant|après|toujours|"
    r"jamais|cuando|para|antes|siempre|nunca|когда|если|для|перед|всегда|никогда|"
    r"rule|regel|règle|regla|правило|decision|todo)\b|\W*(?:当|如果|以后|每次|規則|规则)|"
    r".*\b(?:always|never|from now on|immer|niemals|ab (?:jetzt|sofort)|toujours|désormais|siempre|"
    r"nunca|a partir de ahora|всегда|никогда|отныне)\b"
)
_SALUTATION: Final = (
    r"(?:hi|hey|hello|dear|good (?:morning|afternoon|evening)|greetings|to whom it may concern|"
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
    r"yours (?:sincerely|truly|faithfully)|respectfully|all the best|take care|with (?:kind )?"
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
    r"分(?:两|几|三)(?:次|段|条)|"
    r"分けて(?:送|貼)"
)
_PASTE_PLEASE: Final = (
    r"\b(?:paste|share|send|provide|forward|copy|give|show)\b[^.?!]{0,60}\b(?:text|e-?mail|mail|"
    r"message|article|content|document|log|letter|draft|it here|page|thread|transcript)\b|"
    r"\b(?:schick|kopier|füg)\w*\b[^.?!]{0,60}\b(?:text|mail|nachricht|artikel)|请(?:粘贴|提供|发送)|"
    r"貼り付けて|\b(?:colle[zr]?|envoie|envoyez)\b[^.?!]{0,60}\b(?:texte|message|mail)|"
    r"\b(?:pega|envía)\w*\b[^.?!]{0,60}\b(?:texto|mensaje|correo)|пришли\w*[^.?!]{0,60}(?:текст|письмо)"
)
_EVERYONE: Final = (
    r"\W*(?:@\w+|(?:hi |hello |dear )?(?:team|all|everyone|everybody|folks|colleagues|guys|"
    r"(?:dear |valued )?customers?|residents|students|employees|users)|an alle|liebe kolleg\w+|"
    r"(?:liebe )?kolleg\w+|leute|chers? (?:tous|collègues)|à tous|equipo|estimados|a todos|"
    r"коллеги|всем|各位|大家|皆さん|皆様)\s?[,:!，：！、]"
)

_PATTERNS: Final = {
    "forwarded": _FORWARDED,
    "says": _SAYS,
    "wrote": _WROTE,
    "self": _SPEAKS_SELF,
    "page": _PAGE,
    "work_on_text": _WORK_ON_TEXT,
    "work_on_any": _WORK_ON_ANY,
    "this": _THIS,
    "above": _ABOVE,
    "own_lead": _OWN_LEAD,
    "whenever": _WHENEVER,
    "header": rf"(?:^|(?<=[\s>*_|]))(?P<name>{HEADER})[*_]{{0,2}}\s?:[*_]{{0,2}}(?=\s|\S)",
    "sender": rf"[\s>*_|-]*(?:{SENDER})[*_]{{0,2}}\s?:[*_]{{0,2}}\s*\S",
    "salutation": rf"\W*{_SALUTATION}(?P<to>(?:\s+[^\s,!:;.?]+){{0,4}})\s?[,!:;，！：]|"
    r"\W*(?:尊敬的|亲爱的|親愛的)[^\n:，,]{1,20}[:，,]|[^\n]{1,20}(?:様|さま|各位)\s*$|"
    r"\W*お世話になって",
    "assistant": rf"\s*(?:{_ASSISTANT})\b|\s*$",
    "farewell": rf"\W{{0,3}}{_FAREWELL}\s?[,!.，。]?(?:\s*(?-i:{_CAPITALS}))?\W*$",
    "farewell_inside": rf"[.!?。]\s*{_FAREWELL}\s?[,!.，]?\s*(?-i:{_CAPITALS})\W*$",
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
