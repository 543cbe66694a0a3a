# Rows of examples/papers/RESULTS.md from what the benches left. Usage:
#   awk -v part=PART -f results_{rows,both,shares,idle,hec,hac}.awk -f results.awk \
#       cells.csv shares.csv quiet/cells.csv readings/cells.csv real.csv one-gpu/cells.csv one-gpu/shares.csv
# PART: hec or hac, statements of a paper with the reading, our numbers, the verdict and the command; order,
# ahead or readings, tables of ratios; set-up, hec-why, readings-why or judged-why, sentences with numbers.
BEGIN {
    FS = ","
    split("mm grn black-scholes k-means", apps, " ")
    split("MM GRN Black-Scholes k-means", names, " ")
    split("4096 16384 32768 65536", sizes, " ")
    for (k = 1; k <= 4; k++) size[1, k] = sizes[k]
    split("60000 80000 110000 140000", sizes, " ")
    for (k = 1; k <= 4; k++) size[2, k] = sizes[k]
    split("10000 50000 200000 500000", sizes, " ")
    for (k = 1; k <= 4; k++) size[3, k] = size[4, k] = sizes[k]
    split("plb-hec-a plb-hec-ab plb-hec-abc plb-hec-abcd", hecs, " ")
    split("plb-hac-a plb-hac-ab plb-hac-abc plb-hac-abcd plb-hac-abcde", hacs, " ")
    split("one two three four five", count_name, " ")
    HEC_APPS = "1 2 3" # matrix multiplication, GRN, Black-Scholes
    HAC_APPS = "1 2 4" # and k-means
    ONE = "plb-hec-abcd-1" # one GPU for each machine
    ones[1] = ONE
    command = "`make bench-papers`"
    one_gpu = "`build/bench/papers FOLDER/one-gpu \"\" 10 - one-gpu`"
    for (k = 1; k <= 3; k++) real_part["ideal", k] = 100 * 3 ^ (k - 1) / 13 # PUs of 1 : 3 : 9
    real["ideal", "steady"] = 1 # seconds; `one` lacks the PU of speed 3
    real["ideal", "one"] = 1.3
    real["ideal", "short"] = 144 / 1444
    split("steady one short", cases, " ")
    for (k = 1; k <= 3; k++)
        real_low["ideal", cases[k]] = real_high["ideal", cases[k]] = real["ideal", cases[k]]
}
FNR == 1 { file++; next }
file == 1 || file == 6 {
    ratio[$1, $2, $3, $4] = $6
    seconds[$1, $2, $3, $4] = $5 * $6
    spread[$1, $2, $3, $4] = $7 / $6
    for (k = 8; k <= 10; k++) idle[$1, $2, $3, $4, k] = $k
    solves[$1, $2, $3, $4] = $11
    training[$1, $2, $3, $4] = $12
    idle_all[$1, $2, $3, $4] = $13
    idle_early[$1, $2, $3, $4] = $14
    if (file == 1 && (!(($1, $2, $3) in best) || $6 < best[$1, $2, $3])) best[$1, $2, $3] = $6
    if ($4 == "plb-hac" && file == 1) cells[++n] = $1 SUBSEP $2 SUBSEP $3
}
file == 2 || file == 7 {
    all_work[$1, $2, $3, $4, $5] = $7
    step[$1, $2, $3, $4, $5] = $4 == "oracle" ? $7 : $8
    if (100 * $9 > step_spread[$1, $4, $2, $3]) step_spread[$1, $4, $2, $3] = 100 * $9
    pu_name[$1, $5] = $6
    if ($5 + 1 > pus[$1]) pus[$1] = $5 + 1
}
file == 3 { quiet[$1, $2, $3, $4] = $11 }
file == 4 {
    read_as[$1, $2, $3, $4] = $6
    read_solves[$1, $2, $3, $4] = $11
    if ($4 == "oracle") read_cells[++n_read] = $1 SUBSEP $2 SUBSEP $3
}
file == 5 {
    real[$1, $2] = $5
    real_low[$1, $2] = $6
    real_high[$1, $2] = $7
    real_idle[$1, $2] = $8
    real_solves[$1, $2] = $9
    real_training[$1, $2] = $10
    real_early[$1, $2] = $11
    real_spread[$1, $2] = $15
    if ($2 == "steady")
        for (k = 1; k <= 3; k++) real_part[$1, k] = $(11 + k)
}

