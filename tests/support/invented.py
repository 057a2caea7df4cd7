"""Invented credentials, put together at run time: nothing here is a secret, and no file holds a whole token."""

from __future__ import annotations

import random
import string

WORD = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def draw(alphabet: str, size: int, seed: int) -> str:
    """Random signs that hold at least a digit and, where the alphabet has both, both cases."""
    source = random.Random(seed)
    text = [source.choice(alphabet) for _ in range(size)]
    for n, kind in enumerate((string.digits, string.ascii_lowercase, string.ascii_uppercase)):
        if set(kind) <= set(alphabet):
            text[n] = source.choice(kind)
    return "".join(text)


def luhn_number(prefix: str, size: int, seed: int) -> str:
    """A number of `size` digits with a valid last digit."""
    digits = prefix + draw(string.digits, size - 1 - len(prefix), seed)
    total = sum(int(d) for d in digits[-2::-2])
    total += sum(sum(divmod(2 * int(d), 10)) for d in digits[::-2])
    return digits + str(-total % 10)


#: family -> (prefix parts, alphabet, size, suffix)
_FORMS: dict[str, tuple[str, str, int, str]] = {
    "github": ("gh" + "p_", WORD, 36, ""),
    "github-oauth": ("gh" + "o_", WORD, 36, ""),
    "github-app": ("gh" + "s_", WORD, 36, ""),
    "github-fine": ("github" + "_pat_", WORD, 82, ""),
    "gitlab": ("gl" + "pat-", WORD, 20, ""),
    "gitlab-trigger": ("gl" + "ptt-", HEX, 40, ""),
    "hugging-face": ("h" + "f_", WORD, 34, ""),
    "aws-id": ("AK" + "IA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, ""),
    "aws-session-id": ("AS" + "IA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, ""),
    "google": ("AI" + "za", WORD, 35, ""),
    "google-oauth": ("GOC" + "SPX-", WORD, 28, ""),
    "slack-bot": ("xo" + "xb-", string.digits, 12, "-" + draw(string.digits, 12, 1) + "-" + draw(WORD, 24, 2)),
    "slack-user": ("xo" + "xp-", string.digits, 12, "-" + draw(string.digits, 12, 3) + "-" + draw(HEX, 32, 4)),
    "slack-app": ("xa" + "pp-1-", UPPER, 11, "-" + draw(string.digits, 13, 5) + "-" + draw(HEX, 64, 6)),
    "stripe-live": ("sk_" + "live_", WORD, 24, ""),
    "stripe-restricted": ("rk_" + "live_", WORD, 24, ""),
    "openai": ("sk-" + "proj-", WORD, 60, ""),
    "anthropic": ("sk-" + "ant-api03-", WORD, 93, "AA"),
    "openrouter": ("sk-" + "or-v1-", HEX, 64, ""),
    "npm": ("np" + "m_", WORD, 36, ""),
    "pypi": ("py" + "pi-AgE", WORD, 120, ""),
    "rubygems": ("ruby" + "gems_", HEX, 48, ""),
    "digitalocean": ("dop" + "_v1_", HEX, 64, ""),
    "doppler": ("dp." + "pt.", WORD, 43, ""),
    "sendgrid": ("S" + "G.", WORD, 22, "." + draw(WORD, 43, 7)),
    "shopify": ("shp" + "at_", HEX, 32, ""),
    "linear": ("lin" + "_api_", WORD, 40, ""),
    "postman": ("PM" + "AK-", HEX, 24, "-" + draw(HEX, 34, 8)),
    "planetscale": ("pscale" + "_tkn_", WORD, 43, ""),
    "grafana-service": ("gl" + "sa_", WORD, 32, "_" + draw(HEX, 8, 9)),
    "pulumi": ("pu" + "l-", HEX, 40, ""),
    "prefect": ("pn" + "u_", string.ascii_lowercase + string.digits, 36, ""),
    "databricks": ("da" + "pi", HEX, 32, ""),
    "vault": ("hv" + "s.", WORD, 95, ""),
    "terraform": (draw(WORD, 14, 10) + ".atl" + "asv1.", WORD, 67, ""),
    "new-relic": ("NR" + "AK-", UPPER, 27, ""),
    "groq": ("gs" + "k_", WORD, 52, ""),
    "replicate": ("r" + "8_", WORD, 37, ""),
    "docker": ("dckr" + "_pat_", WORD, 27, ""),
    "figma": ("fi" + "gd_", WORD, 40, ""),
    "nvidia": ("nv" + "api-", WORD, 64, ""),
    "tailscale": ("ts" + "key-auth-", WORD, 12, "-" + draw(WORD, 32, 11)),
    "sentry": ("snt" + "ryu_", HEX, 64, ""),
    "clojars": ("CLO" + "JARS_", HEX, 60, ""),
    "notion": ("nt" + "n_" + draw(string.digits, 11, 12), WORD, 35, ""),
}


def tokens(seed: int = 0) -> dict[str, str]:
    """One invented token for each family."""
    return {
        name: prefix + draw(alphabet, size, 1000 * seed + n) + suffix
        for n, (name, (prefix, alphabet, size, suffix)) in enumerate(_FORMS.items())
    }


def others(seed: int = 0) -> dict[str, str]:
    """Credentials that are no single token: each with the text that makes it one."""
    import base64
    import json

    head = base64.urlsafe_b64encode(json.dumps({"alg": "HS256", "typ": "JWT"}).encode()).decode().rstrip("=")
    body = base64.urlsafe_b64encode(json.dumps({"sub": draw(HEX, 12, seed), "iat": 1}).encode()).decode().rstrip("=")
    key = "\n".join(draw(WORD + "+/", 64, seed + n) for n in range(12))
    kind = "PRIVATE" + " KEY"
    return {
        "jwt": f"{head}.{body}.{draw(WORD, 43, seed)}",
        "private-key": f"-----BEGIN RSA {kind}-----\n{key}\n-----END RSA {kind}-----",
        "private-key-open": f"-----BEGIN OPENSSH {kind}-----\n{key}",
        "private-key-escaped": f"-----BEGIN {kind}-----\\n{key}\\n-----END {kind}-----".replace("\n", "\\n"),
        "bearer": "Authorization: Bearer " + draw(WORD, 40, seed + 1),
        "basic": "Authorization: Basic " + base64.b64encode(f"deploy:{draw(WORD, 14, seed + 2)}".encode()).decode(),
        "url": f"postgres://app:{draw(WORD, 18, seed + 3)}@db.internal:5432/main",
        "azure": draw(WORD, 3, seed + 4) + "8Q~" + draw(WORD, 34, seed + 5),
    }
