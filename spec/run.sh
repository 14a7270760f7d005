#!/bin/sh
# Run specs and sum them up: sh spec/run.sh BUILD PROGRAM...   (called by make test and make asan)
#
# Each C spec is a program that closes with "suite: N passed, N failed"; spec/c/demo counts as one test. Each Lua spec
# runs in a process of its own, so that one that crashes takes no other with it; a crash counts as one failure. Output
# is shown where something failed. Pending specs, for which this system lacks something, count as neither. The last line
# is "N passed, N failed", the exit code 0 when some passed, none failed.
#
# LUA: the interpreter. LUA_PRELOAD: a sanitizer's library for it. IMPEL: given to the specs, the program under test.
build=$1
shift
lua=${LUA:-lua5.4}
log=$build/spec.log
passed=0
failed=0
export IMPEL="$build/impel"
mkdir -p "$build"

# count SUITE N_PASSED N_FAILED N_PENDING
count() {
  passed=$((passed + $2))
  failed=$((failed + $3))
  pending=
  [ "$4" -eq 0 ] || pending=", $4 pending"
  printf '%-28s %5d passed, %d failed%s\n' "$1" "$2" "$3" "$pending"
  [ "$3" -eq 0 ] || cat "$log"
}

# The last number before a word in the log: number_before passed
number_before() {
  sed -n "s/^.*[^0-9]\([0-9][0-9]*\) $1.*$/\1/p" "$log" | tail -n 1
}

for program in "$@"; do
  suite=c/${program##*/}
  "$program" >"$log" 2>&1
  status=$?
  ok=$(number_before passed)
  bad=$(number_before failed)
  case $program in */demo) ok=$((status == 0)) bad=0 ;; esac
  [ "$status" -eq 0 ] || [ "${bad:-0}" -gt 0 ] || {
    bad=1
    echo "$suite ended with status $status" >>"$log"
  }
  [ -n "$ok" ] || [ "${bad:-0}" -gt 0 ] || {
    bad=1
    echo "$suite did not report" >>"$log"
  }
  count "$suite" "${ok:-0}" "${bad:-0}" 0
done

# Debian's busted is a Lua script, elsewhere it may be a shell script around one, which .busted pins to lua5.4.
busted=$(command -v busted)
case $(head -n 1 "$busted" 2>/dev/null) in
  *lua*) run_busted() { LD_PRELOAD=$LUA_PRELOAD ASAN_OPTIONS=detect_leaks=0 "$lua" "$busted" --ignore-lua "$@"; } ;;
  *) run_busted() { "$busted" "$@"; } ;;
esac

for file in spec/lua/*_spec.lua; do
  [ -e "$file" ] || continue
  name=${file##*/}
  suite=lua/${name%_spec.lua}
  run_busted --cpath="$build/lua/?.so" -o plainTerminal "$file" >"$log" 2>&1
  status=$?
  # "12 successes / 0 failures / 0 errors / 0 pending : 0.5 seconds"
  ok=$(sed -n 's/^\([0-9]*\) success.* \/ .*$/\1/p' "$log" | tail -n 1)
  bad=$(sed -n 's/^.* \/ \([0-9]*\) failures* \/ \([0-9]*\) errors* \/ .*$/\1 + \2/p' "$log" | tail -n 1)
  bad=$((${bad:-0}))
  waiting=$(sed -n 's/^.* \/ \([0-9]*\) pending : .*$/\1/p' "$log" | tail -n 1)
  if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ -z "$ok" ]; }; then
    bad=1
    echo "$suite ended with status $status" >>"$log"
  fi
  count "$suite" "${ok:-0}" "$bad" "${waiting:-0}"
done

echo "$passed passed, $failed failed" | tee "$build/spec.summary"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
