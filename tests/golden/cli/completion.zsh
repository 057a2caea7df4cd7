#compdef memoranda
_memoranda() {
  local -a commands
  commands=(
    'init:make a memory'
    'capture:take in what agents wrote down'
    'connect:wire agents to the memory'
    'disconnect:take out what connect put in'
    'hook:what connected agents start'
    'adopt:make records of files that are none'
    'trust:accept a project memorys records as your teams'
    'recall:find what was concluded and what was said'
    'get:read the turns around a hit, or one record'
    'sessions:list what was captured'
    'entities:list what records are about, or all that is known of one thing'
    'scan:find a text in one session, letter for letter'
    'sketch:what a session is about, in its own words'
    'ask:have an installed agent answer from what is recalled'
    'remember:keep one fact, preference or decision'
    'core:show what is always in mind'
    'promote:recall a transient record too, or keep one always in mind'
    'demote:undo a promotion'
    'forget:retire a record, or all that a filter finds'
    'held:show what waits for a person'
    'release:let a held record take effect'
    'reject:turn a held record away'
    'endorse:vouch for a records exact text'
    'history:how a record came to be what it is'
    'evidence:keep what was seen and heard, and look after it'
    'open:open the exact piece of evidence a locator names'
    'diff:what was learnt, changed and lost between two points'
    'blame:who wrote a record'
    'verify:check again what records rest on'
    'status:how things stand'
    'check:look for damage'
    'rescan:repair what older rules let in'
    'embed:give passages their vectors'
    'reindex:delete the index and build it again'
    'completion:print a completion script'
    'help:explain a command'
    'receive:take in a teammates records from a git repository'
    'push:publish what may leave to a place you own'
    'pull:rebuild the files of a published memory'
    'scrub:take out of turns what keeps them from leaving'
    'mcp:serve agents over the Model Context Protocol'
    'serve:serve programs over HTTP on this machine'
  )
  local word command=""
  for word in ${words[2,CURRENT-1]}; do
    if (( ${commands[(I)$word:*]} )); then command=$word; break; fi
  done
  case $command in
    "") _describe command commands; compadd -- --memory --project --json --color --quiet --verbose --version ;;
    init) compadd -- --json --help; _files ;;
    capture) compadd -- --harness --seconds --embed-seconds --check --keep-media --watch --json --help; _files ;;
    connect) compadd -- --no-core --recall --no-rules --no-capture --dry-run --yes --json --help; _files ;;
    disconnect) compadd -- --dry-run --json --help; _files ;;
    hook) compadd -- --core --recall --json --help; _files ;;
    adopt) compadd -- --dry-run --json --help; _files ;;
    trust) compadd -- --json --help; _files ;;
    recall) compadd -- --limit --since --until --role --type --harness --repo --session --kind --also --history --as-of --lexical --budget-tokens --neighbours --weak --explain --why --json --help; _files ;;
    get) compadd -- --before --after --json --help; _files ;;
    sessions) compadd -- --limit --offset --since --until --harness --repo --json --help; _files ;;
    entities) compadd -- --limit --offset --json --help; _files ;;
    scan) compadd -- --ignore-case --first --last --context --limit --json --help; _files ;;
    sketch) compadd -- --units --max-chars --json --help; _files ;;
    ask) compadd -- --limit --budget-tokens --seconds --json --help; _files ;;
    remember) compadd -- --category --durability --confidence --source --supersedes --contradicts --derived-from --anchor --evidence --entity --tag --observed --scope --inferred --json --help; _files ;;
    core) compadd -- --json --help; _files ;;
    promote) compadd -- --core --json --help; _files ;;
    demote) compadd -- --json --help; _files ;;
    forget) compadd -- --reason --expired --superseded --yes --json --help; _files ;;
    held) compadd -- --limit --json --help; _files ;;
    release) compadd -- --json --help; _files ;;
    reject) compadd -- --alike --json --help; _files ;;
    endorse) compadd -- --json --help; _files ;;
    history) compadd -- --as-of --json --help; _files ;;
    evidence) compadd -- --name --origin --retention --days --relied --json --help add list show extract verify drop; _files ;;
    open) compadd -- --out --json --help; _files ;;
    diff) compadd -- --since --json --help; _files ;;
    blame) compadd -- --json --help; _files ;;
    verify) compadd -- --json --help; _files ;;
    status) compadd -- --json --help; _files ;;
    check) compadd -- --deep --repair --json --help; _files ;;
    rescan) compadd -- --dry-run --people --json --help; _files ;;
    embed) compadd -- --seconds --json --help; _files ;;
    reindex) compadd -- --json --help; _files ;;
    completion) compadd -- --json --help bash zsh fish; _files ;;
    help) compadd -- --json --help init capture connect disconnect hook adopt trust recall get sessions entities scan sketch ask remember core promote demote forget held release reject endorse history evidence open diff blame verify status check rescan embed reindex completion help receive push pull scrub mcp serve; _files ;;
    receive) compadd -- --branch --dry-run --json --help; _files ;;
    push) compadd -- --create --yes --allow --embed-seconds --json --help; _files ;;
    pull) compadd -- --json --help; _files ;;
    scrub) compadd -- --yes --keep --json --help; _files ;;
    mcp) compadd -- --json --help; _files ;;
    serve) compadd -- --port --json --help; _files ;;
  esac
}
_memoranda "$@"
