# Figures 4 and 5 of Li and others: the times of sparse products of 512 and 1024 rows on two emulated GPUs,
# with static shares and with virtual task migration; the least and the most of the runs' totals.
load "test/bench/style.gp"
eval open("li", 1000, 420)
set multiplot layout 1, 2
set style fill solid 0.9 noborder
set pointintervalbox 0
set boxwidth 0.26
set xrange [-0.6:1.6]
set yrange [0:*]
set xtics ("static shares" 0, "task migration" 1) scale 0
set ylabel "milliseconds"
set key above
do for [size in "512 1024"] {
    set title "Product of ".size
    plot rows("li.csv", size.",") using ($2 - 0.28):3 with boxes lc rgb "#56B4E9" title "GPU 0", \
         rows("li.csv", size.",") using 2:4 with boxes lc rgb "#D55E00" title "GPU 1", \
         rows("li.csv", size.",") using ($2 + 0.28):5 with boxes lc rgb "#707070" title "total", \
         rows("li.csv", size.",") using ($2 + 0.28):5:6:7 with yerrorbars lc rgb "black" notitle
}
unset multiplot
