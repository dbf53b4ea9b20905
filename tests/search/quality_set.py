"""Two made-up conversations with questions, for the test of ranking quality."""

from __future__ import annotations

from typing import Final

TALK: Final = (
    ("harbour", "2026-03-04", "Ines", "Morning! Did you get the keys for the new workshop?"),
    ("harbour", "2026-03-04", "Bruno", "Yes, on Monday. It smells of tar and old rope."),
    ("harbour", "2026-03-04", "Ines", "What will you build there first?"),
    ("harbour", "2026-03-04", "Bruno", "A clinker dinghy for my niece, in larch."),
    ("harbour", "2026-03-04", "Ines", "I am still looking for a second hand kiln, by the way."),
    ("harbour", "2026-03-04", "Bruno", "Ask Pavel, he knows every potter on the island."),
    ("letters", "2026-05-19", "Bruno", "How did the exhibition go?"),
    ("letters", "2026-05-19", "Ines", "Better than I hoped, eleven bowls are gone."),
    ("letters", "2026-05-19", "Bruno", "Who bought the big blue one?"),
    ("letters", "2026-05-19", "Ines", "A dentist from Ghent, for her waiting room."),
    ("letters", "2026-05-19", "Bruno", "My knee is bad again, the doctor wants to operate."),
    ("letters", "2026-05-19", "Ines", "Oh no. When?"),
    ("letters", "2026-05-19", "Bruno", "In the second week of June, if all goes well."),
    ("autumn", "2026-09-27", "Ines", "I signed up for the choir last Thursday."),
    ("autumn", "2026-09-27", "Bruno", "You, singing? Which voice?"),
    ("autumn", "2026-09-27", "Ines", "Alto, they had enough sopranos already."),
    ("autumn", "2026-09-27", "Bruno", "The dinghy is finished, we launched her yesterday."),
    ("autumn", "2026-09-27", "Ines", "What did your niece call her?"),
    ("autumn", "2026-09-27", "Bruno", "Waterhoen, after the moorhens in the reeds."),
    ("spring", "2026-04-11", "Ines", "For lunch I had lentils with carrots and vinegar."),
    ("quay", "2026-09-02", "Ines", "A herring for lunch."),
)
"""Source, day, speaker and words of a talk between two people."""

TALK_QUESTIONS: Final = (
    ("What is Bruno building for his niece?", 3),
    ("Which wood did Bruno use for the dinghy?", 3),
    ("Who bought the big blue bowl?", 9),
    ("When will Bruno have his knee operated?", 12),
    ("Which voice does Ines sing in the choir?", 15),
    ("What is the name of the boat?", 18),
    ("When did Ines join the choir?", 13),
    ("What did Ines have for lunch in September 2026?", 20),
    ("What is Ines looking for second hand?", 4),
    ("Who knows the potters?", 5),
)

HELP: Final = (
    ("printer", "user", "My label printer, a Brother QL-820, prints every label twice."),
    (
        "printer",
        "assistant",
        "A label printer that prints twice usually has its copies set to two, "
        "either in the driver or in the program. Open the printer settings, look for copies, set "
        "it to one, and restart the spooler. If the label printer still prints twice, update its "
        "firmware.",
    ),
    ("printer", "user", "It was the driver, thanks. I keep the labels for my honey jars."),
    (
        "printer",
        "assistant",
        "Good to hear! For honey jars choose labels that resist moisture and a "
        "label size that suits the jar. Labels with a white background print best on a label "
        "printer.",
    ),
    ("trip", "user", "I want to go to Ghent by train from Bremen with my bicycle in August."),
    (
        "trip",
        "assistant",
        "From Bremen to Ghent by train with a bicycle you change in Cologne and "
        "Brussels. Reserve the bicycle place early; in August trains are full. I suggest the "
        "hostel De Draecke, which has a bicycle shed, and the Ghent city pass for museums.",
    ),
    ("trip", "user", "I am vegetarian, and I do not eat mushrooms."),
    (
        "trip",
        "assistant",
        "Ghent has a vegetarian day every Thursday. Restaurants such as Lokaal and "
        "Komkommertijd serve vegetarian food; ask about mushrooms, which stand in many dishes.",
    ),
)
"""Source, role and words of what was said with an assistant."""

HELP_QUESTIONS: Final = (
    ("Which label printer do I have?", 0),
    ("What do I use the labels for?", 2),
    ("Where do I want to go by train?", 4),
    ("What do I not eat?", 6),
    ("Which hostel did you suggest in Ghent?", 5),
)

NOTES: Final = (
    "The alarm code of the workshop is kept by Pavel.",
    "Kiln firings happen on the last Friday of the month.",
    "The ferry to the island does not run in storms above force nine.",
    "Invoices over 400 euros need two signatures.",
)
NOTE_QUESTIONS: Final = (
    ("Who has the alarm code?", 0),
    ("When is the kiln fired?", 1),
    ("Does the ferry go in a storm?", 2),
    ("How many signatures does an invoice of 500 euros need?", 3),
)
