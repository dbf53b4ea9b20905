"""Patterns for first-person statements in Chinese, Japanese, German, French, Spanish, Russian.

There are fewer than for English, of the same kinds: who a person is, what they have and like, their
habits, dated events and plans, and deadlines.
"""

from __future__ import annotations

from typing import Final

from remem.model.lesson import LessonKind

_MONTHS_DE: Final = r"(?:jan|feb|märz|april|mai|jun|jul|aug|sept|okt|nov|dez)\w*"
_AGO_DE: Final = (
    rf"(?:gestern|vorgestern|letzte[sn]? \w+|vorige[sn]? \w+|vor \w+ (?:tag|woche|monat|jahr)\w*|"
    rf"im {_MONTHS_DE}|(?:im jahr |seit )?(?:19|20)\d\d|am (?:\d|\w+tag\b)|als kind)"
)
_WHEN_DE: Final = (
    rf"(?:morgen|übermorgen|nächste[sn]? \w+|am (?:\d|\w+tag\b)|im {_MONTHS_DE}|"
    r"diese[sn]? (?:woche|sommer|herbst|winter|jahr)|in \w+ wochen)"
)
_EACH_DE: Final = (
    r"(?:jede[nsr]? \w+|täglich|wöchentlich|(?:ein|zwei|drei)mal (?:pro|die|in der) \w+)"
)
_KIN_DE: Final = (
    r"(?:frau|mann|mutter|vater|bruder|schwester|sohn|tochter|freund(?:in)?|chef(?:in)?|"
    r"kolleg(?:e|in)|hund|katze|eltern|kinder|oma|opa|nachbar(?:in)?|vermieter(?:in)?|"
    r"partner(?:in)?)"
)
_NO_MOOD_DE: Final = (
    r"(?!(?:mir|so|sehr|ganz|gerade|müde|froh|gespannt|sicher|nicht|mal|bereit|dran|da\b|hier|"
    r"einverstanden|dafür|dagegen|begeistert|zufrieden|neugierig)\b)"
)
_KIN_FR: Final = (
    r"(?:femme|mari|mère|père|frère|sœur|fils|fille|amie?|chefs?|collègue|chien|chat|chienne|"
    r"chatte|parents|enfants|voisine?|grand-mère|grand-père)"
)
_WHEN_FR: Final = (
    r"(?:demain|la semaine prochaine|le mois prochain|l['’]an(?:née)? prochaine?|\w+ prochaine?|"
    r"le \d|en (?:janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|"
    r"décembre))"
)
_KIN_ES: Final = (
    r"(?:esposa|mujer|marido|madre|padre|hermano|hermana|hijo|hija|amig[oa]|jef[ea]|colega|"
    r"perr[oa]|gat[oa]|padres|hijos|abuel[oa]|vecin[oa]|novi[oa])"
)
_WHEN_ES: Final = (
    r"(?:mañana|la (?:próxima semana|semana que viene)|el (?:próximo \w+|mes que viene|año que "
    r"viene|\d)|en (?:enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|"
    r"noviembre|diciembre))"
)
_KIN_RU: Final = (
    r"(?:жен[ау]|муж[а]?|мам[ау]|мать|отец|отца|пап[ау]|брат[а]?|сестр[ау]|сын[а]?|дочь|друг[а]?|"
    r"подруг[ау]|начальник[а]?|коллег[ау]|собак[ау]|кот[а]?|кошк[ау]|родител(?:и|ей)|дет(?:и|ей)|"
    r"бабушк[ау]|дедушк[ау]|сосед[а]?)"
)
_AGO_RU: Final = (
    r"(?:вчера|позавчера|в прошлом \w+|на прошлой \w+|\w+ (?:назад)|в (?:январе|феврале|марте|"
    r"апреле|"
    r"мае|июне|июле|августе|сентябре|октябре|ноябре|декабре)|в (?:19|20)\d\d)"
)
_WHEN_RU: Final = (
    r"(?:завтра|послезавтра|на следующей \w+|в следующем \w+|в (?:январе|феврале|марте|апреле|мае|"
    r"июне|июле|августе|сентябре|октябре|ноябре|декабре))"
)

