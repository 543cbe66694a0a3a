# Rows of examples/papers/RESULTS.md from what the benches left. Usage:
#   awk -v part=PART -f results_rows.awk -f results.awk cells.csv shares.csv quiet/cells.csv \
#       readings/cells.csv real.csv
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
}
FNR == 1 { file++; next }
file == 1 {
    ratio[$1, $2, $3, $4] = $6
    if ($7 > spread) spread = $7
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
file == 5 { real[$1, $2] = $5; real_idle[$1, $2] = $8 }

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

function hec(    a, s, c, h, x, y, z, list, d, sc, count, total) {
    head()
    sc = hecs[4]
    for (a = 1; a >= 0; a--) {
        x = big(sc, 1, greedy_as(a)) / big(sc, 1, "plb-hec")
        h = big(sc, 1, greedy_as(a)) / big(sc, 1, hdss_as(a))
        z = big(sc, 1, greedy_as(a)) / big(sc, 1, "acosta")
        row("MM 65536 on four machines: 2.2 times as fast as greedy, HDSS 1.2, Acosta 1.04 (V.A.a)",
            papers_way(a), sprintf("PLB-HeC %.2f, HDSS %.2f, Acosta %.2f", x, h, z),
            "order " yes(x > h && h > z && z > 1))
    }
    for (a = 1; a >= 0; a--) {
        s = speedup("plb-hec", greedy_as(a), hecs, 3, 4, HEC_APPS)
        count = total = 0
        for (c = 3; c <= 4; c++)
            for (d = 1; d <= 3; d++)
                if (!(c == 3 && d == 2)) {
                    count += big(hecs[c], d, greedy_as(a)) > 1.2 * big(hecs[c], d, "plb-hec")
                    total++
                }
        row("three machines or more: above 1.2 times greedy, but for GRN on three (V.A.a)", papers_way(a),
            sprintf("largest sizes: %.2f to %.2f, mean %.2f", least, most, s), verdict(count, total))
    }
    for (a = 1; a >= 0; a--) {
        c = below("plb-hec", rivals(a), hecs, 2, 4, HEC_APPS)
        row("larger inputs: always faster than the other three, with two machines or more (V.A.a)",
            papers_way(a), sprintf("largest sizes: ahead of all three in %d of %d; of HDSS in %d", c, of,
                                   below("plb-hec", hdss_as(a), hecs, 2, 4, HEC_APPS)), verdict(c, of))
    }
    for (a = 1; a >= 0; a--) {
        s = speedup("plb-hec", greedy_as(a), hecs, 1, 1, HEC_APPS)
        row("one machine: speed-ups near 1 (V.A.a)", papers_way(a),
            sprintf("to greedy, largest sizes: %.2f to %.2f; real ranks %.2f", least, most,
                    real[greedy_as(a), "one"] / real["plb-hec", "one"]),
            yes(least > 0.9 && most < 1.1) " within 0.1")
    }
    for (a = 1; a >= 0; a--) {
        list = ""
        count = 0
        for (s = 1; s <= 4; s++) {
            list = list sprintf("%s%.2f to %.2f", s > 1 ? "; " : "", ratio[hecs[s], "mm", 4096, "plb-hec"],
                                ratio[hecs[s], "mm", 4096, greedy_as(a)])
            count += ratio[hecs[s], "mm", 4096, "plb-hec"] > ratio[hecs[s], "mm", 4096, greedy_as(a)]
        }
        row("MM 4096, on one to four machines: greedy is faster (V.A.a)", papers_way(a),
            sprintf("over the optimum: %s; real ranks, short: %.3f to %.3f s",
                    list, real["plb-hec", "short"], real[greedy_as(a), "short"]), verdict(count, 4))
    }
    x = speedup("plb-hec", "greedy+idle", hecs, 1, 1, HEC_APPS)
    y = speedup("plb-hec", "greedy+idle", hecs, 2, 2, HEC_APPS)
    z = speedup("plb-hec", "greedy+idle", hecs, 4, 4, HEC_APPS)
    row("the more unlike the machines, the higher the speed-up (V.A.a)", papers_way(1),
        sprintf("to greedy, means of one, two and four machines: %.2f, %.2f, %.2f", x, y, z),
            yes(x < y && y < z))
    row("standard deviations are small (V.A.a)", "3 % noise of each task",
        sprintf("largest of all cells and balancers: %.3f of the optimum", spread), "as the noise is chosen")
    row("the first phase takes about 10 % of the time (V.A)", "`training = 0.1` of the work",
        sprintf("MM 65536 on one to four machines: %.0f, %.0f, %.0f, %.0f %%", training[hecs[1], "mm", 65536,
                "plb-hec"], training[hecs[2], "mm", 65536, "plb-hec"], training[hecs[3], "mm", 65536,
                    "plb-hec"],
                training[hecs[4], "mm", 65536, "plb-hec"]),
        yes(training[hecs[4], "mm", 65536, "plb-hec"] < 15 && training[hecs[1], "mm", 65536,
            "plb-hec"] > 5) \
        " between 5 and 15 %")
    count = 0
    for (d = 1; d <= 3; d++)
        count += cpu_step(sc, d, "plb-hec") < cpu_step(sc, d, "hdss+sync") && \
                 cpu_step(sc, d, "plb-hec") < cpu_step(sc, d, "acosta")
    row("smaller blocks to CPUs, larger to GPUs, than HDSS and Acosta (V.A.b)", "share of one step",
        sprintf("CPUs, MM 65536: optimum %.2f %%, PLB-HeC %.2f %%, HDSS %.2f %%, Acosta %.2f %%",
                cpu_step(sc, 1, "oracle"), cpu_step(sc, 1, "plb-hec"), cpu_step(sc, 1, "hdss+sync"),
                cpu_step(sc, 1, "acosta")), verdict(count, 3))
    x = apart(sc, 1, "hdss+sync", "acosta")
    y = apart(sc, 1, "hdss+sync", "plb-hec")
    row("HDSS and Acosta distribute alike, PLB-HeC otherwise (V.A.b)", "share of one step",
        sprintf("MM 65536, parts that differ: HDSS and Acosta %.1f %%, HDSS and PLB-HeC %.1f %%", x, y),
            yes(x < y))
    for (a = 1; a >= 0; a--) {
        c = below(hdss_as(a), "acosta", hecs, 1, 4, HEC_APPS)
        row("HDSS is faster than Acosta (V.A.b)", papers_way(a),
            sprintf("largest sizes: in %d of %d; real ranks %.2f s to %.2f s", c, of,
                    real[hdss_as(a), "steady"], real["acosta", "steady"]), verdict(c, of))
    }
    for (a = 1; a >= 0; a--) {
        c = less_idle(sc, "plb-hec", hdss_as(a), 2, HEC_APPS)
        row("PLB-HeC idles less than HDSS in all scenarios (V.A.c)", papers_way(a),
            sprintf("four machines, smallest and largest sizes, CPUs and GPUs: in %d of %d; " \
                    "real ranks, idle " \
                    "%.1f %% to %.1f %%", c, of, real_idle["plb-hec", "steady"],
                    real_idle[hdss_as(a), "steady"]), verdict(c, of))
    }
    x = idle[sc, "mm", 65536, "hdss+sync", 9]
    y = idle[sc, "mm", 65536, "hdss", 9]
    row("HDSS idles mainly in its first phase (V.A.c)", "GPUs, with and without its barriers",
        sprintf("MM 65536: %.1f %% and %.1f %%", x, y), yes(y < x / 2) " with barriers")
    c = less_idle(sc, "plb-hec", "acosta", 2, HEC_APPS)
    row("Acosta idles significantly more (V.A.c)", "four machines, both ends of the sizes",
        sprintf("PLB-HeC less in %d of %d; real ranks, idle %.1f %% to %.1f %%", c, of,
                real_idle["plb-hec", "steady"], real_idle["acosta", "steady"]), verdict(c, of))
    x = idle[sc, "mm", 4096, "plb-hec", 9]
    y = idle[sc, "mm", 65536, "plb-hec", 9]
    row("idle time falls with size (V.A.c)", "GPUs on four machines",
        sprintf("MM 4096 to 65536: %.0f %% to %.0f %%; real ranks, short to steady: %.0f %% to %.0f %%", x,
            y,
                real_idle["plb-hec", "short"], real_idle["plb-hec", "steady"]), yes(y < x))
    row("the threshold is never exceeded on dedicated machines (V.A.c)", "beyond what scatter explains",
        sprintf("one solve in %d of %d cells without noise; with it %.1f in the mean, %.1f at most", never,
                quiet_cells, solves / n, most_solves), verdict(never, quiet_cells) " without noise",
        "`papers FOLDER \"\" 1 0`")
}
function hac(    a, c, d, x, y, z, sc, count, off) {
    head()
    sc = hacs[5]
    z = speedup("oracle", "plb-hac", hacs, 3, 5, HAC_APPS)
    row("near the optimum with three machines or more (5.1)", "best fixed distribution, solved",
        sprintf("over `oracle`, largest sizes: %.2f to %.2f", least, most), yes(most < 1.1) " within 10 %")
    for (a = 1; a >= 0; a--) {
        c = below("plb-hac", "plb-hec " hdss_as(a) " " greedy_as(a), hacs, 3, 5, HAC_APPS)
        row("and faster than PLB-HeC, HDSS and greedy (5.1)", papers_way(a),
            sprintf("largest sizes: of all three in %d of %d; of HDSS in %d; " \
                    "real ranks %.2f s to %.2f, %.2f " \
                    "and %.2f s", c, of, below("plb-hac", hdss_as(a), hacs, 3, 5, HAC_APPS),
                    real["plb-hac", "steady"], real["plb-hec", "steady"], real[hdss_as(a), "steady"],
                    real[greedy_as(a), "steady"]), verdict(c, of))
    }
    for (a = 1; a >= 0; a--) {
        c = loses(hacs[1], "plb-hac", hdss_as(a))
        d = loses(hacs[1], "plb-hac", greedy_as(a))
        row("one machine: slower than HDSS and greedy (5.1)", papers_way(a),
            sprintf("of %d cells: than HDSS in %d, than greedy in %d; real ranks %.2f s to %.2f and %.2f s",
                of,
                    c, d, real["plb-hac", "one"], real[hdss_as(a), "one"], real[greedy_as(a), "one"]),
            "HDSS: " verdict(c, of) "; greedy: " verdict(d, of))
    }
    c = everywhere("plb-hac", "plb-hec")
    row("faster than PLB-HeC, without its synchronisations (5.1)", "all cells",
        sprintf("in %d of %d", c, n), verdict(c, n))
    x = apart(sc, 1, "plb-hac", "oracle")
    y = apart(sc, 1, "hdss+sync", "oracle")
    count = 0
    for (d = 1; d <= 4; d++)
        if (d != 3) count += apart(sc, d, "plb-hac", "oracle") < apart(sc, d, "hdss+sync", "oracle")
    row("blocks nearer to the optimum than those of HDSS (5.2)", "share of one step",
        sprintf("MM 65536, parts that differ from the optimum: PLB-HAC %.1f %%, HDSS %.1f %%", x, y),
        verdict(count, 3))
    count = 0
    for (d = 1; d <= 4; d++)
        if (d != 3) count += cpu_step(sc, d, "plb-hac") < cpu_step(sc, d, "hdss+sync")
    row("smaller blocks to CPUs than HDSS (5.2)", "share of one step",
        sprintf("CPUs, MM 65536: optimum %.2f %%, PLB-HAC %.2f %%, HDSS %.2f %%", cpu_step(sc, 1, "oracle"),
                cpu_step(sc, 1, "plb-hac"), cpu_step(sc, 1, "hdss+sync")), verdict(count, 3))
    for (d = 1; d <= 4; d++)
        for (a = 0; a <= 1 && d != 3; a++) {
            x = step_spread[a ? "hdss+sync" : "plb-hac", apps[d], largest[d]]
            if (x > off[a]) off[a] = x
        }
    row("standard deviations of these shares are small (5.2)", "largest of all PUs, ten seeds",
        sprintf("PLB-HAC %.2f %%, HDSS %.2f %% of a step", off[0], off[1]),
        yes(off[0] < 1 && off[1] < 1) " below 1 %")
    for (a = 1; a >= 0; a--) {
        c = less_idle(sc, "plb-hac", hdss_as(a), 3, HAC_APPS)
        row("idles less than HDSS in all scenarios (5.3)", papers_way(a),
            sprintf("five machines, smallest and largest sizes, three kinds of PU: in %d of %d; " \
                    "real ranks, " \
                    "idle %.1f %% to %.1f %%", c, of, real_idle["plb-hac", "steady"],
                    real_idle[hdss_as(a), "steady"]), verdict(c, of))
    }
    x = idle[sc, "mm", 4096, "plb-hac", 9]
    y = idle[sc, "mm", 65536, "plb-hac", 9]
    row("idle time falls with size (5.3)", "GPUs on five machines",
        sprintf("MM 4096 to 65536: %.0f %% to %.0f %%; real ranks, short to steady: %.0f %% to %.0f %%", x,
            y,
                real_idle["plb-hac", "short"], real_idle["plb-hac", "steady"]), yes(y < x))
}
# The other readings of one text, as a mean over all cells.
function readings(    list, names, m, i) {
    m = split("plb-hac:as_in_3.3 hac+1024:first_blocks_of_1,024_elements_(5.1) " \
              "hac+ratio:gaps_by_Algorithm_1,_at_most_0.9_of_the_predicted_time " \
              "hac+least:blocks_of_64_units_at_least_(3.2) hac+unit:training_blocks_of_a_unit_at_least " \
              "plb-hec:as_in_III hec+1024:first_blocks_of_1,024_elements " \
              "hec+unit:training_blocks_of_a_unit_at_least " \
              "hec+plain:a_difference_above_10_%_counts_whatever_explains_it_(III.D) " \
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
