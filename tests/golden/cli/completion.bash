# bash completion for memoranda
_memoranda() {
  local current="${COMP_WORDS[COMP_CWORD]}" word command="" words=""
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " init capture connect disconnect hook adopt trust recall get sessions entities scan sketch ask remember core promote demote forget held release reject endorse history evidence open diff blame verify status check rescan embed reindex completion help receive push pull scrub mcp serve " in *" $word "*) command="$word"; break ;; esac
  done
  case "$command" in
    "") words="init capture connect disconnect hook adopt trust recall get sessions entities scan sketch ask remember core promote demote forget held release reject endorse history evidence open diff blame verify status check rescan embed reindex completion help receive push pull scrub mcp serve --memory --project --json --color --quiet --verbose --version" ;;
    init) words="--json --help" ;;
    capture) words="--harness --seconds --embed-seconds --check --keep-media --watch --json --help" ;;
    connect) words="--no-core --recall --no-rules --no-capture --dry-run --yes --json --help" ;;
    disconnect) words="--dry-run --json --help" ;;
    hook) words="--core --recall --json --help" ;;
    adopt) words="--dry-run --json --help" ;;
    trust) words="--json --help" ;;
    recall) words="--limit --since --until --role --type --harness --repo --session --kind --also --history --as-of --lexical --budget-tokens --neighbours --weak --explain --why --json --help" ;;
    get) words="--before --after --json --help" ;;
    sessions) words="--limit --offset --since --until --harness --repo --json --help" ;;
    entities) words="--limit --offset --json --help" ;;
    scan) words="--ignore-case --first --last --context --limit --json --help" ;;
    sketch) words="--units --max-chars --json --help" ;;
    ask) words="--limit --budget-tokens --seconds --json --help" ;;
    remember) words="--category --durability --confidence --source --supersedes --contradicts --derived-from --anchor --evidence --entity --tag --observed --scope --inferred --json --help" ;;
    core) words="--json --help" ;;
    promote) words="--core --json --help" ;;
    demote) words="--json --help" ;;
    forget) words="--reason --expired --superseded --yes --json --help" ;;
    held) words="--limit --json --help" ;;
    release) words="--json --help" ;;
    reject) words="--alike --json --help" ;;
    endorse) words="--json --help" ;;
    history) words="--as-of --json --help" ;;
    evidence) words="--name --origin --retention --days --relied --json --help add list show extract verify drop" ;;
    open) words="--out --json --help" ;;
    diff) words="--since --json --help" ;;
    blame) words="--json --help" ;;
    verify) words="--json --help" ;;
    status) words="--json --help" ;;
    check) words="--deep --repair --json --help" ;;
    rescan) words="--dry-run --people --json --help" ;;
    embed) words="--seconds --json --help" ;;
    reindex) words="--json --help" ;;
    completion) words="--json --help bash zsh fish" ;;
    help) words="--json --help init capture connect disconnect hook adopt trust recall get sessions entities scan sketch ask remember core promote demote forget held release reject endorse history evidence open diff blame verify status check rescan embed reindex completion help receive push pull scrub mcp serve" ;;
    receive) words="--branch --dry-run --json --help" ;;
    push) words="--create --yes --allow --embed-seconds --json --help" ;;
    pull) words="--json --help" ;;
    scrub) words="--yes --keep --json --help" ;;
    mcp) words="--json --help" ;;
    serve) words="--port --json --help" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _memoranda memoranda
