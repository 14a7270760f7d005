#!/bin/sh
# Checks that other processors give the same results to the bit: sh spec/tools/neon.sh BUILD [SPEC...]   (make neon)
#
# Builds for aarch64, where the lanes are compiled to NEON, and runs the named C specs of this build under an emulator.
# Then every example runs for 60 steps: on this machine with lanes of every width, on aarch64 with 4 lanes and with 1
# lane, and on an emulated x86-64 processor of 2006 without AVX. The exit code is 1 if a hash differs. The eight scenes
# of spec/golden/hashes must have the same hashes on aarch64.
#
# Lua for aarch64 comes from packages of the system, which are unpacked into BUILD/neon/sysroot. SYSROOT names another
# folder with Lua (usr/include, usr/lib).
set -eu
build=${1:?folder of the build}
shift
steps=60
dir=$build/neon
here=$PWD
sysroot=${SYSROOT:-$PWD/$dir/sysroot}
libraries=/usr/aarch64-linux-gnu
mkdir -p "$dir"

# Run apt-get for arm64 packages, with its state in the folder of the build.
apt_arm64() {
  apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
    -o Dir::State::lists="$here/$dir/apt/lists" -o Dir::Cache="$here/$dir/apt/cache" "$@"
}

[ -e "$sysroot/usr/include" ] || {
  mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
  apt_arm64 update >&2
  (cd "$dir/apt" && apt_arm64 download liblua5.4-dev libxxhash-dev >&2)
  for package in "$dir"/apt/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
  rm -rf "$dir/apt"
}

# The build for aarch64 has no line editing, sandbox, window or annotations.
make --silent --no-print-directory B="$dir" CC=aarch64-linux-gnu-gcc HAS_EDIT= HAS_SECCOMP= HAS_WINDOW= META= \
  LUA_CFLAGS="-isystem $sysroot/usr/include/lua5.4 -isystem $sysroot/usr/include/aarch64-linux-gnu" \
  LUA_LIBS="$sysroot/usr/lib/aarch64-linux-gnu/liblua5.4.a -lm -ldl" EXTRA="-isystem $sysroot/usr/include" \
  build $(for spec in "$@"; do echo "$dir/spec/$spec"; done)

for spec in "$@"; do
  qemu-aarch64 -L "$libraries" "$dir/spec/$spec"
done

reference=
# hash NAME LANES PROGRAM...: hash all examples, and compare with the hashes of the first call of this function
hash() {
  name=$1 lanes=$2 hashes=$dir/hashes.$1.$2
  shift 2
  IMPEL_LANES=$lanes sh spec/tools/hashes.sh "$steps" "$@" run >"$hashes"
  reference=${reference:-$hashes}
  diff "$reference" "$hashes" || {
    echo "$name, $lanes lanes: hashes differ from $reference" >&2
    exit 1
  }
  echo "$name, $lanes lanes: $(wc -l <"$hashes") hashes as in the first run"
}

for lanes in 1 4 8 16; do hash here $lanes "$build/impel"; done
hash aarch64 4 qemu-aarch64 -L "$libraries" "$dir/impel"
hash aarch64 1 qemu-aarch64 -L "$libraries" "$dir/impel"
hash core2duo 16 qemu-x86_64 -cpu core2duo "$build/impel"

sh spec/tools/golden.sh 10000 qemu-aarch64 -L "$libraries" "$dir/impel" run >"$dir/golden"
diff spec/golden/hashes "$dir/golden" || {
  echo "aarch64: hashes differ from spec/golden/hashes" >&2
  exit 1
}
echo "aarch64: $(wc -l <"$dir/golden") golden hashes"
