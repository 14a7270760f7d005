#!/bin/sh
# The hash of every example after some steps, and of every game with its recorded inputs, a line each: sh spec/tools/hashes.sh
# STEPS PROGRAM [ARGUMENT...]
#
# PROGRAM is how impel is called, an emulator before it or options of `impel run` after it: `qemu-aarch64 build/neon/impel
# run --threads 3`. What an example says in place of a hash stands in its line and is an error.
set -u
steps=${1:?steps}
shift

for scene in examples/*.lua examples/games/*.lua; do
  played=${scene%.lua}.rec
  [ -e "$played" ] || played=
  hash=$("$@" "$scene" -q --hash --steps "$steps" ${played:+--input "$played"} 2>&1) || {
    echo "$scene: $hash" >&2
    exit 1
  }
  echo "$scene $hash"
done
