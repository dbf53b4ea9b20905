"""A PIN, code or password that a sentence states is masked; statements about one are not."""

from random import Random

from remem.text.secrets.mask import redact
from remem.text.secrets.values import SEED_WORDS
from tests.tables import each_row

STATED = [
    "my PIN is 4921",
    "My PIN: 4921",
    "the door code is 7731",
    "The door code is 7731#",
    "the alarm code is 2580.",
    "The code for the garage is 8814",
    "gate code: 1234",
    "the safe combination is 12-34-56",
    "the code to the safe is 55219",
    "my password is hunter2",
    "my password is sunshine",
    "My password is Sunshine!",
    "the password for the wifi is bluewhale",
    'the wifi password is "blue whale"',
    "Wi-Fi-Passwort ist sonnenblume",
    "Mein Passwort ist sonnenblume",
    "Das Passwort lautet sonnenblume",
    "mot de passe : tournesol",
    "Mon mot de passe est tournesol",
    "mi contraseña es girasol",
    "La contraseña es girasol",
    "мой пароль — подсолнух",
    "пароль: подсолнух",
    "密码是123456",
    "我的密码是abc123",
    "暗証番号は4921です",
    "mein PIN ist 4921",
    "Meine PIN lautet 4921",
    "PIN-Code: 4921",
    "code PIN : 4921",
    "der Türcode ist 7731",
    "mi pin es 4921",
    "пин-код 4921",
    "门禁密码是4921",
    "PIN 4921",
    "the PIN of my card is 4921",
    "my bank card pin is 4921",
    "My phone's passcode is 774411",
    "unlock code = 9090",
    "The wifi key is K7h-99-aa",
    "security code 391",
    "CVV: 391",
    "my code is 4921",
    "Ask for Zoë, my code is 4921 and the gate is open.",
    "Your code is 492133.",
    "mein Code ist 4921",
    "mon code est 4921",
    "mi código es 4921",
    "мой код: 4921",
    "password=hunter2",
    'his password is "letmein"',
    "The passphrase is correct horse battery staple.",
    "passphrase: correct horse battery staple",
    "Das Passwort lautet otter maple blue canyon",
    "the passphrase is otter maple blue canyon for the backup disk",
    "my password is tangerine-copper-lagoon",
]
SAID_OF = [
    "the PIN is required",
    "The PIN is wrong",
    "The PIN is in the safe",
    "my PIN is easy to guess",
    "the password is stored in the safe",
    "The password is wrong",
    "my password is too short",
    "the password is not set",
    "My password is hard to remember",
    "the password is the same as before",
    "The password is expired",
    "password is case sensitive",
    "The code is 200",
    "my area code is 4921",
    "my error code is 4921",
    "my postal code is 10115",
    "my discount code is 4921",
    "my code is 4921 lines long",
    "our code is 2026-ready",
    "my code is 1200 LOC",
    "my code is 99",
    "the code is 4921",
    "my code is clean",
    "status code is 4040",
    "the error code is 5003",
    "zip code is 94107",
    "The area code is 4150",
    "postal code: 90210",
    "the code is open source",
    "the code is on GitHub",
    "dress code is casual",
    "country code is 4949",
    "exit code: 1337",
    "the country code is +49",
    "the invite code of the event is on the card",
    "Pin 4021 is connected to ground",
    "pin 13 is the LED",
    "GPIO pin is 4017",
    "Der Code ist sauber",
    "the PIN code is asked for at start",
    "Das Passwort ist falsch",
    "Das Passwort ist abgelaufen",
    "Das Passwort ist im Tresor",
    "mot de passe oublié",
    "le mot de passe est incorrect",
    "le mot de passe est obligatoire",
    "la contraseña es obligatoria",
    "La contraseña es incorrecta",
    "密码是必填的",
    "密码是什么",
    "密码是错误的",
    "密码是对的",
    "パスワードは必須です",
    "パスワードは何ですか",
    "пароль неверный",
    "пароль: обязателен",
    "my password is what I use everywhere",
    "My password is my cat's name",
    "the password is being rotated",
    "the password is going to change",
    "The password is now longer than 12 characters",
    "the password policy is strict",
    "the password manager is Bitwarden",
    "my password is saved in Bitwarden",
    "password: required",
    "The product code is 5512",
    "promo code is SAVE20",
    "The course code is 4021",
    "the password is 12 characters long",
    "The source code is 4000 lines",
    "The code is 4000 lines long",
    "密码：请联系管理员",
    "The pin is bent and 4021 is the part",
    "a PIN has 4 to 8 digits",
    "My pin board has 4000 pins",
    "The verification code is asked for twice",
]
SECRETS = (
    *("4921", "7731", "2580", "8814", "1234", "12-34-56", "55219", "123456", "774411", "9090"),
    *("391", "hunter2", "sunshine", "Sunshine", "bluewhale", "blue whale", "sonnenblume"),
    *("tournesol", "girasol", "подсолнух", "abc123", "K7h-99-aa", "letmein"),
    *("correct horse battery staple", "otter maple blue canyon", "tangerine-copper-lagoon"),
)


