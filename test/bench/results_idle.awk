# Rows about idle time, in both papers of PLB: results.awk has the functions, and reads the numbers.
# Cases of less idle time of a than of b by a factor, at both ends of the sizes, by kind of PU; sets `of`.
function less_idle(scenario, a, b, kinds, which, factor,    i, j, k, is, z, count) {
    j = split(which, is, " ")
    of = 0
    for (i = 1; i <= j; i++)
        for (z = 1; z <= 4; z += 3)
            for (k = 8; k < 8 + kinds; k++) {
                count += factor * idle[scenario, apps[is[i]], size[is[i], z], a, k] < \
                         idle[scenario, apps[is[i]], size[is[i], z], b, k]
                of++
            }
    return count + 0
}
function idle_of(list,    m, names, i, text) {
    m = split(list, names, " ")
    for (i = 1; i <= m; i++)
        text = text sprintf("%s%s %.1f %%", i > 1 ? ", " : "", names[i], real_idle[names[i], "steady"])
    return text
}
# In how many cases the idle time of a is less at the largest size than at the smallest; sets `of`.
function idle_less(scenario, kinds, a, which,    i, j, k, is, count) {
    j = split(which, is, " ")
    of = 0
    for (i = 1; i <= j; i++)
        for (k = 8; k < 8 + kinds; k++) {
            count += idle[scenario, apps[is[i]], size[is[i], 4], a, k] < \
                     idle[scenario, apps[is[i]], size[is[i], 1], a, k]
            of++
        }
    return count + 0
}
function idle_falls(statement, scenario, kinds, a, which, how,    c, h, others, k, says, text) {
    c = idle_less(scenario, kinds, a, which)
    h = idle_less(scenario, kinds, "hdss+sync", which)
    row(statement, "smallest to largest size, by kind of PU",
        sprintf("%s less in %d of %d, hdss+sync in %d; %s on GPUs, MM 4096 to 65536: %.0f to %.0f %%", a, c,
                of, h, a, idle[scenario, "mm", 4096, a, 9], idle[scenario, "mm", 65536, a, 9]),
        a ": " verdict(c, of) "; hdss+sync: " verdict(h, of), how)
    split(a " hdss+sync", others, " ")
    for (k = 1; k <= 2; k++) {
        text = text sprintf("%s%s %.0f to %.0f %%", k > 1 ? ", " : "", others[k],
                            real_idle[others[k], "short"], real_idle[others[k], "steady"])
        says = says (k > 1 ? "; " : "") others[k] ": " \
               median(real_idle[others[k], "steady"] < real_idle[others[k], "short"])
    }
    real_row(statement, "a tenth of a second to a second: " text, says)
}
# Idle time of a beside that of HDSS.
function idles_less(statement, scenario, machines, kinds, a, which, how,    reading, c, says, numbers) {
    for (reading = 1; reading >= 0; reading--) {
        c = less_idle(scenario, a, hdss_as(reading), kinds, which, 1)
        row(statement, papers_way(reading),
            sprintf("%s machines, smallest and largest sizes, %d kinds of PU: in %d of %d", machines, kinds,
                    c, of), verdict(c, of), how)
        numbers = numbers letter(reading) idle_of(a " " hdss_as(reading))
        says = says letter(reading) median(real_idle[a, "steady"] < real_idle[hdss_as(reading), "steady"])
    }
    real_row(statement, numbers, says)
}
# The part of the idle time of a that is in its first phase, per cent: the least, the most, and how many are
# above half, of smallest and largest sizes.
function early(scenario, a, which,    i, j, z, is, key, x, count) {
    j = split(which, is, " ")
    least = 100
    most = 0
    of = 0
    for (i = 1; i <= j; i++)
        for (z = 1; z <= 4; z += 3) {
            key = scenario SUBSEP apps[is[i]] SUBSEP size[is[i], z] SUBSEP a
            x = 100 * idle_early[key] / idle_all[key]
            if (x < least) least = x
            if (x > most) most = x
            count += x > 50
            of++
        }
    return count + 0
}
function early_row(statement, scenario, a, which, how,    c, x) {
    c = early(scenario, a, which)
    row(statement, "A: " a "; more than half",
        sprintf("%.0f to %.0f %% of its idle time, smallest and largest sizes: more than half in %d of %d",
                least, most, c, of), verdict(c, of), how)
    x = 100 * real_early[a, "steady"] / real_idle[a, "steady"]
    real_row(statement, sprintf("%s: %.0f %% of its idle time", a, x), median(x > 50))
}
# Idle time in the first phase of a beside that of HDSS, of the whole run.
function early_less(statement, scenario, a, which, how,    i, j, z, is, key, count) {
    j = split(which, is, " ")
    of = 0
    for (i = 1; i <= j; i++)
        for (z = 1; z <= 4; z += 3) {
            key = scenario SUBSEP apps[is[i]] SUBSEP size[is[i], z] SUBSEP
            count += idle_early[key a] < idle_early[key "hdss+sync"]
            of++
        }
    key = scenario SUBSEP "mm" SUBSEP 65536 SUBSEP
    row(statement, papers_way(1) "; B cannot be measured so, as its training counts unreported work as idle",
        sprintf("than HDSS, smallest and largest sizes, in %d of %d; MM 65536: %.1f and %.1f %% of the run",
                count, of, idle_early[key a], idle_early[key "hdss+sync"]),
        verdict(count, of), how)
    real_row(statement, sprintf("A: %s %.1f %%, hdss+sync %.1f %% of the run", a, real_early[a, "steady"],
                                real_early["hdss+sync", "steady"]),
             median(real_early[a, "steady"] < real_early["hdss+sync", "steady"]))
}
function hec_acosta_idle(    s, c, d, e) {
    s = "Acosta idles significantly more (V.A.c)"
    c = less_idle(ONE, "plb-hec", "acosta", 2, HEC_APPS, 1.5)
    d = less_idle(ONE, "hdss+sync", "acosta", 2, HEC_APPS, 1.5)
    e = less_idle(ONE, "hdss+sync", "acosta", 2, HEC_APPS, 1)
    row(s, "four machines, smallest and largest sizes, CPUs and GPUs; 1.5 times as much is significant",
        sprintf("than PLB-HeC in %d of %d; than HDSS in %d, and more at all in %d", c, of, d, e),
        "PLB-HeC: " verdict(c, of) "; HDSS: " verdict(d, of), one_gpu)
    real_row(s, idle_of("plb-hec hdss+sync acosta"),
             "PLB-HeC: " median(1.5 * real_idle["plb-hec", "steady"] < real_idle["acosta", "steady"]) \
             "; HDSS: " median(1.5 * real_idle["hdss+sync", "steady"] < real_idle["acosta", "steady"]))
}
