"""A value is a secret because of its name or its place; ordinary text stays as it is."""

import re
import string

from hypothesis import given
from hypothesis import strategies as st

from remem.text.secrets.mask import redact

FIELDS = [
    ("password: {}", "hunter2"),
    ("Password: {}.", "Tr0ub4dor&3"),
    ("my password is {} now", "hunter22"),
    ("the password for the wifi: {}", "Sunny2024"),
    ("PIN and password: {}", "49152"),
    ("DB_PASSWORD={}", "correcthorse"),
    ("export SECRET_KEY='{}'", "dj4ngo-s3cret"),
    ("API_KEY={}", "9f8e7d6c5b4a"),
    ('"password": "{}"', "letmein"),
    ('{{"apiKey":"{}","n":1}}', "a1b2c3d4e5"),
    (r"\"accessToken\": \"{}\"", "a1b2c3d4e5"),
    ("{{'client_secret': '{}'}}", "a1b2c3d4e5"),
    ("password = '{}'  # mine", "hunter22"),
    ("mysql --password {} -h db", "hunter22"),
    ("deploy --auth-token={}", "a1b2c3d4e5f6"),
    ("curl -u bob:{} https://x.org", "hunter22"),
    ("X-Api-Key: {}", "a1b2c3d4e5f6g7"),
    ("Authorization: Bearer {}", "a1b2c3d4e5f6g7h8i9"),
    ("authorization: Basic {}", "Ym9iOmh1bnRlcjI="),
    ("https://bob:{}@x.org/path", "hunter2"),
    ("postgres://app:{}@db:5432/prod", "p@ss"),
    ("redis://:{}@cache:6379", "s3cret"),
    ("https://x.org/?access_token={}&page=2", "a1b2c3d4e5f6"),
    ("**Password:** {}", "hunter22"),
    ("| password | {} |", "hunter22"),
    ("`token`: `{}`", "a1b2c3d4e5"),
    ("| site | mot de passe |\n|---|---|\n| shop | {} |", "chat1234"),
    ("sitio;contraseña\ntienda;{}", "gato1234"),
    ("| 网站 | 密码 |\n|---|---|\n| shop | {} |", "mao12345"),
    ("Passwort: {}", "Sommer2024!"),
    ("Das Kennwort lautet {}", "Sommer2024"),
    ("Passwort für WLAN: {}", "Sommer2024"),
    ("API-Schlüssel: {}", "a1b2c3d4e5f6"),
    ("contraseña: {}", "gato1234"),
    ("la clave es {}", "gato1234"),
    ("senha: {}", "gato1234"),
    ("mot de passe : {}", "chat1234"),
    ("clé API : {}", "a1b2c3d4e5f6"),
    ("wachtwoord: {}", "poes1234"),
    ("hasło: {}", "kot12345"),
    ("пароль: {}", "kot12345"),
    ("токен = {}", "a1b2c3d4e5f6"),
    ("密码：{}", "mao12345"),
    ("数据库密码是{}，请保密", "mao12345"),
    ("密鑰: {}", "a1b2c3d4e5f6"),
    ("パスワード：{}", "neko1234"),
    ("パスワードは{}", "neko1234"),
    ("비밀번호: {}", "gom12345"),
    ("كلمة المرور: {}", "qit12345"),
    ("mật khẩu: {}", "meo12345"),
    ("รหัสผ่าน: {}", "maew1234"),
    ("İstanbul şifre: {}", "kedi1234"),
    ("SECRET_KEY_BASE={}", "9f8a7b6c5d4e3f2a1b0c9d8e7f6a5b4c"),
    ("AZURE_OPENAI_KEY={}", "8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e"),
    ("the api key {} is for staging", "9f8a7b6c5d4e3f2a1b0c"),
    ("JWT_SECRET={}", "plumtreesandpears"),
    ("machine x.org login bob password {}", "plumtree7"),
    ("mysql -u root -p{} app", "Plum99tree"),
    ("mysql -uroot -p'{}' app", "plum tree 9"),
    ("sshpass -p {} ssh root@10.0.0.1", "Plum99tree"),
    ("redis-cli -h cache -a {} ping", "plumtree7"),
    ("docker login -u bob -p {} x.org", "plumtree7"),
    ("mongodb+srv://app:{}@c0.abcd.mongodb.net/db", "Zx9kLm2Q"),
    ("amqp://guest:{}@mq:5672/", "plumtree7"),
    ("Set-Cookie: sid={}; Path=/; HttpOnly", "8hf72kf82qx1"),
    ("Cookie: theme=dark; sessionid={}", "8hf72kf82qx1"),
    ("https://a.blob.core.windows.net/c?sv=2022&sig={}&se=2026", "abc%2BdefGH123%2F4567890%3D"),
    ("https://b.s3.amazonaws.com/k?X-Amz-Signature={}", "5d672d79c15b13162d9279b0855cfba6"),
    ("https://{}@o1234.ingest.sentry.io/5678", "a1b2c3d4e5f60718293a4b5c6d7e8f90"),
    ("AccountName=a;AccountKey={};EndpointSuffix=x", "Zm9vYmFyYmF6cXV4Zm9vYmFyMTIzNDU2Nzg5MA=="),
    ("SharedAccessKeyName=Root;SharedAccessKey={}", "abcDEF123456ghiJKL7890="),
    ("Server=x;User Id=sa;Password={};", "Pa$$w0rd12"),
    ("//registry.npmjs.org/:_authToken={}", "abcdef12-3456-7890-abcd-ef1234567890"),
    ('{{"auths": {{"x.org": {{"auth": "{}"}}}}}}', "Ym9iOnBsdW10cmVl"),
    ("otpauth://totp/x:bob?secret={}&issuer=x", "JBSWY3DPEHPKQQQP"),
    ("define('DB_PASSWORD', '{}');", "Plum99tree"),
    ("<password>{}</password>", "Plum99tree"),
    ('<add key="ClearTextPassword" value="{}" />', "Plum99tree"),
    ("- name: DB_PASSWORD\n  value: {}", "plumtree7"),
    ("| user | password |\n|---|---|\n| bob | {} |", "Plum99tree"),
    ("WIFI:T:WPA;S:Home;P:{};;", "plumtree77"),
    ("run ['--api-token', '{}', '-v']", "hU9Ri9hOboY7NroYfkUyIDch"),
    ("requests.get(u, auth=('bob', '{}'))", "Plum99tree"),
    ("{} is the wifi password", "Plum99tree!"),
    ("the router password was changed to {}", "Plum99tree"),
    ("Wi-Fi password at the cabin is {}.", "Plum99tree"),
    ("wallet private key: {}", "4c0883a69102937d6231471b5dbb6204fe512961"),
]


