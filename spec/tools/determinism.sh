#!/bin/sh
# Checks that every build gives the same bits in every environment: sh spec/tools/determinism.sh   (make determinism)
#
# Builds with gcc and clang at -O0, -O2 and -O3, and with -march=x86-64-v3 and -v4 if the processor has AVX2. Each build
# must give the hashes in spec/golden/hashes, for every lane width of this machine and for 1, 2 and 4 threads. After 300
# steps every example must have the same hash in all builds, with up to 8 threads. No build may contain a fused
# multiply-add. More runs use different addresses, a locale with a decimal comma, plain Lua, flushed subnormal numbers,
# and a pattern in uninitialized memory (spec/support/lives.lua). The compilers must reject x87 arithmetic. If results
# differ, the script prints the lines that differ and exits with code 1.
set -eu
steps=300
reference=
golden=spec/golden/hashes
here=$PWD

# same NAME PROGRAM...: check that the eight scenes have the recorded hashes, up to $most steps
same() {
  name=$1
  shift
  hashes=build/determinism.hashes
  sh spec/tools/golden.sh "$most" "$@" >"$hashes"
  awk -v most="$most" '$2 <= most' "$golden" | diff - "$hashes" || {
    echo "$name: hashes differ from $golden" >&2
    exit 1
  }
  echo "$name: $(wc -l <"$hashes") golden hashes"
}

# no_fma DIR: check that the program and its modules contain no fused multiply-add of x86-64
no_fma() {
  [ "$(uname -m)" = x86_64 ] || return 0
  for binary in "$1/impel" "$1"/lua/impel/*.so; do
    objdump -d "$binary" >"$1/disassembly"
    ! grep -E '[[:space:]]vfn?m(add|sub)' "$1/disassembly" >&2 || {
      echo "$binary: contains fused multiply-adds" >&2
      exit 1
    }
  done
  rm -f "$1/disassembly"
  echo "$1: no fused multiply-add"
}

build() { make --silent --no-print-directory "$@" build; }

for cc in gcc clang; do
  for level in -O0 -O2 -O3; do
    dir=build/determinism-$cc$level
    build B="$dir" CC="$cc" CFLAGS="$level"
    no_fma "$dir"
    most=10000
    for run in 1:1 4:1 8:2 16:1 16:2 16:4; do
      lanes=${run%:*} threads=${run#*:}
      IMPEL_LANES=$lanes same "$cc $level, $lanes lanes, $threads threads" "$dir/impel" run --threads "$threads"
      most=1000
    done
    [ "$level" != -O2 ] || continue
    for run in 1:1 4:1 8:1 16:1 16:2 4:3 1:8; do
      lanes=${run%:*} threads=${run#*:}
      hashes=$dir/hashes.$lanes.$threads
      IMPEL_LANES=$lanes sh spec/tools/hashes.sh "$steps" "$dir/impel" run --threads "$threads" >"$hashes"
      reference=${reference:-$hashes}
      diff "$reference" "$hashes" || {
        echo "$cc $level, $lanes lanes, $threads threads: hashes differ from $reference" >&2
        exit 1
      }
      echo "$cc $level, $lanes lanes, $threads threads: $(wc -l <"$hashes") hashes as in the first run"
    done
  done
done

case $(uname -m)$(grep -m 1 -ow avx2 /proc/cpuinfo) in
  x86_64avx2) levels="x86-64-v3 x86-64-v4" ;;
  *) levels= ;;
esac
for cc in gcc clang; do
  for level in $levels; do
    dir=build/determinism-$cc-$level most=1000
    build B="$dir" CC="$cc" CFLAGS="-O3 -march=$level" META= HAS_WINDOW= HAS_EDIT=
    no_fma "$dir"
    for lanes in 1 4 8 16; do
      IMPEL_LANES=$lanes same "$cc -march=$level, $lanes lanes" "$dir/impel" run
    done
    sh spec/tools/hashes.sh "$steps" "$dir/impel" run >"$dir/hashes"
    diff "$reference" "$dir/hashes" || {
      echo "$cc -march=$level: hashes differ from $reference" >&2
      exit 1
    }
    echo "$cc -march=$level: $(wc -l <"$dir/hashes") hashes as in the first run"
  done
done

dir=build/determinism-gcc-O3
for run in 1 2 3; do same "other addresses, run $run" "$dir/impel" run; done

# Make a locale from the system's sources. The command line of impel must not depend on the locale of a host.
locales=$here/build/locales
mkdir -p "$locales"
[ -e "$locales/de_DE.UTF-8" ] || localedef -i de_DE -f UTF-8 "$locales/de_DE.UTF-8"
export LOCPATH="$locales"
LC_ALL=de_DE.UTF-8 same "the program in the locale de_DE" "$dir/impel" run
LUA_PATH="$here/scripts/?.lua;$here/scripts/?/init.lua;;" LUA_CPATH="$here/$dir/lua/?.so;;" \
  same "plain Lua in the locale de_DE" "${LUA:-lua5.4}" -e 'assert(os.setlocale "de_DE.UTF-8" and ("%.1f"):format(0.5) == "0,5")' \
  -e 'os.exit(require("impel.cli").main(arg), true)' /dev/null run
unset LOCPATH

# Worlds with random operations must end in the same states with each compiler, also with a pattern in the uninitialized
# memory of stack and heap.
lives() {
  LUA_PATH="$here/scripts/?.lua;$here/scripts/?/init.lua;$here/spec/?.lua;;" LUA_CPATH="$here/$1/lua/?.so;;" \
    "${LUA:-lua5.4}" -e 'dofile("spec/support/lives.lua").print(1, 1000)' >"$1/lives"
}
lives "$dir"
for cc in gcc clang; do
  filled=build/determinism-$cc-filled
  build B="$filled" CC="$cc" EXTRA=-ftrivial-auto-var-init=pattern META= HAS_WINDOW= HAS_EDIT=
  MALLOC_PERTURB_=165 same "$cc, memory filled" "$filled/impel" run
  MALLOC_PERTURB_=165 lives "$filled"
  diff "$dir/lives" "$filled/lives" || {
    echo "$cc, memory filled: states differ from those of $dir" >&2
    exit 1
  }
  echo "$cc, memory filled: $(wc -l <"$filled/lives") states as without filling"
done

# A program linked with -ffast-math flushes subnormal numbers to zero.
build B=build/determinism-flush CC=gcc LDFLAGS=-ffast-math META= HAS_WINDOW= HAS_EDIT=
same "started with subnormals flushed" build/determinism-flush/impel run

for cc in gcc clang; do
  ! "$cc" -std=c17 -Icore -mfpmath=387 -fsyntax-only core/base/trig.c 2>build/determinism.x87 || {
    echo "$cc accepts x87 arithmetic" >&2
    exit 1
  }
done
echo "x87 arithmetic is rejected"
