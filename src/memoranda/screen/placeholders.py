"""Values that look like credentials and are none: documented examples, and what people write where a secret goes.

Only a whole value passes, never a part of it and never a place: a real key that merely contains EXAMPLE is refused.
"""

from __future__ import annotations

import re

#: Published by their issuers as examples. Assembled from halves so that this file holds no whole one.
_EXAMPLES = frozenset(
    first + second
    for first, second in (
        ("AKIAIOSFODNN7", "EXAMPLE"),  # AWS, all documentation
        ("AKIAI44QH8DHB", "EXAMPLE"),  # AWS, IAM user guide
        ("ASIAIOSFODNN7", "EXAMPLE"),  # AWS, STS reference
        ("wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"),  # AWS, the secret of the first
        ("je7MtGbClwBF/2Zp9Utk/", "h3yCo8nvbEXAMPLEKEY"),  # AWS, the secret of the second
        ("sk_test_", "4eC39HqLyjWDarjtT1zdp7dc"),  # Stripe, API reference
        ("sk_test_", "BQokikJOvBiI2HlWgH4olfQ2"),  # Stripe, older API reference
        ("QWxhZGRpbjpvcGVu", "IHNlc2FtZQ=="),  # RFC 7617
        ("QWxhZGRpbjpPcGVu", "U2VzYW1l"),  # RFC 7617's predecessor, with capitals
        ("mF_9.B5f-", "4.1JqM"),  # RFC 6750
        # jwt.io, and RFC 7519 section 3.1
        ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ.",
         "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"),
        ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiYWRtaW4iOnRydWV9.",
         "TJVA95OrM7E2cBab30RMHrHDcEfxjoYZgeFONFh7HgQ"),
        ("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0.",
         "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"),  # the same without its time, in many tutorials
    )
)  # fmt: skip
#: Test cards of Stripe, Adyen, PayPal and Braintree documentation, digits only.
_TEST_CARDS = frozenset(
    (
        "4242424242424242", "4000056655665556", "5555555555554444", "2223003122003222", "5200828282828210",
        "5105105105105100", "378282246310005", "371449635398431", "6011111111111117", "6011000990139424",
        "6011981111111113", "3056930009020004", "36227206271667", "6555900000604105", "3566002020360505",
        "6200000000000005", "6205500000000000004", "4111111111111111", "4012888888881881", "4000000000000002",
        "4000000000009995", "4000002500003155", "4000000000003220", "30569309025904", "38520000023237",
        "3530111333300000", "4222222222222", "5454545454545454", "4444333322221111", "378734493671000",
        "5431111111111111", "4988438843884305", "4166676667666746", "4646464646464644", "5610591081018250",
    )
)  # fmt: skip
#: Example IBANs of ISO 13616's registry and social security numbers that were published and voided.
_OTHER = frozenset(("DE89370400440532013000", "GB29NWBK60161331926819", "GB82WEST12345698765432",
                    "FR1420041010050500013M02606",
                    "078-05-1120", "219-09-9999", "123-45-6789"))  # fmt: skip

