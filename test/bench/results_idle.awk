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
function idle_falls(statement, scenario, kinds, a, which, how,    i, j, k, is, x, y, count) {
    j = split(which, is, " ")
    of = 0
    for (i = 1; i <= j; i++)
        for (k = 8; k < 8 + kinds; k++) {
            count += idle[scenario, apps[is[i]], size[is[i], 4], a, k] < \
                     idle[scenario, apps[is[i]], size[is[i], 1], a, k]
            of++
        }
    row(statement, "smallest to largest size, by kind of PU",
        sprintf("GPUs, MM 4096 to 65536: %.0f to %.0f %%; less in %d of %d",
                idle[scenario, "mm", 4096, a, 9], idle[scenario, "mm", 65536, a, 9], count, of),
        verdict(count, of), how)
    x = real_idle[a, "short"]
    y = real_idle[a, "steady"]
    real_row(statement, sprintf("a tenth of a second to a second: %.0f %% to %.0f %%", x, y), yes(y < x))
}
# Idle time of a beside that of HDSS.
function idles_less(statement, scenario, machines, kinds, a, which, how,    reading, c, says, numbers) {
    for (reading = 1; reading >= 0; reading--) {
        c = less_idle(scenario, a, hdss_as(reading), kinds, which, 1)
        row(statement, papers_way(reading),
            sprintf("%s machines, smallest and largest sizes, %d kinds of PU: in %d of %d", machines, kinds,
                    c, of), verdict(c, of), how)
        numbers = numbers letter(reading) idle_of(a " " hdss_as(reading))
        says = says letter(reading) yes(real_idle[a, "steady"] < real_idle[hdss_as(reading), "steady"])
    }
    real_row(statement, numbers, says)
}
# The part of HDSS's idle time that is in its first phase.
function hdss_early(statement, scenario, which, how,    i, j, z, is, key, x, low, high, count) {
    j = split(which, is, " ")
    low = 100
    of = 0
    for (i = 1; i <= j; i++)
        for (z = 1; z <= 4; z += 3) {
            key = scenario SUBSEP apps[is[i]] SUBSEP size[is[i], z] SUBSEP "hdss+sync"
            x = 100 * idle_early[key] / idle_all[key]
            if (x < low) low = x
            if (x > high) high = x
            count += x > 50
            of++
        }
    row(statement, papers_way(1), sprintf("%.0f to %.0f %% of its idle time, smallest and largest sizes", low,
        high), verdict(count, of) " from half on", how)
    x = 100 * real_early["hdss+sync", "steady"] / real_idle["hdss+sync", "steady"]
    real_row(statement, sprintf("A: %.0f %% of its idle time", x), yes(x > 50) " from half on")
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
    row(statement, papers_way(1),
        sprintf("than HDSS, smallest and largest sizes, in %d of %d; MM 65536: %.1f and %.1f %% of the run",
                count, of, idle_early[key a], idle_early[key "hdss+sync"]),
        verdict(count, of), how)
    real_row(statement, sprintf("A: %s %.1f %%, hdss+sync %.1f %% of the run", a, real_early[a, "steady"],
                                real_early["hdss+sync", "steady"]),
             yes(real_early[a, "steady"] < real_early["hdss+sync", "steady"]))
}
function hec_acosta_idle(    s, c) {
    s = "Acosta idles significantly more (V.A.c)"
    c = less_idle(ONE, "plb-hec", "acosta", 2, HEC_APPS, 1.5)
    row(s, "four machines, smallest and largest sizes, CPUs and GPUs",
        sprintf("1.5 times as much in %d of %d; GPUs, MM 65536: PLB-HeC %.1f %%, Acosta %.1f %%", c, of,
                idle[ONE, "mm", 65536, "plb-hec", 9], idle[ONE, "mm", 65536, "acosta", 9]),
        verdict(c, of) " if that is significant", one_gpu)
    real_row(s, idle_of("plb-hec acosta"),
             yes(1.5 * real_idle["plb-hec", "steady"] < real_idle["acosta", "steady"]) " from 1.5 times on")
}
