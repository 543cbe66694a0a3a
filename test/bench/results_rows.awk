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
# Of real runs of which one counts.
function median(true) { return yes(true) " in the median run" }
# Whether a is less than b, whichever of their runs are compared.
function less(low_a, high_a, low_b, high_b) {
    if (high_a < low_b) return "holds"
    return low_a >= high_b ? "does not hold" : "less than the runs scatter"
}
# The verdict on all of several, of which one is `says` so far.
function both(says, next_one) {
    if (says ~ /not/ || next_one == "holds") return says
    return next_one ~ /not/ || says == "holds" ? next_one : says
}
