# Statements of PLB-HeC (2015) about what is simulated, each with a row of real ranks: results.awk has the
# functions, and reads the numbers.
function hec() {
    sc = hecs[4] # four machines
    head()
    hec_order()
    hec_above_greedy()
    hec_ahead()
    hec_one_machine()
    hec_small()
    hec_unlike()
    hec_spread()
    hec_training()
    hec_cpu_blocks()
    hec_alike()
    hec_hdss_acosta()
    hec_idle()
    hec_threshold()
}
function in_order(x, h, z) { return yes(x > h && h > z && z > 1) }
function hec_order(    s, a, x, h, z, r, says, numbers) {
    s = "MM 65536 on four machines: 2.2 times as fast as greedy, HDSS 1.2, Acosta 1.04 (V.A.a)"
    for (a = 1; a >= 0; a--) {
        x = big(sc, 1, greedy_as(a)) / big(sc, 1, "plb-hec")
        h = big(sc, 1, greedy_as(a)) / big(sc, 1, hdss_as(a))
        z = big(sc, 1, greedy_as(a)) / big(sc, 1, "acosta")
        row(s, papers_way(a), sprintf("PLB-HeC %.2f, HDSS %.2f, Acosta %.2f", x, h, z),
            "order " in_order(x, h, z))
        r = real[greedy_as(a), "steady"]
        x = r / real["plb-hec", "steady"]
        h = r / real[hdss_as(a), "steady"]
        z = r / real["acosta", "steady"]
        numbers = numbers letter(a) sprintf("PLB-HeC %.2f, HDSS %.2f, Acosta %.2f", x, h, z)
        says = says letter(a) "order " in_order(x, h, z)
    }
    real_row(s, numbers, says)
}
function hec_above_greedy(    s, a, c, d, mean, count, total, r, says, numbers) {
    s = "three machines or more: above 1.2 times greedy, but for GRN on three (V.A.a)"
    for (a = 1; a >= 0; a--) {
        mean = speedup("plb-hec", greedy_as(a), hecs, 3, 4, HEC_APPS)
        count = total = 0
        for (c = 3; c <= 4; c++)
            for (d = 1; d <= 3; d++)
                if (!(c == 3 && d == 2)) {
                    count += big(hecs[c], d, greedy_as(a)) > 1.2 * big(hecs[c], d, "plb-hec")
                    total++
                }
        row(s, papers_way(a), sprintf("largest sizes: %.2f to %.2f, mean %.2f", least, most, mean),
            verdict(count, total))
        r = real[greedy_as(a), "steady"] / real["plb-hec", "steady"]
        numbers = numbers letter(a) sprintf("%.2f", r)
        says = says letter(a) yes(r > 1.2)
    }
    real_row(s, numbers, says)
}
function hec_ahead(    s, a, c, says, numbers) {
    s = "larger inputs: always faster than the other three, with two machines or more (V.A.a)"
    for (a = 1; a >= 0; a--) {
        c = below("plb-hec", rivals(a), hecs, 2, 4, HEC_APPS)
        row(s, papers_way(a), sprintf("largest sizes: ahead of all three in %d of %d; of HDSS in %d", c, of,
                below("plb-hec", hdss_as(a), hecs, 2, 4, HEC_APPS)), verdict(c, of))
        numbers = numbers letter(a) seconds_of("plb-hec " rivals(a), "steady")
        says = says letter(a) yes(first_of("plb-hec", rivals(a), "steady"))
    }
    real_row(s, numbers, says)
}
function hec_one_machine(    s, a, r, says, numbers) {
    s = "one machine: speed-ups near 1 (V.A.a)"
    for (a = 1; a >= 0; a--) {
        speedup("plb-hec", greedy_as(a), hecs, 1, 1, HEC_APPS)
        row(s, papers_way(a), sprintf("to greedy, largest sizes: %.2f to %.2f", least, most),
            yes(least > 0.9 && most < 1.1) " within 0.1")
        r = real[greedy_as(a), "one"] / real["plb-hec", "one"]
        numbers = numbers letter(a) sprintf("to greedy %.2f", r)
        says = says letter(a) yes(r > 0.9 && r < 1.1) " within 0.1"
    }
    real_row(s, numbers, says)
}
function hec_small(    s, a, m, list, count, says, numbers) {
    s = "MM 4096, on one to four machines: greedy is faster (V.A.a)"
    for (a = 1; a >= 0; a--) {
        list = ""
        count = 0
        for (m = 1; m <= 4; m++) {
            list = list sprintf("%s%.2f to %.2f", m > 1 ? "; " : "", ratio[hecs[m], "mm", 4096, "plb-hec"],
                                ratio[hecs[m], "mm", 4096, greedy_as(a)])
            count += ratio[hecs[m], "mm", 4096, "plb-hec"] > ratio[hecs[m], "mm", 4096, greedy_as(a)]
        }
        row(s, papers_way(a), "over the optimum, PLB-HeC to greedy: " list, verdict(count, 4))
        numbers = numbers letter(a) seconds_of("plb-hec " greedy_as(a), "short")
        says = says letter(a) yes(first_of(greedy_as(a), "plb-hec", "short"))
    }
    real_row(s, "a tenth of a second: " numbers, says)
}
function hec_unlike(    s, x, y, z) {
    s = "the more unlike the machines, the higher the speed-up (V.A.a)"
    x = speedup("plb-hec", "greedy+idle", hecs, 1, 1, HEC_APPS)
    y = speedup("plb-hec", "greedy+idle", hecs, 2, 2, HEC_APPS)
    z = speedup("plb-hec", "greedy+idle", hecs, 4, 4, HEC_APPS)
    row(s, papers_way(1), sprintf("to greedy, means of one, two and four machines: %.2f, %.2f, %.2f", x, y,
        z), yes(x < y && y < z))
    x = real["greedy+idle", "one"] / real["plb-hec", "one"]
    y = real["greedy+idle", "steady"] / real["plb-hec", "steady"]
    real_row(s, sprintf("A: to greedy, 1 : 9 on one machine %.2f, 1 : 3 : 9 on three %.2f", x, y), yes(x < y))
}
function hec_spread(    s) {
    s = "standard deviations are small (V.A.a)"
    row(s, "3 % noise of each task",
        sprintf("largest sizes, PLB-HeC and the other three: at most %.1f %% of the mean", 100 * spread),
        yes(spread < 0.05) " within 5 %")
    real_row(s, sprintf("longest over shortest of a case: below 1.05 in %d of %d, at most %.2f", steady_cases,
                        real_cases, worst_range), verdict(steady_cases, real_cases) " within 5 %")
}
function hec_training(    s, m, list, most_part, least_part, part) {
    s = "the first phase takes about 10 % of the time (V.A)"
    least_part = 100
    for (m = 1; m <= 4; m++) {
        part = training[hecs[m], "mm", 65536, "plb-hec"]
        list = list sprintf("%s%.0f", m > 1 ? ", " : "", part)
        if (part > most_part) most_part = part
        if (part < least_part) least_part = part
    }
    row(s, "`training = 0.1` of the work", "MM 65536 on one to four machines: " list " %",
        yes(most_part < 15 && least_part > 5) " between 5 and 15 %")
    part = real_training["plb-hec", "steady"]
    real_row(s, sprintf("%.0f %%", part), yes(part < 15 && part > 5) " between 5 and 15 %")
}
function hec_cpu_blocks(    s, d, count) {
    s = "smaller blocks to CPUs, larger to GPUs, than HDSS and Acosta (V.A.b)"
    for (d = 1; d <= 3; d++)
        count += cpu_step(sc, d, "plb-hec") < cpu_step(sc, d, "hdss+sync") && \
                 cpu_step(sc, d, "plb-hec") < cpu_step(sc, d, "acosta")
    row(s, "share of one step", sprintf("CPUs, MM 65536: optimum %.2f %%, PLB-HeC %.2f %%, HDSS %.2f %%, " \
            "Acosta %.2f %%", cpu_step(sc, 1, "oracle"), cpu_step(sc, 1, "plb-hec"),
            cpu_step(sc, 1, "hdss+sync"), cpu_step(sc, 1, "acosta")), verdict(count, 3))
    real_row(s, sprintf("the slowest PU's part of all work: ideal %.2f %%, PLB-HeC %.2f %%, HDSS %.2f %%, " \
                        "Acosta %.2f %%", 100 / 13, slowest["plb-hec"], slowest["hdss+sync"],
                        slowest["acosta"]),
             yes(slowest["plb-hec"] < slowest["hdss+sync"] && slowest["plb-hec"] < slowest["acosta"]))
}
function hec_alike(    s, x, y) {
    s = "HDSS and Acosta distribute alike, PLB-HeC otherwise (V.A.b)"
    x = apart(sc, 1, "hdss+sync", "acosta")
    y = apart(sc, 1, "hdss+sync", "plb-hec")
    row(s, "share of one step",
        sprintf("MM 65536, parts that differ: HDSS and Acosta %.1f %%, HDSS and PLB-HeC %.1f %%", x, y),
        yes(2 * x < y) " where alike is half of otherwise")
    x = real_apart("hdss+sync", "acosta")
    y = real_apart("hdss+sync", "plb-hec")
    real_row(s, sprintf("parts of all work that differ: HDSS and Acosta %.1f %%, HDSS and PLB-HeC %.1f %%", x,
                        y), yes(2 * x < y) " where alike is half of otherwise")
}
function hec_hdss_acosta(    s, a, c, says, numbers) {
    s = "HDSS is faster than Acosta (V.A.b)"
    for (a = 1; a >= 0; a--) {
        c = below(hdss_as(a), "acosta", hecs, 1, 4, HEC_APPS)
        row(s, papers_way(a), sprintf("largest sizes: in %d of %d", c, of), verdict(c, of))
        numbers = numbers letter(a) seconds_of(hdss_as(a) " acosta", "steady")
        says = says letter(a) yes(first_of(hdss_as(a), "acosta", "steady"))
    }
    real_row(s, numbers, says)
}
function hec_idle(    s, a, c, x, y, says, numbers) {
    s = "PLB-HeC idles less than HDSS in all scenarios (V.A.c)"
    for (a = 1; a >= 0; a--) {
        c = less_idle(sc, "plb-hec", hdss_as(a), 2, HEC_APPS)
        row(s, papers_way(a), sprintf("four machines, smallest and largest sizes, CPUs and GPUs: in %d of %d",
                c, of), verdict(c, of))
        numbers = numbers letter(a) idle_of("plb-hec " hdss_as(a))
        says = says letter(a) yes(real_idle["plb-hec", "steady"] < real_idle[hdss_as(a), "steady"])
    }
    real_row(s, numbers, says)
    s = "HDSS idles mainly in its first phase (V.A.c)"
    x = idle[sc, "mm", 65536, "hdss+sync", 9]
    y = idle[sc, "mm", 65536, "hdss", 9]
    row(s, "with and without its barriers", sprintf("GPUs, MM 65536: %.1f %% and %.1f %%", x, y),
        yes(y < x / 2) " with barriers")
    x = real_idle["hdss+sync", "steady"]
    y = real_idle["hdss", "steady"]
    real_row(s, sprintf("with and without its barriers: %.1f %% and %.1f %%", x, y),
             yes(y < x / 2) " with barriers")
    s = "Acosta idles significantly more (V.A.c)"
    c = less_idle(sc, "plb-hec", "acosta", 2, HEC_APPS)
    row(s, "four machines, both ends of the sizes", sprintf("PLB-HeC less in %d of %d", c, of),
        verdict(c, of))
    real_row(s, idle_of("plb-hec acosta"),
             yes(real_idle["plb-hec", "steady"] < real_idle["acosta", "steady"]))
    idle_falls("idle time falls with size (V.A.c)", sc, "four", "plb-hec")
}
function hec_threshold(    s) {
    s = "the threshold is never exceeded on dedicated machines (V.A.c)"
    row(s, "beyond what scatter explains",
        sprintf("one solve in %d of %d cells without noise; with it %.1f in the mean, %.1f at most", never,
                quiet_cells, solves / n, most_solves),
        verdict(never, quiet_cells) " without noise; with it " yes(solves / n < 1.05),
        "`build/bench/papers FOLDER/quiet \"\" 1 0` and `build/bench/papers FOLDER`")
    real_row(s, sprintf("%d solve%s in the median run", real_solves["plb-hec", "steady"],
                        real_solves["plb-hec", "steady"] == 1 ? "" : "s"),
             yes(real_solves["plb-hec", "steady"] <= 1))
}
