"""What people say when something passes, is preferred, decided or required, as patterns.

Each table lists phrases, joined into one pattern that matches whole words in any case. A space stands for any white
space. Words that are only sometimes about time (`next`, `now`, `last`) stand with the partner that makes them so.
Time is told in English, German, French, Spanish, Chinese and Japanese, the rest in English and German. Chinese and
Japanese write no spaces: their phrases match anywhere.
"""

from __future__ import annotations

import re


def _any(*phrases: str, anywhere: tuple[str, ...] = ()) -> re.Pattern[str]:
    joined = "|".join(phrases).replace(" ", r"\s+")
    return re.compile(rf"(?i)(?<!\w)(?:{joined})(?!\w)" + "".join(f"|{phrase}" for phrase in anywhere))


_DAY = "(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_TAG = "(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)"
_SPAN = "(?:minute|hour|day|week|weekend|month|quarter|sprint|year|morning|afternoon|evening|session)"
_SPANNE = "(?:tag|woche|wochenende|monat|quartal|sprint|jahr)"
_JOUR = "(?:lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)"
_DIA = "(?:lunes|martes|miércoles|jueves|viernes|sábado|domingo)"
_DUREE = "(?:minutes?|heures?|jours?|semaines?|mois|trimestres?|sprints?|ans?|années?|week-end)"
_LAPSO = "(?:minutos?|horas?|días?|semanas?|mes(?:es)?|trimestres?|sprints?|años?|fin de semana)"
_ZH_SPAN = "(?:周|星期|礼拜|月|季度|年|迭代)"
_ZH_DAY = "(?:周|星期|礼拜)[一二三四五六日天]"
_JA_DAY = "[月火水木金土日]曜日?"

