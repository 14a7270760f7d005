#!/bin/sh
# The same bits on processors of 32 bits: sh spec/tools/bits32.sh BUILD [SPEC...]   (make bits32)
#
# Compiles the core, the named C specs and the objects of the bindings that OBJECTS names for 32-bit x86, where pointers,
# sizes and the alignment of 8-byte numbers are others, and runs the specs, two at a time. Then snapshots and recordings go
# from the build for 64 bits to the one for 32, and back: each reads the other's, steps to the same hashes and makes the
# same bytes.
#
# Where the system does not run such programs by itself, an emulator does, and the specs of LONG and NATIVE are only
# compiled, unless ALL=1. TARGET and QEMU name another compiler and its emulator:
#   make bits32 TARGET=arm-linux-gnueabihf QEMU=qemu-arm
# (Debian: gcc-arm-linux-gnueabihf, libc6-dev-armhf-cross), where 8-byte numbers are aligned by 8. ONLY='test_base
# test_rows' names the specs.
#
# The whole program has the same hashes, too, where Lua has been compiled with `-msse2 -mfpmath=sse`: the liblua5.4 of
# Debian for i386 computes in registers of 80 bits, so that what a script computes has other last bits there.
set -eu
build=${1:?folder of the build}
shift
target=${TARGET:-i686-linux-gnu}
emulator=${QEMU:-qemu-i386}
dir=$build/$target
# Random shapes, calls and worlds by the thousand: more than 2.5 s of processor time where they run by themselves, and 10
# to 20 times that under an emulator, or more than 2 minutes there when they were tried.
LONG="test_borders test_broadphase test_cast test_every_drive test_factor test_faults test_field test_fuzz
  test_joint_rows test_memory test_query test_threads"
# Counts the threads of its process, where the emulator adds its own, and forks while threads run, where qemu 7.2 aborts.
NATIVE="test_task"
mkdir -p "$dir/include" "$dir/spec"

# The path of a header of xxHash or Lua, which are the same on all targets; those of the system are the target's own.
header() { echo "#include <$1>" | cc $lua -E -x c - 2>/dev/null | sed -n "s|^# 1 \"\(.*/$1\)\".*|\1|p" | head -n 1; }
lua=$(pkg-config --cflags lua5.4 2>/dev/null || pkg-config --cflags lua-5.4 || :)
cp "$(dirname "$(header xxhash.h)")"/xxh*.h "$dir/include"
[ -z "$(header lua5.4-deb-multiarch.h)" ] || cp "$(header lua5.4-deb-multiarch.h)" "$dir/include"

compile() {
  make --silent B="$dir" CC="$target-gcc" LDFLAGS=-static EXTRA="-Wno-psabi -isystem $PWD/$dir/include" \
    WERROR="${WERROR:-}" HAS_EDIT= HAS_SECCOMP= HAS_WINDOW= "$@"
}

run=
echo 'int main(void) { return 0; }' | "$target-gcc" -static -x c -o "$dir/probe" -
"$dir/probe" 2>/dev/null || run=$emulator

compile $(for spec in "$@" test_exchange; do echo "$dir/spec/$spec"; done) $(for file in $OBJECTS; do echo "$dir/$file"; done)
make --silent B="$build" "$build/spec/test_exchange"

[ -z "$run" ] || [ -n "${ALL:-}" ] || {
  echo "under $run, without these specs (ALL=1: with them): $(echo $LONG $NATIVE)" >&2
  set -- $(for spec in "$@"; do case " $(echo $LONG $NATIVE) " in *" $spec "*) ;; *) echo "$spec" ;; esac; done)
}
[ $# -eq 0 ] || printf "$dir/spec/%s\n" "$@" | xargs -P 2 -n 1 env $run

echo "from this build to $target:"
"$build/spec/test_exchange" --write "$dir/exchange"
$run "$dir/spec/test_exchange" --read "$dir/exchange"
echo "from $target to this build:"
$run "$dir/spec/test_exchange" --write "$dir/exchange"
"$build/spec/test_exchange" --read "$dir/exchange"
