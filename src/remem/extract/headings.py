"""What a heading announces: a kind of memory, a log, or a topic of its own.

The table holds beginnings of words in the languages that workspaces are written in; where a
script has no spaces, parts of the heading are looked for.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, Literal

from remem.model.entry import Category
from remem.text.note_dates import mentions
from remem.text.words import STOP_WORDS, fold

Announced = Category | Literal["log"]

_HEADS: Final[dict[Announced, str]] = {
    "preference": """preferenc favou?rit likes dislikes taste working.style communication.style
        communication$ tone feedback style$ vorlieb präferenz arbeitsstil kommunikation$ lieblings
        предпочтени стиль общени нравится вкус preferencia gustos estilo comunicación préférence
        goûts style.de communication$ 偏好 喜好 习惯 風格 风格 沟通 好み 嗜好 スタイル
        フィードバック 反馈""",
    "decision": """decision decided milestone turning.point choice what.was.settled settled
        agreement resolution adr entscheidung beschlü beschlu meilenstein wendepunkt решени
        договорённост вехи веха decisi acuerdos hitos décision jalons choix 决策 决定 決定 決議
        里程碑 意思決定 決めたこと マイルストーン 選定""",
    "insight": """lesson learned learnt learning gotcha pitfall pattern finding insight principle
        takeaway quote caveat troubleshoot known.issue mistake hard.way observation what.works
        lektion gelernt erkenntnis stolper fallstrick einsicht muster prinzip zitate fehler урок
        уроки вывод наблюдени принцип ошибк грабли инсайт leccion lección aprend hallazg patron
        patrón principio error citas leçon appris piège constat principe erreur 教训 教訓 经验
        經驗 踩坑 洞察 规律 原则 心得 发现 發現 学び 気づき 知見 ノウハウ 落とし穴 原則 注意点
        反省""",
    "instruction": """rule polic workflow safety protocol convention critical guideline
        instruction procedure process$ standard always never must boundar security checklist
        how.we.work how.to do.not dont etiquette regel richtlin ablauf sicherheit protokoll
        konvention vorgabe anweisung verfahren правил политик процесс безопасност протокол
        соглашени инструкц порядок регламент запре regla polític flujo seguridad protocolo
        convenci instruccion norma procedimiento règle politique sécurité protocole consigne
        instruction procédure méthode 规则 規則 规定 規範 规范 铁律 鐵律 流程 安全 协议 约定 紀律
        纪律 准则 指令 红线 必须 禁止 ルール 規約 手順 方針 安全 鉄則 決まり 運用 プロトコル
        注意事項""",
    "project": """project focus next.action next.step priorit mission achievement roadmap goal
        objective backlog todo task initiative in.progress current.work status plan plans pending
        open.question deadline pipeline active.work accomplish done$ projekt fokus nächste aufgabe
        ziel erfolge vorhaben fahrplan offene проект задач цел план приоритет достижени миссия
        фокус дорожн proyecto objetivo tareas próxim prioridad logros meta metas pendiente projet
        objectif tâche prochaine priorité feuille.de.route réalisation en.cours 项目 專案 项目
        目标 目標 计划 計劃 任务 任務 待办 待辦 进展 進度 进度 重点 里程 优先 成就 使命
        プロジェクト 目標 計画 タスク 予定 進捗 優先 ロードマップ 実績 やること""",
    "person": """about people person profile contact connection team identity client customer
        family friend colleague who.is owner user$ bio background$ relationship stakeholder über
        person menschen leute profil kontakt kunde familie freund kolleg люди человек профил
        контакт команд клиент семь друзь о.себе владел personas perfil contacto equipo cliente
        familia amigos sobre gens profil équipe famille amis à.propos 人物 人员 關於 关于 联系人
        聯絡 团队 團隊 家人 家庭 朋友 客户 客戶 身份 用户 用戶 个人 主人 人間関係 関係者
        プロフィール チーム 家族 友人 連絡先 顧客 について""",
    "fact": """setup config setting tool account cron schedule platform reference infrastructure
        environment server hardware network path key.fact fact numbers service api endpoint
        credential integration device system stack architecture location link resource channel
        inventory database model address glossary einrichtung konfiguration werkzeug konto
        zeitplan umgebung netzwerk referenz geräte dienste adresse zahlen fakten настройк
        конфигурац инструмент аккаунт расписани сервер сеть справ инфраструктур окружени факт
        адрес каналы configuraci herramienta cuenta horario servidor red$ referencia
        infraestructura entorno dato réglage outil compte calendrier serveur réseau référence
        environnement fait chiffres 配置 设置 設定 工具 账号 帳號 环境 環境 服务器 伺服器 网络
        平台 参考 參考 基础设施 资源 资料 信息 事实 数据 频道 頻道 定时 ツール アカウント 環境
        サーバー ネットワーク 構成 インフラ 参照 基本情報 スケジュール 事実 チャンネル""",
    "log": """log today yesterday archive progress session this.week changelog history journal
        diary morning afternoon evening heartbeat recent daily weekly update report summary
        tagebuch heute verlauf protokoll$ archiv woche журнал сегодня архив дневник история отчёт
        отчет registro hoy archivo historial diario semana journal aujourd archives historique
        semaine 日志 日誌 今日 今天 昨日 归档 歸檔 本周 历史 記錄 记录 日报 周报 总结 ログ 今日の
        アーカイブ 履歴 日誌 日記 作業記録""",
}
_CLOCK: Final = re.compile(r"^\W{0,3}\d{1,2}[:：]\d\d\b")
_SAY_NOTHING: Final = re.compile(
    r"(?:notes?|misc|overview|general|other|info|key|important|current|active|main|long|term|"
    r"memory|md|memories|user|section|list|new|old|core|my|our|house|iron|hard|numbers?|worth|keeping|"
    r"notizen|allgemein|wichtig|aktuell|sonstiges|übersicht|langzeit|gedächtnis|основн|важн|текущ|"
    r"общ|разное|заметки|память|долгосрочн|notas|importante|actual|general|memoria|otros|clave|"
    r"mémoire|général|autres|important|actuel|clés?|长期|記憶|记忆|核心|重要|当前|當前|其他|概述|"
    r"概要|メモ|長期|その他|現在|的|の|与|和|と|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|"
    r"days?|working|work|home|morning|afternoon|evening|night|tomorrow|today|review|ideas?|"
    r"problems?|"
    r"calls?|follow|ups?|questions?|meetings?|details?|background|context|arbeit|zuhause|morgen|"
    r"abend|"
    r"ideen|probleme|anrufe|treffen|понедельник|вторник|среда|четверг|пятница|суббота|воскресенье|"
    r"утро|"
    r"день|вечер|работа|дом|идеи|проблемы|звонки|встречи|завтра|lunes|martes|jueves|viernes|sábado|"
    r"domingo|mañana|tarde|noche|trabajo|casa|ideas|problemas|lundi|mardi|mercredi|jeudi|vendredi|"
    r"samedi|"
    r"dimanche|matin|soir|travail|maison|idées|problèmes|星期.|周[一二三四五六日]|上午|下午|晚上|"
    r"早上|工作|"
    r"生活|想法|问题|明天|会议|月曜日?|火曜日?|水曜日?|木曜日?|金曜日?|土曜日?|日曜日?|朝|昼|夜|"
    r"仕事|家|"
    r"アイデア|問題|会議|明日)\w*",
    re.IGNORECASE,
)
_TIES: Final[tuple[Announced, ...]] = ("preference", "decision", "insight", "instruction")
_MOST_WORDS: Final = 9


def _alternatives(table: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Beginnings of words, and parts for scripts without spaces."""
    stems = table.split()
    spaced = [stem.replace(".", r"[\s_-]+") for stem in stems if ord(stem[0]) < 0x2E80]
    packed = [stem for stem in stems if ord(stem[0]) >= 0x2E80]
    return (
        re.compile(rf"(?<!\w)(?:{'|'.join(spaced)})\w*"),
        re.compile("|".join(sorted(packed, key=len, reverse=True))),
    )


