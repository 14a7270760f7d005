#!/bin/sh
# Records every example for some steps and replays it. Then runs an eighth of the steps twice in new processes and
# checks that both runs are equal: sh spec/tools/replays.sh STEPS PROGRAM
#
# Prints every difference and every failed replay. A difference or a failed replay gives the exit code 1.
set -u
steps=${1:?steps}
program=${2:?program}
file=$(mktemp)
trap 'rm -f "$file"' EXIT
failed=0

for scene in examples/*.lua; do
  "$program" run "$scene" -q --steps "$steps" --record "$file" && "$program" replay -q "$file" || {
    echo "$scene: the replay differs from the recorded run" >&2
    failed=1
  }
  "$program" run "$scene" --steps $((steps / 8)) --check-determinism >"$file" || {
    echo "$scene: a step is not a function of the state" >&2
    failed=1
  }
done
exit $failed
