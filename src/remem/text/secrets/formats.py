"""The token formats of vendors: the prefix of their tokens, and what follows.

This is only a data table. Facts marked `gitleaks` (prefix, alphabet, length) come from the rule set
of gitleaks, MIT licence, at the commit below; facts marked `remem` were collected by the authors of
remem from what vendors publish about their tokens. `scripts/secret_formats.py` shows which prefixes
of a newer gitleaks rule set are missing here.
"""

from __future__ import annotations

from typing import Final, NamedTuple


class Format(NamedTuple):
    """Tokens with one of some prefixes; `length` is the minimum number of characters after it."""

    name: str
    prefixes: tuple[str, ...]
    alphabet: str
    length: int
    source: str
    date: str


SOURCES: Final = {
    "gitleaks": ("commit b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b", "2026-07-22"),
    "remem": ("what vendors publish", "2026-11-17"),
}

# Each value is a character class of a regular expression.
ALPHABETS: Final = {
    "alnum": "[A-Za-z0-9]",
    "base58": "[1-9A-HJ-NP-Za-km-z]",
    "base64": "[A-Za-z0-9+/=_-]",
    "dotted": "[A-Za-z0-9_.=-]",
    "hex": "[0-9a-f]",
    "Hex": "[0-9A-Fa-f]",
    "lower": "[a-z0-9]",
    "upper": "[A-Z0-9]",
    "word": "[A-Za-z0-9_-]",
    "cookie": "[A-Za-z0-9_.=%+/-]",
}

