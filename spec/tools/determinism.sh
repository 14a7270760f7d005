#!/bin/sh
# The same bits from every build and in every surrounding: sh spec/tools/determinism.sh   (make determinism)
#
# Builds with gcc and clang, -O0, -O2 and -O3. Each build comes to the hashes in spec/golden/hashes: eight scenes after 1,
# 10, 100 and 1000 steps, one of them, of 500 bodies, once after 10000; with lanes of every width that this machine has
# and with 1, 2 and 4 threads; and every example, after 300 steps, to the hashes of the first build, with up to 8 threads.
# So do builds with -march=x86-64-v3 and -v4 in CFLAGS, where the processor has AVX2. No build has a fused multiply-add.
# The first build also runs three times where addresses differ, in a locale that has a comma, under plain Lua, and started
# with subnormal numbers flushed to zero; two more builds have memory that is full of something, and go through random
# lives, too; the compilers refuse x87 arithmetic. Exit code 1 and the differing lines when something differs.
set -eu
steps=300
reference=
golden=spec/golden/hashes
here=$PWD

# same NAME PROGRAM...: the eight scenes come to the hashes of old, up to $most steps
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

# no_fma DIR: the program and its modules have no fused multiply-add of x86-64
no_fma() {
  [ "$(uname -m)" = x86_64 ] || return 0
  for binary in "$1/impel" "$1"/lua/impel/*.so; do
    objdump -d "$binary" >"$1/disassembly"
    ! grep -E '[[:space:]]vfn?m(add|sub)' "$1/disassembly" >&2 || {
      echo "$binary: fused multiply-adds" >&2
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

# A locale that is made here, of the system's sources. The program sets none; under plain Lua the host did, and the
# command line goes without.
locales=$here/build/locales
mkdir -p "$locales"
[ -e "$locales/de_DE.UTF-8" ] || localedef -i de_DE -f UTF-8 "$locales/de_DE.UTF-8"
export LOCPATH="$locales"
LC_ALL=de_DE.UTF-8 same "the program in the locale de_DE" "$dir/impel" run
LUA_PATH="$here/scripts/?.lua;$here/scripts/?/init.lua;;" LUA_CPATH="$here/$dir/lua/?.so;;" \
  same "plain Lua in the locale de_DE" "${LUA:-lua5.4}" -e 'assert(os.setlocale "de_DE.UTF-8" and ("%.1f"):format(0.5) == "0,5")' \
  -e 'os.exit(require("impel.cli").main(arg), true)' /dev/null run
unset LOCPATH

# Random lives come to the same from each compiler, and where what nobody wrote, on the stack and in blocks of memory,
# is full of something: who reads it comes to other bits.
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
    echo "$cc, memory filled: lives differ from those of $dir" >&2
    exit 1
  }
  echo "$cc, memory filled: $(wc -l <"$filled/lives") lives as without"
done

# What -ffast-math links into a program flushes subnormal numbers to zero before main; nothing is compiled with it.
build B=build/determinism-flush CC=gcc LDFLAGS=-ffast-math META= HAS_WINDOW= HAS_EDIT=
same "started with subnormals flushed" build/determinism-flush/impel run

for cc in gcc clang; do
  ! "$cc" -std=c17 -Icore -mfpmath=387 -fsyntax-only core/base/trig.c 2>build/determinism.x87 || {
    echo "$cc takes x87 arithmetic" >&2
    exit 1
  }
done
echo "x87 arithmetic is refused"
