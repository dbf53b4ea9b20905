"""The text that the token basis is fitted on: sentences from templates and word lists."""

from __future__ import annotations

import random
import re
import tomllib
from pathlib import Path
from typing import Final

WORDS: Final = {
    "person": """Ada Amir Anouk Bea Boris Camille Chidi Clara Daria Dmitri Elif Emeka Esther Farah
        Felix Freya Gita Goran Hana Hugo Ines Ivan Jamal Jonas Kaito Katya Lars Leila Lucia Malik
        Mara Mei Milan Nadia Nils Noor Oscar Paloma Petra Quentin Rafael Rosa Samir Selma Soren
        Tariq Teresa Tomas Uma Viktor Wanda Xenia Yara Yusuf Zoe mum dad grandma uncle""",
    "relation": """sister brother mother father cousin neighbour colleague boss landlord dentist
        teacher roommate girlfriend husband daughter son nephew coach therapist plumber client
        accountant lawyer doctor friend professor aunt grandfather partner trainer""",
    "place": """Lisbon Oslo Kyoto Nairobi Vienna Toronto Lima Prague Dublin Cairo Seoul Naples
        Chicago Zurich Marrakesh Hanoi Tbilisi Quito Austin Bergen Ghent Porto Krakow Athens
        Scotland Brazil Iceland Texas Provence Tuscany the_harbour the_library the_office
        the_airport the_museum the_lake the_cabin the_clinic the_station the_market the_gym
        the_rooftop the_village the_castle the_forest the_beach the_old_town""",
    "food": """pasta sushi porridge curry lentils mushrooms cheese olives bread pancakes ramen
        salad tofu salmon oysters dumplings chocolate cinnamon_buns apple_pie oat_milk espresso
        green_tea red_wine beer lemonade peanuts strawberries garlic rice soup steak tacos honey
        yoghurt pickles ginger avocado almonds pizza""",
    "hobby": """climbing chess pottery sailing running yoga knitting gardening photography
        birdwatching painting swimming cycling skiing fishing baking woodworking dancing boxing
        astronomy hiking surfing calligraphy piano guitar violin singing board_games volunteering
        meditation football tennis karate film_making writing_poetry reading_novels""",
    "thing": """laptop bicycle passport umbrella guitar camera backpack kettle sofa mattress
        notebook printer headphones watch wallet keyboard lamp mirror suitcase tent dress jacket
        ring necklace mug clock carpet oven fridge drill ladder map letter painting statue toy key
        phone tablet monitor charger helmet stroller piano car van motorbike boat house flat garage
        balcony kitchen bathroom""",
    "animal": """dog cat rabbit parrot horse turtle hamster goldfish goat chicken beagle kitten
        puppy lizard snake bee owl fox squirrel dolphin whale elephant tiger butterfly spider""",
    "job": """nurse architect baker carpenter journalist pilot translator electrician chef
        biologist designer farmer librarian engineer pharmacist judge actor sculptor firefighter
        economist mechanic consultant researcher musician barista tailor manager programmer""",
    "event": """wedding funeral concert birthday_party conference job_interview marathon exhibition
        graduation reunion workshop picnic book_club pottery_class school_play camping_trip
        road_trip festival protest parade christening housewarming retirement_party hackathon
        board_meeting job_fair charity_auction adoption_interview surgery dental_check""",
    "health": """asthma migraine a_broken_ankle high_blood_pressure a_nut_allergy insomnia diabetes
        back_pain a_fever anxiety a_sore_throat hay_fever anaemia burnout a_concussion eczema
        a_toothache the_flu vertigo lactose_intolerance""",
    "feeling": """proud nervous exhausted relieved lonely grateful furious jealous hopeful bored
        curious embarrassed thrilled worried calm confused inspired guilty homesick overwhelmed
        cheerful disappointed brave shy""",
    "adjective": """blue green crimson tiny enormous ancient modern wooden broken cheap expensive
        quiet noisy spicy bitter sweet frozen dusty elegant ugly fragile heavy soft bright dark
        slow quick secret public temporary permanent dangerous harmless legal illegal annual weekly
        handmade vintage portable waterproof reliable awkward gentle strict generous""",
    "tech": """Postgres SQLite Redis Kafka Docker Kubernetes Terraform GraphQL React TypeScript
        Rust Python Django Nginx Linux Git Jenkins Ansible Prometheus Grafana OAuth WebSocket gRPC
        Markdown JSON YAML Excel Figma Slack Bluetooth USB TLS DNS SSH Bash Vim PyTorch NumPy""",
    "part": """login_form billing_service search_index message_queue backup_job test_suite
        deployment_pipeline cache database_schema access_token error_log retry_loop user_interface
        mobile_app firewall load_balancer config_file release_notes landing_page payment_gateway
        rate_limiter data_model migration_script onboarding_flow invoice_export thumbnail_worker
        feature_flag memory_leak race_condition time_zone_bug null_pointer encryption_key""",
    "matter": """budget contract deadline insurance rent mortgage tax_return pension salary invoice
        refund loan warranty visa licence lawsuit election climate housing_shortage inflation
        refugees democracy philosophy religion childhood education science history evolution
        gravity chemistry poetry jazz opera cinema theatre architecture fashion justice freedom
        friendship marriage divorce adoption pregnancy retirement unemployment war peace
        vaccination nutrition recycling solar_energy traffic agriculture""",
    "verb": """buy sell repair paint borrow return cancel postpone book organise clean measure
        translate review publish delete archive install upgrade rewrite test explain compare choose
        celebrate forget remember protect cook plant water wrap sign send print scan frame tune
        inspect negotiate rehearse donate recycle""",
    "past": """bought sold repaired painted lost found borrowed broke cleaned photographed sketched
        repainted delivered returned stole hid unpacked dropped fixed assembled admired inherited
        ordered replaced measured donated auctioned restored""",
    "goal": """learn_Portuguese finish_the_novel quit_smoking save_for_a_house run_a_half_marathon
        start_a_bakery adopt_a_child move_to_the_coast get_promoted pass_the_exam lose_weight
        open_a_gallery study_medicine change_careers build_a_boat sleep_earlier eat_less_sugar
        write_a_memoir restore_the_cottage volunteer_abroad learn_to_swim master_calculus""",
    "month": """January February March April May June July August September October November
        December""",
    "day": """Monday Tuesday Wednesday Thursday Friday Saturday Sunday yesterday tomorrow
        last_weekend next_week this_evening two_months_ago in_the_spring at_noon before_Christmas
        a_year_ago tonight over_the_summer on_New_Year's_Eve""",
    "number": """two three four five seven ten twelve fifteen twenty forty sixty a_hundred 250
        1,000 3.5 18 42 99 2019 2023 2026 0.75 80_percent half a_dozen""",
    "nature": """river mountain storm desert volcano island meadow waterfall sunset moonlight
        thunder snow rain fog glacier coral_reef valley cliff jungle earthquake rainbow comet
        planet galaxy ocean sand leaf root mushroom oak_tree rose tulip""",
}

