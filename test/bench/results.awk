# Numbers of examples/papers/RESULTS.md from what the bench papers wrote: its cells.csv and shares.csv, and
# then the cells.csv of a run without noise. Usage: awk -v part=order|ahead|hec|hac -f results.awk FILES
BEGIN {
    FS = ","
    split("mm grn black-scholes k-means", apps, " ")
    split("4096 60000 10000 10000", smallest, " ")
    split("65536 140000 500000 500000", largest, " ")
    split("plb-hec-abc plb-hec-abcd plb-hac-abc plb-hac-abcd plb-hac-abcde", three, " ")
}
FNR == 1 { file++; next }
file == 2 { if ($6 ~ /^(e5|i7)/) cpu_share[$1, $2, $3, $4] += 100 * $7; next }
file == 3 { if ($4 == "plb-hec") { quiet_cells++; never += $11 <= 1 }
            for (k = 8; k <= 10; k++) quiet_idle[$1, $2, $3, $4, k] = $k; next }
{
    ratio[$1, $2, $3, $4] = $6
    for (k = 8; k <= 10; k++) idle[$1, $2, $3, $4, k] = $k
    if ($4 == "plb-hac") cells[++n] = $1 SUBSEP $2 SUBSEP $3
    if ($4 == "plb-hec") { solves += $11; if ($11 > most_solves) most_solves = $11 }
}

# The ratio of a balancer at the largest size, in a scenario of three machines or more.
function big(s, i, a) { return ratio[three[s], apps[i], largest[i], a] }
# How many cells there are in which a is below b. Scenarios from `first` on to `last`, at the largest sizes.
function ahead(a, b, first, last,    s, i, count) {
    for (s = first; s <= last; s++)
        for (i = 1; i <= 4; i++)
            count += big(s, i, a) < big(s, i, b)
    return count + 0
}
# Cells at the largest sizes in which a is below every one of the list.
function below_all(a, list, first, last,    s, i, j, m, names, count, good) {
    m = split(list, names, " ")
    for (s = first; s <= last; s++)
        for (i = 1; i <= 4; i++) {
            good = 1
            for (j = 1; j <= m; j++)
                good = good && big(s, i, a) < big(s, i, names[j])
            count += good
        }
    return count + 0
}
# Largest and smallest ratio of a balancer at the largest sizes.
function extreme(a, first, last, sign,    s, i, r, found) {
    for (s = first; s <= last; s++)
        for (i = 1; i <= 4; i++) {
            r = big(s, i, a)
            if (found == "" || sign * r > sign * found) found = r
        }
    return found
}
# Cells of all in which a is below b.
function everywhere(a, b,    c, count) {
    for (c = 1; c <= n; c++) count += ratio[cells[c], a] < ratio[cells[c], b]
    return count + 0
}
# Cases of less idle time than hdss, at the smallest and largest sizes, by kind of PU.
function less_idle(table, scenario, a, kinds,    i, k, s, l, count) {
    for (i = 1; i <= 4; i++)
        for (k = 8; k < 8 + kinds; k++) {
            s = scenario SUBSEP apps[i] SUBSEP smallest[i]
            l = scenario SUBSEP apps[i] SUBSEP largest[i]
            count += table[s, a, k] < table[s, "hdss", k]
            count += table[l, a, k] < table[l, "hdss", k]
        }
    return count + 0
}
# Cells of one machine, all sizes, in which a is above b; in `worst` by how much at most.
function loses(scenario, a, b,    c, parts, count, d) {
    worst = 0
    for (c = 1; c <= n; c++) {
        split(cells[c], parts, SUBSEP)
        if (parts[1] != scenario) continue
        d = ratio[cells[c], a] - ratio[cells[c], b]
        count += d > 0
        if (d > worst) worst = d
    }
    return count + 0
}
function over_greedy(a, first, last,    s, i, count) {
    for (s = first; s <= last; s++)
        for (i = 1; i <= 4; i++)
            count += big(s, i, "greedy") > 1.2 * big(s, i, a)
    return count + 0
}
function faster(a) {
    return sprintf("`%s` %.2f", a, big(2, 1, "greedy") / big(2, 1, a))
}
function share(scenario, a) { return sprintf("`%s` %.2f %%", a, cpu_share[scenario, "mm", 65536, a]) }
function row(paper, here) { printf "| %s | %s |\n", paper, here }

