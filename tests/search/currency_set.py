"""Made-up statements that were replaced by others, for the test of which one comes first."""

from __future__ import annotations

from typing import Final

PAIRS: Final = (
    # question, the earlier statement, the one that holds now
    (
        "Which port does the gateway listen on?",
        "The gateway listens on port 8080.",
        "The gateway listens on port 9443 since the proxy went in.",
    ),
    (
        "Who is on call for the billing service now?",
        "Billing service on call: Priya.",
        "Billing service on call: Tomasz.",
    ),
    (
        "What time is the stand-up?",
        "The stand-up is at 9:30 every weekday.",
        "The stand-up moved to 10:15, every weekday.",
    ),
    (
        "Which database does the shop use at the moment?",
        "The shop uses MySQL 5.7 on the old rack.",
        "The shop uses PostgreSQL 16 in the new cluster.",
    ),
    (
        "Where do we keep the design files?",
        "Design files live in Dropbox under /studio.",
        "Design files live in Figma now, Dropbox is closed.",
    ),
    (
        "How often are backups made?",
        "Backups are made weekly, on Sunday night.",
        "Backups are made daily at 03:00.",
    ),
    (
        "What coffee does Nadia drink?",
        "Nadia drinks espresso with sugar.",
        "Nadia drinks decaf only, doctor's orders.",
    ),
    (
        "Which model answers support mails these days?",
        "Support mails are answered by the small model.",
        "Support mails are answered by the large model, the small one was too vague.",
    ),
    (
        "What is the budget for the garden project?",
        "Garden project budget: 4,000 euros.",
        "Garden project budget: 6,500 euros after the fence.",
    ),
    (
        "Which branch do we deploy from?",
        "Deploy from the branch release.",
        "Deploy from main, the branch release is gone.",
    ),
    (
        "Where does Oskar live?",
        "Oskar lives in Leeds, near the canal.",
        "Oskar lives in Porto since his new job.",
    ),
    (
        "Are comments on the blog moderated?",
        "Comments on the blog are moderated by hand.",
        "Comments on the blog are switched off.",
    ),
    (
        "Wer kümmert sich inzwischen um die Rechnungen?",
        "Um die Rechnungen kümmert sich Anja.",
        "Um die Rechnungen kümmert sich jetzt Bernd.",
    ),
    (
        "Welchen Editor benutzt das Team?",
        "Das Team benutzt den Editor Atom.",
        "Das Team benutzt den Editor Zed.",
    ),
    (
        "Wann ist die Werkstatt geöffnet?",
        "Die Werkstatt ist montags geöffnet.",
        "Die Werkstatt ist dienstags und freitags geöffnet.",
    ),
    (
        "Quel fournisseur livre le pain ?",
        "Le fournisseur Martin livre le pain le matin.",
        "Le fournisseur Leblanc livre le pain à midi.",
    ),
    (
        "¿Qué servidor aloja la web ahora?",
        "El servidor Orión aloja la web.",
        "El servidor Lince aloja la web desde la mudanza.",
    ),
    (
        "Qual é o horário da reunião de equipe?",
        "O horário da reunião de equipe é às 14h.",
        "O horário da reunião de equipe é às 16h30.",
    ),
    (
        "代码部署现在用哪个工具？",
        "代码部署用 Jenkins 工具。",
        "代码部署改用 GitHub Actions 工具。",
    ),
    ("周会几点开始？", "周会上午九点开始。", "周会改到下午两点开始。"),
    (
        "サーバーのポート番号は？",
        "サーバーのポート番号は3000。",
        "サーバーのポート番号は4100に変更。",
    ),
    (
        "今の担当者は誰？ 経費精算の件",
        "経費精算の担当者は佐藤さん。",
        "経費精算の担当者は高橋さんになった。",
    ),
    (
        "Кто сейчас ведёт проект маяк?",
        "Проект маяк ведёт Олег.",
        "Проект маяк ведёт Ирина.",
    ),
)
PAST_QUESTIONS: Final = (
    ("Which port did the gateway listen on before?", 0),
    ("Who was previously on call for the billing service?", 1),
    ("Which database did the shop use originally?", 3),
    ("Where did we formerly keep the design files?", 4),
    ("Where did Oskar live before?", 10),
    ("Wer hat sich früher um die Rechnungen gekümmert?", 12),
    ("代码部署以前用哪个工具？", 18),
    ("以前のサーバーのポート番号は？", 20),
)
OTHERS: Final = (
    "Bought tea, rice and a new lamp.",
    "The neighbour's cat slept on the roof again.",
    "Der Zug hatte zwanzig Minuten Verspätung.",
    "Read two chapters about whales.",
    "下午去散步，买了水果。",
    "Piano for half an hour, scales only.",
)
