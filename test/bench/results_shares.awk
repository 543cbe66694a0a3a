# Rows about the PUs' shares of the work, in both papers of PLB: results.awk has the functions, and reads the
# numbers.
BEGIN {
    SHARE = "share of a step"
    CPUS = "e5|i7"
    GPUS = "k5200|gtx|k620" # of PLB-HAC's machines
}
# Half the sum of the differences of two distributions of a step, in per cent.
function apart(scenario, i, z, a, b,    p, sum, d) {
    for (p = 0; p < pus[scenario]; p++) {
        d = step[scenario, apps[i], size[i, z], a, p] - step[scenario, apps[i], size[i, z], b, p]
        sum += d < 0 ? -d : d
    }
    return 100 * sum / 2
}
# The part of a step, in per cent, of the PUs whose names begin like this.
function part_of(scenario, i, z, a, like,    p, sum) {
    for (p = 0; p < pus[scenario]; p++)
        sum += pu_name[scenario, p] ~ "^(" like ")" ? step[scenario, apps[i], size[i, z], a, p] : 0
    return 100 * sum
}
function cpu_step(scenario, i, z, a) { return part_of(scenario, i, z, a, CPUS) }
# The CPUs' parts of a step at the largest sizes, with the optimum's, and those of the list.
function cpu_parts(scenario, which, list,    i, j, k, m, is, others, text) {
    j = split(which, is, " ")
    m = split(list, others, " ")
    for (i = 1; i <= j; i++) {
        text = text sprintf("%s%s", i > 1 ? "; " : "", names[is[i]])
        for (k = 1; k <= m; k++)
            text = text sprintf("%s%.2f", k > 1 ? ", " : " ", cpu_step(scenario, is[i], 4, others[k]))
    }
    return text " %"
}
# Half the sum of the differences of two distributions of all work, in per cent.
function real_apart(a, b,    p, sum, d) {
    for (p = 1; p <= 3; p++) {
        d = real_part[a, p] - real_part[b, p]
        sum += d < 0 ? -d : d
    }
    return sum / 2
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
# How far the distributions of the list are from the optimum, largest sizes: is that of the first the nearest?
function nearest(statement, scenario, list, which, how,    i, j, k, m, is, x, best, others, count, text) {
    j = split(which, is, " ")
    m = split(list, others, " ")
    for (i = 1; i <= j; i++) {
        text = text (i > 1 ? "; " : "") names[is[i]]
        best = 1e9
        for (k = 1; k <= m; k++) {
            x[k] = apart(scenario, is[i], 4, others[k], "oracle")
            if (x[k] < best) best = x[k]
            text = text sprintf("%s %.2f", k > 1 ? "," : "", x[k])
        }
        count += x[1] == best
    }
    gsub(" ", ", ", list)
    row(statement, SHARE ", largest sizes", "off the optimum, " list ": " text " %", verdict(count, j), how)
    text = ""
    best = 1e9
    for (k = 1; k <= m; k++) {
        x[k] = real_apart(others[k], "ideal")
        if (x[k] < best) best = x[k]
        text = text sprintf("%s %.1f", k > 1 ? "," : "", x[k])
    }
    real_row(statement, "parts of all work, off the ideal, " list ":" text " %", median(x[1] == best))
}
# In how many of the applications, at the largest size or at both ends, the part of `like` for a is below (or
# above, with a sign of -1) that of all of the list; sets `of`.
function part_below(scenario, a, list, like, sign, which, from,    i, j, z, k, m, is, others, good, count) {
    j = split(which, is, " ")
    m = split(list, others, " ")
    of = 0
    for (i = 1; i <= j; i++)
        for (z = from; z <= 4; z += 3) {
            good = 1
            for (k = 1; k <= m; k++)
                good = good && sign * part_of(scenario, is[i], z, a, like) < \
                                sign * part_of(scenario, is[i], z, others[k], like)
            count += good
            of++
        }
    return count + 0
}
function hec_cpu_blocks(    s, c) {
    s = "smaller blocks to CPUs, larger to GPUs, than HDSS and Acosta (V.A.b)"
    c = part_below(ONE, "plb-hec", "hdss+sync acosta", CPUS, 1, HEC_APPS, 1)
    row(s, SHARE ", smallest and largest sizes",
        sprintf("in %d of %d. CPUs at the largest, optimum, PLB-HeC, HDSS and Acosta: %s", c, of,
                cpu_parts(ONE, HEC_APPS, "oracle plb-hec hdss+sync acosta")), verdict(c, of), one_gpu)
    real_row(s, sprintf("the slowest PU's part of all work: ideal %.2f %%, PLB-HeC %.2f %%, HDSS %.2f %%, " \
                        "Acosta %.2f %%", real_part["ideal", 1], real_part["plb-hec", 1],
                        real_part["hdss+sync", 1], real_part["acosta", 1]),
             median(real_part["plb-hec", 1] < real_part["hdss+sync", 1] && \
                    real_part["plb-hec", 1] < real_part["acosta", 1]))
}
function hec_gpu_blocks(    s, i, k, gpu, text, count) {
    s = "larger ones above all to the GPUs of C and D (V.A.b)"
    split("gtx-680 gtx-titan", gpu, " ")
    for (i = 1; i <= 3; i++)
        for (k = 1; k <= 2; k++)
            text = text sprintf("%s%.1f, %.1f, %.1f", k > 1 ? " and " : (i > 1 ? ". " : "") names[i] " ",
                                part_of(ONE, i, 4, "plb-hec", gpu[k]),
                                part_of(ONE, i, 4, "hdss+sync", gpu[k]), part_of(ONE, i, 4, "acosta", gpu[k]))
    for (k = 1; k <= 2; k++) count += part_below(ONE, "plb-hec", "hdss+sync acosta", gpu[k], -1, HEC_APPS, 1)
    row(s, SHARE ", smallest and largest sizes", "C and D of PLB-HeC, HDSS and Acosta, largest, in %. " text,
        verdict(count, 2 * of), one_gpu)
    real_row(s, sprintf("the fastest PU's part of all work: PLB-HeC %.2f %%, HDSS %.2f %%, Acosta %.2f %%",
                        real_part["plb-hec", 3], real_part["hdss+sync", 3], real_part["acosta", 3]),
             median(real_part["plb-hec", 3] > real_part["hdss+sync", 3] && \
                    real_part["plb-hec", 3] > real_part["acosta", 3]))
}
function hec_alike(    s, i, z, x, y, text, count) {
    s = "HDSS and Acosta distribute alike, PLB-HeC otherwise (V.A.b)"
    for (i = 1; i <= 3; i++)
        for (z = 1; z <= 4; z += 3) {
            x = apart(ONE, i, z, "hdss+sync", "acosta")
            y = apart(ONE, i, z, "hdss+sync", "plb-hec")
            text = text sprintf("%s%.1f and %.1f", z > 1 ? ", " : (i > 1 ? ". " : "") names[i] " ", x, y)
            count += 2 * x < y
        }
    row(s, SHARE ", smallest and largest sizes; alike is at most half as far apart",
        "parts that differ, HDSS and Acosta, HDSS and PLB-HeC, in %. " text, verdict(count, 6), one_gpu)
    x = real_apart("hdss+sync", "acosta")
    y = real_apart("hdss+sync", "plb-hec")
    real_row(s, sprintf("parts of all work that differ: HDSS and Acosta %.1f %%, HDSS and PLB-HeC %.1f %%", x,
                        y), median(2 * x < y))
}
function hac_blocks(    s, x, y, k, m, is, text, count) {
    m = split(HAC_APPS, is, " ")
    s = "smaller blocks to CPUs than HDSS, larger ones to GPUs (5.2)"
    for (k = 1; k <= m; k++) {
        x = cpu_step(hacs[5], is[k], 4, "plb-hac") < cpu_step(hacs[5], is[k], 4, "hdss+sync")
        y = part_of(hacs[5], is[k], 4, "plb-hac", GPUS) > \
            part_of(hacs[5], is[k], 4, "hdss+sync", GPUS)
        text = text sprintf("%s%.1f, %.1f", k > 1 ? "; " : "",
                            part_of(hacs[5], is[k], 4, "plb-hac", GPUS),
                            part_of(hacs[5], is[k], 4, "hdss+sync", GPUS))
        count += x && y
    }
    row(s, SHARE ", largest sizes", "CPUs, optimum, PLB-HAC and HDSS: " \
        cpu_parts(hacs[5], HAC_APPS, "oracle plb-hac hdss+sync") ". GPUs, PLB-HAC and HDSS: " text " %",
        verdict(count, m))
    real_row(s, sprintf("the slowest and the fastest PU's parts of all work: ideal %.2f and %.2f, PLB-HAC " \
                        "%.2f and %.2f, HDSS %.2f and %.2f %%", real_part["ideal", 1], real_part["ideal", 3],
                        real_part["plb-hac", 1], real_part["plb-hac", 3], real_part["hdss+sync", 1],
                        real_part["hdss+sync", 3]),
             median(real_part["plb-hac", 1] < real_part["hdss+sync", 1] && \
                    real_part["plb-hac", 3] > real_part["hdss+sync", 3]))
}
