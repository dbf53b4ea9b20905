"""Words for passwords and keys in many languages, and words that are never a secret; lower case."""

from __future__ import annotations

from typing import Final

PASSWORD_WORDS: Final = (
    *("password", "passwd", "passphrase", "passcode", "pwd", "_pass", "-pass", "psk", "pw"),
    *("phrase de passe", "passfrase", "frase de paso", "wachtwoordzin", "frase segreta"),
    *("парольная фраза", "кодовая фраза", "密码短语", "パスフレーズ", "암구호"),
    *("passwort", "kennwort", "wachtwoord", "lösenord", "passord", "adgangskode", "salasana"),
    *("contraseña", "contrasena", "clave", "senha", "mot de passe", "mdp", "parola"),
    *("hasło", "heslo", "jelszó", "şifre", "пароль", "κωδικός", "סיסמה", "סיסמא"),
    *("كلمة المرور", "كلمة السر", "رمز عبور", "पासवर्ड", "รหัสผ่าน", "mật khẩu", "kata sandi"),
    *("wifi code", "wi-fi code", "wlan-code", "network key", "wlan key", "wlan-key"),
    *("wifi key", "wi-fi key", "wlan-schlüssel", "clé wifi", "clé wi-fi"),
    *("密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호"),
)

_KEYS: Final = tuple(
    f"{what}{joint}key"
    for what in (
        *("api", "access", "secret", "private", "signing", "encryption", "auth", "account"),
        *("license", "licence", "master", "deploy", "service", "shared", "preshared", "app"),
    )
    for joint in ("", "_", "-", " ")
)

SECRET_WORDS: Final = (
    *("authorization", "token", "secret", "credential", "_auth"),
    *_KEYS,
    *("api-schlüssel", "api schlüssel", "geheimnis", "clave de api", "clave api", "clave secreta"),
    *("clé api", "clé d'api", "clé secrète", "jeton", "chiave api", "chave de api"),
    *("chave secreta", "токен", "секрет", "ключ api", "api-ключ", "секретный ключ"),
    *(
        "令牌",
        "密钥",
        "密鑰",
        "秘钥",
        "金鑰",
        "權杖",
        "トークン",
        "シークレット",
        "秘密鍵",
        "apiキー",
    ),
    *("토큰", "시크릿", "api 키", "api키", "رمز api"),
)

KEY_WORDS: Final = tuple("key auth schlüssel chave chiave clé ключ キー 鍵 키".split())
"""Words that name a secret only if the value can be nothing else."""

LABEL_WORDS: Final = frozenset({*PASSWORD_WORDS, *SECRET_WORDS})  # a label, never a value

PLACEHOLDERS: Final = frozenset(
    """
    1password admin any base64 basic bcrypt bearer bitwarden blank boolean changed changeit
    changeme credentials dashlane default denied disabled dummy empty enabled expired false foobar
    hidden input invalid jwt keepass keepassxc keychain lastpass login masked md5 missing
    my-password my_password mypassword n/a na new nil no none not null oauth oauth2 old optional
    pass passphrase placeholder private public random redacted required reset root rotated sample
    secret secrets set sha256 stored str string tbd test testing text todo token tokens true type
    undefined unknown unset user username utf-8 valid value var vault void xxx yes your-password
    your_password yourpassword yourtoken
    """.split()
)

SAMPLE_WORDS: Final = (
    *("example", "your-", "your_", "yourkey", "yourtoken", "xxxxxxxx", "placeholder", "redacted"),
    *("replace", "change-me", "change_me", "changeme", "insert-", "insert_", "dummy"),
    "goes-here",
    "goes_here",
)
"""Parts of made-up keys."""

SENTENCE_WORDS: Final = frozenset(
    """the a an in on at to of for from by with without is are was were be been has have had must
    should may can could will would do does not no only when if than as it its that this these
    those i we you he she they my our your his her their and or but too very so same please ask
    see use again today every time yet still already now here there enough stored kept saved
    written required needed between least characters words long der die das den dem ein eine im
    in am auf zu von mit nicht ist sind war muss soll kann und oder aber zeichen bei le la les
    un une dans sur avec pas et ou est el los las en con no y o es не в на и или это для от у
    """.split()
)
"""Words that occur in a sentence about a passphrase, but not in a passphrase."""
