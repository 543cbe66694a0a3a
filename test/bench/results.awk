# Rows of examples/papers/RESULTS.md from what the benches left. Usage:
#   awk -v part=PART -f results_rows.awk -f results_hec.awk -f results_hac.awk -f results.awk \
#       cells.csv shares.csv quiet/cells.csv readings/cells.csv real.csv
# PART: hec or hac, statements of a paper with the reading, our numbers, the verdict and the command; order,
# ahead or readings, tables of ratios.
BEGIN {
    FS = ","
    split("mm grn black-scholes k-means", apps, " ")
    split("4096 60000 10000 10000", smallest, " ")
    split("65536 140000 500000 500000", largest, " ")
    split("plb-hec-a plb-hec-ab plb-hec-abc plb-hec-abcd", hecs, " ")
    split("plb-hac-a plb-hac-ab plb-hac-abc plb-hac-abcd plb-hac-abcde", hacs, " ")
    HEC_APPS = "1 2 3" # matrix multiplication, GRN, Black-Scholes
    HAC_APPS = "1 2 4" # and k-means
    command = "`make bench-papers`"
    for (k = 1; k <= 4; k++) big_size[apps[k]] = largest[k]
    for (k = 1; k <= 3; k++) real_part["ideal", k] = 100 * 3 ^ (k - 1) / 13 # PUs of 1 : 3 : 9
}
FNR == 1 { file++; next }
file == 1 {
    ratio[$1, $2, $3, $4] = $6
    if (index($1, "plb-hec") == 1 && $3 == big_size[$2] && \
        $4 ~ /^(plb-hec|hdss[+]sync|acosta|greedy[+]idle)$/ && $7 / $6 > spread) spread = $7 / $6
    for (k = 8; k <= 10; k++) idle[$1, $2, $3, $4, k] = $k
    training[$1, $2, $3, $4] = $12
    if ($4 == "plb-hac") cells[++n] = $1 SUBSEP $2 SUBSEP $3
    if ($4 == "plb-hec") { solves += $11; if ($11 > most_solves) most_solves = $11 }
}
file == 2 {
    all_work[$1, $2, $3, $4, $5] = $7
    step[$1, $2, $3, $4, $5] = $4 == "oracle" ? $7 : $8
    if ($1 == hacs[5] && 100 * $9 > step_spread[$4, $2, $3]) step_spread[$4, $2, $3] = 100 * $9
    cpu[$1, $5] = $6 ~ /^(e5|i7)/
    if ($5 + 1 > pus[$1]) pus[$1] = $5 + 1
}
file == 3 && $4 == "plb-hec" { quiet_cells++; never += $11 <= 1 }
file == 4 { read_as[$1, $2, $3, $4] = $6; if ($4 == "oracle") read_cells[++n_read] = $1 SUBSEP $2 SUBSEP $3 }
file == 5 {
    real[$1, $2] = $5
    real_idle[$1, $2] = $8
    real_solves[$1, $2] = $9
    real_training[$1, $2] = $10
    real_spread[$1, $2] = $14
    if ($2 == "steady") {
        slowest[$1] = $11
        for (k = 1; k <= 3; k++) real_part[$1, k] = $(10 + k)
    }
    real_cases++
    steady_cases += $7 < 1.05 * $6
    if ($7 / $6 > worst_range) worst_range = $7 / $6
}

