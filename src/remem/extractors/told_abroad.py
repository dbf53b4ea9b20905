"""What does a person tell of himself in other languages? Fewer patterns, the same idea."""

from __future__ import annotations

from typing import Final

from remem.core.lesson_kinds import LessonKind

_OF_SOMETHING: Final = (
    "时间|地点|持续时间|主要内容|生日|年龄|职业|身高|学历|爱好|公司|工作单位|单位|地址|电话|手机号|"
    "联系电话|邮箱|姓名|名字|籍贯|家乡|性格|规模|预算|截止日期|期限|密级|品牌|端口|版本"
)
_KIN_ZH: Final = (
    "爸|妈|父|母|哥|姐|弟|妹|叔|婶|舅|姨|姑|伯|爷|奶|外婆|外公|老公|老婆|丈夫|妻子|儿子|女儿|侄|甥|表|堂|"
    "朋友|同事|同学|上司|下属|老板|老师|邻居|室友|男友|女友|男朋友|女朋友|客户|医生|经理|孩子"
)

TOLD_ABROAD: Final[tuple[tuple[LessonKind, str], ...]] = (
    # Chinese
    ("person", rf".{{1,12}}是我们?的?[^，。？！]{{0,4}}(?:{_KIN_ZH})"),
    ("person", rf"我(?:的)?(?:{_KIN_ZH})[^，。？！]{{0,8}}(?:叫|是|在|今年|喜欢|住)"),
    ("fact", rf"[^，。？！]{{1,40}}的(?:{_OF_SOMETHING})(?:是|为|在|改为|改成|定在|定为)"),
    ("context", r"我(?:们)?(?:将要?|准备|打算|计划|马上要|下周要|明天要)(?!问|请)"),
    ("fact", r"我(?:们)?(?:住在|来自|在.{1,20}(?:工作|上班|上学|读书)|毕业于|从事|负责|养了|买了)"),
    ("fact", r"我(?:家的?.{1,12}|用的|开的|坐的|的.{1,12})是"),
    ("fact", r"我(?:叫|姓|今年\d+岁|是(?:一名|一个|一位|个))"),
    ("preference", r"我(?:最|很|特别|非常|不太?|一直)?(?:喜欢|爱吃|爱喝|讨厌|习惯)"),
    # Japanese
    ("fact", r"(?:私|僕|俺)は.{1,60}(?:に住んでい|で働いてい|に勤めてい|を専攻し|出身)"),
    ("person", r"(?:私|僕|うち)の(?:妻|夫|母|父|兄|姉|弟|妹|息子|娘|友達|友人|上司|同僚|犬|猫)は"),
    ("fact", r"(?:私|僕)の(?:名前|誕生日|趣味|仕事|会社|住所|好きな.{1,10})は"),
    ("preference", r"(?:私|僕)は.{1,40}が(?:好き|嫌い|苦手)"),
    # German
    ("fact", r"ich (?:wohne|lebe|arbeite|studiere|heiße|komme aus|fahre|besitze|spiele|lerne)\b"),
    ("person", r"mein(?:e|er)? (?:frau|mann|mutter|vater|bruder|schwester|sohn|tochter|"
     r"freund(?:in)?|"
     r"chef(?:in)?|kolleg(?:e|in)|hund|katze|eltern|kinder) (?:\w+ )?(?:ist|heißt|hat|wohnt|lebt|"
     r"arbeitet|sind|haben|war)\b"),
    ("fact", r"mein(?:e|er)? (?:name|geburtstag|adresse|job|büro|auto|hobby|ziel|projekt|budget) "
     r"(?:ist|war|liegt)\b"),
    ("preference", r"ich (?:esse|trinke|höre|lese) (?:gern|am liebsten|kein)"),
    # French
    ("fact", r"(?:j['’]habite|je (?:vis|travaille|suis (?:né|une? |à la retraite)|m['’]appelle|"
     r"viens de|"
     r"joue|possède|conduis))\b"),
    ("person", r"(?:ma|mon|mes) (?:femme|mari|mère|père|frère|sœur|fils|fille|amie?|chefs?|"
     r"collègue|"
     r"chien|chat|parents|enfants) (?:\w+ )?(?:est|s['’]appelle|a|habite|vit|travaille|sont|"
     r"ont)\b"),
    ("fact", r"mon (?:nom|anniversaire|adresse|travail|bureau|budget|objectif|projet) (?:est|"
     r"était)\b"),
    # Spanish
    ("fact", r"(?:yo )?(?:vivo en|trabajo (?:en|como|para)|me llamo|soy (?:de|un)|nací en|estudio|"
     r"tengo (?:un|dos|tres|\d))\b"),
    ("person", r"mis? (?:esposa|mujer|marido|madre|padre|hermano|hermana|hijo|hija|amig[oa]|"
     r"jef[ea]|"
     r"colega|perro|gato|padres|hijos) (?:\w+ )?(?:es|se llama|tiene|vive|trabaja|son|tienen)\b"),
    ("fact", r"mi (?:nombre|cumpleaños|dirección|trabajo|oficina|presupuesto|objetivo|proyecto) "
     r"(?:es|era|está)\b"),
    # Russian
    ("fact", r"я (?:живу|работаю|учусь|родил(?:ся|ась)|занимаюсь|играю|переехал[аи]?)\b"),
    ("fact", r"меня зовут\b|мой день рождения\b|мо[йяё] (?:адрес|работа|цель|проект|бюджет)\b"),
    ("person", r"(?:мой|моя|мои) (?:жена|муж|мама|мать|отец|папа|брат|сестра|сын|дочь|друг|подруга|"
     r"начальник|коллега|собака|кот|кошка|родители|дети)\b"),
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
