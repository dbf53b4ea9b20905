"""The words of plain speech, as data: replies, reports, requests, in the languages we learn from.

They are words of closed classes wherever possible (pronouns, articles, auxiliary verbs), because
those can be listed."""

from __future__ import annotations

from typing import Final

_REPLY: Final = (
    r"(?:(?:that['’]s (?:really |so |very )?helpful|wow|oh|woah|haha|awesome|amazing|for sure|"
    r"anyway|ok(?:ay)?|yes|yeah|yep|no|nope|wrong|right|correct|exactly|great|good|nice|cool|perfect|"
    r"sure|thanks?(?: you)?|thx|cheers|hi|hey|hello|good (?:morning|evening|afternoon|point)|done|"
    r"fixed|for (?:example|instance)|example|by the way|btw|actually|also|so|please|"
    r"that['’]s (?:outdated|wrong|right|fine|great|perfect|old)|"
    r"das stimmt(?: so)?(?: nicht)?(?: mehr)?|ja|nein|falsch|richtig|genau|gut|danke|hallo|"
    r"guten (?:morgen|tag|abend)|moin|übrigens|zum beispiel|beispiel|"
    r"c['’]est (?:faux|bon|vieux)|faux|exact|oui|non|merci|bonjour|salut|d['’]accord|"
    r"par exemple|exemple|"
    r"eso es (?:viejo|falso)|falso|exacto|sí|si|vale|gracias|hola|buenos días|ni hablar|"
    r"por ejemplo|ejemplo|"
    r"неверно|не так|точно|да|нет|спасибо|привет|хорошо|ладно|например|пример|"
    r"好的?|是的?|不是?|不对|错了|没错|对|嗯|谢谢|你好|"
    r"違います|違う|いや|そうです|了解(?:です)?|無理です|はい|いいえ|ありがとう(?:ございます)?|"
    r"お疲れさま)\b[\s,.!–—-]*)+"
)
_ANSWER: Final = (
    r"(?:no|nope|wrong|nein|falsch|non|нет|不|いいえ|thanks?|thx|danke|merci|gracias|good)\b"
)
_REPORT: Final = (
    r"(?:(?:and|but|so|or|also|then|und|aber|et|mais|y|pero|и|а|но) )?"
    r"(?:(?:i|we|my|our|the|there|he|she|they|it|let me|one|another|"
    r"ich|wir|mein\w{0,2}|unser\w{0,2}|der|die|das|es|er|sie|"
    r"je|nous|on|mon|ma|mes|notre|nos|le|la|les|il|elle|"
    r"yo|soy|estoy|tengo|vivo|trabajo|mi|mis|nosotros|nuestr\w+|el|los|las|me|te|"
    r"я|мы|у (?:меня|нас)|мой|моя|моё|мои|мне|наш\w?)\b|"
    r"(?:i|we|he|she|they|it)['’]|[jl]['’])"
    r"|(?:我|咱|私|僕|俺|うち)"
)
_OWN_CLAUSE: Final = (
    r"(?:on|in|at|before|after|then|since|when|while|now|today|because|usually|sometimes) "
    r"(?:[^\s.,:!?]+,? ){0,4}(?:i|we)\b|(?:[^\s.,:!?]+ ){1,4}(?:ich|wir)\b"
)
_OWN_LABEL: Final = (
    r"(?=.*\b(?:i|we|my|our|me|ich|wir|mein\w{0,2}|mir|je|mes|mon|nos|mis?|я|мои|мне)\b).*"
    r"\b(?:rules?|things?|points?|preferences?|decisions?|facts?|regeln?|dinge|punkte|vorlieben|"
    r"entscheidung\w*|règles?|choses?|préférences?|décisions?|reglas?|cosas?|preferencias?|"
    r"правил\w?|вещ\w*)\b"
)
_STATES: Final = (
    r"(?:[^\s.,:;!?]+ ){1,4}(?:is|are|was|were|has|have|had|will|won['’]t|can['’]t|did|does|"
    r"doesn['’]t|didn['’]t|isn['’]t|ist|sind|war|waren|hat|haben|wird|werden|est|sont|était|ont|"
    r"es|está|son|fue|ha|han)\b"
)
_HEARSAY: Final = (
    r"(?:[^\s.,:;!?]+ ){1,3}(?:says?|said|told (?:me|us)|asks?|asked|wants?|wanted|thinks?|called|"
    r"complained|sagt|meint|fragt|fragte|will|möchte|dit|demande|veut|dice|pide|quiere|говорит|"
    r"хочет|просит|сказал[аи]?)(?: [^\s:]+){2,}$"
    r"|\w{1,5}说\w{4,}。$|\w{1,4}[がは][^：:、]{4,}と(?:言った|言いました|言っていました)。$"
)
_REQUEST: Final = (
    r"(?:(?:so|now|then|and|also)[, ]+)*(?:(?:can|could|would|will) (?:you|we)|please|let['’]s|"
    r"(?:what|how|where|when|which \w+)(?: \w+)? (?:did|should|do|can|could) (?:i|we)|what['’]s|"
    r"kannst du|könntest du|bitte|lass uns|\w+st du mir|peux-tu|puedes|можешь)\b"
)
_RULE: Final = (
    r"(?:please |bitte |пожалуйста, )?(?:always|never|from now on|immer|nie|niemals|"
    r"ab (?:jetzt|sofort)|toujours|jamais|ne jamais|n['’]\w+ jamais|siempre|nunca|всегда|никогда|"
    r"отныне)\b|必须|以后|今後|必ず"
)
_MESSAGE: Final = (
    r"\b(?:e-?mails?|mails?|(?<!error )(?<!commit )(?<!log )messages?|letters?|texts?|articles?|"
    r"posts?|transcripts?|notes?|essays?|reviews?|"
    r"nachricht\w*|\w*nachricht|brief|anschreiben|texte?|artikel|protokoll|rezension|"
    r"lettres?|courriels?|correos?|mensajes?|cartas?|textos?|artículos?|"
    r"письм[оа]|сообщени[ея]|текст\w?|стать[яю])\b"
    r"|邮件|郵件|信件|短信|文章|消息|评论|メール|手紙|記事|メッセージ|レビュー"
)
_ABOUT_ME: Final = (
    r"\b(?:about (?:me|myself|us)|(?:zu|über) (?:mir|mich|uns)|sur moi|de mí|sobre mí|обо мне|"
    r"о себе|(?:for|to) you|need you to|want you to|so (?:that )?you know|damit du|"
    r"(?:background|context) (?:for|on|about) (?:this|the|my|our))\b|关于我|自己紹介|私について"
)