function order(    list, m, b, s, i, sum, scenarios) {
    m = split("sure plb-hac hac+moves plb-hec hdss acosta greedy", list, " ")
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
    m = split("plb-hac:plb-hec plb-hac:hdss plb-hec:hdss hdss:acosta acosta:greedy plb-hac:greedy " \
              "sure:plb-hac sure:hdss", list, " ")
    print "| ahead | of | in cells of 20 |\n|---|---|---|"
    for (i = 1; i <= m; i++) {
        split(list[i], two, ":")
        printf "| `%s` | `%s` | %d |\n", two[1], two[2], ahead(two[1], two[2], 1, 5)
    }
    printf "\nOf all %d cells, `plb-hac` is ahead of `plb-hec` in %d, and of HDSS in %d.\n", n,
           everywhere("plb-hac", "plb-hec"), everywhere("plb-hac", "hdss")
}
function hec(    s, scenarios, list) {
    print "| the paper | here |\n|---|---|"
    row("MM 65536 on four machines: 2.2 times as fast as greedy, HDSS 1.2, Acosta 1.04",
        faster("plb-hec") ", " faster("plb-hac") ", " faster("hdss") ", " faster("acosta"))
    row("above 1.2 times greedy on three machines or more, but for GRN on three",
        sprintf("at the largest sizes, 8 cells: `plb-hac` in %d, `plb-hec` in %d",
                over_greedy("plb-hac", 1, 2), over_greedy("plb-hec", 1, 2)))
    row("larger inputs: lower times than all three others",
        sprintf("the same 8 cells: `plb-hec` below Acosta and greedy in %d, below HDSS in %d; " \
                "`plb-hac` below all three in %d", below_all("plb-hec", "acosta greedy", 1, 2),
                ahead("plb-hec", "hdss", 1, 2), below_all("plb-hac", "hdss acosta greedy", 1, 2)))
    split("a ab abc abcd", scenarios, " ")
    for (s = 1; s <= 4; s++)
        list = list sprintf("%s%.2f to %.2f", s > 1 ? "; " : "",
                            ratio["plb-hec-" scenarios[s], "mm", 4096, "plb-hec"],
                            ratio["plb-hec-" scenarios[s], "mm", 4096, "greedy"])
    row("loses to greedy at MM 4096", "on one to four machines, `plb-hec` to `greedy`: " list)
    row("the threshold is never hit on dedicated machines",
        sprintf("`plb-hec` solves once in %d of %d cells without noise; with it %.1f times in the mean, " \
                "%.1f at most", never, quiet_cells, solves / n, most_solves))
    row("idle less than HDSS",
        sprintf("four machines, smallest and largest sizes, CPU and GPU, 16 cases: `plb-hec` in %d, %d " \
                "without noise; `plb-hac` in %d", less_idle(idle, "plb-hec-abcd", "plb-hec", 2),
                less_idle(quiet_idle, "plb-hec-abcd", "plb-hec", 2),
                less_idle(idle, "plb-hec-abcd", "plb-hac", 2)))
    row("idle time falls with size",
        sprintf("`plb-hec`, MM 4096 to 65536 on four machines, GPUs: %.0f %% to %.0f %%",
                idle["plb-hec-abcd", "mm", 4096, "plb-hec", 9],
                idle["plb-hec-abcd", "mm", 65536, "plb-hec", 9]))
    row("smaller blocks to CPUs, larger to GPUs than HDSS and Acosta",
        "share of the CPUs, MM 65536: " share("plb-hec-abcd", "plb-hec") ", " \
        share("plb-hec-abcd", "oracle") ", " share("plb-hec-abcd", "hdss") ", " \
        share("plb-hec-abcd", "acosta"))
}
function hac(    lost, by) {
    print "| the paper | here |\n|---|---|"
    row("near the optimum with three machines or more",
        sprintf("at the largest sizes, 20 cells: `plb-hac` %.2f to %.2f", extreme("plb-hac", 1, 5, -1),
                extreme("plb-hac", 1, 5, 1)))
    lost = loses("plb-hac-a", "plb-hac", "hdss")
    by = worst
    row("loses to HDSS and greedy on one machine",
        sprintf("of 16 cells: `plb-hac` to HDSS in %d, by %.3f at most, to greedy in %d", lost, by,
                loses("plb-hac-a", "plb-hac", "greedy")))
    row("better than PLB-HeC, without its synchronisations",
        sprintf("`plb-hac` in %d of %d cells", everywhere("plb-hac", "plb-hec"), n))
    row("idle less than HDSS in all scenarios",
        sprintf("five machines, smallest and largest sizes, three kinds of PU, 24 cases: `plb-hac` in %d",
                less_idle(idle, "plb-hac-abcde", "plb-hac", 3)))
    row("blocks nearer to the optimum than HDSS's",
        "share of the CPUs, MM 65536 on five machines: " share("plb-hac-abcde", "oracle") ", " \
        share("plb-hac-abcde", "plb-hac") ", " share("plb-hac-abcde", "hdss"))
}
END {
    if (part == "order") order()
    else if (part == "ahead") pairs()
    else if (part == "hec") hec()
    else if (part == "hac") hac()
}
