# Makespan, the master's time per block and messages from 10 to 10,000 PUs, with as much work for each.
load "test/bench/style.gp"
names = values("growth.csv", "^[0-9]", 2)
W = 1400.0
H = 460.0
eval open("growth", W, H)
HIGH = 1.5
cut = system(sprintf("awk -F, '/^[0-9]/ {if (!($2 in least) || $4 < least[$2]) least[$2] = $4} END {for (b in least) if (least[b] > %g) printf \"%%s (%%.1f) \", b, least[b]}' %s/growth.csv", HIGH, folder))
panel(k) = sprintf("set lmargin at screen %g; set rmargin at screen %g; set tmargin at screen 0.81; set bmargin at screen 0.13", (70 + 460 * k) / W, (70 + 460 * k + 370) / W)
set key off
set logscale x
set xrange [7:*]
set xtics (10, 100, "1,000" 1000, "10,000" 10000)
set xlabel "PUs"
set multiplot title "Growth, with as much work for each PU" font ",13"
eval panel(0)
set title "makespan over the optimum"
set yrange [0.98:HIGH]
set label 1 (cut eq "" ? "" : "above: ".cut) at graph 0.03, 0.95 font ",9" tc rgb "#606060"
plot 1 lc rgb "black" lw 1 notitle, for [b in names] rows("growth.csv", "[0-9]*,".b.",") using 1:4 with linespoints lt number(b)
unset label 1
eval panel(1)
set title "master, microseconds per block"
set yrange [*:*]
set logscale y
plot for [b in names] rows("growth.csv", "[0-9]*,".b.",") using 1:6 with linespoints lt number(b)
unset logscale y
eval panel(2)
set title "messages per PU"
set yrange [0:*]
plot for [b in names] rows("growth.csv", "[0-9]*,".b.",") using 1:($7 / $1) with linespoints lt number(b)
eval legend(names, "linespoints", 0.92)
unset multiplot