_WORDS = frozenset(
    """
    your my our the a an some api app access auth private public client secret secrets key keys token tokens
    password passwd passphrase pass pwd passwort credential credentials here goes example sample dummy fake
    new old wrong correct secure mock test testing tests demo placeholder change changeit replace insert enter put with
    redacted removed
    hidden todo fixme foo bar baz qux value string user username name admin root guest postgres mysql redis
    none null nil undefined true false empty unset default not real invalid live prod dev staging local id
    bearer basic and or is this me it to from in env super abc abcdef sk pk rk ghp gho hf glpat
    npm pypi xoxb xoxp ant proj pat db database
    """.split()  # noqa: SIM905
)
_WORD_MAX = max(map(len, _WORDS))
_FILLERS = frozenset("xXyYzZ01239aAbBcCfFnN")
_PART = re.compile(r"[0-9]+|[A-Za-z]+|[ _.,\-!]+|.", re.S)
_SLOT = re.compile(
    r"<[^<>\n]{1,80}>|\$\{[^{}\n]{1,80}\}|\$\{\{[^{}\n]{1,80}\}\}|\{\{[^{}\n]{1,80}\}\}|\{[A-Za-z_][\w.\-]{0,60}\}|"
    r"\$\([^()\n]{1,80}\)|"
    r"\$[A-Za-z_]\w{0,60}|%[A-Za-z_]\w{0,60}%|%\([A-Za-z_]\w{0,60}\)s|"
    r"\[[A-Za-z_ \-]{2,60}\]?|\[REDACTED:[a-z0-9.\-]{1,60}\]?|"
    r"__[A-Z_]{2,60}__|@[A-Z_]{2,60}@|[*.•#xX_\-]{3,}|…|\.{3}"
)
_SEQUENCES = ("abcdefghijklmnopqrstuvwxyz", "01234567890123456789", "qwertyuiopasdfghjklzxcvbnm", "fedcba9876543210")
_HEX_RUN = re.compile(r"(?i)(?:0123456789abcdef|deadbeef|cafebabe)+[0-9a-f]{0,8}")
#: How a token may begin before its random part: `sk-ant-api03-`, `AKIA`.
PREFIX = re.compile(
    r"(?:[A-Za-z][A-Za-z0-9]{0,11}(?:[_\-.~]|//?)){1,4}|"
    r"(?:AKIA|ASIA|AIza|AKCp|LTAI|dapi|SK|EAAA|ATATT3|ATBB|ABSK|PMAK)|"
)


def is_placeholder(value: str) -> bool:
    """Whether the whole value is a documented example or plainly stands for a secret instead of being one."""
    if value in _EXAMPLES or value in _OTHER:
        return True
    compact = value.replace(" ", "").replace("-", "")
    if compact in _TEST_CARDS or compact in _OTHER:
        return True
    if len(value) > 400:
        return _monotonous(value)
    if _SLOT.fullmatch(value) or _worded(value):
        return True
    prefix = PREFIX.match(value)
    tail = value[prefix.end() :] if prefix else value
    return bool(tail) and (_monotonous(tail) or _sequential(tail) or bool(_SLOT.fullmatch(tail)))


def _worded(value: str) -> bool:
    """`your-api-key-here`, `changeme123`: nothing but such words, short numbers, runs of x and separators."""
    if len(value) > 80:
        return False
    parts = _PART.findall(value)
    return any(part[0].isalpha() for part in parts) and all(_part(part.lower()) for part in parts)


def _part(part: str) -> bool:
    if part[0].isdigit():
        return len(part) <= 4
    if not part[0].isalpha():
        return part[0] in " _.,-!"
    if not part.strip("x"):
        return True
    ends, sound = {0}, set[int]()  # how far the part reads as words end to end; and with one of three letters or more
    for end in range(1, len(part) + 1):
        for start in range(max(0, end - _WORD_MAX), end):
            if start in ends and part[start:end] in _WORDS:
                ends.add(end)
                if start in sound or end - start > 2:
                    sound.add(end)
    return len(part) in sound or part in _WORDS


def _monotonous(tail: str) -> bool:
    """`xxxxxxxx`, `00000000`, `XXXX-XXXX`, `abababab`: at most two different filler signs, and many."""
    signs = [c for c in tail if c.isalnum()]
    return len(signs) >= 6 and len(set(signs)) <= 2 and set(signs) <= _FILLERS


def _sequential(tail: str) -> bool:
    """`1234567890abcdef`, `abcdefghijklmnopqrstuvwxyz0123`: made of pieces of the obvious sequences."""
    low, at, pieces = tail.lower().replace("-", "").replace("_", ""), 0, 0
    if len(low) < 8:
        return False
    if _HEX_RUN.fullmatch(low):
        return True
    while at < len(low):
        step = max((_common(low, at, sequence) for sequence in _SEQUENCES), default=0)
        if step < 4 and at + step < len(low):
            return False
        at, pieces = at + max(step, 1), pieces + 1
    return pieces <= 1 + len(low) // 8


def _common(text: str, at: int, sequence: str) -> int:
    start = sequence.find(text[at])
    size = 0
    while (
        start >= 0
        and at + size < len(text)
        and start + size < len(sequence)
        and text[at + size] == sequence[start + size]
    ):
        size += 1
    return size
