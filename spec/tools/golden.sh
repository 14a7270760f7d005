#!/bin/sh
# Prints the hashes of eight scenes after 1, 10, 100 and 1000 steps, and of the heap of 500 bodies after 10000 steps:
# sh spec/tools/golden.sh MOST PROGRAM [ARGUMENT...]
#
# Prints "scene steps hash" for up to MOST steps. spec/golden/hashes holds the expected hashes, which are the same on
# every machine. After an intended change, rewrite it:
#   sh spec/tools/golden.sh 10000 build/impel run >spec/golden/hashes
set -u
most=${1:?steps}
shift

for scene in pyramid biped_walk cloth platformer boats gears order heap; do
  file=examples/$scene.lua
  [ -e "$file" ] || file=spec/golden/scenes/$scene.lua
  for steps in 1 10 100 1000 10000; do
    [ "$steps" -le "$most" ] || continue
    [ "$steps" -lt 10000 ] || [ "$scene" = heap ] || continue
    hash=$("$@" "$file" -q --hash --steps "$steps" 2>&1) || {
      echo "$scene $steps: $hash" >&2
      exit 1
    }
    echo "$scene $steps $hash"
  done
done
