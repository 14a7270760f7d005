#!/bin/sh
# Run specs and sum them up: sh spec/run.sh BUILD PROGRAM...   (called by make test and make asan)
#
# The programs and all of spec/lua, each suite in a process of its own (spec/suite.sh), so that one that crashes takes no
# other with it, on every core. A suite that was killed counts as one failure. The last line is "N passed, N failed", the
# exit code 0 when some passed, none failed.
#
# LUA, LUA_PRELOAD: see spec/suite.sh. JOBS: how many run at a time (the number of cores).
build=$1
shift
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null)
export IMPEL="$build/impel"
mkdir -p "$build"
: >"$build/spec.counts"

# The longest first, so that both cores are busy until the end.
long="spec/lua/situations_spec.lua spec/lua/examples_spec.lua spec/lua/sweep_spec.lua"
for file in $long "$@" spec/lua/*_spec.lua; do [ ! -e "$file" ] || echo "$file"; done | awk '!seen[$0]++' \
  >"$build/spec.suites"
xargs -P "${JOBS:-${cores:-1}}" -n 1 sh spec/suite.sh "$build" <"$build/spec.suites"
awk -v suites="$(wc -l <"$build/spec.suites")" '
  { passed += $1; failed += $2 }
  END { print passed + 0 " passed, " failed + suites - NR " failed"; exit failed + suites > NR || passed == 0 }' \
  "$build/spec.counts" >"$build/spec.summary"
status=$?
cat "$build/spec.summary"
exit "$status"
