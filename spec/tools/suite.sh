#!/bin/sh
# Runs one suite and counts its tests: sh spec/tools/suite.sh BUILD SUITE   (called by spec/tools/run.sh)
#
# SUITE is a source in spec/. test_*.c and the fuzz targets are programs whose last line is "suite: N passed, N failed".
# demo.c counts as one test. busted runs *_spec.lua. A crash counts as one failure. Writes a line of numbers, and the
# output if a test failed. Adds the numbers of passed and failed tests to BUILD/spec.counts. Pending specs are not
# counted.
#
# LUA: the interpreter. LUA_PRELOAD: a sanitizer's library for it. IMPEL: the program under test, for the specs.
build=$1
file=$2
lua=${LUA:-lua5.4}

# busted is a Lua script, or a shell script that runs a Lua script. For a shell script .busted selects lua5.4.
run_busted() {
  busted=$(command -v busted)
  case $(head -n 1 "$busted" 2>/dev/null) in
    *lua*) LD_PRELOAD=$LUA_PRELOAD ASAN_OPTIONS=detect_leaks=0 "$lua" "$busted" --ignore-lua "$@" ;;
    *) "$busted" "$@" ;;
  esac
}

# Print the last number before a word in the log: number_before passed
number_before() {
  sed -n "s/^.*[^0-9]\([0-9][0-9]*\) $1.*$/\1/p" "$log" | tail -n 1
}

# run_lua and run_program set `passed`, `failed` and `waiting`. A number that the log lacks is empty.
run_lua() {
  run_busted --cpath="$build/lua/?.so" -o plainTerminal "$file" >"$log" 2>&1
  status=$?
  # "12 successes / 0 failures / 0 errors / 0 pending : 0.5 seconds"
  passed=$(sed -n 's/^\([0-9]*\) success.* \/ .*$/\1/p' "$log" | tail -n 1)
  failed=$(sed -n 's/^.* \/ \([0-9]*\) failures* \/ \([0-9]*\) errors* \/ .*$/\1 + \2/p' "$log" | tail -n 1)
  failed=$((${failed:-0}))
  waiting=$(sed -n 's/^.* \/ \([0-9]*\) pending : .*$/\1/p' "$log" | tail -n 1)
}

run_program() {
  "$program" >"$log" 2>&1
  status=$?
  passed=$(number_before passed)
  failed=$(number_before failed)
  waiting=
  case $program in */demo) passed=$((status == 0)) failed=0 ;; esac
}

name=${file##*/} suite=${file#spec/} run=run_program
name=${name%.*} suite=${suite%.*}
case $file in
  *_spec.lua) suite=${suite%_spec} run=run_lua ;;
  spec/fuzz/*) program=$build/spec/replay_$name ;;
  *) suite=${suite%/*}/${name#test_} program=$build/spec/$name ;;
esac
log=$build/spec.log.$$
trap 'rm -f "$log" "$log.report"' EXIT

$run
if [ "${failed:-0}" -eq 0 ] && [ "$status" -ne 0 ]; then
  failed=1
  echo "$suite ended with status $status" >>"$log"
elif [ "${failed:-0}" -eq 0 ] && [ -z "$passed" ]; then
  failed=1
  echo "$suite did not report" >>"$log"
fi

echo "${passed:-0} ${failed:-0}" >>"$build/spec.counts"
pending=
[ "${waiting:-0}" -eq 0 ] || pending=", $waiting pending"
{
  printf '%-34s %5d passed, %d failed%s\n' "$suite" "${passed:-0}" "${failed:-0}" "$pending"
  [ "${failed:-0}" -eq 0 ] || cat "$log"
} >"$log.report"
cat "$log.report" # a single write, because other suites report at the same time
