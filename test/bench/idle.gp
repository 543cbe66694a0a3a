# PLB-HeC's Figure 7, PLB-HAC's Figure 5a: idle time of each kind of PU, at the smallest and the largest
# size of each application, on all machines of a family. Expects `family` and `compared`, the balancers.
load "test/bench/style.gp"
scenario = word(values("cells.csv", "^".family."-", 1), words(values("cells.csv", "^".family."-", 1)))
apps = values("cells.csv", "^".scenario.",", 2)
kinds = "CPU GPU accelerator"
columns = system(sprintf("grep -e '^%s,' %s/cells.csv | awk -F, '$10 != \"nan\" {n = 1} END {print 2 + n}'", scenario, folder)) + 0
W = 90.0 + 420 * columns
H = 650.0
eval open("idle-".family, W, H)

bars = words(compared)
width = 0.8 / bars
sizes(app) = values("cells.csv", "^".scenario.",".app.",", 3)
chosen(app, last) = word(sizes(app), last ? words(sizes(app)) : 1)
set style fill solid 0.9 noborder
set boxwidth 0.9 * width
set xrange [0.4:words(apps) + 0.6]
set key off
set multiplot title scenario.": idle time by kind of PU, per cent of the makespan, mean of the seeds" font ",13"
do for [line = 1:2] {
    do for [k = 1:columns] {
        set lmargin at screen (70 + 420 * (k - 1)) / W
        set rmargin at screen (70 + 420 * k - 45) / W
        set tmargin at screen 1 - (95 + 275 * (line - 1)) / H
        set bmargin at screen 1 - (95 + 275 * line - 65) / H
        set title word(kinds, k).", ".(line == 1 ? "smallest" : "largest")." size" offset 0, -0.7
        set xtics () scale 0
        do for [a = 1:words(apps)] { set xtics add (word(apps, a)."\n".chosen(word(apps, a), line == 2) a) }
        set yrange [0:line == 1 ? 50 : 20]
        plot for [b = 1:bars] for [a = 1:words(apps)] \
            rows("cells.csv", sprintf("%s,%s,%s,%s,", scenario, word(apps, a), chosen(word(apps, a), line == 2), word(compared, b))) \
                using (a + (b - 0.5 - bars / 2.0) * width):(column(7 + k)) with boxes lt number(word(compared, b)) notitle
    }
}
eval legend(compared, "boxes", 1 - 35 / H)
unset multiplot
