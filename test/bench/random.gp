# The distribution of makespan over the bound on random clusters: in which part of them a balancer stays below a
# ratio. Left: all clusters; right: those without a note. The axis is the logarithm of what is above 1.
load "test/bench/style.gp"
names = values("ratios.csv", "^[0-9]", 2)
W = 1300.0
H = 620.0
eval open("random", W, H)
# A balancer's ratios in order, with the part of clusters up to each. `notes`: of which clusters.
ratios(balancer, notes) = sprintf("< awk -F, '$2 == \"%s\" && $4 ~ /^%s$/ {print $3}' %s/ratios.csv | sort -g | awk '{v[NR] = $1} END {for (i = 1; i <= NR; i++) print v[i] \",\" i / NR}'", balancer, notes, folder)
set key off
set logscale x
set xrange [1e-3:100]
set xtics ("1" 1e-3, "1.01" 0.01, "1.05" 0.05, "1.2" 0.2, "1.5" 0.5, "2" 1, "4" 3, "11" 10, "101" 100)
set yrange [0:1]
set xlabel "makespan over the bound, mean of the seeds"
set grid xtics ytics lc rgb "#D8D8D8" lt 1 lw 0.5
set multiplot title "Random clusters: in which part of them a balancer stays below a ratio" font ",13"
do for [k = 0:1] {
    set lmargin at screen (70 + 630 * k) / W
    set rmargin at screen (70 + 630 * k + 540) / W
    set tmargin at screen 0.8
    set bmargin at screen 0.12
    set title k == 0 ? "all clusters" : "clusters without a note why nobody could come near the bound"
    plot for [b in names] ratios(b, k == 0 ? "[01]" : "0") using ($1 > 1.001 ? $1 - 1 : 1e-3):2 with lines lt number(b) notitle
}
unset logscale x
eval legend(names, "lines", 0.93)
unset multiplot
