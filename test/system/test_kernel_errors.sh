#!/usr/bin/env bash
# Kernels that fail, declare nonsense or compute wrongly; and one that uses every data mode in two
# passes, on one to four ranks.
. "$(dirname "$0")/../support/lib.sh"
mkdir "$tmp/work"
cd "$tmp/work" || exit

printf '[app]\nkernel = %s\n[faulty]\ny = y.npy\n' "$BUILD/test/kernels/faulty.so" >"$tmp/faulty.conf"
printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/modes.so" >"$tmp/modes.conf"
lines "$tmp/three.cluster" '[node a]' 'pus = p, q' '[node b]' 'pus = q' '[node c]' 'pus = q' \
    '[pu p]' '[pu q]' 'kind = gpu' 'copy = 1e9, 1e-6'

# fails NAME RANKS STATUS PATTERN ARGUMENTS...: ends with the status and one sentence with the pattern,
# and leaves no file.
fails() {
    local name=$1 n=$2 status=$3 pattern=$4 got; shift 4
    # The other faults are in one thread's code, and each takes seconds.
    [[ ${SAN:-} != thread || $* =~ fault=(entry|wrong) ]] || return 0
    ranks "$n" "$tmp/faulty.conf" "$@"; got=$?
    [ $got -eq "$status" ] && [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ] &&
        grep -qE "^plbrun: .*$pattern" "$tmp/out" && [ ! -e "$tmp/y.npy" ] && [ -z "$(ls -A .)" ]
    ok "$name" $?
    rm -f "$tmp"/*.npy*
}

for n in 1 3; do
    fails "an entry that fails, $n ranks" $n 1 \
        "kernel faulty returned 7 on PU .*rank [0-9] on .*things? [0-9]+( to [0-9]+)?; no output" \
        faulty.fault=entry
done
fails "an entry that fails on emulated PUs" 3 1 \
    "kernel faulty returned 7 on PU '[pq]'" faulty.fault=entry cluster.file="$tmp/three.cluster"
fails "an entry that says why" 3 1 \
    "kernel faulty failed on PU .*rank [0-9] on .*things? [0-9]+( to [0-9]+)?: thing 500 is broken; no out" \
    faulty.fault=says
fails "an entry that says why in a child process" 3 1 ": thing 500 is broken; no" \
    faulty.fault=says run.isolate=yes
fails "an entry that fails under static" 3 1 "returned 7" faulty.fault=entry balance.balancer=static
fails "no units" 2 2 "there are no things to work on" faulty.fault=units
fails "setup complains" 2 2 "the moon is in the wrong phase; wait 14 days" faulty.fault=setup
fails "setup fails without a word" 2 2 "setup failed with 5" faulty.fault=silent
fails "offsets that decrease" 2 2 "'elements' has .offsets. that decrease" faulty.fault=falling
fails "offsets below zero" 2 2 "'elements' has .offsets. that decrease or are negative" faulty.fault=negative
fails "too few offsets" 2 2 "'elements' needs .offsets." faulty.fault=short
fails "a handle of nothing" 2 2 "'elements' needs .offsets." faulty.fault=handle
fails "a buffer without memory" 2 2 "'y' has no memory" faulty.fault=memory
fails "a buffer that is larger than its memory" 2 2 \
    "'y' has 1099511627776000 bytes, and its memory ends before" faulty.fault=large
fails "a buffer of no mode" 2 2 "'y' has the unknown \`mode\` 77" faulty.fault=mode
fails "a buffer without a name" 2 2 \
    "kernel faulty: buffer 0 has no name, .*; set \`name\`" faulty.fault=nameless
fails "a buffer by unit with the size of the whole" 1 2 \
    "'y' has no \`unit_bytes\`, the bytes of one unit; set it instead of \`bytes\`" faulty.fault=whole
fails "two sizes that contradict each other" 1 2 \
    "'y' has 8 \`bytes\`, and 1000 things of 8 \`unit_bytes\` are 8000; leave out \`bytes\`" \
    faulty.fault=both
fails "a replicated buffer with the size of a unit" 3 2 \
    "'offsets' is a REPLICATE with \`unit_bytes\` and without \`bytes\`; set \`bytes\`, the size" \
    faulty.fault=replicated
fails "elements without a size" 1 2 \
    "'elements' has no \`element_bytes\`, the bytes of one element; set it" faulty.fault=element
fails "two results with one name" 2 2 "y.npy: two results of the kernel have this name" faulty.fault=twice
fails "next complains" 2 1 "there is no way on after pass 0" faulty.fault=next
fails "finish complains" 2 1 "the ink is dry" faulty.fault=finish
fails "next replaces what there is not" 2 1 \
    "plb_app_replace.5000000.: this is not the handle of a replicated buffer" faulty.fault=replace
fails "next replaces a part of offsets" 2 1 \
    "kernel faulty: plb_app_replace_part.1.: the buffer has the offsets of 'elements'" faulty.fault=part
fails "next fails without a word" 2 1 "next returned 9 without saying why" faulty.fault=mute_next
fails "verify fails without a word" 2 1 \
    "verify returned -1 without saying why" faulty.fault=mute_verify --verify
fails "finish fails without a word" 2 1 "finish returned 4 without saying why" faulty.fault=mute_finish
fails "a wrong result" 2 3 \
    "y\[321\] is 964, the reference says 963" faulty.fault=wrong --verify --report "$tmp/r.json"
grep -q '"verified": false' "$tmp/r.json"
ok "and the report says so" $?
ranks 2 --verify --report "$tmp/r.json" "$tmp/faulty.conf" &&
    grep -q '"verified": true' "$tmp/r.json" && [ -s "$tmp/y.npy" ]
ok "without a fault it is right" $?

# The author of a kernel mistakes one of its own options.
printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/asks.so" >"$tmp/asks.conf"
mistakes() {
    alone "$tmp/asks.conf" asks.mistake="$1" asks.where="$2"
    [ $? -eq "$3" ] && [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ] && grep -qE "$4" "$tmp/out"
    ok "$1 in $2" $?
}
mistakes unknown setup 2 "kernel asks: its table has no option 'hole'"
mistakes given setup 2 "kernel asks: its table has no option 'hole'; .* 'whole'\\?"
mistakes unknown cost 2 "kernel asks: its table has no option 'hole'"
mistakes unknown next 1 "kernel asks: its table has no option 'hole'"
mistakes real_of_int setup 2 "kernel asks: plb_app_real.* 'whole', which is a PLB_INT"
mistakes int_of_real setup 2 "kernel asks: plb_app_int.* 'real', which is a PLB_REAL"
mistakes flag_of_text setup 2 "kernel asks: plb_app_flag.* 'any', which is a PLB_TEXT"
mistakes text_of_int cost 2 "kernel asks: plb_app_text.* 'whole', which is a PLB_INT"
mistakes choice_of_any setup 2 "kernel asks: plb_app_choice.* 'any', which is a PLB_TEXT without choices"
mistakes saves_nowhere setup 2 "kernel asks: plb_app_save_npy got no path"
mistakes writes_nowhere setup 2 "kernel asks: plb_write_npy got no path"
mistakes reads_no_npy setup 2 "kernel asks: plb_read_npy got no path"
mistakes draws_nowhere setup 2 "kernel asks: plb_app_save_png got no path"
mistakes draws_no_colours setup 2 "kernel asks: an image of 0 channels is declared; there are 1 and 3"
mistakes reads_no_csv setup 2 "kernel asks: plb_read_csv got no path"
mistakes reads_no_table setup 2 "kernel asks: plb_read_table got no path"
mistakes prints_nowhere setup 2 "kernel asks: plb_app_save_text got no path"
mistakes reads_no_png setup 2 "kernel asks: plb_read_png got no path"
mistakes reads_no_mtx setup 2 "kernel asks: plb_read_mtx got no path"
alone "$tmp/asks.conf"
ok "without a mistake it runs" $?
# Files that options of type PLB_TEXT name are known once the kernel has had them read, or declared them.
alone "$root/examples/triad/app.conf" triad.elements=8192 triad.a="$tmp/read.npy" &&
    cp "$tmp/read.npy" "$tmp/copy.npy" && ln -s read.npy "$tmp/read.json"
alone "$tmp/asks.conf" asks.mistake=reads_no_npy asks.any="$tmp/read.npy" --report "$tmp/read.json"
[ $? -eq 2 ] && grep -q "^plbrun: --report names $tmp/read.json, .* (an input of the kernel: $tmp/read.npy)" \
    "$tmp/out" && cmp "$tmp/read.npy" "$tmp/copy.npy"
ok "a report that would overwrite what the kernel has read" $?
cp "$tmp/asks.conf" "$tmp/own.conf"
alone "$tmp/own.conf" asks.mistake=saves_nowhere asks.any="$tmp/own.conf"
[ $? -eq 2 ] && cmp "$tmp/asks.conf" "$tmp/own.conf" &&
    grep -q "^plbrun: a result of the kernel names $tmp/own.conf, .*; name another file" "$tmp/out"
ok "a result that would overwrite the conf file" $?
alone "$tmp/asks.conf" asks.mistake=saves_nowhere asks.any="$tmp/two.json" --report "$tmp/two.json"
[ $? -eq 2 ] && [ ! -e "$tmp/two.json" ] &&
    grep -q "^plbrun: --report and a result of the kernel both name $tmp/two.json; name two files" "$tmp/out"
ok "a result that would overwrite the report" $?

printf '[app]\nkernel = %s\n' "$BUILD/test/kernels/no_cpu.so" >"$tmp/no_cpu.conf"
ranks 3 "$tmp/no_cpu.conf" cluster.file="$tmp/three.cluster"
[ $? -eq 2 ] && [ "$(grep -c '^plbrun: ' "$tmp/out")" -eq 1 ] &&
    grep -q '^plbrun: kernel no_cpu has no cpu entry' "$tmp/out"
ok "a kernel without a cpu entry, and only emulated PUs" $?

printf '[node a]\npus = p\n[pu p]\nkind = gpu\nmemory = 1000\n' >"$tmp/small.cluster"
ranks 1 "$tmp/modes.conf" cluster.file="$tmp/small.cluster"
[ $? -eq 2 ] && grep -q 'no PU has enough memory for this job' "$tmp/out"
ok "no PU has enough memory" $?

for n in $(counts 1 2 3 4); do
    for b in $(balancers); do
        ranks "$n" --verify --balancer "$b" "$tmp/modes.conf"
        ok "every data mode in two passes, $n ranks, $b" $?
    done
done
ranks 3 --verify "$tmp/modes.conf" cluster.file="$tmp/three.cluster"
ok "every data mode on PUs with memory of their own" $?
ranks 3 --verify "$tmp/modes.conf" cluster.master_only=yes
ok "every data mode with master_only" $?
for units in 1 2 5; do
    ranks 3 --verify "$tmp/modes.conf" modes.units=$units
    ok "every data mode with $units units on three ranks" $?
done
done_testing