TOLD_EUROPEAN: Final[tuple[tuple[LessonKind, str], ...]] = (
    # German
    ("fact", r"ich (?:wohne|lebe|arbeite|studiere|heiße|komme aus|fahre (?!fort)|besitze|spiele|"
     r"lerne|"
     r"unterrichte|leite|sammle|wurde .*geboren|bin .*(?:geboren|aufgewachsen))\b"),
    ("person", rf"(?:mein|unser)(?:e|er|en)? (?:\w+ )?{_KIN_DE} (?:\w+ )?(?:ist|heißt|hat|wohnt|"
     r"lebt|"
     r"arbeitet|sind|haben|war|spielt|studiert|mag|zieht|wird|kommt)\b"),
    ("fact", r"(?:ist )?mein(?:e|er)? (?:name|geburtstag|adresse|job|büro|auto|hobby|ziel|projekt|"
     r"budget|"
     r"lieblings\w+|handy|wohnung|telefonnummer|termin) (?:ist|war|liegt|am)\b"),
    ("fact", r"unser(?:e|er)? (?!code\b|gespräch|problem|fehler)\w+ (?:ist|heißt|läuft|liegt|hat|"
     r"nutzt|verwendet|benutzt|steht|kostet|beginnt|endet)\b"),
    ("preference", r"ich (?:esse|trinke|höre|lese|fahre|gehe|reise|schlafe) (?:\w+ )?(?:gern|"
     r"lieber|"
     r"am liebsten|kein\w*|nie)\b"),
    ("fact", rf"ich bin {_NO_MOOD_DE}(?:\w+ ){{0,2}}?(?:gegen \w+ allergisch|allergisch|"
     rf"vegetarier\w*|"
     rf"veganer\w*|\d+ jahre|verheiratet|geschieden|schwanger|rentner\w*|linkshänder\w*|"
     r"(?-i:[A-ZÄÖÜ])\w+(?:in|er|ist|ent|eur|loge|arzt|mann|frau)\b)"),
    ("fact", rf"(?:ich bin|wir sind|ich habe|wir haben) .*\b{_AGO_DE}.*\b(?!versucht|gefragt|"
     rf"gesagt|"
     r"gesehen|geschlafen|getestet)(?:ge\w{2,}(?:t|en)|\w*ge\w{2,}(?:t|en)|(?:be|ver|er|"
     r"ent)\w{3,}(?:t|en))\W*$"),
    ("fact", r"(?:ich habe|wir haben) (?:ein(?:e|en)?|zwei|drei|vier|\d+) (?!frage|problem|idee|"
     r"fehler|"
     r"bitte|vorschlag|moment|gefühl|ahnung|bisschen)\w+"),
    ("fact", rf"(?:ich|wir) (?!bekomme|sehe|versuche|habe)\w+ .*\b{_EACH_DE}\b"),
    ("context", rf"(?:ich|wir) (?:fliege|reise|fahre|ziehe|gehe|treffe|heirate|beginne|fange|muss|"
     rf"werde|habe)n? (?!das\b|es\b|dies).*\b{_WHEN_DE}"),
    ("context", r"(?:die|der|das) (?:\w+)?(?:frist|termin|abgabe|hochzeit|prüfung|budget|deadline|"
     r"umzug|"
     r"start|treffen|flug|miete) (?:ist|liegt|beträgt|endet|beginnt|findet|wurde) .*\d"),
    # French
    ("fact", r"(?:j['’]habite|je (?:vis|travaille|suis (?:née?|une? |à la retraite|mariée?|"
     r"allergique|"
     r"végétarien\w*|végane?|retraitée?|enceinte|gauchère?|professeure?|infirmi\w+|médecin|"
     r"étudiante?)|"
     r"m['’]appelle|viens de (?-i:[A-Z])|joue|possède|conduis|parle (?:le |l['’])?\w+ais))\b"),
    ("person", rf"(?:ma|mon|mes|notre|nos) {_KIN_FR} (?:\w+ )?(?:est|s['’]appelle|a|habite|vit|"
     r"travaille|sont|ont|joue|étudie|aime)\b"),
    ("fact", r"mon (?:nom|anniversaire|adresse|travail|bureau|budget|objectif|projet|"
     r"\w+ préférée?) "
     r"(?:est|était)\b|ma \w+ préférée est\b"),
    ("fact", r"(?:notre|nos) (?!code|conversation|problème|discussion)\w+ (?:est|sont|tourne|"
     r"utilise|"
     r"coûte|commence|finit|s['’]appelle)\b"),
    ("fact", r"(?:j['’]ai|nous avons|on a) (?:une?|deux|trois|quatre|\d+) (?!question|problème|"
     r"idée|"
     r"erreur|doute|souci|peu\b|bug|petit problème)\w+"),
    ("fact", r"(?:j['’]ai|nous avons|on a) (?:déménagé|commencé|acheté|quitté|perdu|rencontré|"
     r"adopté|"
     r"terminé|obtenu|gagné|vendu|étudié|grandi|arrêté)\b (?!ça|cela|le script|le code)"),
    ("fact", r"je ne (?:mange|bois|fume|conduis|supporte|regarde|porte) (?:pas|plus|jamais)\b"),
    ("fact", r"(?:je |j['’]|on |nous )(?!vois|reçois|essaie)[\w ]+ (?:tous les \w+|"
     r"toutes les \w+|chaque "
     r"\w+|"
     r"(?:une|deux|trois) fois par \w+)"),
    ("preference", r"j['’](?:adore|aime (?:bien )?) ?(?:le|la|les|l['’]|faire|lire|jouer|cuisiner|"
     r"voyager|courir)\b"),
    ("context", rf"(?:je|nous|on) (?:pars|vais|partons|allons|va|part|déménage|commence|"
     rf"voyage)\w* (?!essayer|tester|voir|faire ça|bien).*\b"
     rf"{_WHEN_FR}"),
    ("context", r"(?:la|le|l['’])(?: ?)(?:date limite|échéance|mariage|examen|rendez-vous|réunion|"
     r"budget|"
     r"loyer|déménagement|vol) (?:est|a été|aura lieu|commence) .*\d"),
    # Spanish
    ("fact", r"(?:yo )?(?:vivo en|trabajo (?:en|como|para)|me llamo|soy (?:de|un|alérgic|"
     r"vegetarian|"
     r"vegan|"
     r"profesor|enfermer|médic|ingenier|estudiante|zurd|padre|madre|diabétic)|nací en|crecí en|"
     r"estudio|"
     r"(?:tengo|tenemos) (?:una?|dos|tres|cuatro|\d+) (?!pregunta|problema|duda|idea|error|rato|"
     r"momento)|"
     r"hablo (?:el )?\w+|conduzco|toco (?:el|la))"),
    ("person", rf"(?:mis?|nuestr[oa]s?) {_KIN_ES} (?:\w+ )?(?:es|se llama|tiene|vive|trabaja|son|"
     r"tienen|"
     r"estudia|juega|toca|está)\b"),
    ("fact", r"mi (?:nombre|cumpleaños|dirección|trabajo|oficina|presupuesto|objetivo|proyecto|\w+ "
     r"favorit[oa]) (?:es|era|está)\b"),
    ("fact", r"nuestr[oa]s? (?!código|conversación|problema)\w+ (?:es|está|usa|utiliza|cuesta|"
     r"empieza|"
     r"se llama)\b"),
    ("fact", r"no (?:como|bebo|fumo|conduzco|tomo|veo) (?!nada|eso|esto)\w+"),
    ("fact", r"(?:me mudé|nos mudamos|empecé|compré|dejé|perdí|conocí|adopté|terminé|gané|vendí|"
     r"viajé|"
     r"aprendí|me casé|me gradué|me jubilé) (?!eso|esto|de probar)"),
    ("fact", r"(?!veo|recibo|intento)\w+(?:o|é|mos)\b .*\b(?:todos los \w+|todas las \w+|cada \w+|"
     r"(?:una|dos|tres) ve(?:z|ces) (?:al|a la|por) \w+)|me \w+o todos los \w+"),
    ("preference", r"me (?:encantan?|gustan? (?:mucho )?|fascinan?) (?:el|la|los|las|\w+r)\b"),
    ("context", rf"(?:viajo|voy|vamos|me mudo|nos mudamos|empiezo|vuelo|me caso|"
     rf"tengo que) (?!a (?:probar|ver|intentar)).*\b"
     rf"{_WHEN_ES}"),
    ("context", r"(?:la|el) (?:fecha límite|plazo|boda|examen|cita|reunión|presupuesto|alquiler|"
     r"mudanza|"
     r"vuelo) (?:es|será|termina|fue|se movió) .*\d"),
    # Russian
    ("fact", r"я (?:живу|работаю|учусь|родил(?:ся|ась)|занимаюсь|играю|переехал[аи]?|говорю "
     r"по-\w+|"
     r"выросл?а?|вегетариан\w+|веган\w*|замужем|женат|учитель\w*|врач|студент\w*|пенсионер\w*)\b"),
    ("fact", r"меня зовут\b|мой день рождения\b|мо[йяё] (?:адрес|работа|цель|проект|бюджет|"
     r"любим\w+)\b"),
    ("person", rf"(?:мой|моя|мои|мою|моего|наш|наша|наши|нашу|нашего) {_KIN_RU}\b"),
    ("fact", r"наш[аеи]? (?!код|разговор|проблем)\w+ (?:работает|называется|стоит|находится|"
     r"использует|"
     r"начинается|заканчивается)\b"),
    ("fact", r"у (?:меня|нас) (?:есть (?!вопрос|проблем|идея|ошибк)|аллергия|двое|трое|"
     r"один (?!вопрос)|"
     r"одна (?!проблема|ошибка)|два (?!вопроса)|две|диабет|астма|сын|дочь|собака|кошка|кот)"),
    ("fact", r"я (?:больше )?не (?:ем|пью|курю|вожу|переношу|смотрю|ношу) (?!это|его|её)\w+"),
    ("fact", rf"(?:я|мы) (?!пробовал|спрашивал|видел|писал)\w+(?:л|ла|ли|лся|лась|"
     rf"лись) .*\b{_AGO_RU}"),
    ("fact", r"(?:я|мы) (?!вижу|получаю|пытаюсь)\w+ .*\bкажд(?:ый|ую|ое|ые) \w+"),
    ("preference", r"мне (?:очень )?нрав(?:ит|ят)ся (?!тво|ваш|эт|как|что)\w+"),
    ("context", rf"(?:я|мы) (?:лечу|летим|еду|едем|переезжаю|начинаю|выхожу|женюсь) .*\b{_WHEN_RU}"
     rf"|{_WHEN_RU},? (?:я|мы|у меня) (?!попроб|посмотр|провер)"),
    ("context", r"(?:крайний срок|дедлайн|срок сдачи|свадьба|экзамен|встреча|бюджет|рейс|"
     r"собеседование)"
     r"\b"
     r".*\d"),
)  # fmt: skip


