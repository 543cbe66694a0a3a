# What the scripts that write rows of examples/papers/RESULTS.md share. A verdict is computed from the numbers
# beside it.
function head() {
    print "| statement (section) | reading | ours | verdict | command |\n|---|---|---|---|---|"
}
function row(statement, reading, ours, verdict, how) {
    printf "| %s | %s | %s | %s | %s |\n", statement, reading, ours, verdict, how == "" ? command : how
}
# `holds`, or in which part of the cases.
function verdict(count, cases) {
    if (count == cases) return "holds"
    return count == 0 ? "does not hold" : sprintf("holds in %d of %d", count, cases)
}
# The row of a simulated statement that nothing real can show.
function no_real(statement, why) { row(statement, "real ranks", "none: " why, "—", "—") }
function title_of(word) { return toupper(substr(word, 1, 1)) substr(word, 2) }
function yes(true) { return true ? "holds" : "does not hold" }
# Of milliseconds of runs that scatter by more than ten.
function rises(from, to) { return to - from > 10 ? "holds" : "too little to be measured" }
# From a to b: the least of a's runs beside the most of b's.
function falls(low_a, high_b) { return high_b < low_a ? "holds" : "less than the runs scatter" }