# The cells of these scenarios and applications, at the sizes from..to, as chosen[1..of]. `ends`: of these
# sizes the first and the last alone.
function choose(scenarios, first, last, which, from, to, ends,    s, i, k, z, is) {
    k = split(which, is, " ")
    of = 0
    for (s = first; s <= last; s++)
        for (i = 1; i <= k; i++)
            for (z = from; z <= to; z += ends && to > from ? to - from : 1)
                chosen[++of] = scenarios[s] SUBSEP apps[is[i]] SUBSEP size[is[i], z]
}
# In how many chosen cells a is below every one of the list.
function below(a, list,    c, j, m, others, good, count) {
    m = split(list, others, " ")
    for (c = 1; c <= of; c++) {
        good = 1
        for (j = 1; j <= m; j++) good = good && ratio[chosen[c], a] < ratio[chosen[c], others[j]]
        count += good
    }
    return count + 0
}
# How much faster a is than b: the mean, the least and the most over the chosen cells, and where the most is.
function speedup(a, b,    c, r, sum) {
    least = 1e9
    most = 0
    for (c = 1; c <= of; c++) {
        r = ratio[chosen[c], b] / ratio[chosen[c], a]
        sum += r
        if (r < least) least = r
        if (r > most) {
            most = r
            where = chosen[c]
        }
    }
    return sum / of
}
# A cell in words.
function cell_name(cell,    parts, i) {
    split(cell, parts, SUBSEP)
    for (i = 1; apps[i] != parts[2]; i++) {}
    return names[i] " " parts[3] " on " count_name[length(parts[1]) - length("plb-hec-")] " machine" \
           (length(parts[1]) > length("plb-hec-a") ? "s" : "")
}
function big(scenario, i, a) { return ratio[scenario, apps[i], size[i, 4], a] }
function everywhere(a, b,    c, count) {
    for (c = 1; c <= n; c++) count += ratio[cells[c], a] < ratio[cells[c], b]
    return count + 0
}
function geomean(a,    c, sum) {
    for (c = 1; c <= n_read; c++) sum += log(read_as[read_cells[c], a])
    return exp(sum / n_read)
}
# The papers' rivals, and those of plbrun's defaults, without barriers and with a PU's next block there before
# the one under way ends.
function papers_way(sync) { return sync ? "A: as the paper" : "B: plbrun\047s defaults" }
function hdss_as(a) { return a ? "hdss+sync" : "hdss" }
function greedy_as(a) { return a ? "greedy+idle" : "greedy" }
function rivals(a) { return hdss_as(a) " acosta " greedy_as(a) }

