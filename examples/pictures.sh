#!/usr/bin/env bash
# Draws the pictures of the examples from runs of plbrun, each beside its README. Needs gnuplot.
# Usage: examples/pictures.sh [NAME...]
set -eu
cd "$(dirname "$0")"
plbrun=${PLBRUN:-../plbrun}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# draw FILE: gnuplot commands from stdin, with a terminal and colours that all pictures share.
draw() {
    {
        echo "set terminal pngcairo size 640,400 font 'DejaVu Sans,10'; set output '$1'"
        echo "set border 3 lc rgb '#606060'; set tics nomirror; set grid lc rgb '#D8D8D8' lt 1 lw 0.5"
        echo "set linetype 1 lc rgb '#0072B2' lw 2; set linetype 2 lc rgb '#D55E00' lw 2"
        echo "set linetype 3 lc rgb '#009E73' lw 2"
        cat
    } | gnuplot
}

# Prices of a call and a put over the spot, at three times to the end.
blackscholes() {
    awk 'BEGIN {
        print "spot,strike,rate,dividend,volatility,time,type"
        for (k = 0; k < 6; k++)
            for (i = 0; i <= 100; i++) {
                type = k < 3 ? "call" : "put"
                printf "%d,100,0.03,0,0.25,%g,%s\n", 50 + i, 0.05 * 4 ^ (k % 3), type
            }
        }' >"$tmp/options.csv"
    "$plbrun" --quiet blackscholes/app.conf blackscholes.contracts="$tmp/options.csv" \
        blackscholes.results="$tmp/results.npy"
    draw blackscholes/prices.png <<END
set xlabel "spot, with a strike of 100"; set ylabel "price"; set key top center
array years[3] = [0.05, 0.2, 0.8]
plot for [k = 0:2] '$tmp/results.npy' binary skip=128+k*101*48 record=101 format='%6float64' \
         using (50 + \$0):1 with lines lt k+1 title sprintf("call, %g years", years[k+1]), \
     for [k = 0:2] '$tmp/results.npy' binary skip=128+(k+3)*101*48 record=101 format='%6float64' \
         using (50 + \$0):1 with lines lt k+1 dt 2 title sprintf("put, %g years", years[k+1])
END
}

# The error of a European put on both trees, by the number of steps.
binomial() {
    printf 'spot,strike,rate,dividend,volatility,time,type\n100,105,0.03,0,0.25,1,put\n' >"$tmp/one.csv"
    local exact tree steps
    exact=$("$plbrun" --quiet blackscholes/app.conf blackscholes.contracts="$tmp/one.csv" \
        blackscholes.results="$tmp/one.npy" && number)
    for tree in crr leisen-reimer; do
        for steps in $(seq 11 2 41) 51 61 71 81 101 121 151 201 251 301 401 501 701 1001; do
            for more in 0 1; do
                [ "$tree" = crr ] || [ "$more" = 0 ] || continue
                "$plbrun" --quiet binomial/app.conf binomial.contracts="$tmp/one.csv" \
                    binomial.prices="$tmp/one.npy" binomial.exercise=european binomial.tree="$tree" \
                    binomial.steps=$((steps + more))
                echo "$((steps + more)) $(number) $exact"
            done
        done >"$tmp/$tree"
    done
    draw binomial/errors.png <<END
set logscale xy; set xlabel "steps"; set ylabel "error of the price of a European put"; set format y "10^{%L}"
plot '$tmp/crr' using 1:(abs(\$2 - \$3)) with linespoints pt 7 ps 0.4 title "Cox, Ross, Rubinstein", \
     '$tmp/leisen-reimer' using 1:(abs(\$2 - \$3)) with linespoints pt 7 ps 0.4 title "Leisen, Reimer"
END
}
number() { od -An -t f8 -j 128 -N 8 "$tmp/one.npy" | tr -d ' '; }

# How far 40 powers of z are from log(1 + z).
taylor() {
    "$plbrun" --quiet taylor/app.conf taylor.width=400 taylor.height=400 taylor.values="$tmp/v.npy" \
        taylor.errors="$tmp/errors.npy"
    draw taylor/errors.png <<END
set size ratio -1; unset grid; set xlabel "real part of z"; set ylabel "imaginary part"
set palette defined (-17 "#ffffff", -12 "#a6cee3", -6 "#0072B2", 0 "#D55E00", 6 "#400000")
set cbrange [-17:6]; set cblabel "error, power of ten"; set xrange [-1.2:1.2]; set yrange [-1.2:1.2]
plot '$tmp/errors.npy' binary skip=128 array=(400,400) format='%float64' dx=0.006 dy=0.006 \
     origin=(-1.2,-1.2) using (\$1 > 0 ? log10(\$1) : -17) with image notitle
END
}

# Points of the plane, coloured by cluster, with the centroids.
kmeans() {
    awk 'function bell() { return sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
         BEGIN { srand(3); print "x,y"
                 for (c = 0; c < 7; c++) {
                     x[c] = 10 * rand(); y[c] = 6 * rand(); w[c] = 0.25 + 0.5 * rand()
                 }
                 for (i = 0; i < 6000; i++) {
                     c = int(7 * rand())
                     print x[c] + w[c] * bell() "," y[c] + w[c] * bell()
                 } }' >"$tmp/points.csv"
    "$plbrun" --quiet kmeans/app.conf kmeans.points="$tmp/points.csv" kmeans.clusters=7 \
        kmeans.labels="$tmp/labels.npy" kmeans.centroids="$tmp/centroids.npy" \
        kmeans.history="$tmp/history.npy"
    od -An -v -t d4 -w4 -j 128 "$tmp/labels.npy" |
        paste -d, <(tail -n +2 "$tmp/points.csv") - >"$tmp/labelled.csv"
    draw kmeans/clusters.png <<END
set datafile separator comma; unset grid; unset key; unset colorbox
set palette defined (0 "#0072B2", 1 "#D55E00", 2 "#009E73", 3 "#CC79A7", 4 "#E69F00", 5 "#56B4E9", \
    6 "#707070")
plot '$tmp/labelled.csv' using 1:2:3 with points pt 7 ps 0.25 palette, \
     '$tmp/centroids.npy' binary skip=128 record=7 format='%2float64' using 1:2 \
         with points pt 2 ps 2 lw 3 lc rgb "black"
END
}

for name in "${@:-blackscholes binomial taylor kmeans}"; do
    for one in $name; do "$one"; done
done
