# shellcheck shell=bash
# Sourced: lines that show a person what is going on during long commands.

progress_log=${progress_log:-/dev/null}

say() { printf '== %s\n' "$*"; }

# with_progress LABEL COMMAND...: runs the command with its output in $progress_log, and shows one line with the seconds, and
# ninja's `[done/all]` if it prints that: rewritten each second on a terminal, a new line every 30 s elsewhere. After a failure
# the end of the output follows; with `quiet_failure=1` it is only in the log.
with_progress() {
  local label=$1 log begin=$SECONDS pid status=0 done=''
  shift
  if ! log=$(mktemp 2>/dev/null); then
    say "cannot write in the temporary folder ${TMPDIR:-/tmp}; set TMPDIR to a folder with free space"
    exit 1
  fi
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

# Whether the log says that no name of a server could be looked up.
is_offline() { grep -qE 'Temporary failure|Could not resolve|Failed to resolve|Name or service not known' "$progress_log"; }

# retry COMMAND...: tries three times, for commands that need the network; once where there is none.
retry() {
  local try
  for try in 1 2 3; do
    "$@" && return 0
    ! is_offline || return 1
    [ "$try" = 3 ] || { say "trying again in $((try * 5)) s"; sleep $((try * 5)); }
  done
  return 1
}
