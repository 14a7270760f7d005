#!/bin/sh
# The same bits from every build: sh spec/determinism.sh   (make determinism)
#
# Builds with gcc and clang, -O0 and -O3, runs every example for 300 steps with lanes of every width that this machine
# has and with 1, 2, 3 and 8 threads, and compares the hashes with those of the first run. Exit code 1 and the differing lines
# when a hash differs.
set -eu
steps=300
reference=

for cc in gcc clang; do
  for level in -O0 -O3; do
    dir=build/determinism-$cc$level
    make --silent --no-print-directory B="$dir" CC="$cc" CFLAGS="$level" build
    for run in 1:1 4:1 8:1 16:1 16:2 4:3 1:8; do
      lanes=${run%:*} threads=${run#*:}
      hashes=$dir/hashes.$lanes.$threads
      IMPEL_LANES=$lanes sh spec/hashes.sh "$steps" "$dir/impel" run --threads "$threads" >"$hashes"
      reference=${reference:-$hashes}
      diff "$reference" "$hashes" || {
        echo "$cc $level, $lanes lanes, $threads threads: hashes differ from $reference" >&2
        exit 1
      }
      echo "$cc $level, $lanes lanes, $threads threads: $(wc -l <"$hashes") hashes as in the first run"
    done
  done
done