TEMPLATES: Final = """
{person} prefers {food} to {food}, and never eats {food} after {number} o'clock.
My {relation} {person} works as a {job} in {place}.
{person}: I {past} the {adjective} {thing} that my {relation} gave me {day}.
{person}: How was the {event} in {place}? Did {person} bring the {thing}?
{person}: Honestly, I felt {feeling} during the {event}, but {hobby} helped me to relax.
{person}: Wow, congratulations! I am so {feeling} for you. When is the {event}?
We decided to move the {part} from {tech} to {tech} because the {part} was too {adjective}.
Decision: the {part} stays on {tech} until {month} {number}; {person} will review it {day}.
Never {verb} the {part} on a {day} without asking {person} first.
The {part} fails with a timeout when {tech} restarts; {verb} the {part} to work around it.
Remember to {verb} the {thing} before the {event} on {month} {number}.
{person} has {health} and must not have {food}.
The doctor told {person} that {health} gets better with {hobby} and less {food}.
Our {relation} moved from {place} to {place} in {month} to {goal}.
{person} wants to {goal} by {month}, even if it takes {number} years.
What did {person} say about {matter} at the {event}?
Where does {person}'s {relation} keep the {adjective} {thing}?
Who {past} the {thing} that stood next to the {thing} in {place}?
When did we {verb} the {thing}, and how much did it cost?
Which {food} does {person} like best, and why is {matter} important to {person}?
The {animal} called {person} sleeps on the {thing} and is afraid of the {nature}.
{person} adopted a {adjective} {animal} {day} and named it after a {job}.
We watched the {nature} from {place} and talked about {matter} until midnight.
A {adjective} {nature} near {place} destroyed {number} houses in {month}.
The book explains {matter}, {matter} and the {adjective} history of {matter}.
{person} disagrees with {person} about {matter}; both were {feeling} afterwards.
The {job} charged {number} euros to {verb} the {adjective} {thing}.
Pay the {matter} invoice of {number} dollars before {month} {number}, account in {place}.
The train to {place} leaves at {number} from platform {number}; {person} has the tickets.
Flight to {place} booked for {day}, hotel near {place}, {number} nights, {adjective} room.
Lesson learned: {tech} needs a {adjective} {part}, otherwise the {part} becomes {adjective}.
{person} reported that the {part} shows a {adjective} {part} on {tech} version {number}.
To {verb} the {part}, run the {tech} script and wait for the {part}.
The password of the {part} is kept in the {adjective} vault; ask {person}.
User prefers {adjective} answers, {adjective} colours and {tech} over {tech}.
User asked me to {verb} the {matter} summary every {day} and to avoid {matter}.
Always answer in {adjective} sentences and cite the {matter} source.
{person} teaches {hobby} to children in {place} every {day}.
I took up {hobby} {day}; it reminds me of my {relation}, who was a {job}.
{hobby} and {hobby} are what {person} does to feel less {feeling}.
The {event} was postponed from {day} to {month} {number} because of the {nature}.
For the {event} we need {number} chairs, {food}, {food} and a {adjective} {thing}.
{person} gave {person} a {adjective} {thing} for the {event}, which made everyone {feeling}.
Recipe: mix {food} with {food}, add {number} grams of {food}, bake for {number} minutes.
At the market in {place} {person} bought {food}, {food} and a {adjective} {thing}.
The study of {matter} shows that {number} of patients with {health} sleep better after {hobby}.
Parliament in {place} voted on {matter} and {matter} {day}.
In physics, {matter} and the motion of a {nature} follow the same {adjective} law.
The {animal} and the {animal} met by the {nature}, and the {animal} was {feeling}.
She dreamed of a {adjective} {nature}, a {animal} and a {thing} made of glass.
My phone number changed; the new {thing} arrives {day}, tell {person} and the {job}.
{person}'s birthday is {month} {number}; a {thing} or some {food} would be a good present.
The meeting about {matter} ended {feeling}: {person} will {verb} the {part}, {person} the {thing}.
Open question: should we {verb} the {part} or {verb} the {part} before the {event}?
Task for {day}: {verb} the {thing}, call the {job}, {verb} the {matter} papers.
I have been {feeling} since the {event}; the {job} suggests {hobby} and {food}.
It is {adjective} and {adjective} in {place} in {month}, so pack the {thing}.
The {job} from {place} speaks about {matter} with a {adjective} voice.
Photo: a {adjective} {animal} on a {thing} beside a {nature}.
[shares image: a {job} with a {animal} in front of a {adjective} {thing}]
Thanks, that sounds {adjective}! I never tried {hobby}, but {matter} fascinates me.
No, {person} does not own a {thing}; it belongs to the {relation} of {person}.
def load_{part}(path): returns the {adjective} {part} or raises an error about the {part}.
commit: {verb} the {part}, closes issue {number}, tested with {tech} and {tech}.
""".strip().splitlines()

