# Rows of examples/papers/RESULTS.md from what benches print. Usage:
#   awk -v part=PART -f results_text.awk solver.txt adaptation.txt li.txt energy.txt
# PART: solver, adapts (PLB-HAC's section 5.4), li or stafford. A verdict is computed from the numbers beside
# it.
FNR == 1 { file++ }
file == 1 && /^fitted curves/ { sub(/,/, "", $3); mean[$3] = $6; refused[$3] = $11; apart[$3] = $(NF - 2) }
file == 2 {
    scaled = /samples scaled/
    f = $1
    match($0, /blocks of [0-9]+/); before[f] = substr($0, RSTART + 10, RLENGTH - 10)
    match($0, /from then on [0-9]+/); right[f] = substr($0, RSTART + 13, RLENGTH - 13)
    after[f, scaled] = "never"
    if (match($0, /after [0-9.]+ s/)) after[f, scaled] = substr($0, RSTART + 6, RLENGTH - 8)
    match($0, /makespan [0-9.]+ s, [0-9.]+/); over[f, scaled] = substr($0, RSTART, RLENGTH); sub(/.* /, "",
        over[f, scaled])
}
# Name, size, kind, "migration", on or off, the times of both GPUs, their ratio, communication and total.
file == 3 {
    for (m = 1; m <= NF && $m != "migration"; m++) {}
    if (m > NF) next
    k = ($1 ~ /^A/ ? substr($1, 1, 2) : $2 == "grain" ? "grain" $3 : $2) $(m + 1)
    ratio[k] = $(m + 4)
    comm[k] = $(m + 5)
    total[k] = $(m + 6)
    moved[k] = $(m + 8)
    mb[k] = $(m + 9)
}
file == 4 && / \| / && !/paper|machine/ {
    cases++
    split($0, column, "|")
    for (o = 2; o <= 4; o++) if (column[o] ~ /agree/) agree[o]++
    split(column[3], energy, " ")
    split(column[2], fastest, " ")
    if (energy[2] < 0.0005) gpu_alone++
    else if (energy[2] > 0.9995) cpu_alone++
    else shared++
    split(column[6], gains, " ")
    if (least_c == "" || gains[1] < least_c) least_c = gains[1]
    if (gains[1] > most_c) most_c = gains[1]
    if (least_g == "" || gains[2] < least_g) least_g = gains[2]
    if (gains[2] > most_g) most_g = gains[2]
}
function head() {
    print "| statement (section) | reading | ours | verdict | command |\n|---|---|---|---|---|"
}
function row(statement, reading, ours, verdict, how) {
    printf "| %s | %s | %s | %s | %s |\n", statement, reading, ours, verdict, how
}
function yes(true) { return true ? "holds" : "does not hold" }
function part_of(count, all) { return count == all ? "holds" : sprintf("holds in %d of %d", count, all) }
function solver() {
    head()
    row("a solve takes 170 ms with IPOPT on four machines (HeC, V.A.a), 100 ms (HAC, 5.1)",
        "SLSQP from equal shares",
        sprintf("8, 12 and 24 PUs: %.3f, %.3f and %.3f ms; bisection refuses %s %%, and differs by %s " \
                "at most",
                mean[8], mean[12], mean[24], refused[24], apart[24]), "shorter", "`build/bench/solver`")
}
function adapts(    f, k, paper) {
    head()
    for (f = 2; f <= 8; f += 6)
        for (k = 1; k >= 0; k--)
            row(sprintf("a GPU is disturbed at 142 s: the right block after %d s (5.4, Figure 6%s)",
                f == 2 ? 38 : 43,
                        f == 2 ? "a" : "b"),
                            k ? "older samples are scaled (`core/measure/history`)" : \
                            "all samples as measured",
                sprintf("%d times slower: from %d to %d units after %s; makespan %s of the optimum", f,
                    before[f], right[f],
                        after[f, k] == "never" ? "the end" : after[f, k] " s", over[f, k]),
                yes(after[f, k] != "never" && after[f, k] + 0 <= (f == 2 ? 38 : 43)),
                    "`build/bench/adaptation FOLDER`")
}
function li(    how) {
    how = "`examples/li-table5/run.sh`"
    head()
    row("regular products are balanced by power: ratios 1.02 and 1.01 (3, Table 2)",
        "emulated GPUs, two ranks",
        sprintf("%.2f and %.2f", ratio["A1off"], ratio["A3off"]),
            yes(ratio["A1off"] < 1.1 && ratio["A3off"] < 1.1) " within 10 %", how)
    row("sparse ones are not: 1.77 and 1.73 (3, Table 2)", "half zeros, tilted to that ratio",
        sprintf("%.2f and %.2f", ratio["A2off"], ratio["A4off"]),
            yes(ratio["A2off"] > 1.5 && ratio["A4off"] > 1.5), how)
    row("migration balances them: 1.11 and 1.21 (5, Table 5)", "first victim, R by power",
        sprintf("%.2f and %.2f, with %d and %d rows moved", ratio["A2on"], ratio["A4on"], moved["A2on"],
            moved["A4on"]),
        yes(ratio["A2on"] <= 1.11 && ratio["A4on"] <= 1.21), how)
    row("the total falls from 196 to 192 ms and from 9486 to 8545 ms (5, Table 5)", "in per cent: 2 and 10",
        sprintf("%d to %d ms and %d to %d ms: %.0f and %.0f %%", total["A2off"], total["A2on"],
            total["A4off"], total["A4on"],
                100 * (1 - total["A2on"] / total["A2off"]), 100 * (1 - total["A4on"] / total["A4off"])),
        yes(total["A2on"] < total["A2off"] && total["A4on"] < 0.9 * total["A4off"]), how)
    row("communication rises from 53 to 74 ms and from 1028 to 1775 ms (5, Table 5)",
        "total less the longer GPU time, one host",
        sprintf("%d to %d ms and %d to %d ms", comm["A2off"], comm["A2on"], comm["A4off"], comm["A4on"]),
        yes(comm["A2on"] > comm["A2off"] && comm["A4on"] > comm["A4off"]), how)
    row("data is broadcast before tasks begin, so migration moves none (4)", "`spmm.broadcast = yes`, 512",
        sprintf("%.1f MB without and %.1f MB with %d rows moved; parts alone %.1f MB", mb["broadcastoff"],
                mb["broadcaston"], moved["broadcaston"], mb["sparseon"]),
        yes(mb["broadcaston"] < 1.02 * mb["broadcastoff"]), how)
    row("a product of 512 is faster with migration (5, Figure 4)", "no numbers in the text",
        sprintf("%d to %d ms, ratio %.2f to %.2f", total["sparseoff"], total["sparseon"], ratio["sparseoff"],
                ratio["sparseon"]), yes(total["sparseon"] < total["sparseoff"]), how)
    row("too coarse tasks are unbalanced, too fine ones inefficient (4)",
        "`grain` of 1, 4, 16 and 64 rows, 512",
        sprintf("%d, %d, %d and %d ms", total["grain1on"], total["grain4on"], total["grain16on"],
                total["grain64on"]), yes(total["grain64on"] > total["grain16on"] || \
                                         total["grain1on"] > total["grain4on"]) " at one end at least", how)
}
function stafford(    how) {
    how = "`make bench-energy`"
    head()
    row("the share for least time (2.1, Table 1)", "exact for the printed parameters",
        sprintf("%d of %d rows agree", agree[2], cases),
        part_of(agree[2], cases), how)
    row("gains over one device, 1 / α and 1 / (1 - α) (2.1)", "over the CPU and over the GPU",
        sprintf("%.2f to %.2f, and %.2f to %.2f", least_c, most_c, least_g, most_g),
            yes(least_c > 1 && least_g > 1) ": above 1", how)
    row("the share for least energy (2.2, 4)", "text of section 4", sprintf("%d of %d rows agree", agree[3],
        cases),
        part_of(agree[3], cases), how)
    row("sharing saves energy in four of twelve cases, the CPU alone in two, the GPU alone in six (4)",
        "printed parameters",
        sprintf("%d, %d and %d", shared, cpu_alone, gpu_alone),
            yes(shared == 4 && cpu_alone == 2 && gpu_alone == 6), how)
    row("the share for least energy times delay (2.3, Table 2)", "printed parameters",
        sprintf("%d of %d rows agree", agree[4], cases),
        part_of(agree[4], cases), how)
    row("α_left and α_right may be least (2.3)", "both parabolas",
        "maxima wherever they lie within their ranges", "does not hold",
        "`build/test/unit/test_objective`")
}
END {
    if (part == "solver") solver()
    else if (part == "adapts") adapts()
    else if (part == "li") li()
    else if (part == "stafford") stafford()
}
