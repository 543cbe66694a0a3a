# Makespan from 10 to 10,000 PUs, with as much work for each: data in rank 0's memory, and in shared files.
load "test/bench/style.gp"
W = 900.0
H = 420.0
eval open("growth-files", W, H)
set title "As much work for each PU: seconds until all is done, balancer sure"
set logscale xy
set xrange [7:14000]
set yrange [5:5000]
set xtics (10, 100, "1,000" 1000, "10,000" 10000)
set xlabel "PUs"
set key left top
memory = rows("growth.csv", "[0-9]*,sure,")
files = rows("growth-files.csv", "[0-9]*,sure,")
plot memory using 1:3 with linespoints lt number("plb-hec") title "data in rank 0's memory", \
     memory using 1:($3 / $4) with lines lc rgb "#D55E00" dt 3 title "its optimum, which knows rank 0's link", \
     files using 1:3 with linespoints lt number("sure") title "data in files", \
     files using 1:($3 / $4) with lines lc rgb "black" dt 3 title "its optimum: all PUs at work"