# Real ranks: their row of a statement. Both readings may be in it.
function real_row(statement, ours, says) {
    row(statement, "real ranks", ours, says, "`make bench-real`")
}
function letter(a) { return a ? "A: " : ". B: " }
function seconds_of(list, which,    m, names, i, text) {
    m = split(list, names, " ")
    for (i = 1; i <= m; i++)
        text = text sprintf("%s%s %.3f", i > 1 ? ", " : "", names[i], real[names[i], which])
    return text " s"
}
# Whether a is ahead of every one of the list: in all runs of both, or not in any of one of them.
function first_of(a, list, which,    m, others, i, says) {
    m = split(list, others, " ")
    says = "holds"
    for (i = 1; i <= m; i++)
        says = both(says, less(real_low[a, which], real_high[a, which], real_low[others[i], which],
                               real_high[others[i], which]))
    return says
}
# Whether the lead of a over b is larger in the case y than in the case x, whichever runs are compared.
function lead_rises(a, b, x, y) {
    return less(real_low[b, x] / real_high[a, x], real_high[b, x] / real_low[a, x],
                real_low[b, y] / real_high[a, y], real_high[b, y] / real_low[a, y])
}
# The other readings of one text, as a mean over all cells.
function readings(    list, names, m, i) {
    m = split("plb-hac:as_in_3.3 hac+1024:first_blocks_of_1,024_elements_(5.1) " \
              "hac+ratio:gaps_by_Algorithm_1,_at_most_0.9_of_the_predicted_time " \
              "hac+least:blocks_of_64_units_at_least_(3.2) hac+unit:training_blocks_of_a_unit_at_least " \
              "plb-hec:as_in_III hec+1024:first_blocks_of_1,024_elements " \
              "hec+unit:training_blocks_of_a_unit_at_least " \
              "hec+plain:a_difference_above_10_%_counts_whatever_explains_it_(III.D) " \
              "hec+all:all_functions_of_eq._1_in_one_sum_(III.B) " \
              "hac+all:all_functions_of_eq._1_in_one_sum_(3.1) " \
              "hac+measured:times_stay_as_measured_and_count_for_ever_(3.1) " \
              "hdss+sync:with_barriers sync+1024:and_first_blocks_of_1,024_elements", list, " ")
    print "| label | reading | makespan over the optimum, geometric mean | worst cell |\n|---|---|---|---|"
    for (i = 1; i <= m; i++) {
        split(list[i], names, ":")
        gsub("_", " ", names[2])
        worst = 0
        for (c = 1; c <= n_read; c++)
            if (read_as[read_cells[c], names[1]] > worst) worst = read_as[read_cells[c], names[1]]
        printf "| `%s` | %s | %.3f | %.2f |\n", names[1], names[2], geomean(names[1]), worst
    }
}
# What the cells are.
function set_up() {
    printf "There are %d scenarios × 4 applications × 4 sizes, so %d cells, with %d seeds each" \
           " ([README.md](README.md)).", n / 16, n, seeds
    print " A paper\047s\nstatement counts the cells of its own machines and applications alone."
}
# `oracle` is not among those of which the bench says that sure is within 1 % of the best.
function judged_why(    c, x, count, worst) {
    for (c = 1; c <= n; c++) {
        x = ratio[cells[c], "sure"] / best[cells[c]]
        count += x <= 1.01
        if (x > worst) worst = x
    }
    printf "\"All balancers\" leaves out `oracle`, which knows the speeds. With `oracle` sure is within"
    printf " 1 %% of the\nbest in %d of %d cells; worst %.3f.\n", count, n, worst
}
# What the table of readings shows, in words.
function than(a, b,    x) {
    x = 100 * (geomean(a) / geomean(b) - 1)
    return sprintf("%.1f %% %s than `%s`", x < 0 ? -x : x, x < 0 ? "less" : "more", b)
}
function readings_why() {
    printf "In the mean `hac+ratio` takes %s, `hac+unit` %s, and\n", than("hac+ratio", "plb-hac"),
           than("hac+unit", "plb-hac")
    printf "`hec+unit` %s. `hec+all` takes %s, and `hac+all` %s.\n", than("hec+unit", "plb-hec"),
           than("hec+all", "plb-hec"), than("hac+all", "plb-hac")
}
function order(    list, m, b, s, i, sum, scenarios) {
    m = split("sure plb-hac hac+moves plb-hec hdss hdss+sync acosta greedy greedy+idle", list, " ")
    split("plb-hec-a plb-hec-abcd plb-hac-a plb-hac-abcde", scenarios, " ")
    printf "| machines |"
    for (b = 1; b <= m; b++) printf " %s |", list[b]
    printf "\n|---|"
    for (b = 1; b <= m; b++) printf "---|"
    for (s = 1; s <= 4; s++) {
        printf "\n| %s |", scenarios[s]
        for (b = 1; b <= m; b++) {
            sum = 0
            for (i = 1; i <= 4; i++) sum += big(scenarios[s], i, list[b]) / 4
            printf " %.3f |", sum
        }
    }
    printf "\n"
}
function pairs(    list, m, i, two) {
    m = split("plb-hac:plb-hec plb-hac:hdss+sync plb-hac:hdss plb-hec:hdss+sync plb-hec:hdss " \
              "hdss+sync:acosta hdss:acosta acosta:greedy+idle acosta:greedy plb-hac:greedy+idle " \
              "plb-hec:greedy+idle sure:plb-hac sure:hdss", list, " ")
    printf "| ahead | of | in cells of %d |\n|---|---|---|\n", n
    for (i = 1; i <= m; i++) {
        split(list[i], two, ":")
        printf "| `%s` | `%s` | %d |\n", two[1], two[2], everywhere(two[1], two[2])
    }
}
END {
    if (part == "order") order()
    else if (part == "ahead") pairs()
    else if (part == "hec") hec()
    else if (part == "hac") hac()
    else if (part == "readings") readings()
    else if (part == "readings-why") readings_why()
    else if (part == "hec-why") hec_why()
    else if (part == "judged-why") judged_why()
    else if (part == "set-up") set_up()
}
