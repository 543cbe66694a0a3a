#!/usr/bin/env bash
# The tables about kernels on an H100 (docs/kernel-resources.py), with a compiler and a disassembler that say
# what is known: occupancy and bounds by hand. And the tables that are in the document name all our kernels.
. "$(dirname "$0")/../support/lib.sh"
unset BEFORE

# A kernel's functions, by folder. Each has 64 registers, and shared memory of 10240 bytes.
mkdir "$tmp/bin"
cat >"$tmp/bin/nvcc" <<'END'
#!/bin/bash
source='' target=''
while [ $# -gt 0 ]; do case $1 in *.cu) source=$1 ;; -o) target=$2 ;; esac; shift; done
case $(basename "$source" .cu) in
kmeans) names='_ZN1a7nearestIdLi16EEEv _ZN1a3addIdEEv _ZN1a4foldEv' ;;
gaussian) names='_ZN1a3sumIhEEv _ZN1a3sumIdEEv' ;;
nbody) names='_ZN1a7advanceIdEEv _ZN1a7advanceIfEEv _ZN1a3addEv' ;;
binomial) names='_ZN1a5treesILb1EEEv' ;;
grn) names='_ZN1a4findILi2ELi2ELi4EEEv _ZN1a5mergeEv' ;;
mandelbrot) names='_ZN1a6escapeEv' ;;
taylor) names='_ZN1a3sumEv' ;;
blackscholes) names='_ZN1a6closedEv _ZN1a10montecarloEv' ;;
triad) names='_ZN1a5triadI7double2EEv' ;;
spmm) names='_ZN1a8multiplyEv _ZN1a6rebaseEv' ;;
esac
for name in $names; do
    echo "ptxas info : Compiling entry function '$name' for 'sm_90'"
    echo "    0 bytes stack frame, ${SPILLS:-0} bytes spill stores, 0 bytes spill loads"
    echo "ptxas info : Used ${REGISTERS:-64} registers, used 1 barriers, 10240 bytes smem"
done
echo "$names" >"$target"
END
# Each has a loop of 28 instructions, which are 8 fused products, 2 of each word below, and others; and a loop
# around it.
cat >"$tmp/bin/cuobjdump" <<'END'
#!/bin/bash
say() { printf '        /*%04x*/    %s ;\n' "$at" "$1"; at=$((at + 16)); }
for name in $(cat "$2"); do
    echo "Function : $name"
    at=0
    for _ in 1 2 3 4; do say 'DFMA R0, R2, R4, R6'; done
    begin=$at
    for _ in 1 2 3 4 5 6 7 8; do say 'DFMA R0, R2, R4, R6'; done
    for word in DADD DMUL DSETP MUFU.RSQ POPC LDG.E.64 LDS.64; do
        say "$word R0, R2"; say "@P0 $word R0, R2"
    done
    for _ in 1 2 3 4 5; do say 'MOV R0, R1'; done
    say "@P1 BRA $(printf '0x%x' "$begin")"
    say '@P2 BRA 0x0'
done
END
chmod +x "$tmp"/bin/*
tables() {
    NVCC=$tmp/bin/nvcc CUOBJDUMP=$tmp/bin/cuobjdump PAGE=- "$root/docs/kernel-resources.py" >"$tmp/out" 2>&1
}

tables && grep -qF '| mandelbrot `escape` | 1 | 256 | 64 | 10,240 B | 0 B | 4 | 50 % |' "$tmp/out"
ok "registers limit the blocks of a multiprocessor" $?
REGISTERS=20 SPILLS=12 tables &&
    grep -qF '| mandelbrot `escape` | 1 | 256 | 20 | 10,240 B | 12 B | 8 | 100 % |' "$tmp/out" &&
    grep -qF '| nbody `add` | 1 | 1024 | 20 | 10,240 B | 12 B | 2 | 100 % |' "$tmp/out" &&
    grep -qF '| binomial `trees` | 1 | 128 | 20 | 20,480 B | 12 B | 10 | 62 % |' "$tmp/out"
ok "warps and shared memory limit it" $?
# A step has 3 products, and a turn of the loop 2. Its 14 instructions in float64 take 14 / 64 clocks, all 28
# are issued in 28 / 128, and the 4 special ones last longest: 4 / 16. So a step takes 0.375 clocks of one of
# 132 multiprocessors at 1.98 GHz.
tables && grep -qF '| mandelbrot | a step of a point | 7 |  |  | 4.79 T | 697 G | special |' "$tmp/out"
ok "the pipe that is busy for longest is the bound" $?
# 24 bytes of each of 4096 elements.
grep -qF '| triad | 4096 elements | 12,288 | 98,304 | 0.125 | 34.1 M | 34.1 M | HBM |' "$tmp/out"
ok "or memory is" $?
sed -i 's/MUFU.RSQ//' "$tmp/bin/cuobjdump"
! tables && [ "$(wc -l <"$tmp/out")" -eq 1 ] &&
    grep -q "no loop of 'advanceId' has MUFU; correct WORKS in" "$tmp/out"
ok "a loop that is not there is a sentence" $?

missing=0 seen=0
for source in "$root"/kernels/*/*.cu; do
    kernel=$(basename "$source" .cu)
    while read -r name; do
        seen=$((seen + 1))
        grep -qF "| $kernel \`$name\` |" "$root/docs/reference/kernels.md" ||
            { echo "$kernel $name"; missing=1; }
    done < <(tr '\n' ' ' <"$source" | grep -oE '__global__ void [^;{]*' |
        sed -E 's/__launch_bounds__\([^()]*(\([^()]*\))?[^()]*\)//; s/.*void +([a-z_]+)\(.*/\1/')
done >"$tmp/out"
[ $missing -eq 0 ] && [ $seen -ge 16 ]
ok "the document names each kernel of ours" $?

# The kernel, and the bound by instructions; for matmul the roofline.
awk -F ' *[|] *' '
    /^<!-- end/ { inside = 0 }
    inside && NF == 10 && $2 !~ /^(kernel|---|function|spmm.*)$/ && $3 ~ /^(a|an|4096) / {
        print $2 "|" ($8 == "" ? $7 : $8)
    }
    /^<!-- make kernel-resources/ { inside = 1 }' "$root/docs/reference/kernels.md" >"$tmp/document"
# shellcheck source=/dev/null
(. "$root/scripts/gpu-check.d/bounds.sh" && bounds) | cut -d '|' -f 1,2 >"$tmp/bounds"
[ "$(wc -l <"$tmp/document")" -ge 12 ] && diff "$tmp/document" "$tmp/bounds" >"$tmp/out"
ok "scripts/gpu-check has the bounds of the document" $?
done_testing
