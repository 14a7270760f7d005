#!/bin/sh
# Every example, recorded for some steps and played again, and an eighth of them made twice and in new runs: sh
# spec/tools/replays.sh STEPS PROGRAM
#
# What differs, or cannot be played, is told, and the exit code is 1.
set -u
steps=${1:?steps}
program=${2:?program}
file=$(mktemp)
trap 'rm -f "$file"' EXIT
failed=0

for scene in examples/*.lua; do
  "$program" run "$scene" -q --steps "$steps" --record "$file" && "$program" replay -q "$file" || {
    echo "$scene: not the same" >&2
    failed=1
  }
  "$program" run "$scene" --steps $((steps / 8)) --check-determinism >"$file" || {
    echo "$scene: not a function of its state" >&2
    failed=1
  }
done
exit $failed
