"""The fixed texts on which a converted model is compared: short and long, prose, code, other scripts, odd input."""

SENTENCES = (
    "The deploy script must never run on a Friday afternoon.",
    "We moved the session store from Redis to Postgres because the eviction policy lost logins.",
    "Which database did we choose for the session store?",
    "She prefers tabs over spaces and wants line lengths under one hundred.",
    "support was dropped",
    "support was added",
    "ok",
    "?",
    "",
    "TypeError: cannot unpack non-iterable NoneType object at src/app/loader.py:114",
    "def total_price(items: list[Item]) -> Decimal:\n    return sum((item.price for item in items), Decimal(0))",
    "git rebase --onto main feature~3 feature",
    "SELECT name, count(*) FROM orders WHERE placed_at > now() - interval '7 days' GROUP BY name;",
    "The cat sat on the warm windowsill and watched the rain.",
    "Photosynthesis turns light, water and carbon dioxide into sugar and oxygen.",
    "My daughter's violin recital is on the ninth of May at half past four.",
    "Der Server startet nach dem Update nicht mehr, weil das Zertifikat abgelaufen ist.",
    "数据库迁移失败了，因为磁盘已满。",
    "Le déploiement a échoué à cause d'un délai d'attente dépassé.",
    "12.5 GB of 16 GB used; swap 0; load 3.41 2.98 2.77",
    "Antidisestablishmentarianism pseudopseudohypoparathyroidism floccinaucinihilipilification",
    "ERROR ERROR ERROR ERROR ERROR ERROR ERROR ERROR ERROR ERROR ERROR ERROR ERROR ERROR ERROR",
    " ".join(f"Step {n}: open valve {n}, wait until gauge {n} is below {n * 7} bar, close it." for n in range(9)),
    " ".join(
        "The first version kept every answer in memory and fell over at a million rows, so the second writes them to "
        "disk as they come and keeps only the newest page."
        for _ in range(12)
    ),
)
