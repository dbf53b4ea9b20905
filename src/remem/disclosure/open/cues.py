"""What do people say when they need a file of the protocol? Words of several languages.

They stand in for what a gate does not say: it is written in one language, and a message may
come in another. They count less than the gate's own words.
"""

from __future__ import annotations

from typing import Final

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
