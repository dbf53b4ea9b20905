"""Match a message to the routes of a gate, by words and, with a model, by meaning.

Among routes that match equally well, the one with the lower tier wins; a message may match no
route. A gate is written in one language and a message may come in another, so each standard file
also has cue words in several languages. They count less than the gate's own words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from remem.fast_dataclass import dataclass
from remem.model.conversation import TIERS, tier_of
from remem.model.gate import Route
from remem.text.words import STOP_WORDS, english_stem, fold, has_grams, words

_QUESTION_WORDS: Final = frozenset(
    "who whom whose why wer wem warum qui pourquoi quien porque".split()
)
"""Stop words that show which kind of file a message needs."""

_FILE_WORDS: Final = frozenset("load read see file files open any need find md page memory".split())
"""Words that occur in the routes of any file."""
SimilarityFunction = Callable[[str, Sequence[str]], Sequence[float] | str]
"""Compares the meaning of a message with the meaning of phrases; returns one similarity for each
phrase, or the reason why they cannot be compared."""
_PHRASE_SEPARATOR: Final = re.compile(r"[,;:，；：、。/|()（）\n]+|\s+(?:or|and|oder|und)\s+")
_CUE_WEIGHT: Final = 0.5
_MIN_SIMILARITY: Final = 0.38
"""A lower similarity in meaning is ignored."""
_SIMILARITY_WEIGHT: Final = 2.0
_SMALL_TALK: Final = (
    "hello, how are you?",
    "good morning",
    "good night, see you tomorrow",
    "thanks",
    "that is funny",
    "tell me a joke",
    "the weather is nice today",
    "the food was good",
    "a trivia question",
)
"""A message that is more similar to one of these than to a route does not mean that route. What
counts as similar differs between models, so a limit alone does not tell small talk apart."""
_TIE_MARGIN: Final = 0.15
"""Scores that differ by no more than this are treated as equal."""


@dataclass(frozen=True, slots=True)
class Keywords:
    """The keywords of a text, and the text itself for scripts without spaces."""

    words: frozenset[str]
    text: str

    def count_in(self, other: str) -> int:
        """Return how many of these keywords are also keywords of another text."""
        return len(self.words & keywords_of(other).words)


def keywords_of(text: str) -> Keywords:
    """Return the stems of a text's words, without words that do not tell files apart."""
    keywords = (word for word in words(text) if word in _QUESTION_WORDS or not _is_stop_word(word))
    return Keywords(frozenset(map(english_stem, keywords)), fold(text))


def _is_stop_word(word: str) -> bool:
    return word in STOP_WORDS or word in _FILE_WORDS or (len(word) == 1 and word.isascii())


CUES: Final = {
    "attention.md": """task tasks todo status progress blocked blocker deadline due next pending
        remaining left week
        任务 待办 进度 状态 阻塞 截止 下一步 进展 計画 タスク 進捗 締め切り 予定
        할일 작업 진행 상태
        aufgabe aufgaben stand frist nächste tâche tâches avancement échéance tarea tareas estado
        plazo pendiente задача задачи статус срок tarefa tarefas prazo""",
    "project.md": """stack architecture framework database server deploy deployment version api
        technical config backend frontend library built
        技术 架构 框架 数据库 部署 版本 配置 技術 構成 設計 기술 구조 배포
        architektur datenbank technik base de données déploiement arquitectura despliegue
        архитектура база сервер версия arquitetura""",
    "experience.md": """decide decided decision why lesson lessons learned mistake reason history
        wrong failed bug before
        决定 决策 为什么 经验 教训 原因 決定 なぜ 教訓 理由 결정 왜 교훈
        entschieden entscheidung warum grund lehre décidé décision pourquoi leçon
        decidido decisión motivo решили решение почему урок""",
    "people.md": """who whom contact person people team role owner responsible colleague
        email phone
        谁 联系 负责 负责人 团队 角色 同事 誰 担当 連絡 チーム 누구 담당 연락
        wer ansprechpartner zuständig kontakt qui équipe responsable quién equipo contacto
        кто контакт ответственный команда quem""",
    "longterm.md": """remember lasting preference background always 长期 偏好 背景 いつも 平时""",
    "daily-synced.md": """yesterday recent recently lately week 昨天 最近 这周 近况 昨日 先週 어제
        gestern neulich hier récemment ayer вчера""",
}


@dataclass(frozen=True, slots=True)
class RouteMatch:
    """A route that matches a message, and why."""

    route: Route
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class MatchedRoutes:
    """The routes that match, best first; `fallback_reason` says why meaning was not compared."""

    matches: tuple[RouteMatch, ...]
    fallback_reason: str | None = None


