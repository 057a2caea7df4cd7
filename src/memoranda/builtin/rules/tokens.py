"""Tokens of known form: a fixed prefix, an alphabet and a length, as their issuers document them.

The table reads: rule, prefixes (split by spaces), what follows. What follows must end at a character that is no
letter or digit. A prefix has at least two characters; the first two choose the rows to try.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from typing import Iterator

from memoranda.builtin.rules.lens import RUN_MIN, Lens
from memoranda.model.outcome import Finding

_W = "[A-Za-z0-9]"
_U = "[A-Za-z0-9_]"
_D = "[A-Za-z0-9_-]"
_H = "[0-9a-f]"

FAMILIES: tuple[tuple[str, str, str], ...] = (
    ("age-secret-key", "AGE-SECRET-KEY-1", "[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}"),
    ("aiven-token", "aivenv1", "[A-Za-z0-9/+=]{48,512}"),
    ("airtable-token", "pat", rf"{_W}{{14}}\.{_H}{{64}}"),
    ("alibaba-access-key-id", "LTAI", f"{_W}{{16,26}}"),
    ("anthropic-api-key", "sk-ant-", f"(?:api|admin|oat|ort|sid)[0-9]{{2}}-{_D}{{80,120}}"),
    ("apify-token", "apify_api_", f"{_W}{{36}}"),
    ("artifactory-api-key", "AKCp", f"{_W}{{64,72}}"),
    ("artifactory-reference-token", "cmVmdGtu", f"{_W}{{56}}"),
    ("asana-token", "1/", "[0-9]{16}:[0-9a-f]{32}"),
    ("atlassian-token", "ATATT3 ATCTT3 ATBB", f"{_D}{{24,255}}(?:={_H}{{8}})?"),
    ("aws-access-key-id", "AKIA ASIA ABIA ACCA", "[A-Z2-7]{16}"),
    ("aws-bedrock-key", "ABSK", "[A-Za-z0-9+/]{109,269}={0,2}"),
    ("aws-bedrock-key", "bedrock-api-key-", "[A-Za-z0-9+/]{24,2048}={0,2}"),
    ("azure-devops-token", "AZDO", f"{_W}{{48,80}}"),
    ("brevo-api-key", "xkeysib- xsmtpsib-", f"{_H}{{64}}-{_W}{{16}}"),
    ("buildkite-token", "bkua_ bkaj_ bkct_", f"{_H}{{40,64}}"),
    ("canva-secret", "cnvca", f"{_D}{{40,64}}"),
    ("cerebras-key", "csk-", f"{_W}{{48}}"),
    ("circleci-token", "CCIPAT_ CCIPRJ_", f"{_W}{{22}}_{_H}{{40}}"),
    ("clickhouse-cloud-secret", "4b1d", f"{_W}{{38}}"),
    ("clojars-token", "CLOJARS_", f"(?i:{_H}{{60}})"),
    ("cloudflare-origin-key", "v1.0-", f"{_H}{{24}}-{_H}{{146}}"),
    ("cloudflare-token", "cfut_ cfat_ cfk_", f"{_D}{{37,64}}"),
    ("contentful-token", "CFPAT-", f"{_D}{{43}}"),
    ("databricks-token", "dapi", f"{_H}{{32}}(?:-[0-9])?"),
    ("datadog-key", "ddapp_ ddapi_", f"{_W}{{34,60}}"),
    ("defined-networking-token", "dnkey-", f"{_D}{{26}}-{_D}{{52}}"),
    ("deno-token", "ddp_ ddw_", f"{_W}{{36}}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", f"{_H}{{64}}"),
    ("docker-token", "dckr_pat_ dckr_oat_", f"{_D}{{24,48}}"),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", f"(?:{_D}{{1,40}}\\.)?{_W}{{40,44}}"),
    ("duffel-token", "duffel_test_ duffel_live_", f"{_D}{{43}}"),
    ("dynatrace-token", "dt0c01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("easypost-token", "EZAK EZTK", f"{_W}{{54}}"),
    ("elastic-key", "essu_", "[A-Za-z0-9+/=_-]{40,160}"),
    ("facebook-access-token", "EAAG EAAC EAAM EAAB EAAA EAAD EAAE EAAF EAAJ", f"{_W}{{90,400}}"),
    ("figma-token", "figd_ figo_ figu_", f"{_D}{{36,64}}"),
    ("fireworks-key", "fw_", f"{_W}{{22,32}}"),
    ("flutterwave-key", "FLWSECK_TEST- FLWSECK- FLWPUBK_TEST- FLWPUBK-", "[a-zA-Z0-9]{12,40}(?:-X)?"),
    ("fly-token", "fo1_", f"{_D}{{43}}"),
    ("fly-token", "fm1a_ fm1r_ fm2_ FlyV1", "[A-Za-z0-9+/=_, -]{100,2048}"),
    ("frame-io-token", "fio-u-", f"{_D}{{64}}"),
    ("freemius-secret", "sk_", r"[^\s\"'`<>]{29}(?=[\"'`])"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", f"{_W}{{36,255}}"),
    ("github-fine-grained-token", "github_pat_", f"{_U}{{40,255}}"),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glsoat- glft- glagent- glptt- glimt- glcbt- glffct- glwt-",
        "[A-Za-z0-9_=.-]{20,300}",
    ),
    ("gitlab-runner-registration", "GR1348941", f"{_D}{{20}}"),
    ("google-api-key", "AIza", f"{_D}{{35}}"),
    ("google-oauth-secret", "GOCSPX-", f"{_D}{{28}}"),
    ("google-oauth-token", "ya29.", f"{_D}{{20,1024}}"),
    ("google-refresh-token", "1//0", f"{_D}{{40,200}}"),
    ("grafana-token", "glc_", "[A-Za-z0-9+/]{32,400}={0,3}"),
    ("grafana-token", "glsa_", f"{_W}{{32}}_[A-Fa-f0-9]{{8}}"),
    ("groq-key", "gsk_", f"{_W}{{52}}"),
    ("harness-key", "pat. sat.", rf"{_D}{{22}}\.{_W}{{24}}\.{_W}{{20}}"),
    ("heroku-token", "HRKU-", f"{_D}{{36,64}}"),
    ("huggingface-token", "hf_", f"{_W}{{34,40}}"),
    ("huggingface-token", "api_org_", "[A-Za-z]{34}"),
    ("intra42-secret", "s-s4t2ud- s-s4t2af-", f"{_H}{{64}}"),
    ("jfrog-token", "eyJ2ZXIiOiIyIi", rf"{_D}{{20,400}}\.{_D}{{20,800}}\.{_D}{{20,800}}"),
    ("klaviyo-key", "pk_", f"{_H}{{34}}"),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", f"{_H}{{32}}_{_H}{{10}}"),
    ("launchdarkly-key", "sdk- api- mob-", f"{_H}{{8}}-{_H}{{4}}-4{_H}{{3}}-[89ab]{_H}{{3}}-{_H}{{12}}"),
    ("linear-token", "lin_api_ lin_oauth_", f"{_W}{{32,64}}"),
    ("lob-key", "live_ test_ live_pub_ test_pub_", f"{_H}{{31,35}}"),
    ("mailchimp-key", "md-", f"{_D}{{22}}"),
    ("mapbox-token", "sk.eyJ", rf"{_D}{{40,200}}\.{_D}{{20,40}}"),
    ("mercadopago-token", "APP_USR- TEST-", rf"[0-9]{{16}}-[0-9]{{6}}-{_H}{{32}}-[0-9]{{6,12}}"),
    ("mistral-key", "mstr_", f"{_W}{{32,64}}"),
    ("neon-token", "napi_", f"{_W}{{60,70}}"),
    ("netlify-token", "nfp_ nfc_ nfo_ nfb_", f"{_W}{{36,40}}"),
    ("new-relic-key", "NRAK- NRII- NRJS- NRAA- NRRA-", f"{_D}{{19,40}}"),
    ("notion-token", "ntn_", f"[0-9]{{11}}{_W}{{35}}"),
    ("notion-token", "secret_", f"{_W}{{43}}"),
    ("npm-token", "npm_", f"{_W}{{36}}"),
    ("nvidia-key", "nvapi-", f"{_D}{{60,70}}"),
    ("octopus-key", "API-", "[A-Z0-9]{26}"),
    (
        "onepassword-secret-key",
        "A3-",
        r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}",
    ),
    ("onepassword-token", "ops_eyJ", "[A-Za-z0-9+/=_-]{200,2048}"),
    ("openai-api-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", f"{_D}{{20,200}}"),
    ("openai-api-key", "sk-", f"{_W}{{32,64}}"),
    ("openrouter-key", "sk-or-v1-", f"{_H}{{64}}"),
    ("openshift-token", "sha256~", f"{_D}{{43}}"),
    ("perplexity-key", "pplx-", f"{_W}{{48,56}}"),
    ("pinecone-key", "pcsk_", f"{_U}{{50,80}}"),
    (
        "plaid-token",
        "access-sandbox- access-development- access-production-",
        f"{_H}{{8}}-{_H}{{4}}-{_H}{{4}}-{_H}{{4}}-{_H}{{12}}",
    ),
    ("planetscale-token", "pscale_tkn_ pscale_oauth_ pscale_pw_", r"[A-Za-z0-9=._-]{32,64}"),
    ("posthog-key", "phx_", f"{_W}{{40,50}}"),
    ("postman-key", "PMAK-", f"{_H}{{24}}-{_H}{{34}}"),
    ("prefect-key", "pnu_ pnb_", f"{_W}{{36}}"),
    ("pulumi-token", "pul-", f"{_H}{{40}}"),
    ("pypi-token", "pypi-", f"AgE{_D}{{50,1000}}"),
    ("readme-key", "rdme_", "[a-z0-9]{70}"),
    ("replicate-token", "r8_", f"{_W}{{37}}"),
    ("resend-key", "re_", f"{_W}{{8}}_{_W}{{24}}"),
    ("rubygems-key", "rubygems_", f"{_H}{{48}}"),
    ("scalingo-token", "tk-us-", f"{_D}{{48}}"),
    ("sendgrid-key", "SG.", rf"{_D}{{22}}\.{_D}{{43}}"),
    ("sendinblue-key", "xkeysib-", f"{_H}{{64}}-{_W}{{16}}"),
    ("sentry-token", "sntrys_", "eyJ[A-Za-z0-9+/=_]{40,400}"),
    ("sentry-token", "sntryu_", f"{_H}{{64}}"),
    ("settlemint-token", "sm_pat_ sm_sat_ sm_aat_", f"{_W}{{16}}"),
    ("shippo-token", "shippo_live_ shippo_test_", f"{_H}{{40}}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", "[0-9a-fA-F]{32}"),
    (
        "slack-token",
        "xoxb- xoxp- xoxa- xoxr- xoxs- xoxo- xoxe- xoxe.xoxb- xoxe.xoxp- xoxc- xoxd-",
        r"[A-Za-z0-9%-]{10,400}",
    ),
    ("slack-app-token", "xapp-", rf"[0-9]-{_W}{{8,20}}-[0-9]{{10,15}}-{_W}{{20,80}}"),
    ("snyk-token", "snyk_uat.", rf"{_H}{{8}}\.{_D}{{40,400}}"),
    ("sonar-token", "sqp_ squ_ sqa_", f"{_H}{{40}}"),
    ("sourcegraph-token", "sgp_", f"(?:(?:local|{_H}{{16}})_)?{_H}{{40}}"),
    ("square-token", "EAAA sq0atp- sq0csp- sq0idp-", f"{_D}{{22,60}}"),
    ("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_ sk_prod_ rk_prod_", f"{_W}{{10,120}}"),
    ("stripe-webhook-secret", "whsec_", "[A-Za-z0-9+/]{32,64}={0,2}"),
    ("supabase-token", "sbp_ sb_secret_", f"{_D}{{31,60}}"),
    ("tailscale-key", "tskey-", f"(?:api|auth|client|scim|webhook)-{_W}{{6,24}}(?:CNTRL)?-{_W}{{20,48}}"),
    ("telegram-bot-token", "AAE AAF AAG AAH", f"{_D}{{31,32}}"),
    ("terraform-token", "atlasv1.", f"{_D}{{60,80}}"),
    ("twilio-key", "SK", f"{_H}{{32}}"),
    ("typeform-token", "tfp_", r"[A-Za-z0-9_.=-]{44,64}"),
    ("vault-token", "hvs. hvb. hvr.", f"{_D}{{24,300}}"),
    ("vercel-token", "vercel_blob_rw_ vcp_ vci_ vca_ vcr_ vck_", f"{_U}{{24,80}}"),
    ("voyage-key", "pa-", f"{_D}{{43}}"),
    ("wandb-key", "wandb_v1_", f"{_U}{{60,100}}"),
    ("xai-key", "xai-", f"{_W}{{70,90}}"),
    ("yandex-key", "AQVN", f"{_D}{{35,38}}"),
    ("yandex-key", "YCAJE", f"{_D}{{20}}"),
    ("yandex-key", "t1.", rf"[A-Z0-9a-z_-]{{20,200}}={{0,2}}\.{_D}{{86}}={{0,2}}"),
)
# Forms that other things share (a serial number, a CSS class, a file name) count only beside the right word.
_NEEDS_WORD = {
    "telegram-bot-token": re.compile(r"[0-9]{8,10}:$"),
    "twilio-key": re.compile(r"(?i)twilio.{0,60}$", re.S),
    "klaviyo-key": re.compile(r"(?i)klaviyo.{0,60}$", re.S),
    "lob-key": re.compile(r"(?i)lob.{0,60}$", re.S),
    "mailchimp-key": re.compile(r"(?i)(?:mandrill|mailchimp).{0,60}$", re.S),
    "voyage-key": re.compile(r"(?i)voyage.{0,60}$", re.S),
    "launchdarkly-key": re.compile(r"(?i)(?:launch.?darkly|sdk.?key|\bld_).{0,60}$", re.S),
    "fireworks-key": re.compile(r"(?i)fireworks.{0,60}$", re.S),
    "octopus-key": re.compile(r"(?i)(?:octopus|api.?key).{0,60}$", re.S),
}
_WORD_REACH = 80


_RUN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_Rows = dict[str, tuple[tuple[str, re.Pattern[str]], ...]]


def _tables() -> tuple[_Rows, dict[str, tuple[int, ...]]]:
    """Rows by their first two characters; and for prefixes that hold a sign which ends runs (`SG.`, `1//`), how far
    before a run the token begins, by the two characters before that run."""
    rows: dict[str, list[tuple[str, re.Pattern[str]]]] = {}
    back: dict[str, set[int]] = {}
    for rule, prefixes, rest in FAMILIES:
        for prefix in prefixes.split(" "):
            pattern = re.compile(re.escape(prefix) + rest + r"(?![A-Za-z0-9])")
            rows.setdefault(prefix[:2], []).append((rule, pattern))
            if outside := [n for n, char in enumerate(prefix) if char not in _RUN]:
                size = outside[-1] + 1
                back.setdefault(prefix[size - 2 : size], set()).add(size)
    return {k: tuple(v) for k, v in rows.items()}, {k: tuple(sorted(v)) for k, v in back.items()}


_ROWS, _BACK = _tables()
_JWT = re.compile(r"eyJ[A-Za-z0-9_-]{8,2000}\.(eyJ[A-Za-z0-9_-]{8,8000})\.[A-Za-z0-9_-]{16,2000}")


_FIRST = frozenset(start.encode("ascii") for start in (*_ROWS, "ey"))
_BACKSLASH = ord("\\")
_ENDS = b"./~:"


def find(lens: Lens) -> Iterator[Finding]:
    """Tokens with a known prefix, and JSON Web Tokens. Their form is their validation."""
    text, raw, reached = lens.text, lens.raw, 0
    for start, end in lens.words():
        if start < reached:
            continue
        found = _token(text, start) if raw[start : start + 2] in _FIRST else None
        if found is None and start:
            before = raw[start - 1]
            if before == _BACKSLASH:  # an escaped line end in front: the run is `nghp_…`
                found = _token(text, start + 1)
            elif before in _ENDS:
                found = _before(text, start)
        if found is None and (at := raw.find(b"-", start, end - RUN_MIN)) >= 0:
            found = _after_dash(lens, at, end)
        if found is not None:
            yield found
            reached = found.end


def _token(text: str, at: int) -> Finding | None:
    """The token that begins exactly here."""
    start = text[at : at + 2]
    if start == "ey":
        return _jwt(text, at)
    rows = _ROWS.get(start)
    return _match(text, at, rows) if rows else None


def _before(text: str, start: int) -> Finding | None:
    """A token whose prefix ends in a sign that ends runs, so that it began before this run."""
    for size in _BACK.get(text[start - 2 : start], ()):
        at = start - size
        if at < 0 or (at and (text[at - 1].isalnum() or text[at - 1] in "+/_-.")):
            continue
        found = _token(text, at)
        if found is not None:
            return found
    return None


def _after_dash(lens: Lens, at: int, end: int) -> Finding | None:
    """A token behind a word and a dash; only the first four dashes are looked at."""
    for _ in range(4):
        if at < 0 or end - at < RUN_MIN:
            return None
        found = _token(lens.text, at + 1)
        if found is not None:
            return found
        at = lens.raw.find(b"-", at + 1, end)
    return None


def _match(text: str, at: int, rows: tuple[tuple[str, re.Pattern[str]], ...]) -> Finding | None:
    for rule, pattern in rows:
        match = pattern.match(text, at)
        if match is None:
            continue
        word = _NEEDS_WORD.get(rule)
        if word is not None and not word.search(text[max(0, at - _WORD_REACH) : at]):
            continue
        if not _mixed(text[at : match.end()]):
            continue
        return Finding(rule, "credentials", at, match.end())
    return None


def _mixed(token: str) -> bool:
    """A real token's tail is random: it holds a digit, or both cases. Words joined by `-` or `_` are neither."""
    tail = token[4:]
    return any(c.isdigit() for c in tail) or (tail != tail.lower() and tail != tail.upper())


def _jwt(text: str, at: int) -> Finding | None:
    match = _JWT.match(text, at)
    if match is None:
        return None
    head = match.group().partition(".")[0]
    try:
        fields = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return None
    if not isinstance(fields, dict) or not ("alg" in fields or "typ" in fields):
        return None
    return Finding("jwt", "credentials", at, match.end())
