# Rows of statements that both papers make, PLB-HeC (2015) and PLB-HAC (2019): results.awk has the functions,
# and reads the numbers.
# Numbers that should rise from one to the next, m of them, as a list.
function list_of(values, m, format,    k, text) {
    for (k = 1; k <= m; k++) text = text sprintf("%s" format, k > 1 ? ", " : "", values[k])
    return text
}
function steps(values, m,    k, count) {
    for (k = 2; k <= m; k++) count += values[k] > values[k - 1]
    if (count == m - 1) return "holds at each step"
    return count == 0 || values[m] <= values[1] ? "does not hold" : "holds at " count " of " m - 1 " steps"
}
function beside(b) { return b == "oracle" ? "" : "to greedy, " }
# The lead of a over b with the number of unlike machines, at the largest sizes; then that of a over c on real
# ranks.
function unlike(statement, reading, a, b, scenarios, machines, which, real_text, c,    m, lead) {
    for (m = 1; m <= machines; m++) {
        choose(scenarios, m, m, which, 4, 4)
        lead[m] = speedup(a, b)
    }
    row(statement, reading, sprintf("%smeans of one to %s machines, largest sizes: %s", beside(b),
                                    count_name[machines], list_of(lead, machines, "%.3f")),
        steps(lead, machines))
    real_row(statement, sprintf("%s, 1 : 9 on one machine %.3f, 1 : 3 : 9 on three %.3f", real_text,
                                real[c, "one"] / real[a, "one"], real[c, "steady"] / real[a, "steady"]),
             lead_rises(a, c, "one", "steady"))
}
# The lead of a over b with the size, as a mean over all scenarios; then that of a over c on real ranks.
function larger(statement, reading, a, b, scenarios, first, last, which, real_text, c,    z, lead) {
    for (z = 1; z <= 4; z++) {
        choose(scenarios, first, last, which, z, z)
        lead[z] = speedup(a, b)
    }
    row(statement, reading, beside(b) "means of the smallest to the largest size: " list_of(lead, 4, "%.3f"),
        steps(lead, 4))
    real_row(statement, sprintf("%s, a tenth of a second %.3f, a second %.3f", real_text,
                                real[c, "short"] / real[a, "short"], real[c, "steady"] / real[a, "steady"]),
             lead_rises(a, c, "short", "steady"))
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
# Standard deviations of the PUs' shares of a step, over the seeds, at the largest size, and at size `from`.
function shares_spread(statement, scenario, list, which, from, how,    i, j, k, m, z, x, is, others, high,
                       worst, text, real_text) {
    j = split(which, is, " ")
    m = split(list, others, " ")
    for (k = 1; k <= m; k++) {
        high = 0
        for (i = 1; i <= j; i++)
            for (z = from; z <= 4; z += 3) {
                x = step_spread[scenario, others[k], apps[is[i]], size[is[i], z]]
                if (x > high) high = x
            }
        text = text sprintf("%s%s %.2f %%", k > 1 ? ", " : "", others[k], high)
        if (high > worst) worst = high
    }
    row(statement, "largest of all PUs, ten seeds, " (from == 1 ? "smallest and " : "") "largest sizes",
        text " of a step",
        yes(worst < 1) " below 1 %", how)
    worst = 0
    for (k = 1; k <= m; k++) {
        x = real_spread[others[k], "steady"]
        real_text = real_text sprintf("%s%s %.2f %%", k > 1 ? ", " : "", others[k], x)
        if (x > worst) worst = x
    }
    real_row(statement, "most minus least part of a PU: " real_text " of all work",
             yes(worst < 1) " below 1 %")
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
