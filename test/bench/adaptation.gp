# PLB-HAC's Figure 6: the size of each block over time, for each PU; GPU A becomes 2 (left) and 8 times
# slower at second 142.
load "test/bench/style.gp"
eval open("adaptation", 1300, 480)
COLOURS = "#56B4E9 #D55E00 #009E73 #0072B2"
name(p) = word("CPU GPU CPU GPU", p + 1).(p < 2 ? " A" : " B")
set multiplot layout 1, 2
set xlabel "seconds"
set xrange [0:*]
set logscale y
set yrange [1:30000]
set key top left horizontal
set arrow from 142, graph 0 to 142, graph 1 nohead lc rgb "#606060" dt 2
do for [factor in "2 8"] {
    set title "GPU A ".factor." times slower from second 142"
    set ylabel factor eq "2" ? "columns in a block" : ""
    plot for [p = 0:3] rows("adaptation.csv", sprintf("whole,%s,[0-9.]*,%d,", factor, p)) using 3:6 \
        with steps lc rgb word(COLOURS, p + 1) lw 1.5 title name(p)
}
unset multiplot
