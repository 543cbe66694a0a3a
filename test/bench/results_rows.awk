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
function yes(true) { return true ? "holds" : "does not hold" }
# Of milliseconds of runs that scatter by more than ten.
function rises(from, to) { return to - from > 10 ? "holds" : "too little to be measured" }
function quicker(with, without) { return with < 0.95 * without ? "holds" : "less than the runs scatter" }
