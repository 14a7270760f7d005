#!/bin/sh
# The same bits from every build: sh spec/determinism.sh   (make determinism)
#
# Builds with gcc and clang, -O0 and -O3, runs every example for 300 steps with 1, 2, 3 and 8 threads and compares the hashes
# with those of the first build. Exit code 1 and the differing lines when a hash differs.
set -eu
steps=300
reference=

for cc in gcc clang; do
  for level in -O0 -O3; do
    dir=build/determinism-$cc$level
    make --silent --no-print-directory B="$dir" CC="$cc" CFLAGS="$level" build
    for threads in 1 2 3 8; do
      hashes=$dir/hashes.$threads
      : >"$hashes"
      for scene in examples/*.lua; do
        hash=$("$dir/impel" run "$scene" -q --hash --steps "$steps" --threads "$threads")
        echo "$scene $hash" >>"$hashes"
      done
      reference=${reference:-$hashes}
      diff "$reference" "$hashes" || {
        echo "$cc $level, $threads threads: hashes differ from ${reference}" >&2
        exit 1
      }
      echo "$cc $level, $threads threads: $(wc -l <"$hashes") hashes as in the first build"
    done
  done
done
