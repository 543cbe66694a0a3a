# PLB-HeC's Figures 4 and 5, PLB-HAC's Figure 4: applications by scenarios; optimum over makespan by input
# size, for each balancer. Expects `family`.
load "test/bench/style.gp"
LOW = 0.5
scenarios = values("cells.csv", "^".family."-", 1)
apps = values("cells.csv", "^".family."-", 2)
columns = words(scenarios)
lines = words(apps)
W = 80.0 + 300 * columns
H = 125.0 + 240 * lines
eval open("speedup-".family, W, H)

machines(scenario) = system("echo ".scenario[strlen(family) + 2:*]." | tr a-e A-E")
short(size) = size % 1000 == 0 ? sprintf("%dk", size / 1000) : size
# Who is below the axis at every size.
cut(scenario, app) = system(sprintf( \
    "awk -F, '$1 == \"%s\" && $2 == \"%s\" {if (!($4 in best) || 1 / $6 > best[$4]) best[$4] = 1 / $6} END {n = split(\"%s\", names, \" \"); for (i = 1; i <= n; i++) if (names[i] in best && best[names[i]] < %g) printf \"%%s \", names[i]}' %s/cells.csv", \
    scenario, app, balancers, LOW, folder))

set key off
set yrange [LOW:1.04]
set ytics 0.1
set logscale x
set style textbox opaque fillcolor rgb "white" noborder margins 0.3, 0.3
set multiplot title family.": optimum over makespan (1 is best) by input size, mean and standard deviation of the seeds; cut at 0.5" font ",13"
do for [a = 1:lines] {
    app = word(apps, a)
    sizes = values("cells.csv", "^".family."-[a-e]*,".app.",", 3)
    do for [s = 1:columns] {
        scenario = word(scenarios, s)
        set lmargin at screen (70 + 300 * (s - 1)) / W
        set rmargin at screen (70 + 300 * s - 50) / W
        set tmargin at screen 1 - (105 + 240 * (a - 1)) / H
        set bmargin at screen 1 - (105 + 240 * a - 55) / H
        set title app.", ".machines(scenario) offset 0, -0.7
        set xrange [word(sizes, 1) * 0.85:word(sizes, words(sizes)) * 1.18]
        set xtics () font ",9"
        do for [i = 1:words(sizes)] { set xtics add (short(word(sizes, i)) word(sizes, i) + 0) }
        below = cut(scenario, app)
        set label 1 (below eq "" ? "" : "below: ".below) at graph 0.02, 0.05 font ",8" tc rgb "#606060" front boxed
        plot 1 lc rgb "black" lw 1 notitle, \
            for [b = words(balancers):1:-1] rows("cells.csv", sprintf("%s,%s,[0-9]*,%s,", scenario, app, word(balancers, b))) \
                using 3:(1 / $6):(1 / ($6 + $7)):(1 / ($6 - $7)) with yerrorlines lt b notitle
    }
}
eval legend(balancers, "linespoints", 1 - 35 / H)
unset multiplot
