"""National identity, tax and health numbers of twenty-one countries, each by its own check digits.

A number that many things could be counts only beside a word that says what it is; one whose form or two check digits
make chance unlikely counts alone. Sources: the issuing authorities' published algorithms, as collected in ISO 7064
(modulus 11-2 and 11,10), Verhoeff 1969 (Aadhaar) and the public descriptions of each number.
"""

from __future__ import annotations

import re
from typing import Callable, Iterator, Sequence

from memoranda.builtin.rules.checks import luhn
from memoranda.builtin.rules.lens import Lens
from memoranda.model.outcome import Finding
from memoranda.model.values import dataclass

_NEAR = 60  # characters before and 20 behind in which the word is looked for


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    shapes: tuple[bytes, ...]  # where to look, in the text's shape
    form: re.Pattern[str]
    check: Callable[[str], bool]
    words: re.Pattern[str] | None = None


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(d) * w for d, w in zip(digits, weights, strict=False))


def _date(year: str, month: str, day: str) -> bool:
    return year.isdigit() and 1 <= int(month) <= 12 and 1 <= int(day) <= 31


def _de(n: str) -> bool:
    product = 10
    for d in n[:10]:
        product = ((int(d) + product) % 10 or 10) * 2 % 11
    return n[0] != "0" and (11 - product) % 10 == int(n[10]) and 8 <= len(set(n[:10])) <= 9


def _fr(n: str) -> bool:
    n = n.replace("2A", "19").replace("2B", "18")
    return n.isdigit() and (1 <= int(n[3:5]) <= 12 or int(n[3:5]) >= 20) and 97 - int(n[:13]) % 97 == int(n[13:])


