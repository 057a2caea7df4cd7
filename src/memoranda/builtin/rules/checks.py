"""Checksums that tokens carry. A check says True (it holds), False (it must hold and does not) or None (no word on it).

Sources: GitHub's and npm's notes on their token formats (CRC-32 in base 62), Grafana's service account tokens (CRC-32
in hex), Bitcoin's base58check, BIP 173 (bech32), Stellar's SEP-23 (CRC-16 over base32), PyPI's macaroons.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from typing import Callable, Mapping

_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


def base62_crc32(token: str) -> bool | None:
    """The last six characters are the CRC-32 of those between prefix and them. Other lengths are newer forms, and a
    wrong sum says nothing: it may be a token with a slip of the pen, which is still nothing to keep."""
    body = token.partition("_")[2]
    if len(body) != 36:
        return None
    value, digits = zlib.crc32(body[:30].encode("ascii")), ""
    while value:
        value, digit = divmod(value, 62)
        digits = _BASE62[digit] + digits
    return True if digits.rjust(6, "0") == body[30:] else None


def hex_crc32(token: str) -> bool | None:
    """`<token>_<eight hex digits>`: CRC-32 of what stands before."""
    body, _, told = token.rpartition("_")
    return True if f"{zlib.crc32(body.encode('ascii')):08x}" == told.lower() else None


def base58check(token: str) -> bool:
    """The last four bytes are those that SHA-256, done twice, begins with."""
    number = 0
    for char in token:
        number = number * 58 + _BASE58.index(char)
    data = number.to_bytes((number.bit_length() + 7) // 8, "big")
    return hashlib.sha256(hashlib.sha256(data[:-4]).digest()).digest()[:4] == data[-4:]


def bech32(token: str) -> bool:
    """BIP 173's BCH code over the human-readable part and the data."""
    low = token.lower()
    human, _, data = low.rpartition("1")
    values = [ord(c) >> 5 for c in human] + [0] + [ord(c) & 31 for c in human]
    values += [_BECH32.find(c) for c in data]
    sum = 1
    for value in values:
        top = sum >> 25
        sum = (sum & 0x1FFFFFF) << 5 ^ value
        for bit, polynomial in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            sum ^= polynomial if (top >> bit) & 1 else 0
    return sum == 1


def stellar(token: str) -> bool:
    """Base32 of a version byte, 32 bytes and their CRC-16 (XModem), little end first."""
    try:
        data = base64.b32decode(token)
    except binascii.Error:
        return False
    return data[0] == 0x90 and binascii.crc_hqx(data[:-2], 0) == int.from_bytes(data[-2:], "little")


def luhn(digits: str) -> bool:
    """The check of ISO/IEC 7812-1 annex B over a string of digits."""
    doubled = (int(d) * 2 for d in digits[-2::-2])
    return (sum(int(d) for d in digits[-1::-2]) + sum(d // 10 + d % 10 for d in doubled)) % 10 == 0


#: By rule. Where a check can say False, the form alone is no credential: words and hashes have it too.
CHECKS: Mapping[str, Callable[[str], bool | None]] = {
    "github-token": base62_crc32,
    "npm-token": base62_crc32,
    "grafana-token": hex_crc32,
    "bitcoin-private-key": base58check,
    "bitcoin-extended-key": base58check,
    "nostr-secret-key": bech32,
    "stellar-secret-key": stellar,
}