_PATTERNS: Final = {name: _alternatives(table) for name, table in _HEADS.items()}


@lru_cache(maxsize=4096)
def announced(title: str) -> Announced | None:
    """What kind of memory a heading announces; None if it only names a topic."""
    text = fold(bare_title(title)).replace("'", "")
    if not text:
        return "log" if mentions(title) else None
    if len(text.split()) > _MOST_WORDS:
        return None
    places = {
        name: max(found)
        for name, patterns in _PATTERNS.items()
        if (found := [match.start() for pattern in patterns for match in pattern.finditer(text)])
    }
    for name in _TIES:
        if name in places:
            return name
    # Of what is left, the last word is the noun that the others qualify.
    ranked = sorted((place, name) for name, place in places.items())
    return ranked[-1][1] if ranked else None


@lru_cache(maxsize=4096)
def topic_of(title: str) -> str | None:
    """The heading as a topic; None where it names no more than a kind of memory or a day."""
    bare = bare_title(title)
    rest = fold(bare)
    if announced(title) is not None:
        for patterns in _PATTERNS.values():
            for pattern in patterns:
                rest = pattern.sub(" ", rest)
    rest = _SAY_NOTHING.sub(" ", rest)
    telling = [
        part for part in re.findall(r"\w+", rest) if part not in STOP_WORDS and len(part) > 1
    ]
    return bare if telling else None


@lru_cache(maxsize=4096)
def bare_title(title: str) -> str:
    """The heading without its date, its time, its emoji and the tags in front."""
    text = _CLOCK.sub(" ", title)
    for mention in reversed(mentions(text)):
        text = text[: mention.start] + " " + text[mention.end :]
    text = re.sub(r"\[[^\]]{1,24}\]|【[^】]{1,24}】", " ", text) or text
    text = re.sub(r"[(（][\s,;:—–-]*(?:updated?|更新|as of|stand)?[\s,;:—–-]*[)）]", " ", text)
    kept = [character for character in text if not _decoration(character)]
    return " ".join("".join(kept).split()).strip(" -–—:：·|*_~#,.")


def _decoration(character: str) -> bool:
    return unicodedata.category(character) in ("So", "Sk", "Cf") or character in "\ufe0f\u20e3"
