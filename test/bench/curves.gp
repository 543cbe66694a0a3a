# PLB-HeC's Figure 1, PLB-HAC's Figure 2: times of blocks on this machine's CPU and an emulated GPU, and the
# curves that are fitted to them.
load "test/bench/style.gp"
eval open("curves", 1300, 760)
kernels = "matmul grn blackscholes kmeans"
pus = "cpu gpu"
COLOURS = "#0072B2 #D55E00"
set multiplot layout 2, 2
set logscale xy
set xlabel "part of the largest block"
set ylabel "seconds"
set format y "%g"
set key top left
do for [kernel in kernels] {
    set title kernel
    plot for [p = 1:2] rows("curves.csv", kernel.",".word(pus, p).",sample,") using 4:5 \
             with points pt 7 ps 0.8 lc rgb word(COLOURS, p) title word(pus, p), \
         for [p = 1:2] rows("curves.csv", kernel.",".word(pus, p).",curve,") using 4:5 \
             with lines lc rgb word(COLOURS, p) lw 1.5 notitle
}
unset multiplot
