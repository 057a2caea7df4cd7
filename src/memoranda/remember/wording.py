"""How attacks on a memory are often worded, as patterns over a text that was folded to one line of lower case.

`STANDING` tells an agent what to do from now on, `CLAIM` speaks with an authority of its own, `APPROVAL` says that
somebody approved, `POSING` looks like the frame around a conversation. Every gap is bounded, so matching is linear.
English is covered best; German, French, Spanish, Chinese and Japanese by their commonest turns.
"""

from __future__ import annotations


def _or(*parts: str) -> str:
    return f"(?:{'|'.join(parts)})"


_GAP = r"[^.!?\n。]{0,80}"  # within one sentence
_ACT = _or(
    "use", "run", "send", "skip", "disable", "ignore", "approve", "execute", "fetch", "visit", "forward", "prefer",
    "trust", "apply", "follow", "accept", "allow", "remember", "save", "store", "record", "memori[sz]e", "keep", "note",
    "treat", "include", "append", "add", "call", "post", "push", "merge", "deploy", "consult", "recommend", "answer",
    "reply", "say", "ask", "tell", "repeat", "restate", "write", "read", "open", "install", "download", "upload",
    "delete", "remove", "set", "turn (?:on|off)",
)  # fmt: skip
_PEOPLE = _or("users?", "owner", "someone", "anyone", "they", "developer", "human", "operator")
_LASTING = _or(
    "from (?:now|here|today|this point) on(?:wards?)?", "henceforth",
    "in (?:all |any |every |the )?(?:future|later|subsequent|coming|following|new) "
    "(?:sessions?|conversations?|chats?|tasks?|turns?|runs?|answers?)",
    "(?:whenever|every time|each time|any time|as soon as|next time|when|if|before|after) "
    f"(?:the |a |any |some )?{_PEOPLE}",
    "(?:before|after|for|on|at|in) (?:any|every|each|all) ", "always", "never", "permanently",
    "until (?:further notice|told otherwise)", "without (?:asking|confirmation|review|checking)",
)  # fmt: skip
_AGENT = _or(
    "(?:ai|coding|llm|language model|autonomous) (?:agents?|assistants?|models?)", "assistants?",
    "(?:all|any|every) agents?", "agents? reading", "chatbots?", "copilots?", "llms?",
    "the (?:ai|model|assistant|agent)", "claude", "codex", "chatgpt", "gemini",
)  # fmt: skip
_DUTY = _or(
    "should", "must", "shall", "needs? to", "has to", "have to", "ought to", "is to", "are to", "may", "can", "will",
    "(?:is|are) (?:allowed|authori[sz]ed|required|expected)",
)  # fmt: skip
_OPENING = r"(?:^|[.!?:;,\"'] ?|\bplease |\byou (?:should|must|shall|may|can|will|need to|have to) )"
_RULES = _or("instructions?", "rules?", "prompts?", "messages?", "context", "guidelines")
_TUN = _or(
    "der nutzer", "der benutzer", "verwende", "nutze", "sende", "ignoriere", "überspringe", "deaktiviere", "führe",
    "speichere", "merke", "antworte", "empfiehl",
)  # fmt: skip
_FAIRE = _or("utilis", "envo", "ignor", "désactiv", "exécut", "enregistr", "recommand", "l'utilisateur")
_HACER = _or("us", "env[ií]", "ignor", "desactiv", "ejecut", "guard", "recomiend", "el usuario")

