"""How people talk about passwords, in words: what tells a sentence about one from one that gives it away."""

from __future__ import annotations

import re

#: Names of algorithms, systems, versions, dates, keys and regions, which hold letters and digits as passwords do.
TECHNICAL = re.compile(
    r"(?i)(?:(?:argon|scrypt|bcrypt|pbkdf|sha|md|aes|rsa|ed|ecdsa|base|utf|oauth|openid|saml|http|tls|ssl|ipv|python|py|"
    r"node|java|jdk|php|ruby|go|rust|postgres|postgresql|pg|mysql|mariadb|redis|mongo|oracle|ubuntu|debian|fedora|"
    r"windows|win|office|server|version|release|sprint|step|table|page|phase|tier|level|k8s|u2f|fido|totp|ctrl|pkcs|"
    r"x|v|q|s|ec|gpt|claude|llama|iso|rfc|cve|net|vue|angular|react|django|rails)"
    r"[-_ ]?[0-9]+[a-z]{0,3}(?:[.\-][0-9a-z]+)*|v?[0-9]+(?:[.\-:x][0-9a-z]+)*|"
    r"[a-z]{2,12}(?:-[a-z]+)+-?[0-9]{1,3}[a-z]?|[0-9]{1,4}[-a-z]+|"
    r"[a-z]\w*(?:\.[a-z]\w*)+)\Z"
)

#: Words that everybody has used as a password and nobody says of one: from every published count of leaked ones.
FAVOURITES = frozenset(
    """
    swordfish dragon monkey sunshine football baseball princess iloveyou letmein shadow superman batman trustno
    michael jordan ashley qwertz qwerty qwertyuiop azerty mustang hunter starwars whatever cheese corvette ferrari
    charlie freedom ninja passw soleil doudou chouchou bonjour loulou marseille schatz sommer herbst fussball mausi
    engel liebe schalke tequiero estrella hola realmadrid barcelona america alejandro bonita mariposa opensesame
    """.split()  # noqa: SIM905
)
#: What a noun for a password names instead when one of these comes next or is its value: *the password field is …*.
ABOUT = frozenset(
    """
    field fields column columns parameter parameters param params argument arguments arg args option options flag flags
    value values variable variables env environment config configuration setting settings file files path paths form
    forms page pages input inputs prompt prompts manager managers vault policy policies hash hashes hashing hasher salt
    rotation recovery reminder reminders change changes check checks checking verification validation confirmation
    requirement requirements rule rules length strength entropy format type types authentication auth login logins
    protection encryption reset resets screen dialog handling support feature features function functions method methods
    module class object property properties attribute attributes grant flow provider providers command commands
    feld spalte datei regel regeln länge maske änderung richtlinie champ fichier règle longueur campo archivo política
    """.split()  # noqa: SIM905
)
#: Small words of four languages: no phrase that somebody drew holds one.
SMALL = frozenset(
    """
    the and for from with without was were been being not never always only its this that these those then than when
    where while else unless until after before during per each every any all some none same both either neither one
    two three four you your our they their his her who whom whose which what why how there here also just still already
    yet too very such but nor via into onto over under above below between about against within can cannot could may
    might must shall should will would does did done has have had having are isn doesn won didn don
    ist sind war wird werden wurde nicht kein keine nie immer nur der die das den dem des ein eine einen einem und oder
    aus bei bis durch für gegen mit nach ohne seit über unter von vor zum zur als wenn dann weil dass sie wir ihr man
    muss soll sollte kann darf liegt steht gilt
    est sont était pas jamais toujours les une des dans sur sous pour par avec sans aux cette qui que
    era nunca siempre los las uno del por para que con sin
    """.split()  # noqa: SIM905
)
#: What is said of passwords.
STATES = frozenset(
    """
    password passwords passwort passphrase passphrases passcode passwd pwd secret secrets token tokens user users
    username usernames account accounts admin credential credentials string text bytes int null true false optional
    required missing empty blank unset unknown invalid valid wrong correct incorrect weak strong plain plaintext
    cleartext hidden masked visible shown stored saved kept hashed salted encrypted encoded decoded rotated set
    unchanged expired revoked leaked shared disabled enabled allowed forbidden protected sensitive case insensitive
    needed used unused read written sent asked prompted generated derived random unique default mandatory minimum
    maximum min max long short characters character chars letters letter digits digit numbers number symbols symbol
    uppercase lowercase bits bit words word bcrypt argon scrypt sha verify verified validate validated confirm
    confirmed require requires update updated entry entries record records item items example examples sample
    placeholder dummy test tests testing see ask look find use using run call calls enter entered provide provided
    supply supplied given give take taken get gets put keep keeps stores save send sends request requests response
    server client clients database databases host hosts system systems app apps application team teams owner operator
    people person developer machine machines network access permission permissions role roles group groups session
    sessions cookie cookies header headers body json yaml toml basic bearer digest ldap oauth oidc saml sso kerberos
    pam ssh tls ssl http https smtp imap ftp git docker kubernetes helm terraform ansible postgres postgresql mysql
    mariadb redis mongo mongodb rabbitmq sqlite linux windows nodejs ignored omitted rejected accepted refused returned
    removed deleted dropped printed logged exposed checked matched compared public private internal external local
    remote global production staging prod dev daily weekly monthly yearly hourly manually automatically twice once
    again later now today soon attempts attempt times time days day hours hour minutes weeks months year years
    security secure safe unsafe key keys name names service services api endpoint endpoints link links mail email emails
    storage store box good bad better best common known hard easy human readable first last next new old own
    other another more less most least many few sudo root guest everyone nobody prompted interactively separately
    leer falsch richtig geheim gespeichert verschlüsselt abgelaufen geändert zurückgesetzt erforderlich nötig gültig
    ungültig lang kurz zeichen mindestens obligatoire requis stocké chiffré expiré changé vide faux caractères trop
    obligatoria requerida guardada cifrada caducada vacía incorrecta caracteres larga muy
    siehe frag frage voir demander ver preguntar
    """.split()  # noqa: SIM905
)
TALK = ABOUT | SMALL | STATES