def match_routes(
    message: str, routes: Sequence[Route], similarity: SimilarityFunction
) -> MatchedRoutes:
    """Return the routes that match a message, best first, with the reasons."""
    keywords = keywords_of(message)
    shared = [_shared_words(route, keywords) for route in routes]
    counts = Counter(word for shared_words in shared for word in shared_words)
    similarities, fallback_reason = _similarities(message, routes, similarity)
    matches = []
    for route, shared_words, similar in zip(routes, shared, similarities, strict=True):
        by_words = sum(1 / counts[word] for word in shared_words)
        cues = _cues(route.file) & _with_one_character_cues(keywords) - shared_words
        by_cues = _CUE_WEIGHT * len(cues)
        by_meaning = similar if similar >= _MIN_SIMILARITY else 0.0
        meaning_score = max(0.0, by_meaning - _MIN_SIMILARITY / 2)
        if by_words or by_cues or by_meaning:
            score = by_words + min(by_cues, 1.0) + _SIMILARITY_WEIGHT * meaning_score
            matches.append(RouteMatch(route, score, _reason(shared_words, by_cues, by_meaning)))
    return MatchedRoutes(tuple(_rank(matches)), fallback_reason)


def _rank(matches: list[RouteMatch]) -> list[RouteMatch]:
    """Sort matches from best to worst; those with nearly equal scores are sorted by tier."""
    rest = sorted(matches, key=lambda match: (-match.score, _tier_rank(match)))
    ranked: list[RouteMatch] = []
    while rest:
        ties = [match for match in rest if match.score >= rest[0].score - _TIE_MARGIN]
        best = min(ties, key=lambda match: (_tier_rank(match), -match.score))
        ranked.append(best)
        rest.remove(best)
    return ranked


def _tier_rank(match: RouteMatch) -> int:
    """Return the rank of a route's tier, from 0 for the tier that is disclosed first."""
    folder, _, name = match.route.file.rpartition("/")
    file = f"conventions/{name}" if folder.rpartition("/")[2] == "conventions" else name
    return TIERS.index(tier_of(file, match.route.tier))


def _shared_words(route: Route, message: Keywords) -> frozenset[str]:
    """Return the words that a message has in common with a route's trigger or its file's name."""
    name = route.file.removesuffix(".md").rpartition("/")[2].replace("-", " ")
    route_words = keywords_of(f"{route.trigger} {name}").words
    phrases = {
        phrase for phrase in _phrases(route.trigger) if has_grams(phrase) and phrase in message.text
    }
    return (route_words & message.words) | phrases


def _with_one_character_cues(message: Keywords) -> frozenset[str]:
    """Return the keywords of a message, and the cues of one character that it contains."""
    return message.words | {cue for cue in _one_character_cues() if cue in message.text}


@lru_cache(maxsize=1)
def _one_character_cues() -> frozenset[str]:
    """Return the cues of one Chinese or Japanese character; keywords in these scripts have two."""
    return frozenset(cue for cues in CUES.values() for cue in cues.split() if len(cue) == 1)


@lru_cache(maxsize=64)
def _cues(file: str) -> frozenset[str]:
    """Return the cue words of a standard file, as they are written and as keywords."""
    cues = CUES.get(file.rpartition("/")[2].lower(), "").split()
    return frozenset(word for cue in cues for word in (english_stem(cue), *keywords_of(cue).words))


def _similarities(
    message: str, routes: Sequence[Route], similarity: SimilarityFunction
) -> tuple[list[float], str | None]:
    """Return the similarity of each route: the highest similarity of its phrases.

    It is 0 if the message is more similar to small talk.
    """
    groups = [
        [phrase for phrase in dict.fromkeys([route.trigger, *_phrases(route.trigger)]) if phrase]
        for route in routes
    ]
    phrases = [phrase for group in groups for phrase in group]
    answer = similarity(message, (*phrases, *_SMALL_TALK)) if phrases else ()
    if isinstance(answer, str):
        return [0.0] * len(routes), answer
    small_talk = max(answer[len(phrases) :], default=0.0)
    values = iter(answer)
    best = [max((next(values) for _ in group), default=0.0) for group in groups]
    return [value if value > small_talk else 0.0 for value in best], None


def _phrases(trigger: str) -> list[str]:
    return [part.strip() for part in _PHRASE_SEPARATOR.split(trigger.casefold()) if part.strip()]


def _reason(matched_words: frozenset[str], cues: float, meaning: float) -> str:
    reasons = [
        f"words: {', '.join(sorted(matched_words)[:5])}" if matched_words else "",
        "cue words for this file" if cues and not matched_words else "",
        f"meaning {meaning:.2f}" if meaning else "",
    ]
    return "; ".join(filter(None, reasons))
