"""Which route does a message take? Matched by words and, where a model is there, by meaning.

Among routes that fit equally well the lower tier wins. A message that fits none takes none.

Which words of a message tell what it is about? Without endings, in any script.

What do people say when they need a file of the protocol? Words of several languages.

They stand in for what a gate does not say: it is written in one language, and a message may
come in another. They count less than the gate's own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from remem.model.conversation import TIERS, tier_of
from remem.model.gate import Route
from remem.text.words import STOP_WORDS, fold, has_grams, words

_ASKING: Final = frozenset("who whom whose why wer wem warum qui pourquoi quien porque".split())
"""They say nothing where one searches, but much about what kind of thing is wanted."""

_OF_FILES: Final = frozenset("load read see file files open any need find md page memory".split())
_ENDINGS: Final = re.compile(r"(?:ations?|ments?|ings?|ions?|ers?|ed|es|e|s|y|ies|en|n)$")
_SHORTEST: Final = 4


@dataclass(frozen=True, slots=True)
class Telling:
    """The telling words of a text, and the text itself for scripts without spaces."""

    words: frozenset[str]
    text: str

    def shared(self, other: str) -> float:
        """How many of these words another text has."""
        return float(len(self.words & telling(other).words))


def telling(text: str) -> Telling:
    found = (word for word in words(text) if word in _ASKING or _tells(word))
    return Telling(frozenset(stem(each) for each in found), fold(text))


def stem(word: str) -> str:
    """A word without its ending: `deploying` and `deployment` are about one thing."""
    if not word.isascii() or len(word) <= _SHORTEST:
        return word
    bare = _ENDINGS.sub("", word)
    return bare if len(bare) >= _SHORTEST else word.removesuffix("s")


def _tells(word: str) -> bool:
    silent = word in STOP_WORDS or word in _OF_FILES or (len(word) == 1 and word.isascii())
    return not silent


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


Sense = Callable[[str, Sequence[str]], Sequence[float] | str]
"""How near a message is in meaning to each of some phrases; or why nobody can tell."""

_PHRASES: Final = re.compile(r"[,;:，；：、。/|()（）\n]+|\s+(?:or|and|oder|und)\s+")
_CUE: Final = 0.5
_NEAR: Final = 0.38
"""A likeness of meaning from which on it counts by itself."""
_WEIGHT: Final = 2.0
_ALIKE: Final = 0.15
"""Scores that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Match:
    route: Route
    score: float
    why: str


@dataclass(frozen=True, slots=True)
class Intent:
    """The routes that fit, the best first; `without` says why meaning was not asked."""

    matches: tuple[Match, ...]
    without: str | None = None


def intent_of(message: str, routes: Sequence[Route], sense: Sense) -> Intent:
    asked = telling(message)
    shared = [_own_words(route, asked) for route in routes]
    often = {word: sum(word in words for words in shared) for words in shared for word in words}
    near, without = _nearness(message, routes, sense)
    found = []
    for place, route in enumerate(routes):
        by_words = sum(1 / often[word] for word in shared[place])
        by_cues = _CUE * len(_cues(route.file) & _looked_for(asked) - shared[place])
        meant = near[place] if near[place] >= _NEAR else 0.0
        score = by_words + min(by_cues, 1.0) + _WEIGHT * max(0.0, meant - _NEAR / 2)
        if by_words or by_cues or meant:
            found.append(Match(route, score, _reason(shared[place], by_cues, meant)))
    return Intent(tuple(_ordered(found)), without)


def _ordered(found: list[Match]) -> list[Match]:
    """Best first; what is about as good as the best comes in the order of tiers."""
    found = sorted(found, key=lambda match: (-match.score, _rank(match)))
    ordered: list[Match] = []
    while found:
        alike = [match for match in found if match.score >= found[0].score - _ALIKE]
        chosen = min(alike, key=lambda match: (_rank(match), -match.score))
        ordered.append(chosen)
        found.remove(chosen)
    return ordered


def _rank(match: Match) -> int:
    return TIERS.index(tier_of(match.route.file.rpartition("/")[2], match.route.tier))


def _own_words(route: Route, asked: Telling) -> frozenset[str]:
    """The words that a message has in common with a route's trigger or its file's name."""
    name = route.file.removesuffix(".md").rpartition("/")[2].replace("-", " ")
    held = telling(f"{route.trigger} {name}").words
    whole = {
        phrase for phrase in _phrases(route.trigger) if has_grams(phrase) and phrase in asked.text
    }
    return (held & asked.words) | whole


def _looked_for(asked: Telling) -> frozenset[str]:
    return asked.words | {sign for sign in _single_signs() if sign in asked.text}


@lru_cache(maxsize=1)
def _single_signs() -> frozenset[str]:
    """Cues of one sign, which no pair of signs can match."""
    return frozenset(part for some in CUES.values() for part in some.split() if len(part) == 1)


@lru_cache(maxsize=64)
def _cues(file: str) -> frozenset[str]:
    said = CUES.get(file.rpartition("/")[2].lower(), "").split()
    return frozenset(word for each in said for word in (stem(each), *telling(each).words))


def _nearness(
    message: str, routes: Sequence[Route], sense: Sense
) -> tuple[list[float], str | None]:
    """How near each route is: its nearest phrase counts."""
    some = [list(dict.fromkeys([route.trigger, *_phrases(route.trigger)])) for route in routes]
    phrases = [each for group in some for each in group if each]
    told = sense(message, phrases) if phrases else ()
    if isinstance(told, str):
        return [0.0] * len(routes), told
    values = iter(told)
    return [max((next(values) for each in group if each), default=0.0) for group in some], None


def _phrases(trigger: str) -> list[str]:
    return [part.strip() for part in _PHRASES.split(trigger.casefold()) if part.strip()]


def _reason(words: frozenset[str], cues: float, meant: float) -> str:
    told = [
        f"words: {', '.join(sorted(words)[:5])}" if words else "",
        "words of its kind" if cues and not words else "",
        f"meaning {meant:.2f}" if meant else "",
    ]
    return "; ".join(each for each in told if each)