_OF_SOMETHING: Final = (
    "时间|地点|持续时间|主要内容|生日|年龄|职业|身高|学历|爱好|公司|工作单位|单位|地址|电话|手机号|"
    "联系电话|邮箱|姓名|名字|籍贯|家乡|性格|规模|预算|截止日期|期限|密级|品牌|端口|版本"
)
_KIN_ZH: Final = (
    "爸|妈|父|母|哥|姐|弟|妹|叔|婶|舅|姨|姑|伯|爷|奶|外婆|外公|老公|老婆|丈夫|妻子|儿子|女儿|侄|甥|表|堂|"
    "朋友|同事|同学|上司|下属|老板|老师|邻居|室友|男友|女友|男朋友|女朋友|客户|医生|经理|孩子"
)

_REST_ZH: Final = "[^，。？！]"
_AGO_ZH: Final = (
    r"(?:去年|前年|上个?(?:月|周|星期|学期)|昨天|前天|\d{4}年|\d+月|"
    r"[一二三四五六七八九十]+月|刚刚?)"
)
_WHEN_ZH: Final = r"(?:明天|后天|下个?(?:月|周|星期)[一二三四五六日天]?|明年|今晚)"
_DUE_ZH: Final = "截止日期|截止时间|期限|婚礼|考试|面试|会议|预算"
_SET_ZH: Final = "是|在|定在|改到|改成|改为|推迟到|提前到"
_DID_JA: Final = r"(?:去年|先月|先週|昨日|\d+年|\d+月).{1,40}(?:ました|した|った)"
_KIN_JA: Final = "妻|夫|母|父|兄|姉|弟|妹|息子|娘|うちの(?:犬|猫)"
_DUE_JA: Final = "締め切り|締切|期限|結婚式|面接|試験|会議"

