# Rows of examples/papers/RESULTS.md from what benches print, and sentences with numbers. Usage:
#   awk -v part=PART -f results_rows.awk -f results_text.awk solver.txt adaptation.txt li.txt energy.txt \
#       watts.csv real.csv
# PART: solver, adapts (PLB-HAC's section 5.4), li or stafford: rows. adapts-why, li-why, real-why: sentences.
FNR == 1 { file++ }
file == 1 && /^fitted curves/ { sub(/,/, "", $3); mean[$3] = $6; refused[$3] = $11; apart[$3] = $(NF - 2) }
file == 2 {
    split($0, parts, /, |: /)
    way = parts[2]
    f = $1
    match($0, /blocks of [0-9]+/); before[f, way] = substr($0, RSTART + 10, RLENGTH - 10)
    match($0, /from then on [0-9]+/); right[f, way] = substr($0, RSTART + 13, RLENGTH - 13)
    after[f, way] = "never"
    if (match($0, /% after [0-9.]+ s/)) after[f, way] = substr($0, RSTART + 8, RLENGTH - 10)
    if (match($0, /after [0-9]+ others/)) others[f, way] = substr($0, RSTART + 6, RLENGTH - 13)
    match($0, /makespan [0-9.]+ s, [0-9.]+/); over[f, way] = substr($0, RSTART, RLENGTH); sub(/.* /, "",
        over[f, way])
    match($0, /block lasted [0-9.]+ s/)
    if (way == "whole") lasted = substr($0, RSTART + 13, RLENGTH - 15)
    match($0, /began after [0-9.]+ s/); more[f, way] = substr($0, RSTART + 12, RLENGTH - 14)
    match($0, /with [0-9]+ units/); next_one[f, way] = substr($0, RSTART + 5, RLENGTH - 11)
    match($0, /other GPU from [0-9]+ to [0-9]+/); split(substr($0, RSTART + 15, RLENGTH - 15), parts, " to ")
    other_before[f, way] = parts[1]
    other_after[f, way] = parts[2]
    match($0, /last blocks at most [0-9.]+/); last[f, way] = substr($0, RSTART + 20, RLENGTH - 20)
}
file == 3 && $2 == "barrier:" { off_begin = $7 > $9 ? $7 - $9 : $9 - $7 }
# Name, size, kind, "migration", on or off, the times of both GPUs, their ratio, communication and total.
file == 3 {
    for (m = 1; m <= NF && $m != "migration"; m++) {}
    if (m > NF) next
    k = ($1 ~ /^A/ ? substr($1, 1, 2) : $2 == "grain" ? "grain" $3 : $2) $(m + 1)
    slow[k] = $(m + 2)
    quick[k] = $(m + 3)
    split($(m + 11), ends, "–")
    if (ends[1] > 0 && ends[2] / ends[1] > widest) widest = ends[2] / ends[1]
    total_low[k] = ends[1]
    total_high[k] = ends[2]
    split($(m + 10), ends, "–")
    ratio_low[k] = ends[1]
    ratio_high[k] = ends[2]
    ratio[k] = $(m + 4)
    comm[k] = $(m + 5)
    total[k] = $(m + 6)
    moved[k] = $(m + 8)
    mb[k] = $(m + 9)
    ratios[k] = $(m + 4) " (" $(m + 10) ")"
    totals[k] = $(m + 6) " (" $(m + 11) ")"
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
    split(column[5], measured, " ")
    split(column[4], edp, " ")
    split(column[6], gains, " ")
    # Of a small share the gain over the CPU has more digits.
    error = 100 * off_by(gains[1] > 3 ? 1 / gains[1] : fastest[2], measured[1])
    if (least_error == "" || error < least_error) least_error = error
    if (error > most_error) most_error = error
    accurate += error <= 10.05
    predicted += off_by(edp[2], measured[2]) <= 0.1005
    printed += off_by(edp[1], measured[2]) <= 0.1005
    coincide += edp[2] == fastest[2] || edp[2] == energy[2]
    energy_differs += energy[2] != fastest[2]
    edp_differs += edp[2] != fastest[2]
    alone["printed"] += edp[1] == 0 || edp[1] == 1
    alone["measured"] += measured[2] == 0 || measured[2] == 1
    alone["ours"] += edp[2] == 0 || edp[2] == 1
    if (least_c == "" || gains[1] < least_c) least_c = gains[1]
    if (gains[1] > most_c) most_c = gains[1]
    if (least_g == "" || gains[2] < least_g) least_g = gains[2]
    if (gains[2] > most_g) most_g = gains[2]
}
file == 4 && /^Outside the range/ {
    as_said = $(NF - 2)
    outside = $NF + 0
}
file == 4 && /^Within their ranges/ { split($6 + 0 " " $11 + 0, extremes, " ") }
file == 4 && /^Of [0-9]+ random machines/ { split($2 " " $13 + 0 " " $NF + 0, random, " ") }
file == 4 && /^Simulated at/ {
    match($0, /time within .*/)
    sizes = substr($0, RSTART, RLENGTH - 1)
    split(sizes, words, " ")
    off_sim[1] = words[3] + 0
    off_sim[2] = words[7] + 0
}
# How far a is from b, as a part of b.
function off_by(a, b) { return b == 0 ? a > 0 : a > b ? a / b - 1 : 1 - a / b }
function off(a, b) { return a > b ? 100 * (a / b - 1) : 100 * (1 - a / b) }
file == 5 && FNR > 1 {
    split($0, column, ",")
    if (column[2] == "static") {
        shares_run++
        if (off(column[4], column[10]) > off_s) off_s = off(column[4], column[10])
        if (off(column[7], column[11]) > off_j) off_j = off(column[7], column[11])
        next
    }
    got = column[2] == "energy" ? column[7] : column[2] == "edp" ? column[4] * column[7] : column[4]
    aims++
    near += got <= 1.1 * column[12]
    # The most of three runs: for energy times delay that of either.
    got = column[2] == "energy" ? column[9] : column[2] == "edp" ? column[6] * column[9] : column[6]
    near_worst += got <= 1.1 * column[12]
    if (got / column[12] > worst_aim) worst_aim = got / column[12]
    got = column[2] == "energy" ? column[7] : column[2] == "edp" ? column[4] * column[7] : column[4]
    found = found sprintf("%s%.2f", aims == 1 ? "" : aims % 3 == 1 ? "; " : ", ", got / column[12])
}
file == 6 && FNR > 1 {
    split($0, column, ",")
    if (column[1] == "plb-hac" && column[2] == "slower") {
        real_after = column[16]
        real_others = column[17]
    }
    if (column[1] == "sure" && column[2] != "slower" && column[2] != "short") {
        late = 1000 * (column[5] - column[3])
        if (least_late == "" || late < least_late) least_late = late
        if (late > most_late) most_late = late
    }
}
BEGIN { COLUMN_MB = 98304 * 4 / 1e6 } # of B, in single precision
function solver() {
    head()
    row("a solve takes 170 ms with IPOPT on four machines (HeC, V.A.a), 100 ms (HAC, 5.1)",
        "SLSQP from equal shares",
        sprintf("8, 12 and 24 PUs: %.3f, %.3f and %.3f ms; %s of its answers was refused. " \
                "They differ from those of bisection by %s at most",
                mean[8], mean[12], mean[24], refused[24] > 0 ? refused[24] " %" : "none", apart[24]),
        mean[24] < 100 ? "shorter, by another method on another machine" : "not shorter",
        "`build/bench/solver`")
}
function learned(f, way) {
    if (after[f, way] == "never") return "never reached"
    if (others[f, way] == 0) return "reached after " after[f, way] " s"
    return sprintf("reached after %s s and %d block%s of another size", after[f, way], others[f, way],
                   others[f, way] > 1 ? "s" : "")
}
# Of the block of the disturbed GPU: the paper's sizes in KB before and after, and its seconds.
function adapts(    f, k, ways, says, after_kb, limit, s) {
    split("whole measured sliced", ways, " ")
    says[1] = "a block is one task, as in the paper; older samples are scaled (`core/measure`)"
    says[2] = "the same, with all samples as measured"
    says[3] = "blocks are cut into tasks, plbrun's default"
    head()
    for (f = 2; f <= 8; f += 6) {
        after_kb = f == 2 ? 1188 : 320
        limit = f == 2 ? 38 : 43
        for (k = 1; k <= 3; k++)
            row(sprintf("a GPU is disturbed at 142 s: its block falls from 2500 to %d KB, to %.2f of it, " \
                        "within %d s (5.4, Figure 6%s)", after_kb, after_kb / 2500, limit,
                        f == 2 ? "a" : "b"),
                "it becomes " f " times slower, which the paper does not say; " says[k],
                sprintf("right are %d after %d columns of %.1f MB, %.2f of it; %s. " \
                        "Makespan: %s of the optimum", right[f, ways[k]], before[f, ways[k]], COLUMN_MB,
                        right[f, ways[k]] / before[f, ways[k]], learned(f, ways[k]), over[f, ways[k]]),
                "in time, to its own right size: " \
                yes(after[f, ways[k]] != "never" && after[f, ways[k]] + 0 <= limit),
                "`build/bench/adaptation FOLDER`")
    }
    row("the block of the disturbed GPU falls to near zero (5.4, Figure 6b); in the text, to 0.13 of it",
        "it becomes 8 times slower: a setting", sprintf("right is %.2f of it", right[8, "whole"] / \
            before[8, "whole"]), "otherwise: our slowdown is another one", "`build/bench/adaptation FOLDER`")
    if (real_after != "") # of no real run
        row("a GPU is disturbed: its block falls (5.4, Figure 6)",
            "real ranks; the fastest PU becomes 4 times slower at 0.5 s",
            real_after < 0 ? sprintf("no right block, %d of another size", real_others) : \
            sprintf("the right one after %.3f s and %d block%s of another size", real_after, real_others,
                    real_others == 1 ? "" : "s"), yes(real_after >= 0), "`make bench-real`")
    s = "the block of the other GPU is increased (5.4, Figure 6)"
    row(s, "a block is one task", sprintf("from %d to %d columns and from %d to %d", other_before[2, "whole"],
        other_after[2, "whole"], other_before[8, "whole"], other_after[8, "whole"]),
        yes(other_after[2, "whole"] > 1.05 * other_before[2, "whole"] && \
            other_after[8, "whole"] > 1.05 * other_before[8, "whole"]), "`build/bench/adaptation FOLDER`")
    no_real(s, "it is not recorded there")
    s = "block sizes decrease at the end (5.4)"
    row(s, "a block is one task",
        sprintf("each PU's last is at most %.2f and %.2f of those before 70 %% of the data",
                last[2, "whole"], last[8, "whole"]), yes(last[2, "whole"] < 0.5 && last[8, "whole"] < 0.5),
        "`build/bench/adaptation FOLDER`")
    no_real(s, "it is not recorded there")
}
function adapts_why() {
    printf "A block lasts %.1f s.", lasted
    printf " The one under way at second 142 is a mixture of both speeds. It lasts"
    printf " %.1f s more where the GPU\nis two times slower, and", more[2, "whole"]
    printf " %.1f s more where it is eight times slower.\n", more[8, "whole"]
    printf "So its report tells of a smaller change than there was, and the next blocks correct that. Where"
    printf " blocks are cut\ninto tasks, the change is known sooner: the next block has"
    printf " %d and %d units, where %d and %d are right.\n", next_one[2, "sliced"], next_one[8, "sliced"],
           right[2, "sliced"], right[8, "sliced"]
}
function li_why(    a, b, start) {
    a = 1000 * slow["A1off"] / 225 / 64 # microseconds of the core for a row: a quarter of 256, and the rest
    b = 1000 * quick["A1off"] / 75 / 192
    start = (a - b) * 64 / 1000
    printf "On products of 256 the emulation of our GPUs weighs more than the algorithm. An emulated GPU"
    printf " takes 225 or 75\ntimes what a core takes. A row of A1 takes the core"
    printf " %.1f µs for GPU 0 and %.1f µs for GPU 1. ", a, b
    printf "At 1024 it is %.0f and\n%.0f µs.", 1000 * slow["A3off"] / 225 / 256,
           1000 * quick["A3off"] / 75 / 768
    printf " So a first task has some %.2f ms of its own, of which the slowdown makes %.0f ms.", start,
           225 * start
    printf " Of %d ms\nthat leaves little to move: %d rows were moved.", total["A2off"], moved["A2on"]
    printf " Totals of one product differ from run to run by a factor of\nup to %.1f.", widest
    print " Compare ratios within a row."
}
function real_why() {
    printf "With `sure`, real runs of a second take %.0f to %.0f ms longer than simulated ones",
           least_late, most_late
    print " where no PU\nbecomes slower."
}
function li(    how) {
    how = "`examples/li-table5/run.sh`"
    head()
    row("regular products are balanced by power: 0.978 and 1.007, so ratios of 1.02 and 1.01 (3, Table 2)",
        "emulated GPUs, two ranks", sprintf("%s and %s", ratios["A1off"], ratios["A3off"]),
        "within 10 %, small: " ratio_below("A1off", 1.1) "; large: " ratio_below("A3off", 1.1), how)
    row("sparse ones are not: 1.77 and 1.73 (3, Table 2)",
        "half zeros, more of them in later rows, to get that ratio: a setting, not a result",
        sprintf("%s and %s", ratios["A2off"], ratios["A4off"]),
        (ratio["A2off"] > 1.5 && ratio["A4off"] > 1.5 ? "as set" : "not as set") ", medians above 1.5", how)
    row("migration balances them: 1.11 and 1.21 (5, Table 5)", "first victim; R, a node's power (eq. 2)",
        sprintf("from %s to %s and from %s to %s, with %d and %d rows moved", ratios["A2off"], ratios["A2on"],
                ratios["A4off"], ratios["A4on"], moved["A2on"], moved["A4on"]),
        "small: " ratio_below("A2on", 1.115) "; large: " ratio_below("A4on", 1.215), how)
    row("the total falls from 196 to 192 ms and from 9486 to 8545 ms (5, Table 5)", "in per cent: 2 and 10",
        sprintf("%s to %s ms and %s to %s ms: %.0f and %.0f %%", totals["A2off"], totals["A2on"],
                totals["A4off"], totals["A4on"], 100 * (1 - total["A2on"] / total["A2off"]),
                100 * (1 - total["A4on"] / total["A4off"])),
        "small: " quicker("A2") "; large: " quicker("A4"), how)
    row("the improvement is not obvious for small data, and grows with the data (5)",
        "in per cent of the total",
        sprintf("256: %.0f %%, 1024: %.0f %%", 100 * (1 - total["A2on"] / total["A2off"]),
                100 * (1 - total["A4on"] / total["A4off"])),
        less(total_low["A2on"] / total_high["A2off"], total_high["A2on"] / total_low["A2off"],
             total_low["A4on"] / total_high["A4off"], total_high["A4on"] / total_low["A4off"]) == \
        "does not hold" ? "holds" : less(0, 1, 0, 1), how)
    row("communication rises from 53 to 74 ms and from 1028 to 1775 ms (5, Table 5)",
        "total less the longer GPU time, one host",
        sprintf("%d to %d ms and %d to %d ms", comm["A2off"], comm["A2on"], comm["A4off"], comm["A4on"]),
        "small: " rises(comm["A2off"], comm["A2on"]) "; large: " rises(comm["A4off"], comm["A4on"]), how)
    back = moved["broadcaston"] * 512 * 8 / 1e6 # rows of C that rank 0 would have computed itself
    row("data is broadcast before tasks begin, so migration moves none (4)", "`spmm.broadcast = yes`, 512",
        sprintf("%.1f MB without and %.1f MB with %d rows moved, whose results are %.1f MB; without " \
                "broadcast %.1f MB",
                mb["broadcastoff"], mb["broadcaston"], moved["broadcaston"], back, mb["sparseoff"]),
        yes(mb["broadcaston"] - back < 1.01 * mb["broadcastoff"]), how)
    if (off_begin != "") row("no node begins before every one has its queue: a barrier (4, step 4)",
        "all ranks meet when their data and devices are there, before rank 0 fills the queues; 512",
        sprintf("the first tasks of both nodes begin %.1f ms from each other", off_begin),
        "otherwise: the barrier is before the queues are filled", how " and `test/system/test_migration.sh`")
    row("a product of 512 is faster with migration (5, Figure 4)", "read off a figure",
        sprintf("%s to %s ms, ratio %s to %s", totals["sparseoff"], totals["sparseon"],
                ratios["sparseoff"], ratios["sparseon"]), quicker("sparse"), how)
    row("too coarse tasks are unbalanced, too fine ones inefficient (4)",
        "`grain` of 1, 16 and 128 rows, 512",
        sprintf("%s, %s and %s ms, ratios %s, %s and %s", totals["grain1on"], totals["grain16on"],
                totals["grain128on"], ratios["grain1on"], ratios["grain16on"], ratios["grain128on"]),
        "too fine: " total_less("grain16on", "grain1on") "; too coarse: " \
        less(ratio_low["grain16on"], ratio_high["grain16on"], ratio_low["grain128on"],
             ratio_high["grain128on"]), how)
}
# Whether the total of a is less than that of b, whichever runs are compared.
function total_less(a, b) { return less(total_low[a], total_high[a], total_low[b], total_high[b]) }
function quicker(name) { return total_less(name "on", name "off") }
# Whether a ratio is below a limit in all runs.
function ratio_below(name, limit) { return less(ratio_low[name], ratio_high[name], limit, limit) }
function stafford(    how, s) {
    how = "`make bench-energy`"
    head()
    row("the share for least time (2.1, Table 1)", "equation 3 with the printed speeds",
        sprintf("%d of %d rows agree", agree[2], cases),
        verdict(agree[2], cases), how)
    row("the model predicts the measured share accurately: relative errors of 3.3 to 50 % (4, Table 1)",
        "our shares beside the measured ones", sprintf("%.1f to %.1f %%; at most 10 %% in %d of %d",
            least_error, most_error, accurate, cases), verdict(accurate, cases) " within 10 %", how)
    row("gains over one device, 1 / α and 1 / (1 - α): always an advantage (2.1, 5)",
        "over the CPU and over the GPU",
        sprintf("%.2f to %.2f, and %.2f to %.2f", least_c, most_c, least_g, most_g),
            yes(least_c > 1 && least_g > 1) ": above 1", how)
    row("least energy: the GPU alone for Binomial and NBody. For Mandelbrot and Taylor the share for least " \
        "time, but on GTX950 the CPU alone (4)", "text of section 4, printed parameters",
        sprintf("%d of %d rows agree", agree[3], cases), verdict(agree[3], cases), how)
    if (outside != "")
        row("below the range of equation 6 the GPU alone, above it the CPU alone (2.2)",
            "printed parameters; [why](../energy/README.md#two-mistakes-in-the-paper)",
            sprintf("in %d of %d rows outside the range", as_said, outside), verdict(as_said, outside), how)
    row("sharing saves energy in four of twelve cases, the CPU alone in two, the GPU alone in six (4)",
        "printed parameters",
        sprintf("%d, %d and %d", shared, cpu_alone, gpu_alone),
            yes(shared == 4 && cpu_alone == 2 && gpu_alone == 6), how)
    row("the share for least energy times delay (2.3, Table 2)", "printed parameters",
        sprintf("%d of %d rows agree", agree[4], cases),
        verdict(agree[4], cases), how)
    row("the model always predicts the share that minimises energy times delay (4, Table 2)",
        "beside the measured shares", sprintf("within 10 %%: the printed shares in %d of %d, ours in %d",
            printed, cases, predicted),
        "printed: " verdict(printed, cases) "; ours: " verdict(predicted, cases), how)
    row("it is the share for least time or that for least energy (4)", "printed parameters",
        sprintf("in %d of %d", coincide, cases), verdict(coincide, cases), how)
    row("many cases with energy times delay have α = 0 or 1 (4, Table 2)", "printed parameters",
        sprintf("of %d rows, printed %d, measured %d, ours %d", cases, alone["printed"], alone["measured"],
                alone["ours"]), "ours: holds in " alone["ours"] " of " cases, how)
    row("the share for least time need not be that for least energy, or energy times delay (abstract)",
        "printed parameters", sprintf("energy differs in %d of %d, energy times delay in %d", energy_differs,
            cases, edp_differs), yes(energy_differs > 0 && edp_differs > 0), how)
    row("α_left and α_right may be least (2.3)", "second derivative of both parabolas",
        sprintf("%d random machines: within their ranges in %d, minima there in %d", random[1], random[2],
                random[3]), yes(random[3] > 0), how " and `build/test/unit/test_objective`")
    row("they lie outside their ranges, but for α_left of Binomial on Kepler 324 (4)", "printed parameters",
        sprintf("within them: α_left in %d of %d, α_right in %d", extremes[1], cases, extremes[2]),
        yes(extremes[1] == 1 && extremes[2] == 0), how)
    s = "six benchmarks, at their sizes (3)"
    row(s, "simulated; static shares of 0 to 1; rates as in Table 1",
        "MatMul is taken to behave as NBody, and Gaussian as Binomial (4). Three machines: " sizes,
        off_sim[1] < 1 && off_sim[2] < 1 ? "set-up; the simulator agrees with the equations within 1 %" : \
        "set-up; the simulator disagrees with the equations", how)
    no_real(s, "they need a GPU; the next row has real ranks and a smaller job")
    if (shares_run == 0) return # of no real run
    row("time and energy follow equations 1 and 2 (4, Figures 2 to 4)",
        "real ranks, emulated devices, watts as printed and not measured",
        sprintf("%d static shares: time within %.1f %%, energy within %.1f %%", shares_run, off_s, off_j),
        yes(off_s < 10 && off_j < 10) " within 10 %", "`test/bench/watts.sh`")
    row("the right share is known from speeds and watts (2)",
        "real ranks; `objective` = time, energy and edp, which learns the speeds",
        sprintf("over the least by the equations: %s. " \
                "The worst of three runs: within 10 %% in %d of %d, at most %.1f", found, near_worst, aims,
                worst_aim),
        "within 10 %, median run: " verdict(near, aims) "; worst run: " verdict(near_worst, aims),
        "`test/bench/watts.sh`")
}
END {
    if (part == "solver") solver()
    else if (part == "adapts") adapts()
    else if (part == "li") li()
    else if (part == "stafford") stafford()
    else if (part == "adapts-why") adapts_why()
    else if (part == "li-why") li_why()
    else if (part == "real-why") real_why()
}