def test_what_a_sentence_states_is_masked_and_the_sentence_stays() -> None:
    for sentence in STATED:
        (secret,) = [secret for secret in SECRETS if secret in sentence][-1:]
        redaction = redact(sentence)

        assert secret not in redaction.text, sentence
        assert redaction.kinds in (("code",), ("password",), ("passphrase",)), sentence
        assert redaction.text.startswith(sentence.partition(secret)[0]), sentence
        assert redact(redaction.text).text == redaction.text


def test_statements_about_codes_and_passwords_stay() -> None:
    assert [sentence for sentence in SAID_OF if redact(sentence).text != sentence] == []


def test_the_text_after_a_secret_stays() -> None:
    text = "My PIN is 4921, and the password for the wifi is bluewhale. See you at nine."
    masked = "My PIN is ***, and the password for the wifi is ***. See you at nine."

    assert redact(text).text == masked
    assert redact(text).kinds == ("code", "password")


@each_row("careless", ["password", "PIN"])
def test_masking_whatever_follows_the_word_would_be_noticed(careless: str) -> None:
    assert sum(f"{careless} is " in sentence for sentence in SAID_OF) > 2


@each_row("count", [12, 24])
@each_row("joint", [" ", ", ", "\n"])
def test_seed_phrases_are_masked_with_and_without_a_name(count: int, joint: str) -> None:
    words = Random(count).choices(sorted(SEED_WORDS), k=count)
    numbered = joint.join(f"{number}. {word}" for number, word in enumerate(words, start=1))
    for text in (joint.join(words), f"seed phrase: {joint.join(words)}", numbered):
        redaction = redact(f"Kept here:\n{text}\nEnd of it.")

        assert redaction.kinds == ("seed phrase",)
        assert not any(f" {word} " in f" {redaction.text} " for word in words)
        assert redaction.text.startswith("Kept here:\n")


def test_an_attribute_after_a_field_named_password_is_not_the_password() -> None:
    form = '<input type="password" name="password" class="form-control" id="newPassword1" required>'

    assert redact(form).text == form


def test_prose_is_not_a_seed_phrase() -> None:
    for text in (
        "they will have this year when people return from their vacation with friends and family",
        "Turn left at the old mill then walk about twenty minutes until you reach the river",
        "There are several third-party tools and services that can help you test your own network",
        "This will help you find more throw pillow ideas that you can sort before you order them",
        "seed phrase backups belong on paper and never into a cloud drive or a chat at all",
    ):
        assert redact(text).text == text


def test_recovery_codes_and_two_factor_seeds_are_masked() -> None:
    for label, codes in (
        ("Recovery codes: ", ["k3f9-22xq", "p0d1-84mz", "aa7c-19te"]),
        ("GitHub backup codes:\n", ["83920174", "11029384"]),
        ("code de secours du compte : ", ["93844511"]),
        ("2FA secret: ", ["JBSW Y3DP EHPK 3PXP"]),
        ("TOTP-Schlüssel: ", ["2DFO54MZOP3NMMGAN6DS5QU3ZOYOAKCF"]),
    ):
        redaction = redact(label + ", ".join(codes))

        assert not any(code in redaction.text for code in codes), label
        assert redaction.text.startswith(label)
