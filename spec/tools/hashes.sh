#!/bin/sh
# Prints the hash of every example after some steps, and of every game with its recorded inputs, one per line:
# sh spec/tools/hashes.sh STEPS PROGRAM [ARGUMENT...]
#
# PROGRAM is the command for impel, which may include an emulator and options of `impel run`: `qemu-aarch64
# build/neon/impel run --threads 3`. If PROGRAM prints more than a hash, the line shows all of it.
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
