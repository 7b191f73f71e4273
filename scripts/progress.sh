# shellcheck shell=bash
# Sourced: lines that tell a person what is going on while nothing else does.

progress_log=${progress_log:-/dev/null}

say() { printf '== %s\n' "$*"; }

# with_progress LABEL COMMAND...: runs the command with its output in $progress_log, and shows one line with the seconds, and
# ninja's `[done/all]` where it prints that: rewritten each second on a terminal, a new line each 30 s elsewhere. After a failure
# the end of the output follows; `quiet_failure=1` leaves that to the log.
with_progress() {
  local label=$1 log begin=$SECONDS pid status=0 done=''
  shift
  log=$(mktemp)
  "$@" >"$log" 2>&1 </dev/null &
  pid=$!
  while kill -0 "$pid" 2>/dev/null; do
    sleep 1
    done=$(tail -c 2000 "$log" | tr '\r' '\n' | sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\].*/, \1 of \2/p' | tail -n 1)
    if [ -t 1 ]; then
      printf '\r\033[K   %s … %d s%s' "$label" $((SECONDS - begin)) "$done"
    elif [ $(((SECONDS - begin) % 30)) = 29 ]; then
      printf '   %s … %d s%s\n' "$label" $((SECONDS - begin)) "$done"
    fi
  done
  wait "$pid" || status=$?
  [ ! -t 1 ] || printf '\r\033[K'
  cat "$log" >>"$progress_log"
  if [ "$status" = 0 ]; then
    printf '   %s: %d s\n' "$label" $((SECONDS - begin))
  else
    [ -n "${quiet_failure:-}" ] || tail -n 30 "$log" >&2
    say "$label failed with status $status"
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
