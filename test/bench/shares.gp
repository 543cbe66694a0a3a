# PLB-HeC's Figure 6, PLB-HAC's Figure 5b: the part of one step that each PU was given at the end of training,
# at the largest size of each application, on all machines of a family. Expects `family` and `compared`, the balancers.
load "test/bench/style.gp"
scenario = word(values("shares.csv", "^".family."-", 1), words(values("shares.csv", "^".family."-", 1)))
apps = values("shares.csv", "^".scenario.",", 2)
pus = values("shares.csv", "^".scenario.",", 5)
lines = (words(apps) + 1) / 2
W = 1500.0
H = 60.0 + 330 * lines
eval open("shares-".family, W, H)

# A name that another PU has as well gets a number.
labels = system(sprintf("grep -e '^%s,' %s/shares.csv | awk -F, '!seen[$5]++ {name[++n] = $6; total[$6]++} END {for (i = 1; i <= n; i++) printf \"%%s%%s \", name[i], (total[name[i]] > 1 ? \"#\" ++used[name[i]] : \"\")}'", scenario, folder))
bars = words(compared)
width = 0.84 / bars
# The optimum is one distribution of all work, and has no steps.
part(x) = strcol(4) eq "oracle" ? column(7) : column(8)
set style fill solid 0.9 noborder
set pointintervalbox 0
set boxwidth 0.92 * width
set key off
set xrange [-0.6:words(pus) - 0.4]
set yrange [0:*]
set multiplot title scenario.": share of one step by PU, per cent, mean and standard deviation of the seeds" font ",13"
do for [a = 1:words(apps)] {
    app = word(apps, a)
    all = values("shares.csv", "^".scenario.",".app.",", 3)
    size = word(all, words(all))
    set lmargin at screen (60 + 750 * ((a - 1) % 2)) / W
    set rmargin at screen (60 + 750 * ((a - 1) % 2) + 670) / W
    set tmargin at screen 1 - (90 + 330 * ((a - 1) / 2)) / H
    set bmargin at screen 1 - (90 + 330 * ((a - 1) / 2) + 215) / H
    set title app.", ".size offset 0, -0.7
    set xtics () rotate by 30 right scale 0 font ",10"
    do for [i = 1:words(pus)] { set xtics add (word(labels, i) i - 1) }
    plot for [b = 1:bars] rows("shares.csv", sprintf("%s,%s,%s,%s,", scenario, app, size, word(compared, b))) \
        using ($5 + (b - 0.5 - bars / 2.0) * width):(100 * part(0)) with boxes lt number(word(compared, b)) notitle, \
         for [b = 1:bars] rows("shares.csv", sprintf("%s,%s,%s,%s,", scenario, app, size, word(compared, b))) \
        using ($5 + (b - 0.5 - bars / 2.0) * width):(100 * part(0)):(100 * $9) with yerrorbars lc rgb "black" notitle
}
eval legend(compared, "boxes", 1 - 35 / H)
unset multiplot
