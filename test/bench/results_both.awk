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
# ranks. The mean may rise by one application alone, so the steps of each are counted, too.
function unlike(statement, reading, a, b, scenarios, machines, which, real_text, c,    m, i, j, is, lead, one,
                rise, all) {
    for (m = 1; m <= machines; m++) {
        choose(scenarios, m, m, which, 4, 4)
        lead[m] = speedup(a, b)
    }
    j = split(which, is, " ")
    for (i = 1; i <= j; i++) {
        for (m = 1; m <= machines; m++) {
            choose(scenarios, m, m, is[i], 4, 4)
            one[m] = speedup(a, b)
            rise += m > 1 && one[m] > one[m - 1]
        }
        all += steps(one, machines) == "holds at each step"
    }
    row(statement, reading,
        sprintf("%smeans of one to %s machines, largest sizes: %s. " \
                "Of the steps of single applications %d of %d rise",
                beside(b), count_name[machines], list_of(lead, machines, "%.3f"), rise, j * (machines - 1)),
        "mean: " steps(lead, machines) "; each application: " verdict(all, j))
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
