#!/bin/sh
# The same bits on processors of 32 bits: sh spec/bits32.sh BUILD [SPEC...]   (make bits32)
#
# Builds the core for 32-bit x86, where pointers, sizes and the alignment of 8-byte numbers are others, and runs the named
# C specs there: all of them where the system runs such programs, else under an emulator those of SHORT (ALL=1: all).
# Then snapshots and recordings go from the build for 64 bits to the one for 32, and back: each reads the other's, goes on
# to the same hashes and makes the same bytes.
#
# TARGET and QEMU name another compiler and emulator: TARGET=arm-linux-gnueabihf QEMU=qemu-arm, which aligns by 8 bytes.
set -eu
build=${1:?folder of the build}
shift
target=${TARGET:-i686-linux-gnu}
emulator=${QEMU:-qemu-i386}
dir=$build/$target
SHORT="test_base test_bodies test_changes test_constraints test_contacts test_event_order test_heap test_qp_edges
  test_rows test_snapshot test_tape_edges test_coordinates test_exchange"
mkdir -p "$dir/include" "$dir/spec"

# The headers of xxHash are the same everywhere; those beside them are not.
header=$(echo '#include <xxhash.h>' | cc -E -x c - | sed -n 's/^# 1 "\(.*\/xxhash\.h\)".*/\1/p' | head -n 1)
cp "$(dirname "$header")"/xxh*.h "$dir/include"

compile() {
  make --silent --no-print-directory B="$dir" CC="$target-gcc" LDFLAGS=-static EXTRA="-Wno-psabi -isystem $PWD/$dir/include" \
    WERROR="${WERROR:-}" "$@"
}

run=
echo 'int main(void) { return 0; }' | "$target-gcc" -static -x c -o "$dir/probe" -
"$dir/probe" 2>/dev/null || run=$emulator
[ -z "$run" ] || [ -n "${ALL:-}" ] || {
  echo "this system does not run programs for $target: under $run, those specs that are short" >&2
  set -- $(for spec in "$@"; do case " $(echo $SHORT) " in *" $spec "*) echo "$spec" ;; esac; done)
}

compile $(for spec in "$@" test_exchange; do echo "$dir/spec/$spec"; done)
make --silent --no-print-directory B="$build" "$build/spec/test_exchange"

for spec in "$@"; do
  $run "$dir/spec/$spec"
done

echo "from this build to $target:"
"$build/spec/test_exchange" --write "$dir/exchange"
$run "$dir/spec/test_exchange" --read "$dir/exchange"
echo "from $target to this build:"
$run "$dir/spec/test_exchange" --write "$dir/exchange"
"$build/spec/test_exchange" --read "$dir/exchange"
