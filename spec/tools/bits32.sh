#!/bin/sh
# Checks that 32-bit processors give the same results to the bit: sh spec/tools/bits32.sh BUILD [SPEC...]   (make
# bits32)
#
# Compiles the core, the named C specs and the objects of the bindings in OBJECTS for 32-bit x86, where the sizes of
# pointers and the alignment of 8-byte numbers differ, and runs the specs, two at a time. Then the 64-bit build restores
# snapshots and plays recordings of the 32-bit build, and vice versa. Both builds must compute the same hashes in the
# steps after that, and write the same bytes.
#
# If the system cannot run such programs directly, an emulator runs them. Then the specs in LONG and NATIVE are only
# compiled, unless ALL=1. TARGET and QEMU select another compiler and its emulator: `make bits32
# TARGET=arm-linux-gnueabihf QEMU=qemu-arm` (Debian: gcc-arm-linux-gnueabihf, libc6-dev-armhf-cross), where 8-byte
# numbers have 8-byte alignment. ONLY='test_base test_rows' names the specs to run.
#
# The whole program has the same hashes if Lua is compiled with `-msse2 -mfpmath=sse`. Debian's liblua5.4 for i386
# computes in 80-bit registers, so the last bits of a script's results differ there.
set -eu
build=${1:?folder of the build}
shift
target=${TARGET:-i686-linux-gnu}
emulator=${QEMU:-qemu-i386}
dir=$build/$target
# Specs that take more than 2.5 s of processor time without an emulator, or more than 2 minutes with an emulator.
LONG="test_internal_edge_data test_broadphase test_cast test_every_drive test_factor test_faults test_field test_fuzz
  test_joint_rows test_memory test_query test_threads"
# This spec counts the threads of its process (the emulator adds one) and forks while threads run (qemu 7.2 aborts).
NATIVE="test_task"
mkdir -p "$dir/include" "$dir/spec"

# Print the path of a header of xxHash or Lua on this system. The header's text is the same for all targets.
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
  echo "under $run, without these suites (ALL=1 runs them): $(echo $LONG $NATIVE)" >&2
  set -- $(for spec in "$@"; do case " $(echo $LONG $NATIVE) " in *" $spec "*) ;; *) echo "$spec" ;; esac; done)
}
[ $# -eq 0 ] || printf "$dir/spec/%s\n" "$@" | xargs -P 2 -n 1 env $run

echo "from this build to $target:"
"$build/spec/test_exchange" --write "$dir/exchange"
$run "$dir/spec/test_exchange" --read "$dir/exchange"
echo "from $target to this build:"
$run "$dir/spec/test_exchange" --write "$dir/exchange"
"$build/spec/test_exchange" --read "$dir/exchange"
