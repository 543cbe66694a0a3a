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
