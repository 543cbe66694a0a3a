#!/usr/bin/env bash
# scripts/gpu-check.d/follows.awk: which blocks did another program disturb, and did their sizes follow?
. "$(dirname "$0")/../support/lib.sh"

# blocks SIZE...: a block for each size, as build/gpu/blocks prints them. The GPU computes 2000 units per
# second, and half as many where a "/" follows the size.
blocks() {
    local i=0 size
    for size in "$@"; do
        i=$((i + 1))
        case $size in
        */) echo "$i $i ${size%/} 1 $(awk -v n="${size%/}" 'BEGIN {print n / 1000}')" ;;
        *) echo "$i $i $size 1 $(awk -v n="$size" 'BEGIN {print n / 2000}')" ;;
        esac
    done
}
# finds NAME EXPECTED SIZE...: the line that follows.awk prints.
finds() {
    blocks "${@:3}" | awk -f "$root/scripts/gpu-check.d/follows.awk" >"$tmp/out" 2>&1
    [ "$(cat "$tmp/out")" = "$2" ]
    ok "$1" $?
}

full='1000 1000 1000 1000 1000 1000 1000 1000'
# shellcheck disable=SC2086 # lists of sizes
{
    finds "no block is disturbed" no $full $full
    finds "five disturbed blocks are too few" no $full 500/ 500/ 500/ 500/ 500/ $full
    finds "sizes that follow from the third block on" '9 16 1000 500 510 1.020' \
        $full 1000/ 1000/ 1000/ 510/ 500/ 500/ 500/ 490/ $full $full
    finds "sizes that follow too late" '9 16 1000 500 900 1.800' \
        $full 1000/ 1000/ 1000/ 900/ 500/ 500/ 500/ 500/ $full $full
    finds "the longest stretch counts" '17 23 1000 500 500 1.000' \
        $full 500/ 500/ 1000 1000 1000 1000 1000 1000 1000/ 1000/ 1000/ 500/ 500/ 500/ 500/ $full $full $full
}
done_testing