function big(scenario, i, a) { return ratio[scenario, apps[i], largest[i], a] }
# In how many cells at the largest sizes a is below every one of the list; sets `of`.
function below(a, list, scenarios, first, last, which,    s, i, j, m, k, names, is, good, count) {
    m = split(list, names, " ")
    k = split(which, is, " ")
    of = 0
    for (s = first; s <= last; s++)
        for (i = 1; i <= k; i++) {
            good = 1
            for (j = 1; j <= m; j++)
                good = good && big(scenarios[s], is[i], a) < big(scenarios[s], is[i], names[j])
            count += good
            of++
        }
    return count + 0
}
# Mean, least and most of b over a, at the largest sizes.
function speedup(a, b, scenarios, first, last, which,    s, i, k, is, r, sum) {
    k = split(which, is, " ")
    least = 1e9
    most = of = 0
    for (s = first; s <= last; s++)
        for (i = 1; i <= k; i++) {
            r = big(scenarios[s], is[i], b) / big(scenarios[s], is[i], a)
            sum += r
            of++
            if (r < least) least = r
            if (r > most) most = r
        }
    return sum / of
}
# Cases of less idle time of a than of b, at both ends of the sizes, by kind of PU; sets `of`.
function less_idle(scenario, a, b, kinds, which,    i, j, k, is, size, z, count) {
    j = split(which, is, " ")
    of = 0
    for (i = 1; i <= j; i++)
        for (z = 0; z < 2; z++)
            for (k = 8; k < 8 + kinds; k++) {
                size = z ? largest[is[i]] : smallest[is[i]]
                count += idle[scenario, apps[is[i]], size, a, k] < idle[scenario, apps[is[i]], size, b, k]
                of++
            }
    return count + 0
}
# Half the sum of the differences of two distributions of a step at the largest size, in per cent.
function apart(scenario, i, a, b,    p, sum, d) {
    for (p = 0; p < pus[scenario]; p++) {
        d = step[scenario, apps[i], largest[i], a, p] - step[scenario, apps[i], largest[i], b, p]
        sum += d < 0 ? -d : d
    }
    return 100 * sum / 2
}
function cpu_step(scenario, i, a,    p, sum) {
    for (p = 0; p < pus[scenario]; p++)
        sum += cpu[scenario, p] ? step[scenario, apps[i], largest[i], a, p] : 0
    return 100 * sum
}
function loses(scenario, a, b,    c, parts, count) {
    of = 0
    for (c = 1; c <= n; c++) {
        split(cells[c], parts, SUBSEP)
        if (parts[1] != scenario) continue
        count += ratio[cells[c], a] > ratio[cells[c], b]
        of++
    }
    return count + 0
}
function everywhere(a, b,    c, count) {
    for (c = 1; c <= n; c++) count += ratio[cells[c], a] < ratio[cells[c], b]
    return count + 0
}
function geomean(a,    c, sum) {
    for (c = 1; c <= n_read; c++) sum += log(read_as[read_cells[c], a])
    return exp(sum / n_read)
}
# The papers' rivals, and ours, which have a block ahead and no barriers.
function papers_way(sync) { return sync ? "A: as the paper" : "B: a block ahead, no barrier" }
function hdss_as(a) { return a ? "hdss+sync" : "hdss" }
function greedy_as(a) { return a ? "greedy+idle" : "greedy" }
function rivals(a) { return hdss_as(a) " acosta " greedy_as(a) }

# Real ranks: their row of a statement. Both readings may be in it.
function real_row(statement, ours, says) {
    row(statement, "real ranks", ours, says, "`make bench-real`")
}
function letter(a) { return a ? "A: " : "; B: " }
function seconds_of(list, which,    m, names, i, text) {
    m = split(list, names, " ")
    for (i = 1; i <= m; i++)
        text = text sprintf("%s%s %.3f", i > 1 ? ", " : "", names[i], real[names[i], which])
    return text " s"
}
function idle_of(list,    m, names, i, text) {
    m = split(list, names, " ")
    for (i = 1; i <= m; i++)
        text = text sprintf("%s%s %.1f %%", i > 1 ? ", " : "", names[i], real_idle[names[i], "steady"])
    return text
}
# Whether a is ahead of every one of the list.
function first_of(a, list, which,    m, names, i, good) {
    m = split(list, names, " ")
    good = 1
    for (i = 1; i <= m; i++) good = good && real[a, which] < real[names[i], which]
    return good
}
# Half the sum of the differences of two distributions of all work, in per cent.
function real_apart(a, b,    p, sum, d) {
    for (p = 1; p <= 3; p++) {
        d = real_part[a, p] - real_part[b, p]
        sum += d < 0 ? -d : d
    }
    return sum / 2
}
function idle_falls(statement, scenario, machines, a,    x, y) {
    x = idle[scenario, "mm", 4096, a, 9]
    y = idle[scenario, "mm", 65536, a, 9]
    row(statement, "GPUs on " machines " machines", sprintf("MM 4096 to 65536: %.0f %% to %.0f %%", x, y),
        yes(y < x))
    x = real_idle[a, "short"]
    y = real_idle[a, "steady"]
    real_row(statement, sprintf("a tenth of a second to a second: %.0f %% to %.0f %%", x, y), yes(y < x))
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
            for (i = 1; i <= 4; i++) sum += ratio[scenarios[s], apps[i], largest[i], list[b]] / 4
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
}