EVIDENCE: Final = {
    "reply": _REPLY,
    "answer": _ANSWER,
    "report": _REPORT,
    "own_clause": _OWN_CLAUSE,
    "own_label": _OWN_LABEL,
    "states": _STATES,
    "hearsay": _HEARSAY,
    "request": _REQUEST,
    "rule": _RULE,
    "message": _MESSAGE,
    "about_me": _ABOUT_ME,
    "and": r"(?:and|but|so|und|aber|et|mais|y|pero|и|а|но)[,\s]*",
    "together": r"(?:(?:so|now|then|and|ok) )*let['’]s (?!\w+ (?:this|these)\b)|lass uns ",
    "theirs": r"\b(?:his|her|hers|their|asked (?:me|us)|seine?[nmrs]?|ihre?[nmrs]?|ihm|"
    r"leurs?|sus?|его|её|их|ему|ей)\b",
    "deixis": r"\b(?:this|these|it|below|above|dies\w{0,2}|folgend\w*|ceci|cela|ça|esto|est[ae]|"
    r"это|эт[уои]\w?)\b|这|これ|この",
    "points": r"\b(?:this|these|the following|below|above|attached|dies\w{0,2}|folgend\w*|unten|"
    r"ceci|suivant\w*|esto|est[ae]s?|siguiente\w*|это\w?|эт[уои]\w?|следующ\w+)\b|这|以下|下面|これ|この|次の",
    "asks_you": r".*\b(?:(?:can|could|would) you|do you (?:have|know)|i(?:['’]d| would) like to|"
    r"(?:kannst|könntest|hast) du|(?:peux|pourrais|as)-tu|(?:puedes|podrías|tienes)|можешь|"
    r"any (?:tips|ideas|advice|suggestions|recommendations))\b",
    "speaker": r"\b(?:i|we|my|our|ich|wir|je|j['’]|nous|я|мы)\b",
    "this_time": r"\bthis (?:morning|afternoon|evening|week(?:end)?|month|year|time|spring|summer|"
    r"autumn|winter)\b",
    "finished": r"\W*(?:(?:ok|okay|sure|alles klar)\W+)?(?:done|fixed|finished|it (?:works|passes)|"
    r"erledigt|fertig|c['’]est fait|hecho|listo|готово|сделано|完了|好了|已)\b",
}