TEMPORAL = _any(
    "today", "tonight", "tomorrow", "yesterday", "right now", "just now", "at the moment", "currently", "these days",
    "for now", "for the time being", "for the next", "temporar(?:y|ily)", "in progress", "soon",
    "still (?:waiting|pending|running|broken|failing|down|open)",
    rf"(?:un)?til (?:the )?(?:next )?(?:{_DAY}|{_SPAN}|tomorrow|further notice|end|release|[0-9])",
    rf"by (?:the )?(?:{_DAY}|tomorrow|tonight|end of|eod|next)",
    rf"(?:this|next|last|coming) (?:{_SPAN}|{_DAY})",
    rf"(?:in|within) (?:a|an|one|two|three|a few|[0-9]+) {_SPAN}s?",
    rf"(?:on|since|from) {_DAY}", rf"{_DAY} (?:morning|afternoon|evening|night)",
    "heute", "gestern", "vorgestern", "übermorgen", "morgen (?:früh|abend|vormittag|nachmittag)",
    "(?:bis|ab|erst) morgen",
    "zurzeit", "zur zeit", "derzeit", "momentan", "im moment", "gerade (?:noch|eben|erst)", "noch bis", "demnächst",
    "vorerst", "vorläufig", "vorübergehend", "fürs erste", "bis auf weiteres", "einstweilen",
    rf"bis (?:zum |zur |ende |nächste[nrs]? |kommende[nrs]? )?"
    rf"(?:{_TAG}|{_SPANNE}|jahresende|feierabend|monatsende|release)",
    rf"(?:diese[nrsm]?|nächste[nrsm]?|letzte[nrsm]?|kommende[nrsm]?) (?:{_SPANNE}|{_TAG})",
    rf"(?:am|seit|ab) (?:kommenden |nächsten )?{_TAG}",
    r"in (?:einer?|einem|zwei|drei|wenigen|[0-9]+) (?:minuten?|stunden?|tage?n?|wochen?|monate?n?)",
    "aujourd['’]hui", "demain", "hier (?:soir|matin)?", "ce (?:soir|matin)", "cet après-midi", "avant-hier",
    "après-demain", "en ce moment", "actuellement", "pour l['’]instant", "pour le moment", "provisoirement",
    "temporairement", "bientôt", "en cours", "jusqu['’](?:à nouvel ordre|ici|à demain|à la fin|au)",
    rf"jusqu['’](?:à|au) (?:prochain )?{_JOUR}", rf"d['’]ici (?:{_JOUR}|demain|la fin|{_DUREE})",
    rf"(?:ce|cette|cet) (?:{_DUREE}|{_JOUR})", rf"(?:{_DUREE}|{_JOUR}) (?:prochaine?|dernière?|passée?|dernier)",
    rf"(?:la|le) (?:prochaine|dernière|prochain|dernier) (?:{_DUREE}|{_JOUR})",
    rf"(?:dans|depuis|pendant) (?:une?|deux|trois|quelques|[0-9]+) {_DUREE}", rf"(?:depuis|avant) {_JOUR}",
    "hoy", "ayer", "anoche", "anteayer", "pasado mañana", "esta (?:mañana|tarde|noche)", "hasta mañana",
    "mañana (?:por|a primera)", "ahora mismo", "de momento", "por ahora", "por el momento", "actualmente",
    "temporalmente", "provisionalmente", "en curso", "pronto", "hasta nuevo aviso", "en este momento",
    rf"hasta (?:el |la )?(?:próximo )?(?:{_DIA}|{_LAPSO}|final|fin)", rf"(?:antes del|para el|desde el) {_DIA}",
    rf"(?:este|esta|estos|estas) {_LAPSO}", rf"(?:este|el próximo|el pasado) {_DIA}",
    rf"(?:la|el) {_LAPSO} (?:próxim[oa]|pasad[oa]|que viene)", rf"(?:la|el) (?:próxim[oa]|últim[oa]) {_LAPSO}",
    rf"(?:en|dentro de|durante) (?:una?|dos|tres|unos|unas|[0-9]+) {_LAPSO}",
    anywhere=(
        "今天|今日|今晚|今早|明天|明早|明晚|后天|昨天|昨晚|前天|目前|当前|现阶段|眼下|正在|暂时|暂且|临时|马上|很快",
        rf"(?:这|本|下|上)(?:个)?{_ZH_SPAN}", rf"(?:到|直到|截至){_ZH_DAY}",
        rf"(?:这|本|下|上)?(?<!每){_ZH_DAY}(?:前|之前|晚|早)",
        rf"(?:下|上|这|本){_ZH_DAY}",
        r"[0-9一二三四五六七八九十两几]+(?:天|小时|分钟|周|个月|个星期)(?:内|后|之内|之后)",
        "另行通知",
        "今日|本日|明日|昨日|一昨日|明後日|今夜|今晩|今朝|今週|来週|先週|今月|来月|先月|今年度|来年|現在|今のところ|当面|当分",
        "しばらく|一時的|暫定|とりあえず|まもなく|進行中|追って|今だけ", rf"{_JA_DAY}(?:まで|に|から)",
        r"[0-9一二三四五六七八九十数]+(?:日|時間|分|週間|か月|ヶ月)(?:後|以内|間)",
    ),
)  # fmt: skip
#: What repeats is a rule about time, not a passing state.
RECURRING = _any(
    rf"(?:every|each|always on|never on|on any|not on) (?:{_DAY}|{_SPAN})s?", rf"{_DAY}s", "weekdays?",
    rf"(?:jeden|jede|jedes|immer am|niemals am|nie am) (?:{_TAG}|{_SPANNE})", rf"{_TAG}s",
    rf"(?:chaque|tous les|toutes les) (?:{_JOUR}|{_DUREE})s?", rf"(?:le|les) {_JOUR}s",
    rf"(?:cada|todos los|todas las) (?:{_DIA}|{_LAPSO})", rf"los {_DIA}",
    anywhere=("每(?:天|周|月|年|日|次|个)", "毎(?:日|週|月|年|朝|晩|回)"),
)  # fmt: skip
#: What holds for good. Beside a passing time the two contradict each other.
LASTING = _any(
    "always", "never", "from now on", "permanently", "for good", "in general", "by default", "as a rule", "forever",
    "immer", "nie(?:mals)?", "ab (?:jetzt|sofort)", "dauerhaft", "grundsätzlich", "generell", "künftig",
    "toujours", "jamais", "désormais", "en général", "par défaut", "siempre", "nunca", "de ahora en adelante",
    "en general", "por defecto", anywhere=("总是|永远|从不|一律|今后|默认", "常に|必ず|決して|今後|原則|デフォルト"),
)  # fmt: skip
PREFERENCE = _any(
    "prefers?", "preferred", "preferences?", "i (?:really )?(?:like|want|hate|dislike)", "(?:we|i) (?:always|never)",
    "always (?:use|prefer|run|write|ask|put|keep|start)", "never (?:use|commit|push|write|run|ask|add)",
    "please (?:always|never)", "rather than", "favou?rite", "would rather", r"bevorzug\w*", "lieber", "am liebsten",
    r"(?:ich|wir) (?:mag|mögen|will|hasse\w*)", "bitte (?:immer|nie|niemals)", r"(?:immer|niemals) \w+en",
)  # fmt: skip
DECISION = _any(
    "(?:we|i|they|the team)(?:'ve| have)? (?:chose|chosen|decided|picked|selected|settled|agreed|adopted|rejected)",
    "(?:we|i|they|the team) (?:went with|switched to|moved to|migrated to|dropped|replaced)", "decision", "decided",
    r"over \w+ because", r"wir (?:haben uns|nehmen|setzen auf|wechseln)", "entschieden", "entscheidung", "beschlossen",
)  # fmt: skip
CONSTRAINT = _any(
    "must(?:n't)?", "may not", "cannot", "can't", "(?:is|are) (?:required|forbidden|limited to)", "requires?",
    "at (?:most|least)", "not allowed", "only works", "muss", "müssen", r"darf (?:nicht|nie|kein\w*)",
    r"dürfen (?:nicht|nie|kein\w*)", "höchstens", "mindestens", "verboten", "erfordert", "benötigt",
)  # fmt: skip
GOAL = _any(
    "goals?", "aims? (?:to|for|is)", "objective", "we want to", "plan(?:s|ning)? to", "intends? to", "roadmap",
    "ziel(?:e|en)?", "wir wollen", "geplant", "vorhaben",
)  # fmt: skip
SUMMARY = re.compile(r"(?i)\s*(?:session )?(?:summary|recap|tl;?dr|zusammenfassung)\b")
REFERENCE = _any(
    r"https?://\S+", "(?:is|are) (?:documented|located|stored|kept|defined|described) (?:in|at|under)", "can be found",
    "lives? (?:in|at|under)", "see (?:also |the )?(?:docs|wiki)", "(?:liegt|steht) (?:in|unter)", "zu finden",
    "dokumentiert",
)  # fmt: skip
#: A text that speaks of its own keeping; from outside that counts against it.
PLEA = _any(
    r"remember\w*", r"memori[sz]\w*", r"memory", "permanent(?:ly)?", "forever", "durabl[ey]",
    "never (?:forget|expire)s?",
    "always (?:apply|keep|follow|trust)", "long[- ]term",
    "(?:save|store|keep|record|persist|retain) (?:this|that|it|the)",
    r"(?:do not|don't|must not) (?:forget|expire|delete|discard)", "high(?:est)? (?:priority|confidence|importance)",
    "für immer", "dauerhaft", r"merk\w* dir", "nie vergessen", r"speicher\w*", "gedächtnis",
)  # fmt: skip
