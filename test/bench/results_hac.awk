# Statements of PLB-HAC (2019) about what is simulated, each with a row of real ranks: results.awk has the
# functions, and reads the numbers.
function hac() {
    sc = hacs[5] # five machines
    head()
    hac_optimum()
    hac_ahead()
    hac_unlike()
    hac_one_machine()
    hac_hec()
    hac_blocks()
    hac_spread()
    hac_idle()
}
function hac_optimum(    s, r) {
    s = "near the optimum with three machines or more (5.1)"
    speedup("oracle", "plb-hac", hacs, 3, 5, HAC_APPS)
    row(s, "best fixed distribution, solved",
        sprintf("over `oracle`, largest sizes: %.2f to %.2f", least, most), yes(most < 1.1) " within 10 %")
    r = real["plb-hac", "steady"] # all PUs together need a second
    real_row(s, sprintf("%.2f of the ideal second", r), yes(r < 1.1) " within 10 %")
}
function hac_ahead(    s, a, c, list, says, numbers) {
    s = "and faster than PLB-HeC, HDSS and greedy (5.1)"
    for (a = 1; a >= 0; a--) {
        list = "plb-hec " hdss_as(a) " " greedy_as(a)
        c = below("plb-hac", list, hacs, 3, 5, HAC_APPS)
        row(s, papers_way(a), sprintf("largest sizes: of all three in %d of %d; of HDSS in %d", c, of,
                below("plb-hac", hdss_as(a), hacs, 3, 5, HAC_APPS)), verdict(c, of))
        numbers = numbers letter(a) seconds_of("plb-hac " list, "steady")
        says = says letter(a) yes(first_of("plb-hac", list, "steady"))
    }
    real_row(s, numbers, says)
}
function hac_unlike(    s, x, y, z) {
    s = "better in more heterogeneous environments (5.1)"
    x = speedup("plb-hac", "greedy+idle", hacs, 1, 1, HAC_APPS)
    y = speedup("plb-hac", "greedy+idle", hacs, 3, 3, HAC_APPS)
    z = speedup("plb-hac", "greedy+idle", hacs, 5, 5, HAC_APPS)
    row(s, papers_way(1), sprintf("to greedy, means of one, three and five machines: %.2f, %.2f, %.2f", x, y,
        z), yes(x < y && y < z))
    x = real["greedy+idle", "one"] / real["plb-hac", "one"]
    y = real["greedy+idle", "steady"] / real["plb-hac", "steady"]
    real_row(s, sprintf("A: to greedy, 1 : 9 on one machine %.2f, 1 : 3 : 9 on three %.2f", x, y), yes(x < y))
}
function hac_one_machine(    s, a, c, d, says, numbers) {
    s = "one machine: slower than HDSS and greedy (5.1)"
    for (a = 1; a >= 0; a--) {
        c = loses(hacs[1], "plb-hac", hdss_as(a))
        d = loses(hacs[1], "plb-hac", greedy_as(a))
        row(s, papers_way(a), sprintf("of %d cells: than HDSS in %d, than greedy in %d", of, c, d),
            "HDSS: " verdict(c, of) "; greedy: " verdict(d, of))
        numbers = numbers letter(a) seconds_of("plb-hac " hdss_as(a) " " greedy_as(a), "one")
        says = says letter(a) "HDSS: " yes(first_of(hdss_as(a), "plb-hac", "one")) "; greedy: " \
               yes(first_of(greedy_as(a), "plb-hac", "one"))
    }
    real_row(s, numbers, says)
}
function hac_hec(    s, c, k, m, cases, count) {
    s = "faster than PLB-HeC, without its synchronisations (5.1)"
    c = everywhere("plb-hac", "plb-hec")
    row(s, "all cells", sprintf("in %d of %d", c, n), verdict(c, n))
    m = split("steady short one slower", cases, " ")
    for (k = 1; k <= m; k++) count += first_of("plb-hac", "plb-hec", cases[k])
    real_row(s, sprintf("in %d of %d cases: steady, short, one machine, a PU that becomes slower", count, m),
             verdict(count, m))
}
function hac_blocks(    s, x, y, d, count) {
    s = "blocks nearer to the optimum than those of HDSS (5.2)"
    x = apart(sc, 1, "plb-hac", "oracle")
    y = apart(sc, 1, "hdss+sync", "oracle")
    for (d = 1; d <= 4; d++)
        if (d != 3) count += apart(sc, d, "plb-hac", "oracle") < apart(sc, d, "hdss+sync", "oracle")
    row(s, "share of one step",
        sprintf("MM 65536, parts that differ from the optimum: PLB-HAC %.1f %%, HDSS %.1f %%", x, y),
        verdict(count, 3))
    x = real_apart("plb-hac", "ideal")
    y = real_apart("hdss+sync", "ideal")
    real_row(s, sprintf("parts of all work that differ from the ideal: PLB-HAC %.1f %%, HDSS %.1f %%", x, y),
             yes(x < y))
    s = "smaller blocks to CPUs than HDSS (5.2)"
    count = 0
    for (d = 1; d <= 4; d++)
        if (d != 3) count += cpu_step(sc, d, "plb-hac") < cpu_step(sc, d, "hdss+sync")
    row(s, "share of one step",
        sprintf("CPUs, MM 65536: optimum %.2f %%, PLB-HAC %.2f %%, HDSS %.2f %%", cpu_step(sc, 1, "oracle"),
                cpu_step(sc, 1, "plb-hac"), cpu_step(sc, 1, "hdss+sync")), verdict(count, 3))
    real_row(s, sprintf("the slowest PU's part of all work: ideal %.2f %%, PLB-HAC %.2f %%, HDSS %.2f %%",
                        100 / 13, slowest["plb-hac"], slowest["hdss+sync"]),
             yes(slowest["plb-hac"] < slowest["hdss+sync"]))
}
function hac_spread(    s, d, a, x, off) {
    s = "standard deviations of these shares are small (5.2)"
    for (d = 1; d <= 4; d++)
        for (a = 0; a <= 1 && d != 3; a++) {
            x = step_spread[a ? "hdss+sync" : "plb-hac", apps[d], largest[d]]
            if (x > off[a]) off[a] = x
        }
    row(s, "largest of all PUs, ten seeds",
        sprintf("PLB-HAC %.2f %%, HDSS %.2f %% of a step", off[0], off[1]),
        yes(off[0] < 1 && off[1] < 1) " below 1 %")
    x = real_spread["plb-hac", "steady"]
    d = real_spread["hdss+sync", "steady"]
    real_row(s, sprintf("most minus least part of a PU: PLB-HAC %.2f %%, HDSS %.2f %% of all work", x, d),
             yes(x < 1 && d < 1) " below 1 %")
}
function hac_idle(    s, a, c, says, numbers) {
    s = "idles less than HDSS in all scenarios (5.3)"
    for (a = 1; a >= 0; a--) {
        c = less_idle(sc, "plb-hac", hdss_as(a), 3, HAC_APPS)
        row(s, papers_way(a),
            sprintf("five machines, smallest and largest sizes, three kinds of PU: in %d of %d", c, of),
            verdict(c, of))
        numbers = numbers letter(a) idle_of("plb-hac " hdss_as(a))
        says = says letter(a) yes(real_idle["plb-hac", "steady"] < real_idle[hdss_as(a), "steady"])
    }
    real_row(s, numbers, says)
    idle_falls("idle time falls with size (5.3)", sc, "five", "plb-hac")
}
