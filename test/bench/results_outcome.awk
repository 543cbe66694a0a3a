# How many rows of examples/papers/RESULTS.md hold, and how many do not. Usage:
#   awk -f results_outcome.awk PAGE
BEGIN {
    FS = " [|] "
    sections = split("PLB-HeC PLB-HAC Li Stafford", papers, " ")
    kinds = split("hold,hold in part,do not hold,undecided,neither", names, ",")
    split("hec hac li stafford", blocks, " ")
    for (p in blocks) paper[blocks[p]] = papers[p]
}
/^<!-- / { inside = paper[substr($0, 6, length($0) - 9)] }
inside != "" && NF == 5 && !/^[|] statement/ { count[inside, kind($4)]++ }
# Of a verdict, which may have several: 1 to 5, as in `names`.
function kind(verdict,    part, never, whole) {
    part = gsub(/holds (in|at) [0-9]+ of/, "", verdict)
    never = gsub(/does not hold/, "", verdict)
    whole = gsub(/holds/, "", verdict)
    if (part || never && whole) return 2
    if (verdict ~ /scatter|too little/) return whole || never ? 2 : 4
    return whole ? 1 : never ? 3 : 5
}
END {
    printf "| rows of |"
    for (k = 1; k <= kinds; k++) printf " %s |", names[k]
    printf "\n|---|---|---|---|---|---|\n"
    for (p = 1; p <= sections; p++) {
        printf "| %s |", papers[p]
        for (k = 1; k <= kinds; k++) {
            printf " %d |", count[papers[p], k]
            all[k] += count[papers[p], k]
        }
        printf "\n"
    }
    printf "| all |"
    for (k = 1; k <= kinds; k++) printf " %d |", all[k]
    printf "\n"
}
