"""What does a person tell of himself in German, French, Spanish and Russian?

Fewer patterns than in English, the same shapes: who somebody is, has, likes, does again and again,
did on a day, plans for a day; what is due when.
"""

from __future__ import annotations

from typing import Final

from remem.core.lesson_kinds import LessonKind

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