_OTHER_LANGUAGES: Final = Path(__file__).with_name("basis_text.toml")
_SLOT: Final = re.compile(r"\{(\w+)\}")


def sentences(count: int, seed: int = 7) -> list[str]:
    """Distinct sentences, the templates in turn, their slots filled at random."""
    chance = random.Random(seed)
    words = {kind: [w.replace("_", " ") for w in text.split()] for kind, text in WORDS.items()}
    made: dict[str, None] = {}
    while len(made) < count:
        template = TEMPLATES[len(made) % len(TEMPLATES)]
        made[_SLOT.sub(lambda slot: chance.choice(words[slot[1]]), template)] = None
    return list(made)


def multilingual_sentences(count: int) -> list[str]:
    """Sentences in the languages of basis_text.toml, the languages in turn; some are repeated."""
    languages = parallel_sentences(count // 10 + 1)
    del languages["en"]
    turns = zip(*languages.values(), strict=True)
    return [sentence for turn in turns for sentence in turn][:count]


def parallel_sentences(count: int, seed: int = 7) -> dict[str, list[str]]:
    """Sentences with about the same content in each language of basis_text.toml."""
    chance = random.Random(seed)
    languages = tomllib.loads(_OTHER_LANGUAGES.read_text(encoding="utf-8"))

    def filled(words: dict[str, list[str]], number: int) -> str:
        template = words["templates"][number % len(words["templates"])]
        return _SLOT.sub(lambda slot: chance.choice(words[slot[1]]), template)

    return {
        language: [filled(words, number) for number in range(count)]
        for language, words in languages.items()
    }