def test_a_value_is_masked_because_of_its_name_or_place_and_the_rest_stays() -> None:
    for around, secret in FIELDS:
        redaction = redact(around.format(secret))
        before, _, after = around.format("\0").partition("\0")

        assert secret not in redaction.text, around
        assert redaction.kinds, around
        assert redaction.text.startswith(before), around
        assert redaction.text.endswith(after), around


ORDINARY = [
    "the password is stored in 1Password",
    "password: <placeholder>",
    "password: changeme",
    "password: ${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD",
    "password: {{ vault_password }}",
    "password = os.environ['DB_PASSWORD1']",
    "token = settings.api_token",
    "def login(password: str, token: str | None = None) -> bool:",
    "if password == other_password:",
    '"password": "Passwort"',
    '"token": "string"',
    "The token budget: 3000 tokens, max_tokens=4096, tokens: 1500, token: 3",
    "1500 tests passed, 3 failed, 2 skipped in 41.17s",
    "commit 3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f",
    "see https://example.org/a/b/commit/3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f",
    "request 550e8400-e29b-41d4-a716-446655440000 failed",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "/home/bob/.config/secrets/token1.txt and C:\\keys\\api_key2.pem",
    "secret: /run/secrets/db1",
    "write to bob.smith99@example.org",
    "password: bob99@example.org",
    "Password: required",
    "Password reset: ticket JIRA-1234",
    "password policy: at least 12 characters, 1 digit",
    "password: 2024-05-12 rotated",
    "Secret: the party is on 2026-05-01",
    "the secret: always be kind",
    "API key: see the wiki",
    "the API key is in the vault",
    "the token is 2 hours old and expires in 15min",
    "token: ERC20",
    "secretary: Anna1990",
    "token_type: bearer",
    "api_key=YOUR_API_KEY",
    "api_key: your-api-key-1234",
    "https://user:password@example.org/",
    "https://example.org:8080/a@b",
    "ssh://git@example.org:22/repo.git",
    "--password requires --username",
    "Bearer of bad news",
    "sk-learn-pipeline-tutorial-2024-edition",
    "the branch sk-bratislava-office-lease-2024",
    "密码保存在1Password里",
    "密码：请联系管理员",
    "パスワードは管理者に聞いてください",
    "пароль: спросите у Анны",
    "Das Passwort ist im Tresor",
    "the user likes coffee",
    "",
    "My zip code is 94107 and the postal code of the office is 10115.",
    "ZIP: 94107",
    "PIN code 110001 is for New Delhi post",
    "The gate code area is B22",
    "Channel C0AB5HERFFT is the team room",
    "commit 3f2a9c1d8e7b6a5f4e3d2c1b0a9f8e7d6c5b4a3f fixed it",
    "session 550e8400-e29b-41d4-a716-446655440000 failed",
    "The password policy requires 12 characters, 1 digit and 1 symbol.",
    "password: <your-password>",
    "API_KEY=<your-key>",
    "OPENAI_API_KEY=sk-…",
    "export TOKEN=${TOKEN}",
    "GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "Set OPENAI_API_KEY in the environment before you start",
    "ISBN 978-3-16-148410-0",
    "Order number 4921-88812-XZ shipped",
    "phone +49 170 1234567",
    "the price is $1,299.00",
    "color #ff8800 and #1a2b3c",
    "version 2.14.3-beta.1 released",
    "see https://example.org/a/b?page=2&sort=key",
    "primary key: user_id, foreign key: order_id_2024",
    "cache key: user-123456-profile-v2",
    "The sort key is created_at_2024",
    "public key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ4bXBsZWtleWZvcnRlc3Rpbmcx bob@host",
    "tokens: 3000, max_tokens=4096",
    "token budget is 20000",
    "the token expired after 3600 seconds",
    "The secret to good bread is 24 hours of rest",
    "the key is to keep it simple",
    "Key: C# minor",
    "Monkey = 12345678901234567",
    "the passphrase is stored in the vault on shelf two",
    "passphrase must have at least six words",
    "the password is written on a sticky note",
    "my password is too short again today",
    "password reset link sent to bob@example.org",
    "Cookie: theme=dark; lang=en",
    "cookies are baked at 180 degrees for 12 minutes",
    "recovery codes are in the safe",
    "backup key rotation happens on 2026-11-01",
    "The seed of the random generator is 42",
    "seed phrase backups belong on paper",
    "docker run -p 8080:80 nginx",
    "ssh -p 2222 bob@host",
    "mysql -P 3306 -h db",
    "curl -u bob https://x.org",
    "postgres://localhost:5432/app",
    "git@github.com:org/repo.git",
    "the file /home/bob/.ssh/id_ed25519 and C:\\keys\\api_key.pem",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "integrity sha512-AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789==",
    "doc id 1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
    "jira key PROJ-1234",
    "the API key is in 1Password",
    "api key rotation is due 2026-12-01",
    "access token lifetime: 15 minutes",
    "login: bob / main office",
    "credentials: see the wiki page",
    "username: bob, pass: ask Anna",
    "key=value pairs are sorted",
    "S3 key: uploads/2024/11/photo_0123456789.jpg",
    "idempotency_key=550e8400-e29b-41d4-a716-446655440000",
    "the combination of 12 and 24 works well",
    "the code is 4021 lines long",
    "error code 50031",
    "The door is open",
    "I use the password manager KeePassXC 2.7.9",
    "auth: oauth2",
    '"auth": "required"',
    "session_id=abc",
    "The Zoom meeting id is 812 3456 7890",
    "track parcel 00340434161094042557",
    "IBAN DE89 3704 0044 0532 0130 00",
    "pin 13 is the LED, GPIO17",
    "pass the salt; the pass is 2400 m high",
    "We pass 12345 tests",
    "license: MIT",
    "Secret Santa is on 2026-12-20",
    "they will have this year when people return from their vacation with friends",
    "Turn left at the old mill then walk about twenty minutes until you reach the river",
    "signature=none",
    "model=gpt-4o-mini-2024-07-18",
    "sk-learn version 1.5.2",
    "bearer bonds from 1923 were found",
    'The API key format is "sk-" followed by 48 characters',
    "hotkey = ctrl+shift+p",
    "ssh key fingerprint SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDldHgnC1dWBwvyzxk",
    "パスワードは12文字以上にしてください",
    "Het wachtwoord is vergeten.",
    "密码至少8位",
    "the password is case sensitive and expires every 90 days",
    "password hash: SHA256:abc",
    "signed with key 4AEE18F83AFDEB23",
    "The 2FA code that they will send comes from this number",
    "we use OAuth as the token standard",
    "MacBookPro is the password manager host",
    "the v2.0.1-rc3 release is the token fix",
    "This is the password policy",
    "Use snake_case as the key",
    "password → see the vault",
    "my password is really hard to guess for people",
    "token: eyJ... (truncated)",
    "GitHub's token format changed in 2021",
    "password: %(password)s",
]


