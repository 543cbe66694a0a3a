# Statements of PLB-HAC (2019) about what is simulated, each with a row of real ranks: results.awk has the
# functions, and reads the numbers. Of its applications: Black-Scholes is not one of them.
function hac(    a) {
    head()
    hac_optimum()
    hac_ahead()
    hac_alike()
    unlike("better in more heterogeneous environments (5.1)", "the optimum over PLB-HAC, as in Figure 4",
           "plb-hac", "oracle", hacs, 5, HAC_APPS, "ideal over PLB-HAC", "ideal")
    larger("better for larger problems (6)", "the optimum over PLB-HAC, as in Figure 4", "plb-hac", "oracle",
           hacs, 1, 5, HAC_APPS, "ideal over PLB-HAC", "ideal")
    for (a = 1; a >= 0; a--)
        unlike("the highest gains with more heterogeneous clusters (abstract)", papers_way(a), "plb-hac",
               greedy_as(a), hacs, 5, HAC_APPS, (a ? "A" : "B") ": to greedy", greedy_as(a))
    for (a = 1; a >= 0; a--)
        larger("the highest gains with larger problems (abstract)", papers_way(a), "plb-hac", greedy_as(a),
               hacs, 1, 5, HAC_APPS, (a ? "A" : "B") ": to greedy", greedy_as(a))
    hac_one_machine()
    hac_hec()
    nearest("blocks nearer to the optimum than those of HDSS (5.2)", hacs[5], "plb-hac hdss+sync", HAC_APPS,
            command)
    hac_blocks()
    shares_spread("standard deviations of these shares are small (5.2)", hacs[5], "plb-hac hdss+sync",
                  HAC_APPS, 4, command)
    idles_less("idles less than HDSS in all scenarios (5.3)", hacs[5], "five", 3, "plb-hac", HAC_APPS,
               command)
    early_row("HDSS idles mainly in its first phase (5.3)", hacs[5], "hdss+sync", HAC_APPS, command)
    early_row("most of the idle time is in the initial phase (5.3)", hacs[5], "plb-hac", HAC_APPS, command)
    early_less("PLB-HAC idles less in the first phase (5.3)", hacs[5], "plb-hac", HAC_APPS, command)
    idle_falls("idle time falls with size (5.3)", hacs[5], 3, "plb-hac", HAC_APPS, command)
}
# In how many chosen cells a is within a tenth of the optimum.
function near_optimum(a,    c, count) {
    for (c = 1; c <= of; c++) count += ratio[chosen[c], a] < 1.1 * ratio[chosen[c], "oracle"]
    return count + 0
}
function hac_optimum(    s, text, r, c) {
    s = "near the optimum with three machines or more (5.1)"
    choose(hacs, 3, 5, HAC_APPS, 4, 4)
    speedup("oracle", "plb-hac")
    text = sprintf("over `oracle`, largest sizes %.2f to %.2f,", least, most)
    choose(hacs, 3, 5, HAC_APPS, 1, 4)
    speedup("oracle", "plb-hac")
    c = near_optimum("plb-hac")
    row(s, "best fixed distribution, solved",
        text sprintf(" all sizes %.2f to %.2f; within 10 %% in %d of %d", least, most, c, of),
        verdict(c, of) " within 10 %")
    r = real["plb-hac", "steady"] / real["ideal", "steady"] # all PUs together need a second
    c = real["plb-hac", "short"] / real["ideal", "short"]
    real_row(s, sprintf("%.2f of the ideal second, %.2f of the ideal tenth", r, c),
             verdict((r < 1.1) + (c < 1.1), 2) " within 10 %")
}
function hac_ahead(    s, a, c, d, list, says, numbers) {
    s = "and faster than PLB-HeC, HDSS and greedy (5.1)"
    for (a = 1; a >= 0; a--) {
        list = "plb-hec " hdss_as(a) " " greedy_as(a)
        choose(hacs, 3, 5, HAC_APPS, 4, 4)
        d = below("plb-hac", list) " of " of
        choose(hacs, 3, 5, HAC_APPS, 1, 4)
        c = below("plb-hac", list)
        row(s, papers_way(a),
            sprintf("than all three in %d of %d, at the largest sizes in %s; than HDSS in %d", c, of, d,
                    below("plb-hac", hdss_as(a))), verdict(c, of))
        numbers = numbers letter(a) seconds_of("plb-hac " list, "steady") \
                  sprintf(". A tenth of a second: %s", seconds_of("plb-hac " list, "short"))
        says = says letter(a) "a second: " first_of("plb-hac", list, "steady") ", a tenth: " \
               first_of("plb-hac", list, "short")
    }
    real_row(s, numbers, says)
}
function hac_alike(    s, z, k, m, is, low, high, x, text, says) {
    s = "similar for all three applications (5.1)"
    m = split(HAC_APPS, is, " ")
    for (z = 1; z <= 4; z += 3) {
        low = 1e9
        high = 0
        text = text (z > 1 ? ". Largest sizes: " : "Means of all sizes: ")
        for (k = 1; k <= m; k++) {
            choose(hacs, 3, 5, is[k], z, 4)
            x = speedup("oracle", "plb-hac")
            if (x < low) low = x
            if (x > high) high = x
            text = text sprintf("%s%s %.3f", k > 1 ? ", " : "", names[is[k]], x)
        }
        says = says (z > 1 ? "; largest: " : "all sizes: ") yes(high < 1.1 * low)
    }
    row(s, "over `oracle`, three machines or more; similar is within 10 %", text, says)
    no_real(s, "they execute one application")
}
function hac_one_machine(    s, a, c, d, says, numbers) {
    s = "one machine: slower than HDSS and greedy (5.1)"
    choose(hacs, 1, 1, HAC_APPS, 1, 4)
    for (a = 1; a >= 0; a--) {
        c = below(hdss_as(a), "plb-hac")
        d = below(greedy_as(a), "plb-hac")
        row(s, papers_way(a), sprintf("of %d cells: than HDSS in %d, than greedy in %d", of, c, d),
            "HDSS: " verdict(c, of) "; greedy: " verdict(d, of))
        numbers = numbers letter(a) seconds_of("plb-hac " hdss_as(a) " " greedy_as(a), "one")
        says = says letter(a) "HDSS: " first_of(hdss_as(a), "plb-hac", "one") ", greedy: " \
               first_of(greedy_as(a), "plb-hac", "one")
    }
    real_row(s, numbers, says)
}
function hac_hec(    s, c, k, m, cases, text, says) {
    s = "faster than PLB-HeC, without its synchronisations (5.1)"
    choose(hacs, 1, 5, HAC_APPS, 1, 4)
    c = below("plb-hac", "plb-hec")
    row(s, "one to five machines, all sizes; the search for a first block has barriers of its own",
        sprintf("in %d of %d", c, of), verdict(c, of))
    m = split("steady short one slower", cases, " ")
    for (k = 1; k <= m; k++) {
        text = text sprintf("%s%s %.3f and %.3f", k > 1 ? "; " : "", cases[k], real["plb-hac", cases[k]],
                            real["plb-hec", cases[k]])
        says = says (k > 1 ? "; " : "") cases[k] ": " first_of("plb-hac", "plb-hec", cases[k])
    }
    real_row(s, text " s", says)
}