def _es(n: str) -> bool:
    number = n[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return number.isdigit() and "TRWAGMYFPDXBNJZSQVHLCKE"[int(number) % 23] == n[-1]


def _it(n: str) -> bool:
    odd = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
    values = [int(c) if c.isdigit() else ord(c) - 65 for c in n]
    return sum(odd[v] if i % 2 == 0 else v for i, v in enumerate(values[:15])) % 26 == values[15]


def _nl(n: str) -> bool:
    return n != "0" * 9 and _weighted(n, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def _be(n: str) -> bool:
    return _date(n[:2], n[2:4], n[4:6]) and any(97 - int(p + n[:9]) % 97 == int(n[9:]) for p in ("", "2"))


def _pl(n: str) -> bool:
    month = int(n[2:4]) % 20
    return 1 <= month <= 12 and 1 <= int(n[4:6]) <= 31 and _weighted(n, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1)) % 10 == 0


def _se(n: str) -> bool:
    n = n[-10:]
    return 1 <= int(n[2:4]) <= 12 and 1 <= int(n[4:6]) % 60 <= 31 and luhn(n)


def _fi(n: str) -> bool:
    digits = n[:6] + n[-4:-1]  # the sign of the century may be a letter, and stands between them
    return _date(n[4:6], n[2:4], n[:2]) and "0123456789ABCDEFHJKLMNPRSTUVWXY"[int(digits) % 31] == n[-1]


def _no(n: str) -> bool:
    first = _weighted(n, (3, 7, 6, 1, 8, 9, 4, 5, 2, 1)) % 11
    return first == 0 and _weighted(n, (5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1)) % 11 == 0


def _dk(n: str) -> bool:
    return 1 <= int(n[:2]) <= 31 and 1 <= int(n[2:4]) <= 12  # the check digit was given up in 2007


def _uk(n: str) -> bool:
    return n[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


def _nhs(n: str) -> bool:
    return (11 - _weighted(n, range(10, 1, -1)) % 11) % 11 == int(n[9])


def _ca(n: str) -> bool:
    return n[0] not in "08" and luhn(n)


def _au(n: str) -> bool:
    return _weighted(n, (1, 4, 3, 7, 5, 8, 6, 9, 10)) % 11 == 0


def _br(n: str) -> bool:
    def digit(body: str) -> int:
        return _weighted(body, range(len(body) + 1, 1, -1)) * 10 % 11 % 10

    return len(set(n)) > 1 and digit(n[:9]) == int(n[9]) and digit(n[:10]) == int(n[10])


_VERHOEFF = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def _in(n: str) -> bool:
    """Verhoeff's check in the dihedral group of ten elements, with its permutation applied once a place."""
    check = 0
    for place, char in enumerate(reversed(n)):
        value = int(char)
        for _ in range(place % 8):
            value = _VERHOEFF[value]
        a, b = divmod(check, 5), divmod(value, 5)
        turned = (a[1] + b[1]) % 5 if not a[0] else (a[1] - b[1]) % 5
        check = 5 * (a[0] ^ b[0]) + turned
    return n[0] not in "01" and check == 0


def _cn(n: str) -> bool:
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return n[6:8] in ("19", "20") and _date(n[6:10], n[10:12], n[12:14]) and (
        "10X98765432"[_weighted(n, weights) % 11] == n[17].upper()
    )  # fmt: skip


def _kr(n: str) -> bool:
    total = _weighted(n, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5))
    return _date(n[:2], n[2:4], n[4:6]) and n[6] in "12345678" and (11 - total % 11) % 10 == int(n[12])


def _jp(n: str) -> bool:
    left = 11 - _weighted(n, (6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2)) % 11
    return (0 if left > 9 else left) == int(n[11])


def _ch(n: str) -> bool:
    return _weighted(n, (1, 3) * 7) % 10 == 0


def _tr(n: str) -> bool:
    digits = [int(d) for d in n]
    tenth = (sum(digits[0:9:2]) * 7 - sum(digits[1:8:2])) % 10
    return digits[0] != 0 and tenth == digits[9] and sum(digits[:10]) % 10 == digits[10]


def _mx(n: str) -> bool:
    alphabet = "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ"
    total = sum(alphabet.index(c) * (18 - i) for i, c in enumerate(n[:17]))
    return _date(n[4:6], n[6:8], n[8:10]) and (10 - total % 10) % 10 == int(n[17])


_SIX = (b"000000",)


def _kind(name: str, shapes: tuple[bytes, ...], form: str, check: Callable[[str], bool], words: str = "") -> _Kind:
    near = re.compile(rf"(?i)(?<![a-z])(?:{words})(?![a-z])") if words else None
    return _Kind(name, shapes, re.compile(form + r"(?![A-Za-z0-9_-])"), check, near)


KINDS = (
    _kind("de-tax", _SIX, r"[0-9]{11}", _de, r"steuer-?id\w*|steueridentifikation\w*|id-?nr|tin|tax id"),
    _kind("de-tax", (b"00 000 000 000",), r"[0-9]{2} [0-9]{3} [0-9]{3} [0-9]{3}", _de),
    _kind("fr-nir", (b"0 00 00 ",), r"[12] [0-9]{2} [0-9]{2} [0-9][0-9AB] [0-9]{3} [0-9]{3} [0-9]{2}", _fr),
    _kind("fr-nir", _SIX, r"[12][0-9]{14}", _fr, r"nir|s[ée]curit[ée] sociale|num[ée]ro de s[ée]cu\w*|insee"),
    _kind("es-dni", (b"00000000A", b"00000000-A"), r"[0-9]{8}-?[A-Z]", _es, "dni|nif|identidad|identity|id"),
    _kind("es-nie", (b"A0000000A", b"A-0000000-A"), r"[XYZ]-?[0-9]{7}-?[A-Z]", _es),
    _kind("it-fiscal-code", (b"AAAAAA00A00A000A",), r"[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z]", _it),
    _kind("nl-bsn", _SIX, r"[0-9]{9}", _nl, r"bsn|burgerservicenummer|sofi\w*"),
    _kind("be-register", (b"00.00.00-000.00",), r"[0-9]{2}\.[0-9]{2}\.[0-9]{2}-[0-9]{3}\.[0-9]{2}", _be),
    _kind("pl-pesel", _SIX, r"[0-9]{11}", _pl, "pesel"),
    _kind("se-personal", _SIX, r"[0-9]{6}(?:[0-9]{2})?[-+][0-9]{4}", _se, r"person\w*|ssn|id"),
    _kind("fi-hetu", _SIX, r"[0-3][0-9][01][0-9]{3}[-+A][0-9]{3}[0-9A-Y]", _fi),
    _kind("no-birth", _SIX, r"[0-9]{6} ?[0-9]{5}", _no, r"f[øo]dselsnummer|fnr|personnummer|national id"),
    _kind("dk-cpr", _SIX, r"[0-9]{6}-[0-9]{4}", _dk, r"cpr\w*|cpr-nummer"),
    _kind("uk-nino", (b"AA 00 00 00 A", b"AA000000A"), r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?[0-9]{2}){3} ?[A-D]",
          _uk, r"national insurance|nino?|ni number|insurance"),
    _kind("uk-nhs", (b"000 000 0000", b"0000000000"), r"[0-9]{3} ?[0-9]{3} ?[0-9]{4}", _nhs, "nhs"),
    _kind("ca-sin", (b"000-000-000", b"000 000 000", b"000000000"), r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{3}", _ca,
          "sin|social insurance|nas"),
    _kind("au-tfn", (b"000 000 000", b"000000000"), r"[0-9]{3} ?[0-9]{3} ?[0-9]{3}", _au, "tfn|tax file"),
    _kind("br-cpf", (b"000.000.000-00",), r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}", _br),
    _kind("in-aadhaar", (b"0000 0000 0000", b"000000000000"), r"[2-9][0-9]{3} ?[0-9]{4} ?[0-9]{4}", _in,
          "aadhaar|aadhar|uid|uidai"),
    _kind("in-pan", (b"AAAAA0000A",), r"[A-Z]{3}[ABCFGHLJPT][A-Z][0-9]{4}[A-Z]", lambda n: True,
          r"pan|permanent account|income tax"),
    _kind("cn-identity", _SIX, r"[1-8][0-9]{16}[0-9Xx]", _cn),
    _kind("kr-resident", (b"000000-0000000",), r"[0-9]{6}-[0-9]{7}", _kr),
    _kind("jp-my-number", (b"0000 0000 0000", b"000000000000"), r"[0-9]{4} ?[0-9]{4} ?[0-9]{4}", _jp,
          r"my ?number|kojin bango|マイナンバー|個人番号"),
    _kind("ch-ahv", (b"000.0000.0000.00",), r"756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}", _ch),
    _kind("tr-identity", _SIX, r"[0-9]{11}", _tr, r"tckn|t\.?c\.? kimlik\w*|kimlik"),
    _kind("mx-curp", (b"AAAA000000AAAAAA",),
          r"[A-Z]{4}[0-9]{6}[HMX][A-Z]{5}[0-9A-Z][0-9]", _mx),
    _kind("us-ssn", (b"000000000",), r"[0-9]{9}", lambda n: n[:3] not in ("000", "666") and n[0] != "9",
          "ssn|social security"),
)  # fmt: skip
_RUN = tuple(kind for kind in KINDS if any(shape.startswith(b"000000") for shape in kind.shapes))
_APART = {
    shape: tuple(kind for kind in KINDS if shape in kind.shapes)
    for shape in sorted({shape for kind in KINDS for shape in kind.shapes if not shape.startswith(b"000000")})
}


def find(lens: Lens) -> Iterator[Finding]:
    """Numbers under rule `national-id-<country>-<kind>`, by their check digits."""
    reached = 0
    for at in lens.hits(lens.shape, b"000000"):
        if at < reached:
            continue
        reached = at + 6
        yield from _here(lens, at, _RUN)
    for shape, kinds in _APART.items():
        for at in lens.hits(lens.shape, shape):
            yield from _here(lens, at, kinds)


def _here(lens: Lens, at: int, kinds: Sequence[_Kind]) -> Iterator[Finding]:
    text = lens.text
    if at and (text[at - 1].isalnum() or text[at - 1] in "_-./+#"):
        return
    for kind in kinds:
        match = kind.form.match(text, at)
        if match is None or not kind.check(re.sub(r"[ .\-+]", "", match.group())):
            continue
        near = text[max(0, at - _NEAR) : at] + " " + text[match.end() : match.end() + 20]
        if kind.words is None or kind.words.search(near):
            yield Finding(f"national-id-{kind.name}", "personal", at, match.end(), validated=False)
            return