def test_ordinary_text_stays() -> None:
    assert [text for text in ORDINARY if redact(text) != redact("") and redact(text).kinds] == []
    assert [text for text in ORDINARY if redact(text).text != text] == []


def test_masking_whatever_follows_a_word_would_be_noticed() -> None:
    careless = re.compile(r"(?i)((?:password|token|key|secret)\S*\s+)(\S+)")

    assert sum(careless.sub(r"\1***", text) != text for text in ORDINARY) > 30


PASSWORDS = st.text(string.ascii_letters + string.digits + "!#%*+-_", min_size=8, max_size=16)


@given(PASSWORDS.filter(lambda text: re.search(r"[a-z]\d[A-Z]", text) is not None))
def test_a_password_of_letters_and_digits_is_masked_after_its_name(secret: str) -> None:
    assert secret.strip("_*") not in redact(f"The password: {secret}\n").text


NAMES = st.builds(
    "{}_{}".format,
    st.text(string.ascii_uppercase, min_size=2, max_size=9),
    st.sampled_from(["KEY", "TOKEN", "SECRET", "PASSWORD", "API_KEY", "KEY_BASE", "ACCESS_KEY"]),
).filter(
    lambda name: re.search("(PUB|SUB|ROW|MAP|ANY|HOT|GPG|DICT|HOST|SORT|CTRL|JIRA)_", name) is None
)
VALUES = st.text(string.ascii_letters + string.digits, min_size=20, max_size=60)


@given(NAMES, VALUES.filter(lambda text: len(re.findall(r"\d", text)) > 2 and len(set(text)) > 9))
def test_any_named_key_is_masked_in_an_environment_file(name: str, value: str) -> None:
    text = redact(f"DEBUG=1\nexport {name}={value}\nPORT=8080").text

    assert value[6:-4] not in text
    assert text.startswith("DEBUG=1\n")
    assert text.endswith("\nPORT=8080")
