#!/bin/sh
# Runs specs and sums up their results: sh spec/tools/run.sh BUILD SUITE...   (called by make test, make spec, make
# asan)
#
# Each suite, named by its source, runs in a process of its own (spec/tools/suite.sh). A killed suite is one failure.
# The last line is "N passed, N failed". The exit code is 0 if some tests passed and none failed.
#
# LUA, LUA_PRELOAD: see spec/tools/suite.sh. JOBS: number of parallel suites (default: the number of cores).
build=$1
shift
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null)
export IMPEL="$build/impel"
mkdir -p "$build"
: >"$build/spec.counts"

# Start the longest suites first, to keep all cores busy.
long='/(situations|examples|sweep)_spec[.]lua$'
{
  printf '%s\n' "$@" | grep -E "$long"
  printf '%s\n' "$@" | grep -Ev "$long"
} >"$build/spec.suites"
xargs -P "${JOBS:-${cores:-1}}" -n 1 sh spec/tools/suite.sh "$build" <"$build/spec.suites"
awk -v suites="$#" '
  { passed += $1; failed += $2 }
  END { print passed + 0 " passed, " failed + suites - NR " failed"; exit failed + suites > NR || passed == 0 }' \
  "$build/spec.counts" >"$build/spec.summary"
status=$?
cat "$build/spec.summary"
exit "$status"
