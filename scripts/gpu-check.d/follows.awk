# Of scripts/gpu-check: which blocks did another program disturb, and what were their sizes?
#
# Input: a line for each block of the GPU: its number, start, units, seconds of executing, and seconds.
# Output: the first and last disturbed block, the median size before them, their settled size, the size of the
# third block after the first, and this size as a part of the settled one. "no" where too few are disturbed in
# a row.
#
# The upper quartile of all rates counts as the rate of an undisturbed block. Below 3/4 of it a block is
# disturbed. The longest stretch of such blocks counts. When the other program began, the first of them was in
# work, and two more had their sizes already. So from the third one after the first on, sizes should be right.
function sort(v, n,    i, j, x) {
    for (i = 2; i <= n; i++) {
        x = v[i]
        for (j = i - 1; j > 0 && v[j] > x; j--) v[j + 1] = v[j]
        v[j + 1] = x
    }
}
function median_size(from, to,    i, n, v) {
    for (i = from; i <= to; i++) v[++n] = units[i]
    sort(v, n)
    return n ? v[int((n + 1) / 2)] : 0
}
{
    units[NR] = $3
    rate[NR] = $5 > 0 ? $3 / $5 : 0
    ordered[NR] = rate[NR]
}
END {
    sort(ordered, NR)
    full = ordered[int(0.75 * NR)]
    for (i = 4; i <= NR; i = j + 1) {
        for (j = i; j <= NR && rate[j] < 0.75 * full; j++);
        if (j - 1 - i > last - first) {
            first = i
            last = j - 1
        }
    }
    if (last - first < 5) {
        print "no"
        exit
    }
    before = median_size(4, first - 1)
    steady = median_size(first + 3, last)
    third = units[first + 3]
    printf "%d %d %.6g %.6g %.6g %.3f\n", first, last, before, steady, third, third / steady
}