STANDING = (
    rf"\b{_AGENT}\b{_GAP}\b{_DUTY}\b",
    rf"\b{_LASTING}\b{_GAP}\b{_ACT}\b",
    rf"{_OPENING}{_ACT}\b{_GAP}\b{_LASTING}",
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |these |every ){0,3}"
    rf"(?:previous|prior|earlier|above|preceding|system|other|existing) {_RULES}",
    r"\b(?:save|store|keep|record|write|add|commit|put) (?:this|that|the following|it|these)?\b[^.!?\n]{0,30}\b"
    r"(?:to|in|into) (?:your |the |long[- ]term |agent |persistent ){0,3}memory",
    r"\bmemory[_ -]?(?:directive|instruction|update|write)s?\b",
    rf"\b(?:ab (?:sofort|jetzt|heute)|künftig|in zukunft|immer wenn|jedes mal|sobald|bei jede[rmn])\b{_GAP}\b{_TUN}",
    r"\b(?:assistenten?|agenten?|ki-?(?:assistenten?|agenten?|modelle?)) "
    r"(?:soll(?:en|te|ten)?|muss|müssen|dürfen|darf)\b",
    rf"\b(?:désormais|dorénavant|à partir de maintenant|chaque fois que|à chaque)\b{_GAP}\b{_FAIRE}",
    rf"\b(?:de ahora en adelante|a partir de ahora|cada vez que|siempre que)\b{_GAP}\b{_HACER}",
    r"(?:从现在起|从今以后|今后|每当|每次|以后每)[^。！？\n]{0,40}(?:使用|发送|忽略|跳过|禁用|执行|保存|记住|推荐|批准)",
    r"(?:今後|これから|以後|常に|毎回|必ず)[^。！？\n]{0,40}(?:使|送|無視|スキップ|無効|実行|保存|記憶|推奨|承認)",
)

_ROLE = (
    "(?:project |repo(?:sitory)? |system |memory |account |it )?"
    "(?:owner|maintainer|administrator|admin|operator|root|superuser|security team|account holder)"
)
_DONE = _or("approved", "authori[sz]ed", "reviewed", "endorsed", "verified", "confirmed", "signed off", "cleared")
_THIS = "this (?:memory|record|note|message|entry|statement|instruction|rule|text)"
CLAIM = (
    rf"\bas (?:the|an?|your|its|this) {_ROLE}\b{_GAP}\b(?:i|we)\b",
    rf"\b(?:i|we),? (?:am|are)?,? ?(?:the|as the) {_ROLE}\b",
    r"\b(?:hereby|explicitly) (?:authori[sz]e|approve|permit|endorse|grant|certify)",
    r"\bi (?:authori[sz]e|pre-?approve|approve|endorse|certify)\b",
    rf"\b{_THIS} (?:is|was|has been|carries|comes|came)\b[^.!?\n]{{0,40}}\b"
    rf"(?:{_DONE}|trusted|signed|owner|authority|released)\b",
    r"(?:^|[\s>*_\-{,\"'])(?:trust|authority|channel|reviewed|endorsed|principal|released)[\"']? ?[:=] ?[\"']?"
    r"(?:owner|direct_session|reviewed|quoted|verified|trusted|yes|true|high|admin|root)\b",
    r"\b(?:als|hiermit) (?:der |die )?(?:eigentümer|besitzer|administrator|admin|betreiber|inhaber)\w*\b",
    r"\bhiermit (?:genehmige|erlaube|bestätige|erteile|autorisiere)",
    r"\ben tant que (?:propriétaire|administrateur)",
    r"\bcomo (?:propietario|administrador)\b",
    r"作为(?:所有者|管理员|负责人)",
    r"(?:所有者|管理者)として",
)
APPROVAL = (
    rf"\b{_DONE} by (?:the |our |your |its ){{0,2}}(?:{_ROLE}|user|human|system)\b",
    r"\b(?:on behalf of|in the name of|message from|notice from) (?:the |your |our ){0,2}"
    r"(?:owner|user|admin|maintainer|operator|security)",
)
POSING = (
    r"<\|?/?(?:system|im_start|im_end|assistant|user|human|inst|sys|conversation|instructions?|information|important|"
    r"memory)\b[^>]{0,40}>",
    r"\[/?(?:system|inst|sys)\]",
    r"<<sys>>",
    r"(?:^|[\s#*>-])(?:system|developer|assistant)(?: (?:notice|message|prompt|note|override|alert))? ?:",
    r"\b(?:begin|start) (?:of )?(?:system|the conversation|conversation|session|memory|prompt|context)\b",
    r"\bsystem (?:notice|message|prompt|override|alert)\b",
    r"\bend of (?:memory|conversation|session|document|context|results?|user (?:input|message))\b",
)
