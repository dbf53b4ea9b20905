"""Words and patterns of other languages that suggest a category, with weights."""

from __future__ import annotations

from typing import Final

from remem.model.entry import Category

_STRONG: Final = 3.0
_SURE: Final = 4.0

OTHER_LANGUAGES: Final[tuple[tuple[Category, float, str], ...]] = (
    # What a line begins with
    (
        "instruction",
        _SURE,
        r"^\W*(?:(?:toujours|jamais|ne jamais|nunca|siempre|immer|niemals|всегда|никогда)\b|必ず|"
        r"絶対に|绝对不|绝不|永远不|务必)",
    ),
    (
        "preference",
        _SURE,
        r"^\W*(?:ich (?:bevorzuge|hasse)|je (?:préfère|déteste)|(?:yo )?prefiero|я предпочитаю)\b",
    ),
    # Chinese and Japanese
    (
        "instruction",
        _STRONG,
        r"必须|禁止|不要|不得|务必|永远不|绝不|绝对不|始终|不准|严禁|一律|切勿|请勿|不能|必須|"
        r"不許|嚴禁|不可以|"
        r"先.{1,12}再|之前(?:要|先)|记得|只能|统一|应该|不许|不可|得先|勿|每次.{0,10}(?:都要|前|"
        r"后)|从今天起|必ず|してはいけない|しないこと|"
        r"すること[。]?$|べき|絶対に|ないでください|てください|厳守|しない[。]?$|まず|忘れず|"
        r"てから|のみ|ずに|前に.{1,12}(?:する|確認)",
    ),
    (
        "preference",
        _SURE,
        r"喜欢|偏好|讨厌|偏爱|爱喝|爱吃|习惯用|反感|喜歡|討厭|更愿意|宁愿|反馈[:：]|希望|"
        r"越.{1,3}越好|不想|"
        r"想要|要大|受不了|最爱|不爱|嫌|宁可|怕|好き|嫌い|好む|好み|苦手|希望|がいい|"
        r"ほうが(?:いい|好)|フィードバック|したくない|てほしい|派[。で]|たがる|気に入|嫌が|"
        r"より.{1,10}がよい",
    ),
    (
        "decision",
        _SURE,
        r"决定|选用|选了|改用|换成|放弃|拍板|定为|不再|而不是|采用|決定|改為|選用|不换|就用|敲定|"
        r"取消了|不做|不买|改成|代替|定了|选.{1,8}因为|"
        r"不用.{1,10}(?:因为|，)|決めた|決めました|採用|選んだ|やめた|に変更|切り替え|ことにした|"
        r"ことになった|ではなく|見送|廃止|中止|にした|選び|決め",
    ),
    (
        "insight",
        _SURE,
        r"教训|原来|踩坑|坑[:：]|根因|根本原因|洞察|规律|发现|原因是|往往|教訓|發現|都是因为|"
        r"其实|才能|"
        r"一半|最(?:多|好|少|快)|反而|容易|导致|只要.{1,15}就|一.{1,8}就|如果.{1,15}就|結果|"
        r"学んだ|気づ|わかった|判明|落とし穴|原因は|知見|コツ|ことが多い|"
        r"分かった|一番|よかった|ほど|すると|たら|やすい|が原因|方が|と(?:早い|速い|遅い|壊れる|"
        r"失敗)",
    ),
    (
        "person",
        _STRONG,
        r"住在|生日|同事|朋友|妻子|丈夫|女儿|儿子|过敏|母亲|父亲|姓.，|师傅|老师|先生|女士|阿姨|"
        r"叔叔|"
        r"负责|是.{0,12}(?:经理|工程师|律师|医生|总监|设计师|把式|编辑)|认识了|岁|上班|毕业|邻居|"
        r"妈妈|爸爸|奶奶|爷爷|是(?:我|他|她|公司).{0,4}的|住んで|誕生日|同僚|友人|"
        r"アレルギー|担当|勤め|在住|息子|娘|さん[はがの]|くん|ちゃん|歳|出身|課長|部長|社長|"
        r"弁護士|医師",
    ),
    (
        "project",
        _STRONG,
        r"项目|截止|里程碑|进度|阶段|预算|下一步|待办|上线|路线图|專案|預約|月底|定在|还(?:等|差|"
        r"剩)|已部署|"
        r"通过|收到|开会|交稿|计划|预计|正在|准备|打算|将|下周|下个月|本周|周[一二三四五六日]|剩|"
        r"完成|草稿|初稿|用来|プロジェクト|締め切り|締切|期限|マイルストーン|進捗|予算|"
        r"リリース|フェーズ|予定|残り|までに|公開|実装|成功|完成|作業中|件|来週|今月|来月|準備|"
        r"途中|目指|済み|完了|提出",
    ),
    (
        "fact",
        _STRONG,
        r"端口|路径|地址|服务器|版本|账号|位于|运行在|存放|目录|数据库|定时|伺服器|放在|密码|"
        r"编号|每(?:天|周|月)|"
        r"ポート|パスは|サーバー|バージョン|アカウント|保存|データベース|動いて|にある|稼働|"
        r"毎(?:日|週|月)|番号",
    ),
    # Russian
    (
        "instruction",
        _STRONG,
        r"\b(?:никогда|всегда|обязательно|нельзя|запрещено|должен|должны|должна|следует|только "
        r"(?:после|с|в)|"
        r"не (?:отправля|удаля|трога|забыва|публику|использу)\w+|сначала .{2,30}потом|нужно|надо|"
        r"перед (?:каждым|каждой|\w+ием))\b",
    ),
    (
        "preference",
        _SURE,
        r"\b(?:предпочита\w+|любит|люблю|нравится|ненавид\w+|обожает|хочет|просит|терпеть не|"
        r"лучше бы|"
        r"не хочет|раздража\w+)\b",
    ),
    (
        "decision",
        _SURE,
        r"\b(?:решили|решено|решил[аи]?|выбрали|выбрал[аи]?|договорились|перешли на|отказались|"
        r"вместо|"
        r"остановились на|оставляем|убираем|берём|берем|отменили|перенесли)\b",
    ),
    (
        "insight",
        _SURE,
        r"\b(?:урок|оказалось|выяснилось|причина|грабли|подводн\w+|на практике|почти всегда|вывод|"
        r"чаще всего|"
        r"каждый раз|лучше всего|быстрее|хуже|надёжнее|из-за|потому что)\b|\bне [^,]{2,30}, а \b|"
        r"\b(?:если|когда) .{3,40}, (?:то )?\w+(?:ет|ит|ся)\b",
    ),
    (
        "person",
        _STRONG,
        r"\b(?:живёт|живет|день рождения|коллега|жена|муж|дочь|сестра|брат|мама|отец|аллерги\w+|"
        r"работает|"
        r"отвечает за|друг|начальни\w+|бухгалтер|юрист|познакомил\w+|сосед\w*|родился|родилась)\b",
    ),
    (
        "project",
        _STRONG,
        r"\b(?:проект\w*|срок|дедлайн|этап|бюджет|цель|запуск\w*|следующий шаг|встреча|осталось|"
        r"осталась|остались|закончить|сделать|скоро|к (?:маю|июню|лету|осени|зиме|концу)|до "
        r"(?:января|"
        r"февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря|конца|лета|"
        r"зимы)|"
        r"выложили|готово|ждём|ждем|\d+ из \d+|на этой неделе|планиру\w+)\b",
    ),
    (
        "fact",
        _STRONG,
        r"\b(?:порт\w*|путь|сервер\w*|верси[яи]|аккаунт|хранится|хранятся|находится|база данных|"
        r"адрес|"
        r"лежит|лежат|стоит|номер|пароль|каждый (?:день|час))\b",
    ),
    # German
    (
        "instruction",
        _STRONG,
        r"\b(?:niemals|nie|immer|muss|müssen|darf nicht|dürfen|nicht ohne|verboten|stets|auf "
        r"keinen fall|"
        r"keinesfalls|nur (?:nach|mit|wenn)|ab (?:jetzt|sofort|heute)|vor jede[rmn]|nach jede[rmn]|"
        r"bitte|sofort|zuerst|grundsätzlich|erst .{2,30} dann|keine? \w+ ohne)\b",
    ),
    (
        "preference",
        _SURE,
        r"\b(?:bevorzugt|mag|lieber|hasst|liebt|möchte|lieblings\w*|gerne?|ungern|wünscht sich|"
        r"will keine?n?)\b",
    ),
    (
        "decision",
        _SURE,
        r"\b(?:entschieden|beschlossen|gewählt|statt|anstatt|anstelle|vereinbart|umgestiegen|"
        r"verworfen|"
        r"abgeschafft|einigten|geeinigt|festgelegt|verschoben|abgesagt|wir nehmen|wir bleiben "
        r"bei)\b",
    ),
    (
        "insight",
        _SURE,
        r"\b(?:gelernt|erkenntnis|stellte? sich heraus|ursache|fallstrick|stolperfalle|liegt "
        r"(?:es )?daran|"
        r"lag (?:es )?(?:daran|an)|fast immer|lehre|in der praxis|jedes mal|meistens|am besten|"
        r"sobald|bringt mehr|wegen|führt zu|hilft|besser|schneller|weil)\b",
    ),
    (
        "person",
        _STRONG,
        r"\b(?:wohnt|lebt in|geburtstag|kolleg(?:e|in)|ehefrau|ehemann|tochter|sohn|bruder|"
        r"schwester|mutter|"
        r"vater|allergisch|arbeitet (?:bei|als)|zuständig|spricht|verheiratet|nachbar(?:in)?|"
        r"kümmert sich|wird \d\d)\b",
    ),
    (
        "project",
        _STRONG,
        r"\b(?:projekt\w*|frist|meilenstein|termin|budget|ziel|nächste (?:schritte|woche)|phase|"
        r"abgabe|"
        r"geplant|soll(?:en)? .{2,40}(?:stehen|sein|werden|fertig)|bis (?:januar|februar|märz|"
        r"april|mai|juni|juli|august|"
        r"september|oktober|november|dezember|ende|zum)|noch (?:offen|\d+)|fehlt noch|bestellt|"
        r"\d+ von \d+|fertig|läuft noch|ab (?:montag|nächster)|wird (?:gebaut|geliefert)|steht "
        r"noch aus)\b",
    ),
    (
        "fact",
        _STRONG,
        r"\b(?:port|pfad|server|konto|liegt (?:in|auf|unter|im)|liegen|läuft auf|adresse|datenbank|"
        r"gespeichert|steht (?:in|im|auf)|nummer|kennwort|jeden (?:tag|monat)|kostet)\b",
    ),
    # Spanish and French
    (
        "instruction",
        _STRONG,
        r"\b(?:nunca|siempre|debes?|deben|prohibido|hay que|obligatorio|no \w+ sin|antes de \w+r|"
        r"sólo con|"
        r"a partir de (?:ahora|hoy)|jamais|toujours|doit|doivent|il faut|interdit|ne pas|"
        r"obligatoire|"
        r"avant de|désormais|uniquement)\b",
    ),
    (
        "preference",
        _SURE,
        r"\b(?:prefiere|prefiero|le gustan?|me gustan?|odia|favorit[oa]s?|le encantan?|quiere|"
        r"pide|no soporta|"
        r"préfère|aime|déteste|favorite?s?|préférée?s?|souhaite|adore|voudrait|ne supporte pas)\b",
    ),
    (
        "decision",
        _SURE,
        r"\b(?:decidi\w+|elegi\w+|en lugar de|acorda\w+|acordó|optamos|en vez de|cambiamos a|"
        r"descart\w+|"
        r"aplazad\w+|nos quedamos con|décid\w+|choisi\w*|au lieu de|plutôt que|convenu|opté|"
        r"abandonné\w*|"
        r"retenu|reporté\w*|on garde)\b",
    ),
    (
        "insight",
        _SURE,
        r"\b(?:lección|aprend\w+|resulta que|resultó|causa raíz|trampa|casi siempre|cada vez que|"
        r"funciona mejor|"
        r"en la práctica|leçon|appris|il s['’]avère|s['’]est avéré|piège|presque toujours|la cause|"
        r"chaque fois|marche mieux|en pratique)\b",
    ),
    (
        "person",
        _STRONG,
        r"\b(?:vive en|cumple(?:años)?|colega|esposa|marido|hija|hijo|hermana|hermano|madre|padre|"
        r"alérgic[oa]|"
        r"trabaja|habla|responsable|vecin[oa]|habite|vit à|anniversaire|collègue|mari|fille|fils|"
        r"sœur|frère|"
        r"mère|père|allergique|travaille|parle|voisine?)\b",
    ),
    (
        "project",
        _STRONG,
        r"\b(?:proyecto|plazo|hito|presupuesto|objetivo|próximo paso|fase|fecha límite|entrega|"
        r"cita|faltan?|"
        r"pendiente|hasta (?:fin|junio|julio|septiembre|diciembre)|antes del?|\d+ de \d+|projet|"
        r"échéance|"
        r"jalon|objectif|prochaine étape|date limite|livraison|prévue?|rendez-vous|il reste|avant "
        r"(?:le|fin)|\d+ sur \d+)\b",
    ),
    (
        "fact",
        _STRONG,
        r"\b(?:puerto|ruta|servidor|cuenta|está en|están en|guarda\w*|dirección|base de datos|"
        r"número|cuesta|"
        r"chemin|serveur|compte|se trouve\w*|tourne sur|adresse|base de données|stocké\w*|numéro|"
        r"coûte)\b",
    ),
)
