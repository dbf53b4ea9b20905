"""The words around somebody else's text, as data: who says it, what it is, what to do with it.

They are matched against sentences and against what stands before a colon, in the languages that
conversations are learned from.
"""

from __future__ import annotations

from typing import Final

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
    r"newsletters?|manuals?|flyers?|leaflets?|brochures?|guides?|handbooks?|captions?|clipboard|"
    r"voicemails?|forums?|e?books?|op-eds?|notices?|announcements?|specs?|polic(?:y|ies)|terms|"
    r"contracts?|"
    r"job (?:ads?|postings?|descriptions?)|cvs?|résumés?|tweets?|stories|story|papers?|slack|sms|"
    r"whatsapp|memos?|minutes|wikis?|faqs?|lyrics|poems?|recipes?|prompts?|templates?|scripts?|"
    r"pull requests?|prs?|commits?|screenshots?|clipboard|feedback|repl(?:y|ies)|invoices?|"
    r"code|config|drafts?|bod(?:y|ies)|response)\b"
    r"|\b(?:e-?mails?|mails?|nachrichten?|schreiben|brief\w{0,2}|artikel\w?|(?:web)?seiten?|"
    r"beitr(?:ag|äge)|kommentare?|protokoll\w*|ausgabe|text\w{0,2}|dokument\w{0,2}|dateien?|datei|"
    r"forum|anleitung|handbuch|flyer|gutachten|auszug|zitat\w?|vertrag|stellenanzeige|"
    r"rundschreiben|verlauf|anfrage|antwort|meldung)\b"
    r"|\b(?:courriels?|messages?|lettres?|articles?|billets?|commentaires?|journal|sortie|textes?|"
    r"fichiers?|forums?|manuel|notice|compte rendu|cr|extraits?|"
    r"citation|contrat|annonce|réponse|courrier)\b"
    r"|\b(?:correos?|mensajes?|cartas?|artículos?|páginas?|entradas?|comentarios?|registros?|"
    r"salida|foros?|manual|acta|textos?|"
    r"documentos?|archivos?|fragmentos?|citas?|contratos?|anuncios?|respuesta)\b"
    r"|\b(?:письм[оаеу]|сообщени[еяю]|стать[яюи]|страниц[аыу]|пост\w?|комментари\w+|лог\w?|"
    r"вывод\w?|"
    r"форум\w?|рассылк\w+|промпт\w?|протокол\w?|"
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
    r"перескаж\w+|перепиш\w+|сократи\w*|кратко изложи\w*)\b"
    r"|翻译|翻譯|总结|總結|概括|摘要|润色|校对|改写|回复|回覆|答复|缩写"
    r"|訳して|翻訳|要約|まとめて|校正|添削|書き直|返信|返事|言い換え"
)
_WORK_ON_ANY: Final = (
    r"\b(?:fix|explain|review|check|look(?:ing)? at|read|analy[sz]e|extract|convert|format|improve|"
    r"critique|classify|debug|refactor|think (?:of|about)|make of|mean|edit|correct|handle|process|"
    r"see|parse|clean up|rate|triage|make (?:it|this)|type (?:it|this) up|sort|group|"
    r"help (?:me )?with|deal with|comment on|evaluate|understand)\b"
    r"|\b(?:erklär\w*|prüf\w*|überprüf\w*|schau\w*|lies|lesen|analysier\w*|verbesser\w*|bedeutet|"
    r"hältst|bewert\w*|reparier\w*|behebe?)\b"
    r"|\b(?:expliqu\w+|vérifi\w+|regard\w+|lis|lire|analys\w+|amélior\w+|pense[sz]?|répar\w+)\b"
    r"|\b(?:explica\w*|revis\w+|mira|lee|leer|analiz\w+|mejor\w+|opinas|arregl\w+)\b"
    r"|\b(?:объясни\w*|провер\w+|посмотри\w*|прочита\w+|проанализир\w+|улучш\w+|думаешь|"
    r"почини\w*)\b"
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
    r"one more thing|another thing|for you|to|(?:can|could|would|will) you|"
    r"hey|kannst du|i (?:want|need) you|i['’]d like you|i would like you|you (?:should|must)|"
    r"always|kindly)\b)*"
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
    r"|(?:just )?so you know|for your information|heads[- ]up|by the way|zur info|nur zur info|"
    r"pour info|para que sepas|к слову|顺便|ちなみに|"
    r"(?:save|store|add|put|commit|record|keep|write) (?:this|it|the following|that)\b|"
    r"bear in mind|"
    r"(?:take|make) (?:a )?(?:mental )?note|for (?:future reference|the record)|merken|notieren|"
    r"denke?|"
    r"beachte|souviens|rappelle|garde|sache|no (?:te |se )?olvid|acu[ée]rda|ten(?:ga)? en cuenta|"
    r"apunt|tom[ae] nota|име(?:й|йте) в виду|учти|помни|запиши|记一下|记下|牢记|别忘|不要忘|勿忘|"
    r"忘れないで|メモして|記憶して|"
    r"remember|(?:please )?note|don['’]t forget|keep in mind|merke?|vergiss|"
    r"notiere?|retiens|"
    r"remind me|erinnere?|rappelle|recuérdame|напомни|提醒|"
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
_CAME: Final = (
    r"\b(?:got|received|found|copied|copying|pasted|pasting|(?<!can )(?<!to )read|"
    r"saw|heard|was (?:told|sent|given)|"
    r"pass(?:ing)? (?:this |it )?on|on behalf of|relay(?:ing)?|sends? you|wants? you to|"
    r"asked me to|tell you from|bekam|bekommen|erhalten|gelesen|gefunden|gehört|kopiert|ausrichten|"
    r"im auftrag|weitergeben|lässt (?:dir|dich)|reçu|lu|trouvé|copié|transmettre|de la part de|"
    r"recibí|leí|encontré|"
    r"copio|de parte de|получил[аи]?|прочитал[аи]?|наш[её]л|нашла|скопировал[аи]?|передать|"
    r"велел[аи]?|от имени)\b|收到|看到|复制|转告|代为|もらった|見つけた|届いた|コピー|伝言|伝えて"
)
_SPEAKS: Final = (
    r"\b(?:i|i['’]\w+|we|we['’]\w+|my|our|me|us|you|your|please|ok|thanks|hi|hey|hello|ich|wir|"
    r"mein\w*|unser\w*|mir|dir|dein\w*|bitte|danke|hallo|je|j['’]\w+|nous|mon|ma|mes|tu|vous|"
    r"merci|bonjour|yo|mi|mis|nosotros|tú|gracias|hola|я|мы|мой|моя|моё|мне|ты|вы|"
    r"спасибо|привет|"
    r"always|never|from now on|use|keep|immer|niemals|ab (?:jetzt|sofort)|toujours|jamais|"
    r"désormais|"
    r"siempre|nunca|prefiero|decidimos|всегда|никогда|отныне)\b|[我你您私僕]|请|必|以后|今後|:"
)
_PRONOUN: Final = (
    r"\b(?:this|these|that|that['’]s|those|it|its|he|she|him|her|they|them|their|here|there|op|"
    r"above|"
    r"dies\w{0,2}|das|er|sie|es|hier|ihm|ihr|denen|davon|darin|daran|"
    r"dazu|damit|ce|cela|ça|c['’]est|elle|elles|il|ils|lui|"
    r"leur|eso|esto|est[ae]|ell[ao]s?|él|vale|это|эт[оаиу]\w?|он|она|они|ей|ему|им|тут|здесь|"
    r"the (?:text|list|abstract|post|claim|author|writer|punctuation|grammar|tone))\b|"
    r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]|\b\d\b"
)

LEADS: Final = {
    "says": _SAYS,
    "self": _SPEAKS_SELF,
    "page": _PAGE,
    "work_on_text": _WORK_ON_TEXT,
    "work_on_any": _WORK_ON_ANY,
    "this": _THIS,
    "above": _ABOVE,
    "own_lead": _OWN_LEAD,
    "whenever": _WHENEVER,
    "speaks": _SPEAKS,
    "came": _CAME,
    "pronoun": _PRONOUN,
    "self_speaks": r"\b(?:i|we|i['’]\w+|we['’]\w+|ich|wir|je|j['’]\w+|nous|yo|я|мы)\b|[我私僕]",
}
