"""Ways to write a credential so that it does not look like one."""

from __future__ import annotations

import base64

VIEWS = {
    "base64": lambda t: base64.b64encode(f"token {t}".encode()).decode(),
    "base64 twice": lambda t: base64.b64encode(base64.b64encode(f"token {t}".encode())).decode(),
    "hex": lambda t: t.encode().hex(),
    "percent": lambda t: "".join(f"%{b:02X}" for b in t.encode()),
    "entities": lambda t: "".join(f"&#{ord(c)};" for c in t),
    "hex entities": lambda t: "".join(f"&#x{ord(c):x};" for c in t),
    "unicode escapes": lambda t: "".join(f"\\u{ord(c):04x}" for c in t),
    "byte escapes": lambda t: "".join(f"\\x{ord(c):02x}" for c in t),
    "fullwidth": lambda t: "".join(chr(ord(c) + 0xFEE0) for c in t),
    "zero width": "\u200b".join,
    "tag characters": lambda t: "".join(chr(0xE0000 + ord(c)) for c in t),
    "reversed": lambda t: t[::-1],
    "spaced": " ".join,
    "bold": lambda t: f"{t[:9]}**{t[9:20]}**{t[20:]}",
    "code": lambda t: f"{t[:9]}`{t[9:]}`",
    "two lines": lambda t: f"{t[:14]}\n{t[14:]}",
    "look-alikes": lambda t: t.translate(str.maketrans("aceopx", "асеорх")),
}
