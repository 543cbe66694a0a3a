# Rows about the PUs' shares of the work, in both papers of PLB: results.awk has the functions, and reads the
# numbers.
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
function cpu_step(scenario, i, z, a) { return part_of(scenario, i, z, a, "e5|i7") }
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
function hec_cpu_blocks(    s, i, z, count) {
    s = "smaller blocks to CPUs, larger to GPUs, than HDSS and Acosta (V.A.b)"
    for (i = 1; i <= 3; i++)
        for (z = 1; z <= 4; z += 3)
            count += cpu_step(ONE, i, z, "plb-hec") < cpu_step(ONE, i, z, "hdss+sync") && \
                     cpu_step(ONE, i, z, "plb-hec") < cpu_step(ONE, i, z, "acosta")
    row(s, "share of one step, smallest and largest sizes",
        sprintf("in %d of 6. CPUs at the largest, optimum, PLB-HeC, HDSS and Acosta: %s", count,
                cpu_parts(ONE, HEC_APPS, "oracle plb-hec hdss+sync acosta")), verdict(count, 6), one_gpu)
    real_row(s, sprintf("the slowest PU's part of all work: ideal %.2f %%, PLB-HeC %.2f %%, HDSS %.2f %%, " \
                        "Acosta %.2f %%", real_part["ideal", 1], real_part["plb-hec", 1],
                        real_part["hdss+sync", 1], real_part["acosta", 1]),
             yes(real_part["plb-hec", 1] < real_part["hdss+sync", 1] && \
                 real_part["plb-hec", 1] < real_part["acosta", 1]))
}
function hec_gpu_blocks(    s, i, k, x, gpu, text, count) {
    s = "larger ones above all to the GPUs of C and D (V.A.b)"
    split("gtx-680 gtx-titan", gpu, " ")
    for (i = 1; i <= 3; i++)
        for (k = 1; k <= 2; k++) {
            x = part_of(ONE, i, 4, "plb-hec", gpu[k])
            text = text sprintf("%s%.1f, %.1f, %.1f", k > 1 ? " and " : (i > 1 ? ". " : "") names[i] " ", x,
                                part_of(ONE, i, 4, "hdss+sync", gpu[k]), part_of(ONE, i, 4, "acosta", gpu[k]))
            count += x > part_of(ONE, i, 4, "hdss+sync", gpu[k]) && x > part_of(ONE, i, 4, "acosta", gpu[k])
        }
    row(s, "share of one step, largest sizes", "C and D of PLB-HeC, HDSS and Acosta, in %. " text,
        verdict(count, 6), one_gpu)
    real_row(s, sprintf("the fastest PU's part of all work: PLB-HeC %.2f %%, HDSS %.2f %%, Acosta %.2f %%",
                        real_part["plb-hec", 3], real_part["hdss+sync", 3], real_part["acosta", 3]),
             yes(real_part["plb-hec", 3] > real_part["hdss+sync", 3] && \
                 real_part["plb-hec", 3] > real_part["acosta", 3]))
}
function hec_alike(    s, i, x, y, text, count) {
    s = "HDSS and Acosta distribute alike, PLB-HeC otherwise (V.A.b)"
    for (i = 1; i <= 3; i++) {
        x = apart(ONE, i, 4, "hdss+sync", "acosta")
        y = apart(ONE, i, 4, "hdss+sync", "plb-hec")
        text = text sprintf("%s%s %.1f and %.1f", i > 1 ? "; " : "", names[i], x, y)
        count += 2 * x < y
    }
    row(s, "share of one step, largest sizes",
        "parts that differ, HDSS and Acosta, HDSS and PLB-HeC: " text " %",
        verdict(count, 3) " where alike is half of otherwise", one_gpu)
    x = real_apart("hdss+sync", "acosta")
    y = real_apart("hdss+sync", "plb-hec")
    real_row(s, sprintf("parts of all work that differ: HDSS and Acosta %.1f %%, HDSS and PLB-HeC %.1f %%", x,
                        y), yes(2 * x < y) " where alike is half of otherwise")
}
function hac_blocks(    s, x, y, k, m, is, text, count) {
    s = "blocks nearer to the optimum than those of HDSS (5.2)"
    m = split(HAC_APPS, is, " ")
    for (k = 1; k <= m; k++) {
        x = apart(hacs[5], is[k], 4, "plb-hac", "oracle")
        y = apart(hacs[5], is[k], 4, "hdss+sync", "oracle")
        text = text sprintf("%s%s %.1f and %.1f", k > 1 ? "; " : "", names[is[k]], x, y)
        count += x < y
    }
    row(s, "share of one step, largest sizes",
        "parts that differ from the optimum, PLB-HAC and HDSS: " text " %", verdict(count, m))
    x = real_apart("plb-hac", "ideal")
    y = real_apart("hdss+sync", "ideal")
    real_row(s, sprintf("parts of all work that differ from the ideal: PLB-HAC %.1f %%, HDSS %.1f %%", x, y),
             yes(x < y))
    s = "smaller blocks to CPUs than HDSS, larger ones to GPUs (5.2)"
    count = 0
    text = ""
    for (k = 1; k <= m; k++) {
        x = cpu_step(hacs[5], is[k], 4, "plb-hac") < cpu_step(hacs[5], is[k], 4, "hdss+sync")
        y = part_of(hacs[5], is[k], 4, "plb-hac", "k5200|gtx|k620") > \
            part_of(hacs[5], is[k], 4, "hdss+sync", "k5200|gtx|k620")
        text = text sprintf("%s%.1f, %.1f", k > 1 ? "; " : "",
                            part_of(hacs[5], is[k], 4, "plb-hac", "k5200|gtx|k620"),
                            part_of(hacs[5], is[k], 4, "hdss+sync", "k5200|gtx|k620"))
        count += x && y
    }
    row(s, "share of one step, largest sizes", "CPUs, optimum, PLB-HAC and HDSS: " \
        cpu_parts(hacs[5], HAC_APPS, "oracle plb-hac hdss+sync") ". GPUs, PLB-HAC and HDSS: " text " %",
        verdict(count, m))
    real_row(s, sprintf("the slowest and the fastest PU's parts of all work: ideal %.2f and %.2f, PLB-HAC " \
                        "%.2f and %.2f, HDSS %.2f and %.2f %%", real_part["ideal", 1], real_part["ideal", 3],
                        real_part["plb-hac", 1], real_part["plb-hac", 3], real_part["hdss+sync", 1],
                        real_part["hdss+sync", 3]),
             yes(real_part["plb-hac", 1] < real_part["hdss+sync", 1] && \
                 real_part["plb-hac", 3] > real_part["hdss+sync", 3]))
}
