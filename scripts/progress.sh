# shellcheck shell=bash
# Sourced: lines that tell a person what is going on while nothing else does.

progress_log=${progress_log:-/dev/null}

say() { printf '== %s\n' "$*"; }

# with_progress LABEL COMMAND...: the command's output goes to $progress_log, a line every 10 s to the terminal; after a
# failure the end of its output too.
with_progress() {
  local label=$1 log begin=$SECONDS pid status=0
  shift
  log=$(mktemp)
  "$@" >"$log" 2>&1 &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    if [ $(((SECONDS - begin) % 10)) = 9 ]; then printf '   %s … %d s\n' "$label" $((SECONDS - begin)); fi
  done
  wait "$pid" || status=$?
  cat "$log" >>"$progress_log"
  if [ "$status" != 0 ]; then
    tail -n 30 "$log" >&2
    say "$label failed ($status)"
  else
    printf '   %s: done in %d s\n' "$label" $((SECONDS - begin))
  fi
  rm -f "$log"
  return "$status"
}

# retry COMMAND...: three tries, for what needs the network.
retry() {
  local try
  for try in 1 2 3; do
    "$@" && return 0
    [ "$try" = 3 ] || { say "trying again in $((try * 5)) s"; sleep $((try * 5)); }
  done
  return 1
}