_TABLE: Final = """
1password     ops_eyJ                                               base64  100  gitleaks
adobe         p8e-                                                  alnum    32  gitleaks
age           AGE-SECRET-KEY-1                                      upper    58  gitleaks
airbyte       ab_api_                                               word     32  remem
alibaba       LTAI                                                  alnum    12  gitleaks
anthropic     sk-ant-                                               word     20  gitleaks
apify         apify_api_                                            alnum    30  remem
artifactory   AKCp                                                  alnum    69  gitleaks
artifactory   cmVmd                                                 alnum    59  gitleaks
atlassian     ATATT3x ATCTT3x                                       word     60  gitleaks
atlassian     ATBB                                                  alnum    28  remem
atlassian     ATTA                                                  Hex      60  remem
aws           AKIA ASIA ABIA ACCA                                   upper    16  gitleaks
aws           A3T                                                   upper    17  gitleaks
aws bedrock   ABSK                                                  base64  109  gitleaks
aws bedrock   bedrock-api-key-                                      base64   24  gitleaks
backblaze     K001 K002 K003 K004 K005                              base64   27  remem
bitcoin       xprv yprv zprv tprv                                   base58  100  remem
brevo         xkeysib- xsmtpsib-                                    word     64  gitleaks
buildkite     bkua_                                                 hex      40  remem
cerebras      csk-                                                  alnum    40  remem
circleci      CCIPAT_ CCIPRJ_                                       word     40  remem
clickhouse    4b1d                                                  alnum    38  gitleaks
clojars       CLOJARS_                                              alnum    60  gitleaks
cloudflare    v1.0-                                                 word    100  gitleaks
coda          coda_                                                 word     40  remem
contentful    CFPAT-                                                word     43  remem
crates.io     cio                                                   alnum    32  remem
databricks    dapi                                                  hex      32  gitleaks
defined       dnkey-                                                dotted   79  gitleaks
digitalocean  dop_v1_ doo_v1_ dor_v1_                               hex      64  gitleaks
docker        dckr_pat_ dckr_oat_                                   word     27  remem
elastic       essu_                                                 base64   40  remem
doppler       dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.        dotted   40  gitleaks
dropbox       sl.                                                   word    120  gitleaks
duffel        duffel_test_ duffel_live_                             dotted   43  gitleaks
easypost      EZAK EZTK                                             alnum    54  gitleaks
elevenlabs    sk_                                                   hex      48  remem
facebook      EAA                                                   alnum    80  gitleaks
figma         figd_                                                 word     30  remem
firecrawl     fc-                                                   hex      32  remem
flutterwave   FLWSECK_TEST- FLWSECK-                                alnum    12  gitleaks
fly           fm1r_ fm1a_ fm2_ fo1_                                 base64   40  gitleaks
frame.io      fio-u-                                                dotted   64  gitleaks
github        ghp_ gho_ ghu_ ghs_ ghr_                              alnum    36  gitleaks
github        github_pat_                                           word     36  gitleaks
gitlab        glpat- gldt- glrt- glcbt- glptt- glft- glsoat-        dotted   20  gitleaks
gitlab        glagent- glffct- glimt- gloas- glwt-                  dotted   20  gitleaks
gitlab        GR1348941                                             word     20  gitleaks
gitlab        _gitlab_session=                                      lower    32  gitleaks
google        AIza                                                  word     35  gitleaks
google        GOCSPX-                                               word     28  remem
google        ya29.                                                 dotted   20  remem
google        1//0                                                  word     30  remem
grafana       glc_ glsa_                                            base64   32  gitleaks
grafana       eyJrIjoi                                              base64   70  gitleaks
groq          gsk_                                                  alnum    40  remem
harness       pat. sat.                                             dotted   68  gitleaks
helicone      sk-helicone-                                          word     20  remem
heroku        HRKU-                                                 word     36  gitleaks
honeycomb     hcaik_ hcbik_ hcalk_ hcxik_                           alnum    40  remem
hubspot       pat-na1- pat-na2- pat-eu1-                            word     36  remem
huggingface   hf_ api_org_                                          alnum    30  gitleaks
infisical     st.                                                   dotted   50  remem
infracost     ico-                                                  alnum    32  gitleaks
intercom      dG9rO                                                 base64   40  remem
intra42       s-s4t2ud- s-s4t2af-                                   hex      64  gitleaks
jwt           ZXlK                                                  base64   60  gitleaks
langfuse      sk-lf-                                                word     36  remem
langsmith     lsv2_pt_ lsv2_sk_                                     word     40  remem
linear        lin_api_ lin_oauth_                                   alnum    32  gitleaks
mailgun       key-                                                  hex      32  gitleaks
mapbox        sk.eyJ                                                dotted   60  remem
matrix        syt_                                                  word     30  remem
neon          napi_                                                 alnum    60  remem
netlify       nfp_                                                  alnum    36  remem
newrelic      NRAK- NRII- NRJS- NRRA-                               word     19  gitleaks
nostr         nsec1                                                 lower    58  remem
notion        ntn_                                                  alnum    40  gitleaks
notion        secret_                                               alnum    43  remem
npm           npm_                                                  alnum    36  gitleaks
nuget         oy2                                                   lower    43  remem
nvidia        nvapi-                                                word     60  remem
octopus       API-                                                  upper    26  gitleaks
openai        sk-proj- sk-svcacct- sk-admin-                        word     20  gitleaks
openrouter    sk-or-                                                word     20  remem
openshift     sha256~                                               word     43  gitleaks
openssh       b3BlbnNzaC1rZXktdjE                                   base64   40  remem
paypal        access_token$production$ access_token$sandbox$        cookie   20  remem
perplexity    pplx-                                                 alnum    40  gitleaks
pinecone      pcsk_                                                 word     50  remem
plaid         access-sandbox- access-development- access-production- word    36  gitleaks
planetscale   pscale_tkn_ pscale_pw_ pscale_oauth_                  dotted   32  gitleaks
posthog       phx_                                                  alnum    40  remem
postman       PMAK-                                                 word     59  gitleaks
prefect       pnu_ pnb_                                             alnum    36  gitleaks
pulumi        pul-                                                  hex      40  gitleaks
pypi          pypi-Ag                                               word     50  gitleaks
railway       railway_                                              word     32  remem
readme        rdme_                                                 lower    70  gitleaks
remem         rmt_                                                  lower    32  remem
render        rnd_                                                  alnum    28  remem
replicate     r8_                                                   alnum    36  remem
resend        re_                                                   word     32  remem
rubygems      rubygems_                                             hex      48  gitleaks
scaleway      SCW                                                   upper    17  remem
scalingo      tk-us-                                                word     48  gitleaks
sentry        sntrys_                                               base64   50  gitleaks
sentry        sntryu_                                               hex      64  gitleaks
settlemint    sm_aat_ sm_pat_ sm_sat_                               alnum    16  gitleaks
shippo        shippo_live_ shippo_test_                             Hex      40  gitleaks
shopify       shpat_ shpca_ shppa_ shpss_ shptka_                   Hex      32  gitleaks
slack         xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- cookie   20  gitleaks
slack         xapp- xwfp- xoxe.xoxb- xoxe.xoxp-                     word     20  gitleaks
sonar         sqp_ squ_ sqa_                                        hex      40  gitleaks
sourcegraph   sgp_                                                  word     40  gitleaks
square        sq0atp- sq0csp-                                       word     22  gitleaks
square        EAAA                                                  word     60  gitleaks
stripe        sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ alnum    16  gitleaks
stripe        whsec_                                                base64   24  remem
supabase      sbp_                                                  hex      40  remem
supabase      sb_secret_                                            word     30  remem
tailscale     tskey-                                                word     20  remem
tavily        tvly-                                                 word     20  remem
tencent       AKID                                                  alnum    32  remem
typeform      tfp_                                                  dotted   40  gitleaks
vault         hvs. hvb. hvr.                                        word     24  gitleaks
vercel        vercel_blob_rw_ vcp_ vck_                             word     20  remem
voyage        pa-                                                   word     40  remem
wandb         wandb_v1_                                             word     40  remem
xai           xai-                                                  alnum    60  remem
yandex        AQVN                                                  word     35  gitleaks
yandex        y0_                                                   word     50  remem
zapier        zpka_                                                 word     30  remem
"""


def _read(line: str) -> Format:
    *name, alphabet, length, source = line.split()
    words = line[:14].split()
    prefixes = tuple(name[len(words) :])
    return Format(" ".join(words), prefixes, alphabet, int(length), source, SOURCES[source][1])


FORMATS: Final = tuple(map(_read, _TABLE.strip().splitlines()))