TOLD_ABROAD: Final[tuple[tuple[LessonKind, str], ...]] = (
    # Chinese
    ("person", rf".{{1,12}}是我们?的?{_REST_ZH}{{0,4}}(?:{_KIN_ZH})"),
    ("person", rf"我(?:们)?(?:家)?(?:的)?(?:{_KIN_ZH}){_REST_ZH}{{0,8}}"
     r"(?:叫|是|在|今年|去年|喜欢|住|有|退休|怀孕|结婚|生了|学历)"),
    ("fact", rf"{_REST_ZH}{{1,40}}的(?:{_OF_SOMETHING})(?:是|为|在|改为|改成|定在|定为)"),
    ("context", r"我(?:们)?(?:将要?|准备|打算|计划|马上要|下周要|明天要)(?!问|请)"),
    ("fact", r"我(?:们)?(?:住在|来自|在.{1,20}(?:工作|上班|上学|读书)|毕业于|从事|负责|养了|买了)"),
    ("fact", r"我(?:家的?.{1,12}|用的|开的|坐的)是"),
    ("fact", r"我的(?!代码|问题|意思|想法|看法|理解|错误).{1,12}是"),
    ("fact", r"我(?:叫|姓|今年\d+岁|是(?:一名|一个|一位|个))"),
    ("preference", r"我(?:最|很|特别|非常|不太?|一直)?(?:喜欢|爱吃|爱喝|讨厌|习惯)"),
    ("fact", rf"我(?:们)?(?:家的?|的)(?:狗|猫|宠物|车|房子|公司|项目|团队){_REST_ZH}{{0,6}}"
     r"(?:叫|是|在|用)"),
    ("fact", rf"我(?:们)?对{_REST_ZH}{{1,12}}过敏"),
    ("fact", r"我(?:从来)?不(?:吃|喝|抽|会开|能吃)(?!这|那|完)"),
    ("fact", rf"我(?:们)?(?:还)?有(?:一|两|三|四|\d)[个只条位辆套](?:{_KIN_ZH}|猫|狗|女|儿|车|房)"),
    ("fact", r"我(?:们)?(?:通常|一般|平时|每[天周月年晚]|每个?(?:星期|早上|晚上|周末))(?!次)"),
    ("fact", r"我(?:从小|会说|会弹|学过|当过|住过|出生在|(?:害怕|怕)(?!你|麻烦|打扰|是))"),
    ("fact", rf"我(?:们)?{_AGO_ZH}(?!.{{0,3}}试){_REST_ZH}{{0,12}}(?:了|(?<!路)过)"
     r"(?!.*(?:消息|报错|错误))(?<!说错了)(?<!看到了)"),
    ("context", rf"我(?:们)?{_WHEN_ZH}{_REST_ZH}{{0,6}}(?:要|会|去|得)(?!再?试|看一下)"),
    ("context", rf"(?:{_REST_ZH}{{0,12}}的?)?(?:{_DUE_ZH})(?:的?时间)?(?:{_SET_ZH})"),
    ("fact", r"我们?(?:的)?(?:项目|团队|公司|服务器|数据库|系统)"
     r"(?:用的是|使用|采用|叫|部署在|运行在)"),
    # Japanese
    ("fact", r"(?:私|僕|俺)は.{1,60}(?:に住んでい|で働いてい|に勤めてい|を専攻し|出身)"),
    ("person", r"(?:私|僕|うち)の(?:妻|夫|母|父|兄|姉|弟|妹|息子|娘|友達|友人|上司|同僚|犬|猫)は"),
    ("fact", r"(?:私|僕)の(?:名前|誕生日|趣味|仕事|会社|住所|好きな.{1,10})は"),
    ("preference", r"(?:私|僕)は.{1,40}が(?:好き|嫌い|苦手)"),
    ("fact", r"(?:私|僕|俺)は.{1,30}(?:アレルギー|ベジタリアン|ヴィーガン)"),
    ("fact", rf"(?:私|僕|俺)は(?!.*試し).{{0,20}}{_DID_JA}"),
    ("person", rf"(?:{_KIN_JA})は(?!さん).{{1,30}}(?:です|ます|という)"),
    ("fact", r"(?:毎朝|毎日|毎晩|毎週.{0,2}曜?日?).{1,30}(?:ます|てい)"),
    ("context", rf"(?:.{{1,12}}の)?(?:{_DUE_JA})は.{{1,20}}(?:日|時|曜日|月)"),
)  # fmt: skip

HINTED_ABROAD: Final = (
    r"我(?:们)?(?:在考虑|可能会?|也许|想要?|大概)|(?:私|僕)は.{1,40}(?:かもしれ|と思っ)"
    r"|ich (?:überlege|denke darüber nach|möchte|würde gern)|je (?:pense à|voudrais|compte)"
    r"|(?:estoy pensando|quiero|quisiera)\b|я (?:думаю|хочу|собираюсь)\b"
)

CORRECTED_ABROAD: Final = (
    r"(?:不对[，,]?|请)?(?:不要|别|不许)(?!担心|忘)|(?:bitte )?(?:nicht|kein\w*|hör auf) .{3,80}"
    r"|(?:bitte )?(?:benutze|schreib\w*|verwende) .{2,60}(?:nicht|statt|kein)|"
    r"(?:por favor )?no (?:uses|"
    r"pongas|escribas|hagas)\b|n['’e] ?\w+ (?:pas|plus)\b|(?:пожалуйста,? )?не (?:надо|пиши|"
    r"используй|"
    r"делай)\b|.{2,40}(?:しないで|やめて)"
)
